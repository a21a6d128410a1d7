// Declarations of variables and parameters, anywhere in a module.
#pragma once

#include <optional>

#include "kernels/ptx/cursor.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

struct Declaration {
  Variable variable;
  std::string_view name;   ///< In the text, which outlives the variable's own string
  bool is_opaque = false;  ///< A texture, sampler or surface, or a vector register: what uses it is unsupported
};

/// The type of a `.f32`-like directive; none for others.
[[nodiscard]] Type type_of_directive(std::string_view directive);
/// The space of a `.global`-like directive; none for others.
[[nodiscard]] StateSpace space_of_directive(std::string_view directive);

/// Reads the part between the state space and the names, which they share: "[.align 16] .b8".
[[nodiscard]] std::optional<Declaration> parse_attributes(Cursor& cursor, StateSpace space);

/// Reads one name with what follows it, "name[4][8] [= {...}]", into what parse_attributes gave. Stops before `;`, `,` or `)`.
[[nodiscard]] std::optional<Declaration> parse_declarator(Cursor& cursor, Declaration declaration);

}  // namespace warplens::ptx
