#pragma once

#include <cstdint>

namespace warplens {

inline constexpr int kWarpSize = 32;  ///< Lanes in a warp, on every NVIDIA GPU so far.

/// CUDA's three-dimensional extent or index, x fastest.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// The index of `index` in an extent, x fastest; and back.
[[nodiscard]] inline std::uint64_t linear_index(Dim3 extent, Dim3 index) {
  return (std::uint64_t{index.z} * extent.y + index.y) * extent.x + index.x;
}
[[nodiscard]] inline Dim3 index_from_linear(Dim3 extent, std::uint64_t linear) {
  return {static_cast<std::uint32_t>(linear % extent.x),
          static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

}  // namespace warplens
