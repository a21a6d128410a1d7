#include "kernels/base/figures.h"

#include <fmt/core.h>

namespace warplens {

std::string with_thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string in_short(std::uint64_t value) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P", " E"};
  if (value < 10'000) return std::to_string(value);
  auto number = static_cast<double>(value);
  std::size_t unit = 0;
  for (; number >= 999.5; number /= 1000) ++unit;
  return fmt::format("{:.{}f}{}", number, number < 9.995 ? 2 : number < 99.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace warplens
