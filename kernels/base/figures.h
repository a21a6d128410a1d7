// Numbers as people read them, in the language in use (texts.h).
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>

namespace warplens {

/// "1,048,576", or as the language sets thousands apart.
[[nodiscard]] std::string with_thousands(std::uint64_t value);
/// "66.6 G", where there is no room for "66,571,993,088"; up to 9,999 as it is.
[[nodiscard]] std::string in_short(std::uint64_t value);

/// Formats a number as fmt does, with its units, but with the language's decimal sign: formatted("{:.1f} %",
/// 12.5) is "12,5 %" in German.
template <class... Arguments>
[[nodiscard]] std::string formatted(fmt::format_string<Arguments...> english, Arguments&&... arguments);

/// "1,048,576" in every language: in what is kept in files, and read back from there.
[[nodiscard]] std::string with_commas(std::uint64_t value);

namespace figures {
/// Between two digits, a point is a decimal sign.
[[nodiscard]] std::string as_the_language_writes(std::string english);
}  // namespace figures

template <class... Arguments>
std::string formatted(fmt::format_string<Arguments...> english, Arguments&&... arguments) {
  return figures::as_the_language_writes(fmt::format(english, std::forward<Arguments>(arguments)...));
}

}  // namespace warplens
