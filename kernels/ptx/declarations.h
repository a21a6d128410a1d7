// Declarations of variables and parameters, anywhere in a module.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/ptx/cursor.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

struct Declaration {
  Variable variable;
  std::string_view name;  ///< In the text, which outlives the variable's own string
  bool is_opaque =
      false;  ///< A texture, sampler or surface, or a vector in a register: what uses it is unsupported
};

/// One name of a `.reg` directive.
struct RegisterDeclaration {
  std::string_view name;
  Type type = Type::none;
  std::uint32_t elements = 1;          ///< 2 or 4 of a vector
  std::optional<std::uint64_t> count;  ///< N of `%r<N>`, of which `name` is what stands before the numbers
};

/// The type of a `.f32`-like directive; none for others.
[[nodiscard]] Type type_of_directive(std::string_view directive);
/// The space of a `.global`-like directive; none for others.
[[nodiscard]] StateSpace space_of_directive(std::string_view directive);

/// Reads what follows `.reg`, up to behind its semicolon; nothing after an error.
[[nodiscard]] std::optional<std::vector<RegisterDeclaration>> parse_registers(Cursor& cursor);

/// Reads the part between the state space and the names, which they share: "[.align 16] .b8".
[[nodiscard]] std::optional<Declaration> parse_attributes(Cursor& cursor, StateSpace space);

/// Reads one name with what follows it, "name[4][8] [= {...}]", into what parse_attributes gave. Stops before
/// `;`, `,` or `)`.
[[nodiscard]] std::optional<Declaration> parse_declarator(Cursor& cursor, Declaration declaration);

}  // namespace warplens::ptx
