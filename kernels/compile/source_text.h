// Reading CUDA C++ without a compiler: its brackets, words and declarations. Private to kernels/compile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compile/signatures.h"

namespace warplens::compile {

[[nodiscard]] bool is_word(char c);
[[nodiscard]] bool is_space(char c);
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The source with comments and literals blanked, so that braces, parentheses and words are those of the
/// code. Lines stay where they are.
[[nodiscard]] std::string code_of(std::string_view source);
/// The place behind what closes the bracket that opens at `open`; npos: nothing does.
[[nodiscard]] std::size_t behind(std::string_view code, std::size_t open, char opening, char closing);
/// Empty if there is none.
[[nodiscard]] std::string_view word_before(std::string_view code, std::size_t end);
[[nodiscard]] std::string with_single_spaces(std::string_view text);
/// What stands between a function's parentheses.
[[nodiscard]] std::vector<SourceParameter> parameters_of(std::string_view list);
/// Returns where the declaration begins that has something at `at`; lines of the preprocessor before it are
/// not part of it.
[[nodiscard]] std::size_t begin_of_declaration(std::string_view code, std::size_t at);
/// Returns the line on which that declaration begins.
[[nodiscard]] std::size_t line_of_declaration(std::string_view code, std::size_t at);
[[nodiscard]] std::uint32_t line_number(std::string_view code, std::size_t at);

}  // namespace warplens::compile
