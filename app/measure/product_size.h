#pragma once

#include <cstddef>

namespace warplens::measure {

/// C of m x n = A of m x p times B of p x n elements.
struct ProductSize {
  std::size_t m = 0, p = 0, n = 0;
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(p) * static_cast<double>(n);
  }
};

}  // namespace warplens::measure
