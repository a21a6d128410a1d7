// A count for each element of a buffer. A recording may name a buffer of any size, and touch little of it: what is kept is what was counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace warplens::analysis {

class ElementTable {
 public:
  /// Neighbouring elements are kept together.
  static constexpr std::uint64_t kElementsPerPage = 256;
  using Page = std::array<std::uint32_t, kElementsPerPage>;

  /// Of an element; 0 if it was never counted.
  [[nodiscard]] std::uint32_t operator[](std::uint64_t element) const;
  [[nodiscard]] std::uint32_t most() const;
  /// How many elements have that count, which is not 0.
  [[nodiscard]] std::uint64_t with(std::uint32_t count) const;

  /// Adds to `length` elements from `first` on. `pages` are those that may still be made, of all tables together; false if they do not suffice, with
  /// a part of the elements counted.
  bool add(std::uint64_t first, std::uint64_t length, std::uint32_t touches, std::uint64_t& pages);

  /// Calls `visit(element, count)` for every element that was counted, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [number, page] : pages_) {
      for (std::uint64_t i = 0; i < kElementsPerPage; ++i) {
        if (page[i] != 0) visit(number * kElementsPerPage + i, page[i]);
      }
    }
  }

 private:
  [[nodiscard]] Page* find_or_make(std::uint64_t number, std::uint64_t& pages);

  std::map<std::uint64_t, Page> pages_;
  /// Where a few pages lie that were used lately: the lanes of a warp go through a matrix by rows, each in a page of its own.
  struct Latest {
    std::uint64_t number = 0;
    Page* page = nullptr;
  };
  static constexpr int kLatestBits = 8;
  std::unique_ptr<std::array<Latest, std::size_t{1} << kLatestBits>> latest_;
};

}  // namespace warplens::analysis
