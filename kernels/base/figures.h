// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace warplens {

[[nodiscard]] std::string with_thousands(std::uint64_t value);  ///< "1,048,576"

}  // namespace warplens
