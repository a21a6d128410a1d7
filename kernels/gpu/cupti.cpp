#include "kernels/gpu/cupti.h"

#include <vector>

#include "kernels/base/library.h"
#include "kernels/base/texts.h"
#include "kernels/compile/toolkit.h"

namespace warplens::gpu::cupti {
namespace {

constexpr const char* kName = "libcupti.so.13";

Error missing(const std::string& what) {
  return {what, "",
          tr("It comes with the CUDA toolkit 13 (in Debian's and NVIDIA's packages: cuda-cupti-13-0). "
             "Without it the GPU's counters are not read.")};
}

Result<Api> load() {
  std::vector<std::string> names{kName};
  for (const auto& folder : compile::toolkit_folders()) {
    for (const char* const lib : {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib"})
      names.push_back(folder / lib / kName);
  }
  for (const std::string& name : names) {
    Library library{name.c_str()};
    if (!library.found()) continue;
    Api api{};
    library.find("cuptiProfilerInitialize", api.initialize);
    library.find("cuptiDeviceGetChipName", api.chip_name);
    library.find("cuptiProfilerGetCounterAvailability", api.counter_availability);
    library.find("cuptiProfilerHostInitialize", api.host_initialize);
    library.find("cuptiProfilerHostDeinitialize", api.host_deinitialize);
    library.find("cuptiProfilerHostConfigAddMetrics", api.add_metrics);
    library.find("cuptiProfilerHostGetConfigImageSize", api.config_image_size);
    library.find("cuptiProfilerHostGetConfigImage", api.config_image);
    library.find("cuptiProfilerHostEvaluateToGpuValues", api.evaluate);
    library.find("cuptiRangeProfilerEnable", api.enable);
    library.find("cuptiRangeProfilerDisable", api.disable);
    library.find("cuptiRangeProfilerGetCounterDataSize", api.counter_data_size);
    library.find("cuptiRangeProfilerCounterDataImageInitialize", api.counter_data_initialize);
    library.find("cuptiRangeProfilerSetConfig", api.set_config);
    library.find("cuptiRangeProfilerStart", api.start);
    library.find("cuptiRangeProfilerPushRange", api.push_range);
    library.find("cuptiRangeProfilerPopRange", api.pop_range);
    library.find("cuptiRangeProfilerStop", api.stop);
    library.find("cuptiRangeProfilerDecodeData", api.decode);
    library.find("cuptiSassMetricsGetProperties", api.sass_properties);
    library.find("cuptiSassMetricsSetConfig", api.sass_set_config);
    library.find("cuptiSassMetricsEnable", api.sass_enable);
    library.find("cuptiSassMetricsDisable", api.sass_disable);
    library.find("cuptiSassMetricsGetDataProperties", api.sass_data_properties);
    library.find("cuptiSassMetricsFlushData", api.sass_flush);
    library.find("cuptiGetResultString", api.result_string);
    if (library.missing_symbol().empty()) return api;
    return missing(tr("CUPTI ({library}) has no {symbol}", "library"_a = library.name(),
                      "symbol"_a = library.missing_symbol()));
  }
  return missing(tr("there is no CUPTI ({library})", "library"_a = kName));
}

}  // namespace

const Result<Api>& api() {
  static const Result<Api> kApi = load();
  return kApi;
}

Error error_of(const Api& api, int result, const char* call) {
  if (result == kNotPrivileged || result == kNotPrivilegedInAVirtualMachine) {
    return {tr("this machine does not let users read the GPU's counters"), "",
            tr("Its administrator can: set NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia "
               "(https://developer.nvidia.com/ERR_NVGPUCTRPERM). Or run "
               "Warplens as root. All else goes on without them.")};
  }
  const char* text = nullptr;
  if (api.result_string(result, &text) != kSuccess || text == nullptr) text = "?";
  return {tr("the GPU's counters cannot be read: {error} in {call}", "error"_a = text, "call"_a = call), "",
          tr("Another profiler may be reading them; else this GPU or its driver does not allow it.")};
}

}  // namespace warplens::gpu::cupti
