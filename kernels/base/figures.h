// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warplens {

[[nodiscard]] std::string with_thousands(std::uint64_t value);  ///< "1,048,576"
/// "1 sector", "1,024 sectors". Without a plural the noun takes an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural = {});

}  // namespace warplens
