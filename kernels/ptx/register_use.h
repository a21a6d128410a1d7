#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Registers that one instruction reads and writes: indices into Function::registers. A guard is read; what a
/// guarded instruction writes counts as written.
struct RegisterUse {
  std::vector<std::uint32_t> reads, writes;
};
[[nodiscard]] RegisterUse register_use(const Instruction& instruction);

}  // namespace warplens::ptx
