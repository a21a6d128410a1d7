// A kernel and the functions that it may call, put together as one function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/ptx/control_flow.h"
#include "kernels/ptx/module.h"

namespace warplens::replay {

/// One of the functions: the kernel itself is the first.
struct Piece {
  std::string name;  ///< As in the PTX
  std::uint32_t first_instruction = 0;
  std::vector<std::uint32_t> parameters, returns;  ///< Indices into the variables of the whole
  std::vector<std::uint32_t>
      variables;  ///< The same of all that it names, in its own order; empty for the kernel, whose come first
  std::vector<std::uint32_t> calls;  ///< Pieces, each once
  bool calls_by_address = false;
  bool is_recursive = false;  ///< It may be called while it runs
};

struct Linked {
  ptx::Function
      function;  ///< The kernel, and behind it the instructions, registers and variables of the others
  ptx::ControlFlow
      flow;  ///< Of each piece for itself: a call goes on behind it. Loops are those of the kernel
  std::vector<Piece> pieces;
  std::map<std::string, std::uint32_t> piece_of;  ///< By name
  std::vector<std::uint32_t> piece_of_variable;   ///< 0 for the module's
  [[nodiscard]] std::vector<std::uint32_t> first_instructions() const;
};

/// Functions without a body in the module are no pieces.
[[nodiscard]] Linked link_functions(const ptx::Module& module, const ptx::Function& entry);

}  // namespace warplens::replay
