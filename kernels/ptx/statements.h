// Where functions and their instructions lie in the text of a module.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace warplens::ptx {

/// Half-open range of the text.
struct TextRange {
  std::size_t begin = 0, end = 0;
};

struct InstructionText : TextRange {
  bool in_inner_scope = false;  ///< In braces inside the body: labels outside are seen from there, labels there are not seen from outside
};

struct FunctionText {
  std::string_view name;
  bool is_entry = false;
  TextRange whole;                            ///< From the linkage directive to behind the closing brace, or behind the semicolon of a prototype
  TextRange body;                             ///< Between the braces; empty for a prototype
  std::vector<InstructionText> instructions;  ///< Each from its guard to behind its semicolon, in order
};

/// Of a text that `parse` accepts. As many instructions as Function::instructions has, or one fewer where the parser added the final `ret`.
[[nodiscard]] std::vector<FunctionText> locate_functions(std::string_view text);

}  // namespace warplens::ptx
