// What Warplens uses of the CUDA driver API ("CUDA Driver API", NVIDIA), found in libcuda.so.1 at run time:
// the program links to nothing of CUDA, and is built without a toolkit. Types, values and the symbols'
// versions are part of the driver's binary interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/base/result.h"

namespace warplens::gpu {

using CuResult = int;
using CuDevice = int;
using CuDevicePointer = unsigned long long;
using CuContext = struct CuContextObject*;
using CuStream = struct CuStreamObject*;
using CuEvent = struct CuEventObject*;
using CuModule = struct CuModuleObject*;
using CuFunction = struct CuFunctionObject*;
using CuLink = struct CuLinkObject*;

using CuArray = struct CuArrayObject*;
using CuTextureObject = unsigned long long;
enum class CuSurface : unsigned long long {};  // An integer too, but released otherwise
using CuSurfaceObject = CuSurface;

/// CUDA_ARRAY3D_DESCRIPTOR
struct CuArrayDescription {
  std::size_t width = 0, height = 0, depth = 0;
  int format = 0;
  unsigned channels = 0, flags = 0;
};
/// One half of CUDA_MEMCPY3D
struct CuCopyEnd {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  int memory = 0;
  const void* host = nullptr;
  CuDevicePointer device = 0;
  CuArray array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch_bytes = 0, height = 0;
};
struct CuCopy3d {
  CuCopyEnd from, to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};
struct CuLinearMemory {
  CuDevicePointer address;
  int format;
  unsigned channels;
  std::size_t bytes;
};
struct CuPitchedMemory {
  CuDevicePointer address;
  int format;
  unsigned channels;
  std::size_t width, height, pitch_bytes;
};
/// CUDA_RESOURCE_DESC
struct CuResourceDescription {
  int type;
  union {
    CuArray array;
    CuLinearMemory linear;
    CuPitchedMemory pitched;
    int reserved[32];
  };
  unsigned flags;
};
/// CUDA_TEXTURE_DESC
struct CuTextureDescription {
  int address_modes[3];
  int filter;
  unsigned flags, anisotropy;
  int level_filter;
  float level_bias, min_level, max_level;
  float border[4];
  int reserved[12];
};

/// CUlaunchAttribute
struct CuLaunchAttribute {
  int kind;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
    unsigned cluster[3];
  };
};
/// CUlaunchConfig
struct CuLaunch {
  unsigned grid[3], block[3];
  unsigned dynamic_shared_bytes;
  CuStream stream;
  CuLaunchAttribute* attributes;
  unsigned attribute_count;
};
/// CUtensorMap
struct alignas(64) CuTensorMap {
  std::uint64_t words[16];
};

inline constexpr CuResult kCuSuccess = 0, kCuOutOfMemory = 2, kCuNoDevice = 100, kCuNotReady = 600;

struct DriverApi {
  CuResult (*init)(unsigned flags);
  CuResult (*driver_version)(int* version);
  CuResult (*error_name)(CuResult result, const char** name);
  CuResult (*error_string)(CuResult result, const char** text);

  CuResult (*device_count)(int* count);
  CuResult (*device_get)(CuDevice* device, int ordinal);
  CuResult (*device_name)(char* name, int size, CuDevice device);
  CuResult (*device_total_memory)(std::size_t* bytes, CuDevice device);
  CuResult (*device_attribute)(int* value, int attribute, CuDevice device);
  CuResult (*device_pci_bus_id)(char* id, int size, CuDevice device);

  CuResult (*primary_context_retain)(CuContext* context, CuDevice device);
  CuResult (*primary_context_release)(CuDevice device);
  CuResult (*context_set_current)(CuContext context);
  CuResult (*context_set_limit)(int limit, std::size_t value);
  CuResult (*context_get_limit)(std::size_t* value, int limit);
  CuResult (*memory_info)(std::size_t* free, std::size_t* total);

