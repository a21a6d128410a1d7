// Divisions of unsigned integers by constants, as compilers write them, that the replay does in one go.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

/// mul.wide.u32 by a constant, shr.u64 and cvt.u32.u64, which leave a quotient, one behind the other; if they
/// follow, mul.lo and sub, which leave what remains; and setp, which tells whether that is a constant, if
/// nothing else asks for it. Nothing else reads what lies between.
struct QuotientPlan {
  std::uint32_t first = 0, end = 0;  ///< Its instructions: indices in ptx::Function::instructions
  std::uint32_t factor = 0, shift = 0;
  bool is_wanted = true;  ///< Something else reads the quotient
  bool has_remainder = false;
  std::uint32_t divisor = 0;  ///< Where it has
  bool has_test = false;      ///< The predicate of the last instruction is left instead of what remains
  bool differs = false;       ///< It holds where what remains is not `value`, else where it is
  std::uint32_t value = 0;
};

/// In the order of instructions.
[[nodiscard]] std::vector<QuotientPlan> find_quotients(const ptx::Function& function,
                                                       const ptx::ControlFlow& flow);

}  // namespace warplens::replay
