// The machine's GPUs, as the driver describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/gpu/driver_api.h"

namespace warplens::gpu {

struct Gpu {
  std::string name;
  int cc_major = 0, cc_minor = 0;
  std::uint64_t memory_bytes = 0;
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;  ///< The second-level cache
  std::uint64_t shared_bytes_per_block =
      0;                   ///< The most that a block may ask for, dynamic and static together
  std::string pci_bus_id;  ///< "0000:3b:00.0": what NVML knows it by
};

struct DriverCheck {
  std::string version;    ///< The newest CUDA that the driver supports: "13.0"; empty if there is no driver
  std::vector<Gpu> gpus;  ///< In the driver's order
  std::string missing;    ///< Why no GPU can be used, one sentence; empty if one can
  std::string advice;     ///< What to do about it
};

/// Loads the driver and asks it. Takes a moment where there is a GPU: ask once.
[[nodiscard]] DriverCheck check_driver();

[[nodiscard]] Gpu describe(const DriverApi& api, CuDevice device);

}  // namespace warplens::gpu
