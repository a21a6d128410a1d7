// Operands of an instruction's text. Private to kernels/sass.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/sass/listing.h"

namespace warplens::sass {

[[nodiscard]] std::string_view trimmed(std::string_view text);
/// "0x1f0", "-0x10", "12"; nothing else.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
/// Nothing if brackets do not match, or a register's number is none.
[[nodiscard]] std::optional<std::vector<Operand>> parse_operands(std::string_view text);

}  // namespace warplens::sass
