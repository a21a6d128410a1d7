// A count for each element of a buffer. A recording may name a buffer of any size, and touch little of it:
// what is kept is what was counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace warplens::analysis {

/// The counts of neighbouring elements: a byte each until one of them needs more, as the blocks of large
/// matrices touch most of them a few times.
class ElementPage {
 public:
  static constexpr std::uint64_t kElements = 256;

  /// Adds to elements of the page: to `begin` and as many as `count` says, `step` apart.
  void add(std::uint64_t begin, std::uint64_t count, std::uint32_t touches, std::uint64_t step = 1) {
    if (wide_ || kMaxNarrow - bound_ < touches) return add_many(begin, count, touches, step);
    bound_ += touches;
    const auto add_one = [&](std::uint64_t i) {
      narrow_[i] = static_cast<std::uint8_t>(narrow_[i] + touches);
    };
    if (step == 1) {
      for (std::uint64_t i = begin; i < begin + count; ++i) add_one(i);
    } else {
      for (std::uint64_t i = begin, left = count; left > 0; i += step, --left) add_one(i);
    }
  }
  void add(const ElementPage& other);

  [[nodiscard]] std::uint32_t operator[](std::uint64_t element) const {
    return wide_ ? (*wide_)[element] : narrow_[element];
  }
  [[nodiscard]] std::uint32_t max(std::uint64_t begin = 0, std::uint64_t end = kElements) const;
  [[nodiscard]] std::uint64_t with(std::uint32_t count) const;

  /// Calls `visit(element, count)` for those that were counted, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint64_t first = 0; first < kElements; first += kAtOnce) {
      if (!any_from(first)) continue;
      for (std::uint64_t i = first; i < first + kAtOnce; ++i) {
        if ((*this)[i] != 0) visit(i, (*this)[i]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kMaxNarrow = 0xff;
  static constexpr std::uint64_t kAtOnce = 8;

  void add_many(std::uint64_t begin, std::uint64_t count, std::uint32_t touches, std::uint64_t step);
  /// Whether any of the elements [first, first + kAtOnce) was counted: most of a page may not be.
  [[nodiscard]] bool any_from(std::uint64_t first) const {
    std::uint32_t all = 0;
    for (std::uint64_t i = first; i < first + kAtOnce; ++i) all |= (*this)[i];
    return all != 0;
  }

  std::array<std::uint8_t, kElements> narrow_{};
  std::uint32_t bound_ = 0;  ///< No narrow count is greater
  std::unique_ptr<std::array<std::uint32_t, kElements>> wide_;
};

/// Neighbouring elements, and the same again `step` elements on.
struct ElementSeries {
  std::uint64_t first = 0, length = 1;
  std::uint32_t touches = 1;  ///< Of each, each time
  std::uint64_t step = 0, times = 1;
};

class ElementTable {
 public:
  /// Returns the count of an element; 0 if it was never counted.
  [[nodiscard]] std::uint32_t operator[](std::uint64_t element) const;
  [[nodiscard]] std::uint32_t max() const;
  /// How many elements have that count, which is not 0.
  [[nodiscard]] std::uint64_t with(std::uint32_t count) const;

  /// Adds to `length` elements from `first` on. `pages` are those that may still be made, of all tables
  /// together; false if they do not suffice, with a part of the elements counted.
  bool add(std::uint64_t first, std::uint64_t length, std::uint32_t touches, std::uint64_t& pages) {
    const std::uint64_t begin = first % ElementPage::kElements;
    if (ElementPage* const page = latest(first / ElementPage::kElements);
        page != nullptr && begin + length <= ElementPage::kElements) {
      page->add(begin, length, touches);
      return true;
    }
    return add_anywhere(first, length, touches, pages);
  }
  /// `pages` and the result as above.
  bool add(const ElementSeries& series, std::uint64_t& pages);
  /// Adds all counts of another one; `pages` and the result as above.
  bool add(const ElementTable& other, std::uint64_t& pages);

  /// Calls `visit(element, count)` for every element that was counted, in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_page([&](std::uint64_t number, const ElementPage& page) {
      page.for_each([&](std::uint64_t element, std::uint32_t count) {
        visit(number * ElementPage::kElements + element, count);
      });
    });
  }
  /// Calls `visit(number, page)` for those in which some were, in order: of the elements from number *
  /// ElementPage::kElements on.
  template <class Visit>
  void for_each_page(Visit visit) const {
    for (const auto& [number, section] : sections_) {
      for (std::uint64_t i = 0; i < kPagesASection; ++i) {
        if (section[i]) visit(number * kPagesASection + i, *section[i]);
      }
    }
  }

 private:
  /// Neighbouring pages, those of them that have been made.
  static constexpr std::uint64_t kPagesASection = 64;
  using Section = std::array<std::unique_ptr<ElementPage>, kPagesASection>;

  bool add_spaced(const ElementSeries& series, std::uint64_t& pages);
  bool add_anywhere(std::uint64_t first, std::uint64_t length, std::uint32_t touches, std::uint64_t& pages);
  /// Null: it may not be made.
  [[nodiscard]] ElementPage* find_or_make(std::uint64_t number, std::uint64_t& pages);
  [[nodiscard]] static std::size_t place_of(std::uint64_t number) {
    return number * 0x9e3779b97f4a7c15 >> (64 - kLatestBits);
  }
  /// The page of that number, if it is one that was used lately.
  [[nodiscard]] ElementPage* latest(std::uint64_t number) const {
    if (!latest_) return nullptr;
    const Latest& latest = (*latest_)[place_of(number)];
    return latest.number == number ? latest.page : nullptr;
  }

  std::map<std::uint64_t, Section> sections_;
  /// Where a few pages lie that were used lately: the lanes of a warp go through a matrix by rows, each in a
  /// page of its own.
  struct Latest {
    std::uint64_t number = 0;
    ElementPage* page = nullptr;
  };
  static constexpr int kLatestBits = 8;
  std::unique_ptr<std::array<Latest, std::size_t{1} << kLatestBits>> latest_;
};

}  // namespace warplens::analysis
