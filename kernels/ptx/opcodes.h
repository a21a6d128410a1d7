// Opcodes with their suffixes, such as `ld.global.v4.f32`.
#pragma once

#include <string_view>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// What an opcode with its suffixes says before its operands are read.
struct Form {
  Instruction prototype;  ///< Every field that the suffixes decide; opcode `unsupported` where one of them is unknown
  /// The operands, one letter each, destinations first:
  ///   d destination: a register or `_`          D the same, or a vector of them
  ///   s source: a register, number, variable    S the same, or a vector
  ///   a address                                 l label                         t table of branch targets
  ///   | the destination before it may have a predicate beside it: `d|p`         ? what follows may be left out
  std::string_view signature;
};

[[nodiscard]] Form decode_form(std::string_view written);

}  // namespace warplens::ptx
