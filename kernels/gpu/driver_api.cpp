#include "kernels/gpu/driver_api.h"

#include <fmt/core.h>

#include "kernels/base/library.h"
#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

struct LoadedDriver {
  Library library{"libcuda.so.1"};
  DriverApi api{};

  LoadedDriver() {
    if (library.found()) find_all();
  }

  void find_all() {
    library.find("cuInit", api.init);
    library.find("cuDriverGetVersion", api.driver_version);
    library.find("cuGetErrorName", api.error_name);
    library.find("cuGetErrorString", api.error_string);
    library.find("cuDeviceGetCount", api.device_count);
    library.find("cuDeviceGet", api.device_get);
    library.find("cuDeviceGetName", api.device_name);
    library.find("cuDeviceTotalMem_v2", api.device_total_memory);
    library.find("cuDeviceGetAttribute", api.device_attribute);
    library.find("cuDeviceGetPCIBusId", api.device_pci_bus_id);
    library.find("cuDevicePrimaryCtxRetain", api.primary_context_retain);
    library.find("cuDevicePrimaryCtxRelease_v2", api.primary_context_release);
    library.find("cuCtxSetCurrent", api.context_set_current);
    library.find("cuCtxSetLimit", api.context_set_limit);
    library.find("cuCtxGetLimit", api.context_get_limit);
    library.find("cuMemGetInfo_v2", api.memory_info);
    library.find("cuMemAlloc_v2", api.memory_allocate);
    library.find("cuMemFree_v2", api.memory_free);
    library.find("cuMemcpyHtoDAsync_v2", api.copy_to_device);
    library.find("cuMemcpyDtoHAsync_v2", api.copy_to_host);
    library.find("cuMemcpyDtoDAsync_v2", api.copy_on_device);
    library.find("cuMemsetD8Async", api.fill_bytes);
    library.find("cuArray3DCreate_v2", api.array_create);
    library.find("cuArrayDestroy", api.array_destroy);
    library.find("cuMemcpy3DAsync_v2", api.copy_3d);
    library.find("cuTexObjectCreate", api.texture_create);
    library.find("cuTexObjectDestroy", api.texture_destroy);
    library.find("cuSurfObjectCreate", api.surface_create);
    library.find("cuSurfObjectDestroy", api.surface_destroy);
    library.find("cuStreamCreate", api.stream_create);
    library.find("cuStreamDestroy_v2", api.stream_destroy);
    library.find("cuStreamQuery", api.stream_query);
    library.find("cuStreamWaitEvent", api.stream_wait_event);
    library.find("cuEventCreate", api.event_create);
    library.find("cuEventDestroy_v2", api.event_destroy);
    library.find("cuEventRecord", api.event_record);
    library.find("cuEventQuery", api.event_query);
    library.find("cuEventElapsedTime", api.event_elapsed);
    library.find("cuModuleLoadDataEx", api.module_load);
    library.find("cuModuleUnload", api.module_unload);
    library.find("cuModuleGetFunction", api.module_function);
    library.find("cuModuleGetGlobal_v2", api.module_global);
    library.find("cuLinkCreate_v2", api.link_create);
    library.find("cuLinkAddData_v2", api.link_add);
    library.find("cuLinkComplete", api.link_complete);
    library.find("cuLinkDestroy", api.link_destroy);
    library.find("cuFuncGetAttribute", api.function_attribute);
    library.find("cuFuncSetAttribute", api.function_set_attribute);
    library.find("cuOccupancyMaxActiveBlocksPerMultiprocessor", api.occupancy);
    library.find("cuLaunchKernelEx", api.launch);
    library.find("cuTensorMapEncodeTiled", api.tensor_map_encode);
    library.find("cuTensorMapEncodeIm2col", api.tensor_map_encode_im2col);
  }
};

const LoadedDriver& loaded_driver() {
  static const LoadedDriver kDriver;
  return kDriver;
}

Result<DriverApi> started_driver() {
  const LoadedDriver& driver = loaded_driver();
  if (!driver.library.found()) {
    return Error{tr("there is no NVIDIA driver (libcuda.so.1)"), "",
                 tr("Install the driver of your GPU; without one, kernels are replayed on the CPU.")};
  }
  if (const std::string& missing = driver.library.missing_symbol(); !missing.empty()) {
    return Error{tr("the NVIDIA driver is too old: it has no {function}", "function"_a = missing), "",
                 tr("Update it.")};
  }
  const CuResult result = driver.api.init(0);
  if (result == kCuSuccess) return driver.api;
  if (result == kCuNoDevice) {
    return Error{tr("the driver finds no GPU"), "",
                 tr("See what nvidia-smi says; in a container, start it with access to the GPU.")};
  }
  return driver_error(driver.api, result, "cuInit");
}

// What to do about errors that a user can do something about.
const char* advice(CuResult result) {
  switch (result) {
    case kCuOutOfMemory:
      return tr("Choose smaller matrices, or end other programs that use the GPU: nvidia-smi lists them.");
    case 101: return tr("`warplens list` shows the devices.");
    case 200:
    case 209:
      return tr(
          "The machine code is not for this GPU: build Warplens with nvcc 13.0, or without any, so that the "
          "driver compiles the PTX.");
    case 218: return tr("The PTX has an error, or a feature that this GPU lacks.");
    case 222: return tr("The PTX is newer than the driver: update the driver.");
    case 700:
      return tr("The kernel accessed memory outside its buffers: the replay on the CPU names the line.");
    case 701:
      return tr(
          "A block needs more registers, threads or shared memory than a multiprocessor of this GPU has.");
    case 702:
      return tr("The kernel ran longer than the GPU's time limit, which holds where it drives a display.");
    case 715: return tr("The kernel ran an instruction that this GPU does not have, or a trap.");
    case 716:
      return tr(
          "The kernel accessed memory at an address that is not a multiple of the access's size: the replay "
          "on the CPU names the line.");
    case 719: return tr("The kernel failed on the GPU: the replay on the CPU may name the line.");
    case 720:
      return tr(
          "Its blocks wait for each other, and are more than this GPU holds at a time: choose a smaller "
          "grid.");
    case 802:
    case 803:
    case 804:
      return tr(
          "The parts of the driver do not fit together: restart the machine, or see what nvidia-smi says.");
    case 999: return tr("See what nvidia-smi says; in a container, start it with access to the GPU.");
    default: return "";
  }
}

}  // namespace

const Result<DriverApi>& driver_api() {
  static const Result<DriverApi> kApi = started_driver();
  return kApi;
}

Error driver_error(const DriverApi& api, CuResult result, const char* call) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.error_name(result, &name);
  api.error_string(result, &text);
  return {
      tr("{what} in {call} (CUDA error {number}, {name})", "what"_a = text == nullptr ? tr("failure") : text,
         "call"_a = call, "number"_a = result, "name"_a = name == nullptr ? tr("without a name") : name),
      "", advice(result)};
}

std::string driver_version() {
  const LoadedDriver& driver = loaded_driver();
  int version = 0;
  if (driver.api.driver_version == nullptr || driver.api.driver_version(&version) != kCuSuccess) return "";
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace warplens::gpu
