// The NVIDIA driver, looked for at run time: the program itself links to nothing of CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warplens::app {

struct Gpu {
  std::string name;
  int cc_major = 0, cc_minor = 0;
  std::uint64_t memory_bytes = 0;
  int multiprocessors = 0;
};

struct DriverCheck {
  std::string version;    ///< The newest CUDA that the driver supports: "13.0"; empty if there is no driver
  std::vector<Gpu> gpus;  ///< In the driver's order
  std::string missing;    ///< Why no GPU can be used, one sentence; empty if one can
  std::string advice;     ///< What to do about it
};

/// Loads libcuda.so.1 and asks it. Takes a moment where there is a GPU: ask once.
[[nodiscard]] DriverCheck check_driver();

}  // namespace warplens::app
