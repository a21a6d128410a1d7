#include "kernels/ptx/cursor.h"

#include <fmt/core.h>

#include "kernels/base/texts.h"
#include "kernels/ptx/literals.h"

namespace warplens::ptx {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "`";
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kLongest ? "...`" : "`");
}

Token Cursor::take() {
  const Token taken = current_;
  current_ = lexer_.next();
  return taken;
}

bool Cursor::accept(char punctuation) {
  if (!current_.is(punctuation)) return false;
  current_ = lexer_.next();
  return true;
}

bool Cursor::accept(std::string_view directive) {
  if (current_.kind != Token::Kind::directive || current_.text != directive) return false;
  current_ = lexer_.next();
  return true;
}

bool Cursor::expect(char punctuation) {
  return accept(punctuation) || fail_here(fmt::format("`{}`", punctuation));
}

std::optional<std::string_view> Cursor::expect_word(const char* meaning) {
  if (current_.kind == Token::Kind::word) return take().text;
  fail_here(tr(meaning));
  return std::nullopt;
}

std::optional<std::uint64_t> Cursor::expect_unsigned(const char* meaning, std::uint64_t limit) {
  const auto value = current_.kind == Token::Kind::number ? parse_integer(current_.text) : std::nullopt;
  if (!value) {
    fail_here(tr(meaning));
    return std::nullopt;
  }
  if (*value > limit) {
    fail(current_.line, tr("{thing} is too large: {value}, at most {most}", "thing"_a = tr(meaning),
                           "value"_a = *value, "most"_a = limit));
    return std::nullopt;
  }
  take();
  return value;
}

bool Cursor::skip_to(char end) {
  for (std::size_t depth = 0;; take()) {
    if (current_.is(end) && depth == 0) return true;
    const bool is_over = current_.kind == Token::Kind::end || current_.kind == Token::Kind::invalid;
    if (is_over || (current_.is('}') && depth == 0)) return fail_here(fmt::format("`{}`", end));
    if (current_.is('{')) ++depth;
    if (current_.is('}')) --depth;
  }
}

bool Cursor::fail(std::uint32_t line, std::string what, std::string hint) {
  if (!error_) error_ = Error{std::move(what), fmt::format("{}:{}", name_, line), std::move(hint)};
  return false;
}

bool Cursor::fail_here(std::string_view expected) {
  const std::string found =
      current_.kind == Token::Kind::end ? tr("the end of the text") : quoted(current_.text);
  return fail(current_.line,
              tr("expected {expected}, found {found}", "expected"_a = expected, "found"_a = found));
}

bool fail_of_address_size(Cursor& cursor, std::uint32_t line) {
  return cursor.fail(line, tr("addresses are not of 64 bits"),
                     tr("Compile for a 64-bit machine: nvcc without -m32."));
}

bool Cursor::spend(std::uint64_t bytes, std::uint32_t line) {
  if (bytes > bytes_left_) return fail(line, tr("initial values and branch tables take more than 256 MiB"));
  bytes_left_ -= bytes;
  return true;
}

}  // namespace warplens::ptx
