#include "viz/analysis/element_table.h"

#include <algorithm>

namespace warplens::analysis {

std::uint32_t ElementTable::operator[](std::uint64_t element) const {
  const auto page = pages_.find(element / kElementsPerPage);
  return page == pages_.end() ? 0 : page->second[element % kElementsPerPage];
}

std::uint32_t ElementTable::most() const {
  std::uint32_t most = 0;
  for_each([&](std::uint64_t, std::uint32_t count) { most = std::max(most, count); });
  return most;
}

std::uint64_t ElementTable::with(std::uint32_t count) const {
  std::uint64_t elements = 0;
  for (const auto& [number, page] : pages_) elements += static_cast<std::uint64_t>(std::ranges::count(page, count));
  return elements;
}

bool ElementTable::add_anywhere(std::uint64_t first, std::uint64_t length, std::uint32_t touches, std::uint64_t& pages) {
  for (const std::uint64_t end = first + length; first < end;) {
    Page* const page = find_or_make(first / kElementsPerPage, pages);
    if (page == nullptr) return false;
    const std::uint64_t begin = first % kElementsPerPage, here = std::min(end - first, kElementsPerPage - begin);
    for (std::uint64_t i = begin; i < begin + here; ++i) (*page)[i] += touches;
    first += here;
  }
  return true;
}

bool ElementTable::add(const ElementTable& other, std::uint64_t& pages) {
  for (const auto& [number, more] : other.pages_) {
    Page* const page = find_or_make(number, pages);
    if (page == nullptr) return false;
    for (std::size_t i = 0; i < more.size(); ++i) (*page)[i] += more[i];
  }
  return true;
}

ElementTable::Page* ElementTable::find_or_make(std::uint64_t number, std::uint64_t& pages) {
  if (!latest_) latest_ = std::make_unique<std::array<Latest, std::size_t{1} << kLatestBits>>();
  Latest& latest = (*latest_)[place_of(number)];
  if (latest.page != nullptr && latest.number == number) return latest.page;
  auto known = pages_.find(number);
  if (known == pages_.end()) {
    if (pages == 0) return nullptr;
    --pages;
    known = pages_.try_emplace(number).first;
  }
  latest = {number, &known->second};
  return latest.page;
}

}  // namespace warplens::analysis
