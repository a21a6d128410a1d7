// What the GPU's management library tells while kernels run ("NVML API Reference", NVIDIA). It comes with the
// driver, and may be missing.
#pragma once

#include <optional>
#include <string>

namespace warplens::gpu {

/// One GPU's clock.
class SmClock {
 public:
  /// `pci_bus_id`: Gpu::pci_bus_id. Without NVML the clock knows nothing.
  explicit SmClock(const std::string& pci_bus_id);
  /// The multiprocessors' clock at this moment, MHz.
  [[nodiscard]] std::optional<int> sm_mhz() const;

 private:
  void* device_ = nullptr;
};

struct NvmlCheck {
  std::string driver;   ///< "580.95.05"; empty without NVML
  std::string missing;  ///< Why it cannot be asked, one sentence
  std::string advice;
};
[[nodiscard]] NvmlCheck check_nvml();

}  // namespace warplens::gpu
