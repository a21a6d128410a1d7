// What the parts of the parser share: the place in the text, the first error, and what is left of the limits
// that keep memory in bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/result.h"
#include "kernels/ptx/lexer.h"

namespace warplens::ptx {

/// Limits that no real PTX comes near. They bound memory where a short text could ask for much.
struct Limits {
  static constexpr std::uint64_t kRegisterRange = 1u << 20;  ///< N of `%r<N>`
  static constexpr std::uint64_t kVariableBytes = 1ull << 40;
  static constexpr std::uint64_t kInitialBytes =
      256ull << 20;  ///< Of a variable with initial values, which whoever compiles it holds whole
  static constexpr std::uint64_t kAlignment = 1u << 16;
  static constexpr std::uint64_t kFileIndex = 1u << 16;
  static constexpr std::size_t kNesting = 64;     ///< Scopes in scopes
  static constexpr std::size_t kDimensions = 32;  ///< Of an array, and braces in its initial value
};

/// Functions return false (or nullopt) after an error; the first one is kept.
class Cursor {
 public:
  Cursor(std::string_view text, std::string name)
      : name_(std::move(name)), lexer_(text), current_(lexer_.next()) {}

  [[nodiscard]] const Token& peek() const { return current_; }
  Token take();
  bool accept(char punctuation);
  bool accept(std::string_view directive);
  [[nodiscard]] bool expect(char punctuation);
  // `meaning`: what should stand here, in English; it is shown by tr().
  [[nodiscard]] std::optional<std::string_view> expect_word(const char* meaning);
  [[nodiscard]] std::optional<std::uint64_t> expect_unsigned(const char* meaning, std::uint64_t limit);
  /// Up to the next `end` that is in no braces.
  [[nodiscard]] bool skip_to(char end);

  /// Keeps the error, unless there is one already. Always false.
  bool fail(std::uint32_t line, std::string what, std::string hint = {});
  bool fail_here(
      std::string_view expected);  ///< "expected X, found Y" at the current token; X as it is shown
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  /// Takes from the memory that the module may use for copies of initial values and branch tables; false,
  /// with an error, once it is used up.
  [[nodiscard]] bool spend(std::uint64_t bytes, std::uint32_t line);

 private:
  std::string name_;
  Lexer lexer_;
  Token current_;
  std::optional<Error> error_;
  std::uint64_t bytes_left_ = Limits::kInitialBytes;
};

/// Keeps the error of a module whose addresses do not have 64 bits. Always false.
bool fail_of_address_size(Cursor& cursor, std::uint32_t line);

/// Text from the file, cut and escaped so that it can stand in a message.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace warplens::ptx
