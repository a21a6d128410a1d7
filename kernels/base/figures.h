// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace warplens {

[[nodiscard]] std::string with_thousands(std::uint64_t value);  ///< "1,048,576"
[[nodiscard]] std::string in_short(std::uint64_t value);        ///< "66.6 G", where there is no room for "66,571,993,088"; up to 9,999 as it is

}  // namespace warplens
