#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Registers that one instruction reads and writes, as indices into Function::registers. The guard predicate
/// is read. A guarded instruction counts as writing its destination.
struct RegisterUse {
  std::vector<std::uint32_t> reads, writes;
};
[[nodiscard]] RegisterUse register_use(const Instruction& instruction);

}  // namespace warplens::ptx
