// What Warplens uses of CUPTI's range profiler ("CUPTI", NVIDIA, CUDA 13.0), found in libcupti.so.13 at run
// time. The structures are part of the library's binary interface: each begins with its size, by which the
// library knows its version. Private to kernels/gpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/base/result.h"
#include "kernels/gpu/driver_api.h"

namespace warplens::gpu::cupti {

struct HostObject;
struct RangeProfiler;
inline constexpr int kSuccess = 0, kNotPrivileged = 35, kNotPrivilegedInAVirtualMachine = 40;
inline constexpr int kRangeProfilerType = 0, kUserRange = 2, kUserReplay = 3;

struct Initialize {
  std::size_t size = sizeof(Initialize);
  void* reserved = nullptr;
};
struct GetChipName {
  std::size_t size = sizeof(GetChipName);
  void* reserved = nullptr;
  std::size_t device = 0;
  const char* chip = nullptr;  ///< Out
};
struct GetCounterAvailability {
  std::size_t size = sizeof(GetCounterAvailability);
  void* reserved = nullptr;
  CuContext context = nullptr;  ///< nullptr: the current one
  std::size_t image_bytes = 0;  ///< In and out
  std::uint8_t* image = nullptr;
};
struct HostInitialize {
  std::size_t size = sizeof(HostInitialize);
  void* reserved = nullptr;
  int profiler_type = kRangeProfilerType;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  HostObject* host = nullptr;  ///< Out
};
struct HostDeinitialize {
  std::size_t size = sizeof(HostDeinitialize);
  void* reserved = nullptr;
  HostObject* host = nullptr;
};
struct ConfigAddMetrics {
  std::size_t size = sizeof(ConfigAddMetrics);
  void* reserved = nullptr;
  HostObject* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct GetConfigImageSize {
  std::size_t size = sizeof(GetConfigImageSize);
  void* reserved = nullptr;
  HostObject* host = nullptr;
  std::size_t bytes = 0;  ///< Out
};
struct GetConfigImage {
  std::size_t size = sizeof(GetConfigImage);
  void* reserved = nullptr;
  HostObject* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct EvaluateToGpuValues {
  std::size_t size = sizeof(EvaluateToGpuValues);
  void* reserved = nullptr;
  HostObject* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0, range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};
/// Parameters of calls that name a range profiler and nothing else: Disable, Start, PopRange.
struct OfProfiler {
  std::size_t size = sizeof(OfProfiler);
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
};
struct Enable {
  std::size_t size = sizeof(Enable);
  void* reserved = nullptr;
  CuContext context = nullptr;
  RangeProfiler* profiler = nullptr;  ///< Out
};
struct GetCounterDataSize {
  std::size_t size = sizeof(GetCounterDataSize);
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0, max_ranges = 1;
  std::uint32_t max_nodes = 1;
  std::size_t bytes = 0;  ///< Out
};
struct CounterDataInitialize {
  std::size_t size = sizeof(CounterDataInitialize);
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};
struct SetConfig {
  std::size_t size = 0;  ///< offsetof(target_nesting) and its two bytes
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = kUserRange, replay = kUserReplay;
  std::size_t max_ranges = 1;
  std::uint16_t nesting_levels = 1, min_nesting = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting = 1;
};
struct PushRange {
  std::size_t size = sizeof(PushRange);
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
  const char* name = nullptr;
};
struct Stop {
  std::size_t size = 0;  ///< offsetof(all_submitted) and its byte
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
  std::size_t pass = 0, target_nesting = 0;  ///< Out
  std::uint8_t all_submitted = 0;            ///< Out
};
struct DecodeData {
  std::size_t size = sizeof(DecodeData);
  void* reserved = nullptr;
  RangeProfiler* profiler = nullptr;
  std::size_t dropped = 0;  ///< Out
};

// Counters of single instructions.

struct SassMetric {
  std::uint64_t id = 0;  ///< Out
  const char* name = nullptr;
  const char* description = nullptr;
};
struct SassGetProperties {
  std::size_t size = sizeof(SassGetProperties);
  void* reserved = nullptr;
  const char* chip = nullptr;
  const char* name = nullptr;
  SassMetric metric;  ///< Out
};
struct SassMetricConfig {
  std::uint64_t id = 0;
  std::uint8_t granularity = 0;  ///< 0: of the whole GPU
};
struct SassSetConfig {
  std::size_t size = 0;  ///< offsetof(device) and its bytes
  void* reserved = nullptr;
  std::size_t count = 0;
  SassMetricConfig* configs = nullptr;
  std::uint32_t device = 0;
};
struct SassEnable {
  std::size_t size = 0;  ///< offsetof(lazily) and its byte
  void* reserved = nullptr;
  CuContext context = nullptr;
  std::uint8_t lazily = 1;  ///< A function is prepared when it is launched
};
struct SassDisable {
  std::size_t size = sizeof(SassDisable);
  void* reserved = nullptr;
  CuContext context = nullptr;
  std::size_t dropped = 0;  ///< Out
};
struct SassGetDataProperties {
  std::size_t size = sizeof(SassGetDataProperties);
  void* reserved = nullptr;
  CuContext context = nullptr;
  std::size_t records = 0, instances = 0;  ///< Out. A record is of one metric of one instruction
};
struct SassValue {
  std::uint64_t id = 0, value = 0;
};
struct SassRecord {
  std::size_t size = sizeof(SassRecord);
  void* reserved = nullptr;
  std::uint32_t code_checksum = 0, function = 0;
  const char* function_name = nullptr;
  std::uint32_t offset = 0;
  SassValue* values = nullptr;  ///< As many as there are instances
};
struct SassFlushData {
  std::size_t size = 0;  ///< offsetof(instances) and its bytes: what follows was forgotten
  void* reserved = nullptr;
  CuContext context = nullptr;
  std::size_t records = 0, instances = 0;
  SassRecord* data = nullptr;
};

struct Api {
  int (*initialize)(Initialize*);
  int (*chip_name)(GetChipName*);
  int (*counter_availability)(GetCounterAvailability*);
  int (*host_initialize)(HostInitialize*);
  int (*host_deinitialize)(HostDeinitialize*);
  int (*add_metrics)(ConfigAddMetrics*);
  int (*config_image_size)(GetConfigImageSize*);
  int (*config_image)(GetConfigImage*);
  int (*evaluate)(EvaluateToGpuValues*);
  int (*enable)(Enable*);
  int (*disable)(OfProfiler*);
  int (*counter_data_size)(GetCounterDataSize*);
  int (*counter_data_initialize)(CounterDataInitialize*);
  int (*set_config)(SetConfig*);
  int (*start)(OfProfiler*);
  int (*push_range)(PushRange*);
  int (*pop_range)(OfProfiler*);
  int (*stop)(Stop*);
  int (*decode)(DecodeData*);
  int (*sass_properties)(SassGetProperties*);
  int (*sass_set_config)(SassSetConfig*);
  int (*sass_enable)(SassEnable*);
  int (*sass_disable)(SassDisable*);
  int (*sass_data_properties)(SassGetDataProperties*);
  int (*sass_flush)(SassFlushData*);
  int (*result_string)(int result, const char** text);
};

/// The library, loaded once for the process, from the toolkit or where the system's loader finds it. The
/// error says what is missing, and what to do.
[[nodiscard]] const Result<Api>& api();

/// Returns the error of a call that failed. Where counters may not be read, it says how to allow it.
[[nodiscard]] Error error_of(const Api& api, int result, const char* call);

}  // namespace warplens::gpu::cupti
