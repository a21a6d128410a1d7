#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warplens {

/// Finds entries of a list, which is the caller's, by their hashes, whose lower 32 bits must differ: open
/// addressing.
class HashIndex {
 public:
  /// The number of the entry of that hash for which `is_it(number)` holds. Without one, how many there are:
  /// then it is the number of a new one, which the caller appends to its list.
  template <class IsIt>
  [[nodiscard]] std::uint32_t find_or_add(std::uint64_t hash, IsIt is_it) {
    if (places_.size() < 2 * (std::size_t{count_} + 1)) grow();
    const auto tag = static_cast<std::uint32_t>(hash);
    const std::size_t at =
        find_place(tag, [&](const Place& place) { return place.tag == tag && is_it(place.behind - 1); });
    if (places_[at].behind == 0) places_[at] = {tag, ++count_};
    return places_[at].behind - 1;
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Forgets all entries, and keeps its memory.
  void clear() {
    places_.assign(places_.size(), {});
    count_ = 0;
  }

 private:
  struct Place {
    std::uint32_t tag = 0;     ///< Of the hash
    std::uint32_t behind = 0;  ///< One more than the entry's number; 0: free
  };

  template <class IsIt>
  [[nodiscard]] std::size_t find_place(std::uint32_t tag, IsIt is_it) const {
    const std::size_t wrap = places_.size() - 1;
    std::size_t at = tag & wrap;
    while (places_[at].behind != 0 && !is_it(places_[at])) at = (at + 1) & wrap;
    return at;
  }
  void grow() {
    const std::vector<Place> before =
        std::exchange(places_, std::vector<Place>(places_.empty() ? 64 : 2 * places_.size()));
    for (const Place& place : before) {
      if (place.behind != 0) places_[find_place(place.tag, [](const Place&) { return false; })] = place;
    }
  }

  std::vector<Place> places_;  ///< A power of two of them
  std::uint32_t count_ = 0;
};

}  // namespace warplens
