#pragma once

#include <cstdint>
#include <vector>

#include "kernels/replay/code.h"

namespace warplens::replay {

/// Places the variables and parameters that the function names; `addresses` gets, by index into Function::variables, the address of each in its own
/// state space.
void lay_out_variables(Program::Code& code, std::vector<std::uint64_t>& addresses);

}  // namespace warplens::replay
