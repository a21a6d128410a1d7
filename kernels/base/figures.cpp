#include "kernels/base/figures.h"

namespace warplens {

std::string with_thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural) {
  const std::string noun = count == 1 ? std::string(singular) : plural.empty() ? std::string(singular) + "s" : std::string(plural);
  return with_thousands(count) + " " + noun;
}

}  // namespace warplens
