// Text that comes from elsewhere: from a file, from a name that someone gave.
#pragma once

#include <string>
#include <string_view>

namespace warplens {

/// The text with every byte that belongs to no character of UTF-8 replaced by U+FFFD, the replacement character.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace warplens
