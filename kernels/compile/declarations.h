// The declarations of a source, told apart without a compiler: so that what only the host needs can be left
// out one by one. Private to kernels/compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::compile {

struct Declaration {
  enum class Kind : std::uint8_t { function, type, other };
  Kind kind = Kind::other;
  std::size_t begin = 0, end = 0;             ///< With `template <..>`, and with the body or the semicolon
  std::size_t body = std::string_view::npos;  ///< The brace that opens it; npos: there is none
  std::string scope;                          ///< The named namespaces around it: "lib::detail::"
  std::vector<Declaration> members;           ///< Of a type
};

/// The source with comments, literals and lines of the preprocessor blanked, and with one branch alone of an
/// `#if` whose branches open braces differently: brackets match. Lines stay where they are.
[[nodiscard]] std::string structure_of(std::string_view source);

/// Returns the declarations of all namespaces, in the order of the source. `structure`: the result of
/// structure_of.
[[nodiscard]] std::vector<Declaration> declarations_in(std::string_view structure);

/// What stands before the body: attributes, type, name and parameters.
[[nodiscard]] std::string_view head_of(std::string_view structure, const Declaration& declaration);

/// The smallest declaration at a place that can be left out by itself: a member function of a class, but the
/// class of a data member, for all of its layout counts. Null: there is none.
[[nodiscard]] const Declaration* declaration_at(std::string_view structure,
                                                const std::vector<Declaration>& declarations, std::size_t at);

/// Blanks a part of a text. Lines stay where they are.
void leave_out(std::string& text, std::size_t from, std::size_t to);

/// Whether a text has the word, by itself.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

}  // namespace warplens::compile
