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
  bool add(std::uint64_t first, std::uint64_t length, std::uint32_t touches, std::uint64_t& pages) {
    if (Page* const page = latest(first / kElementsPerPage); page != nullptr && first % kElementsPerPage + length <= kElementsPerPage) {
      std::uint32_t* const counts = page->data() + first % kElementsPerPage;
      for (std::uint64_t i = 0; i < length; ++i) counts[i] += touches;
      return true;
    }
    return add_anywhere(first, length, touches, pages);
  }
  /// Adds all counts of another one; `pages` and the result as above.
  bool add(const ElementTable& other, std::uint64_t& pages);

  /// Calls `visit(element, count)` for every element that was counted, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [number, page] : pages_) {
      for (std::uint64_t first = 0; first < kElementsPerPage; first += kAtOnce) {
        if (!any_of(page, first)) continue;
        for (std::uint64_t i = first; i < first + kAtOnce; ++i) {
          if (page[i] != 0) visit(number * kElementsPerPage + i, page[i]);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t kAtOnce = 8;
  /// Whether any of the elements [first, first + kAtOnce) of a page was counted: most of a page may not be.
  [[nodiscard]] static bool any_of(const Page& page, std::uint64_t first) {
    std::uint32_t all = 0;
    for (std::uint64_t i = first; i < first + kAtOnce; ++i) all |= page[i];
    return all != 0;
  }
  bool add_anywhere(std::uint64_t first, std::uint64_t length, std::uint32_t touches, std::uint64_t& pages);
  [[nodiscard]] Page* find_or_make(std::uint64_t number, std::uint64_t& pages);
  [[nodiscard]] static std::size_t place_of(std::uint64_t number) { return number * 0x9e3779b97f4a7c15 >> (64 - kLatestBits); }
  /// The page of that number, if it is one that was used lately.
  [[nodiscard]] Page* latest(std::uint64_t number) const {
    if (!latest_) return nullptr;
    const Latest& latest = (*latest_)[place_of(number)];
    return latest.number == number ? latest.page : nullptr;
  }

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