  CuResult (*memory_allocate)(CuDevicePointer* address, std::size_t bytes);
  CuResult (*memory_free)(CuDevicePointer address);
  CuResult (*copy_to_device)(CuDevicePointer to, const void* from, std::size_t bytes, CuStream stream);
  CuResult (*copy_to_host)(void* to, CuDevicePointer from, std::size_t bytes, CuStream stream);
  CuResult (*copy_on_device)(CuDevicePointer to, CuDevicePointer from, std::size_t bytes, CuStream stream);
  CuResult (*fill_bytes)(CuDevicePointer to, unsigned char value, std::size_t count, CuStream stream);

  CuResult (*array_create)(CuArray* array, const CuArrayDescription* description);
  CuResult (*array_destroy)(CuArray array);
  CuResult (*copy_3d)(const CuCopy3d* copy, CuStream stream);
  CuResult (*texture_create)(CuTextureObject* texture, const CuResourceDescription* resource,
                             const CuTextureDescription* description, const void* view);
  CuResult (*texture_destroy)(CuTextureObject texture);
  CuResult (*surface_create)(CuSurfaceObject* surface, const CuResourceDescription* resource);
  CuResult (*surface_destroy)(CuSurfaceObject surface);

  CuResult (*stream_create)(CuStream* stream, unsigned flags);
  CuResult (*stream_destroy)(CuStream stream);
  CuResult (*stream_query)(CuStream stream);
  CuResult (*stream_wait_event)(CuStream stream, CuEvent event, unsigned flags);
  CuResult (*event_create)(CuEvent* event, unsigned flags);
  CuResult (*event_destroy)(CuEvent event);
  CuResult (*event_record)(CuEvent event, CuStream stream);
  CuResult (*event_query)(CuEvent event);
  CuResult (*event_elapsed)(float* milliseconds, CuEvent start, CuEvent end);

  CuResult (*module_load)(CuModule* module, const void* image, unsigned options, int* names, void** values);
  CuResult (*module_unload)(CuModule module);
  CuResult (*module_function)(CuFunction* function, CuModule module, const char* name);
  CuResult (*module_global)(CuDevicePointer* address, std::size_t* bytes, CuModule module, const char* name);
  CuResult (*link_create)(unsigned options, int* names, void** values, CuLink* link);
  CuResult (*link_add)(CuLink link, int kind, void* data, std::size_t bytes, const char* name,
                       unsigned options, int* names, void** values);
  CuResult (*link_complete)(CuLink link, void** cubin, std::size_t* bytes);
  CuResult (*link_destroy)(CuLink link);

  CuResult (*function_attribute)(int* value, int attribute, CuFunction function);
  CuResult (*function_set_attribute)(CuFunction function, int attribute, int value);
  CuResult (*occupancy)(int* blocks, CuFunction function, int block_threads,
                        std::size_t dynamic_shared_bytes);
  CuResult (*launch)(const CuLaunch* launch, CuFunction function, void** arguments, void** extra);
  CuResult (*tensor_map_encode)(CuTensorMap* map, int element, unsigned rank, CuDevicePointer address,
                                const std::uint64_t* extents, const std::uint64_t* strides,
                                const std::uint32_t* box, const std::uint32_t* element_strides,
                                int interleave, int swizzle, int l2_promotion, int fill);
  CuResult (*tensor_map_encode_im2col)(CuTensorMap* map, int element, unsigned rank, CuDevicePointer address,
                                       const std::uint64_t* extents, const std::uint64_t* strides,
                                       const std::int32_t* lower, const std::int32_t* upper,
                                       unsigned channels, unsigned pixels,
                                       const std::uint32_t* element_strides, int interleave, int swizzle,
                                       int l2_promotion, int fill);
};

/// The driver, loaded and started once for the process. The error says what is missing, and what to do.
[[nodiscard]] const Result<DriverApi>& driver_api();

/// "illegal address in cuStreamQuery (CUDA error 700, CUDA_ERROR_ILLEGAL_ADDRESS)", and what to do about it.
[[nodiscard]] Error driver_error(const DriverApi& api, CuResult result, const char* call);

/// The newest CUDA that the driver supports: "13.0"; empty without a driver. Asks nothing of the GPU.
[[nodiscard]] std::string driver_version();

}  // namespace warplens::gpu
