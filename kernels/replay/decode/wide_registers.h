// Registers of 128 bits as pairs of 64.
#pragma once

#include "kernels/ptx/module.h"

namespace warplens::replay {

/// Each register of 16 bytes becomes two of 8, and each operand that names one a vector of the two, low half
/// first: ld.b128 and st.b128 become accesses of twice as many elements, mov.b128 a move of one vector to
/// another.
void split_wide_registers(ptx::Function& function);

}  // namespace warplens::replay
