#include "kernels/ptx/raise_target.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kernels/ptx/lexer.h"

namespace warplens::ptx {
namespace {

constexpr int kFirstWithOwnSchedules = 70;
constexpr std::string_view kTarget = "sm_75", kVersion = "6.3";

int architecture_of(std::string_view target) {
  int number = 0;
  const std::size_t digits = std::min(target.find_first_of("0123456789"), target.size());
  std::from_chars(target.data() + digits, target.data() + target.size(), number);
  return number;
}

/// "6.3" as 6, 3.
std::pair<int, int> parts_of(std::string_view version) {
  std::pair<int, int> parts;
  const auto [dot, error] = std::from_chars(version.data(), version.data() + version.size(), parts.first);
  if (error == std::errc() && dot != version.data() + version.size())
    std::from_chars(dot + 1, version.data() + version.size(), parts.second);
  return parts;
}

}  // namespace

std::string raise_target(std::string_view text, bool needs_old) {
  Lexer lexer(text);
  std::string_view version, target;
  for (Token token = lexer.next(); token.kind != Token::Kind::end && target.empty(); token = lexer.next()) {
    if (token.text == ".version") version = lexer.next().text;
    if (token.text == ".target") target = lexer.next().text;
  }
  std::string raised(text);
  if (target.empty() || version.empty() || architecture_of(target) >= kFirstWithOwnSchedules) return raised;
  raised.replace(static_cast<std::size_t>(target.data() - text.data()), target.size(),
                 kTarget);  // It comes after the version
  if (needs_old || parts_of(version) < parts_of(kVersion))
    raised.replace(static_cast<std::size_t>(version.data() - text.data()), version.size(), kVersion);
  return raised;
}

}  // namespace warplens::ptx
