#include "kernels/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warplens {
namespace {

/// How many bytes the character at the beginning of `text` has; 0 if none begins there. The Unicode Standard, table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0}; };
  const auto goes_on = [&](std::size_t from, std::size_t end) {
    for (; from < end; ++from) {
      if ((byte(from) & 0xc0u) != 0x80) return false;
    }
    return true;
  };
  const std::uint8_t first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return goes_on(1, 2) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second > 0x9f;
    return !overlong && !surrogate && goes_on(1, 3) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && second < 0x90, too_large = first == 0xf4 && second > 0x8f;
    return !overlong && !too_large && goes_on(1, 4) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    valid += size == 0 ? kReplacement : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(1, size));
  }
  return valid;
}

}  // namespace warplens
