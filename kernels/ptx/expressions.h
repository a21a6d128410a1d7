// Constant expressions, which may stand wherever an immediate may (PTX ISA, "Constant Expressions").
#pragma once

#include <optional>

#include "kernels/ptx/cursor.h"
#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Whether the token can only begin a constant: a number, `WARP_SZ`, `(`, `~` or `+`. A minus and a `!` may
/// stand before a register, too.
[[nodiscard]] bool begins_constant(const Token& token);

/// The value of the expression at the current token, an immediate of type s64, u64 or f64 (or f32, of a
/// literal such as 0f3F800000). Nothing where it is malformed, with an error in the cursor, or where it names
/// something that is not a constant, without one.
[[nodiscard]] std::optional<Operand> parse_constant(Cursor& cursor);
/// The same behind a unary operator that has been taken.
[[nodiscard]] std::optional<Operand> parse_constant_after(Cursor& cursor, char unary);

}  // namespace warplens::ptx
