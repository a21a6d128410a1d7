// What the program finds on the machine it runs on.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/result.h"

namespace warplens::app {

[[nodiscard]] std::string
cpu_name();  ///< "AMD EPYC 9654 96-Core Processor", or "CPU" where the system does not say
[[nodiscard]] std::uint64_t physical_memory_bytes();
/// What programs can take before others are swapped out.
[[nodiscard]] std::uint64_t available_memory_bytes();
/// Refuses buffers that do not fit in the memory that is available.
[[nodiscard]] Result<Done> check_memory(std::uint64_t bytes);

}  // namespace warplens::app
