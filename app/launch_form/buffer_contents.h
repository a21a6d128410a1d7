// Elements of any type as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::app {

/// Whether an integer type has the value.
[[nodiscard]] bool holds(ElementType type, std::int64_t value);
/// A value of an integer type, which holds it; of u64 the bits.
[[nodiscard]] std::vector<std::byte> integer_bytes(ElementType type, std::int64_t value);
/// The nearest value of the type; integers are cut off.
[[nodiscard]] std::vector<std::byte> element_bytes(ElementType type, double value);
/// Returns the element as `parse_argument` reads it back, bit for bit but for a NaN's payload.
[[nodiscard]] std::string element_text(ElementType type, std::span<const std::byte> bytes);

}  // namespace warplens::app
