#include "kernels/gpu/nvml.h"

#include <array>

#include "kernels/base/library.h"
#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

constexpr int kNvmlSuccess = 0, kSmClock = 1;  // nvmlReturn_t, nvmlClockType_t

struct Nvml {
  Library library{"libnvidia-ml.so.1"};
  int (*init)() = nullptr;
  int (*driver_version)(char* text, unsigned size) = nullptr;
  int (*device_by_pci_bus_id)(const char* id, void** device) = nullptr;
  int (*clock_info)(void* device, int clock, unsigned* mhz) = nullptr;
  int started = kNvmlSuccess;

  Nvml() {
    if (!library.found()) return;
    library.find("nvmlInit_v2", init);
    library.find("nvmlSystemGetDriverVersion", driver_version);
    library.find("nvmlDeviceGetHandleByPciBusId_v2", device_by_pci_bus_id);
    library.find("nvmlDeviceGetClockInfo", clock_info);
    if (library.missing_symbol().empty()) started = init();
  }
  [[nodiscard]] bool usable() const {
    return library.found() && library.missing_symbol().empty() && started == kNvmlSuccess;
  }
};

const Nvml& nvml() {
  static const Nvml kNvml;
  return kNvml;
}

}  // namespace

SmClock::SmClock(const std::string& pci_bus_id) {
  if (nvml().usable() && nvml().device_by_pci_bus_id(pci_bus_id.c_str(), &device_) != kNvmlSuccess)
    device_ = nullptr;
}

std::optional<int> SmClock::sm_mhz() const {
  unsigned mhz = 0;
  if (device_ == nullptr || nvml().clock_info(device_, kSmClock, &mhz) != kNvmlSuccess) return std::nullopt;
  return static_cast<int>(mhz);
}

NvmlCheck check_nvml() {
  const Nvml& library = nvml();
  if (!library.library.found()) {
    return {.missing = tr("there is no NVML (libnvidia-ml.so.1)"),
            .advice = tr("It comes with the driver; without it the GPU's clock is not shown.")};
  }
  if (!library.usable()) {
    return {.missing = tr("NVML does not start (error {error})", "error"_a = library.started),
            .advice = tr("See what nvidia-smi says; the GPU's clock is not shown.")};
  }
  std::array<char, 96> text{};
  library.driver_version(text.data(), static_cast<unsigned>(text.size()));
  return {.driver = text.data()};
}

}  // namespace warplens::gpu
