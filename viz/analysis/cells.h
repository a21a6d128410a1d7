// Elements of a large buffer, several to a cell. Private to viz/analysis.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warplens::analysis {

/// Divides by one number again and again, most often by a power of two.
class Divider {
 public:
  explicit Divider(std::uint64_t divisor)
      : divisor_(std::max<std::uint64_t>(divisor, 1)), shift_(std::countr_zero(divisor_)) {}
  [[nodiscard]] std::uint64_t divisor() const { return divisor_; }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t value) const {
    return std::has_single_bit(divisor_) ? value >> shift_ : value / divisor_;
  }

 private:
  std::uint64_t divisor_;
  int shift_;
};

/// Which of so many cells an element of a row or column lies in.
class CellsOfLine {
 public:
  CellsOfLine(std::uint64_t elements, std::uint32_t cells)
      : elements_(std::max<std::uint64_t>(elements, 1)), cells_(cells) {
    if (elements > kMaxKept) return;
    known_.reserve(elements);
    for (std::uint64_t element = 0; element < elements; ++element) known_.push_back(found(element));
  }
  /// At least so many elements lie in each cell.
  [[nodiscard]] std::uint64_t min() const { return elements_ / std::max(cells_, 1u); }
  [[nodiscard]] std::uint64_t begin_of(std::size_t cell) const {
    return (cell * elements_ + cells_ - 1) / cells_;
  }
  [[nodiscard]] std::size_t operator()(std::uint64_t element) const {
    return element < known_.size() ? known_[element] : found(element);
  }

 private:
  static constexpr std::uint64_t kMaxKept = std::uint64_t{1} << 15;
  [[nodiscard]] std::uint32_t found(std::uint64_t element) const {
    return static_cast<std::uint32_t>(element * cells_ / elements_);
  }
  std::uint64_t elements_;
  std::uint32_t cells_;
  std::vector<std::uint32_t> known_;
};

}  // namespace warplens::analysis
