#include "kernels/base/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

std::string apart(std::uint64_t value, const NumberSigns& signs) {
  std::string digits = std::to_string(value);
  if (digits.size() < signs.min_grouped) return digits;
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, signs.thousands);
  return digits;
}

}  // namespace

std::string with_thousands(std::uint64_t value) {
  return apart(value, signs_in_use());
}

std::string with_commas(std::uint64_t value) {
  return apart(value, {});
}

std::string in_short(std::uint64_t value) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  if (value < 10'000) return std::to_string(value);
  auto number = static_cast<double>(value);
  std::size_t unit = 0;
  for (; number >= 999.5; number /= 1000) ++unit;
  return formatted("{:.{}f}{}", number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string figures::as_the_language_writes(std::string english) {
  const char decimal = signs_in_use().decimal;
  const auto is_digit = [&](std::size_t at) {
    return at < english.size() && std::isdigit(static_cast<unsigned char>(english[at])) != 0;
  };
  for (std::size_t at = 1; at + 1 < english.size(); ++at) {
    if (english[at] == '.' && is_digit(at - 1) && is_digit(at + 1)) english[at] = decimal;
  }
  return english;
}

}  // namespace warplens
