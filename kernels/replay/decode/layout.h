#pragma once

#include <cstdint>
#include <vector>

#include "kernels/replay/decode/code.h"

namespace warplens::replay {

/// Places the variables and parameters that the function names; `addresses` gets, by index into
/// Function::variables, the address of each in its own state space, in shared memory counted from where the
/// block's begins: alignment is honoured from there (measured on an H100: with the base at 1,024 a variable
/// of alignment 16,384 lies at 1,024, another behind it at 17,408).
void lay_out_variables(Program::Code& code, std::vector<std::uint64_t>& addresses);

}  // namespace warplens::replay
