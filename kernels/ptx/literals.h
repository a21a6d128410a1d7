// Numbers as PTX writes them (PTX ISA, "Constants").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/ptx/module.h"

namespace warplens::ptx {

/// Decimal, 0x hexadecimal, 0b binary or 0 octal, with an optional U. Nothing for other text or beyond 64
/// bits.
[[nodiscard]] std::optional<std::uint64_t> parse_integer(std::string_view text);

/// A number of any kind. `bits` and `immediate_type`: f32 (0f...), f64 (0d..., or with a point or exponent),
/// s64, or u64 beyond its range.
[[nodiscard]] std::optional<Operand> parse_number(std::string_view text, bool negative);

}  // namespace warplens::ptx
