#include "kernels/ptx/own_lines.h"

#include <algorithm>

namespace warplens::ptx {

void give_own_lines(Module& module) {
  const auto has_line = [](const Instruction& instruction) { return instruction.location.line != 0; };
  if (std::ranges::any_of(module.functions, [&](const Function& function) {
        return std::ranges::any_of(function.instructions, has_line);
      }))
    return;
  module.files.assign(1, module.name);
  for (Function& function : module.functions) {
    for (Instruction& instruction : function.instructions) {
      instruction.location = {.line = instruction.ptx_line,
                              .column = 0,
                              .outer_line = instruction.ptx_line,
                              .own_line = instruction.ptx_line};
    }
  }
}

}  // namespace warplens::ptx
