#include "viz/analysis/element_table.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

template <class Counts>
std::uint32_t greatest(const Counts& counts, std::uint64_t begin, std::uint64_t end) {
  typename Counts::value_type max = 0;
  for (std::uint64_t i = begin; i < end; ++i) max = std::max(max, counts[i]);
  return max;
}

}  // namespace

// The bound is found anew; where the counts near what a byte holds, they get room for good.
void ElementPage::add_many(std::uint64_t begin, std::uint64_t count, std::uint32_t touches,
                           std::uint64_t step) {
  if (!wide_) {
    bound_ = max();
    if (touches <= kMaxNarrow / 2 && bound_ <= kMaxNarrow / 2) return add(begin, count, touches, step);
    wide_ = std::make_unique<std::array<std::uint32_t, kElements>>();
    std::ranges::copy(narrow_, wide_->begin());
  }
  for (std::uint64_t i = begin, left = count; left > 0; i += step, --left) (*wide_)[i] += touches;
}

void ElementPage::add(const ElementPage& other) {
  if (!wide_ && !other.wide_ && kMaxNarrow - bound_ >= other.bound_) {
    bound_ += other.bound_;
    for (std::uint64_t i = 0; i < kElements; ++i)
      narrow_[i] = static_cast<std::uint8_t>(narrow_[i] + other.narrow_[i]);
    return;
  }
  other.for_each([&](std::uint64_t element, std::uint32_t count) { add(element, 1, count); });
}

std::uint32_t ElementPage::max(std::uint64_t begin, std::uint64_t end) const {
  return wide_ ? greatest(*wide_, begin, end) : greatest(narrow_, begin, end);
}

std::uint64_t ElementPage::with(std::uint32_t count) const {
  return static_cast<std::uint64_t>(wide_ ? std::ranges::count(*wide_, count)
                                          : std::ranges::count(narrow_, count));
}

std::uint32_t ElementTable::operator[](std::uint64_t element) const {
  const std::uint64_t number = element / ElementPage::kElements;
  const auto section = sections_.find(number / kPagesASection);
  if (section == sections_.end()) return 0;
  const ElementPage* const page = section->second[number % kPagesASection].get();
  return page == nullptr ? 0 : (*page)[element % ElementPage::kElements];
}

std::uint32_t ElementTable::max() const {
  std::uint32_t max = 0;
  for_each_page([&](std::uint64_t, const ElementPage& page) { max = std::max(max, page.max()); });
  return max;
}

std::uint64_t ElementTable::with(std::uint32_t count) const {
  std::uint64_t elements = 0;
  for_each_page([&](std::uint64_t, const ElementPage& page) { elements += page.with(count); });
  return elements;
}

bool ElementTable::add_anywhere(std::uint64_t first, std::uint64_t length, std::uint32_t touches,
                                std::uint64_t& pages) {
  for (const std::uint64_t end = first + length; first < end;) {
    ElementPage* const page = find_or_make(first / ElementPage::kElements, pages);
    if (page == nullptr) return false;
    const std::uint64_t begin = first % ElementPage::kElements,
                        here = std::min(end - first, ElementPage::kElements - begin);
    page->add(begin, here, touches);
    first += here;
  }
  return true;
}

bool ElementTable::add(const ElementSeries& series, std::uint64_t& pages) {
  if (series.step == 0)
    return add(series.first, series.length, series.touches * static_cast<std::uint32_t>(series.times), pages);
  if (series.step == series.length)
    return add(series.first, series.length * series.times, series.touches, pages);
  if (series.length == 1) return add_spaced(series, pages);
  for (std::uint64_t i = 0; i < series.times; ++i) {
    if (!add(series.first + i * series.step, series.length, series.touches, pages)) return false;
  }
  return true;
}

bool ElementTable::add_spaced(const ElementSeries& series, std::uint64_t& pages) {
  for (std::uint64_t done = 0; done < series.times;) {
    const std::uint64_t element = series.first + done * series.step, begin = element % ElementPage::kElements;
    ElementPage* const page = find_or_make(element / ElementPage::kElements, pages);
    if (page == nullptr) return false;
    const std::uint64_t in_page = (ElementPage::kElements - begin - 1) / series.step + 1,
                        here = std::min(in_page, series.times - done);
    page->add(begin, here, series.touches, series.step);
    done += here;
  }
  return true;
}

bool ElementTable::add(const ElementTable& other, std::uint64_t& pages) {
  bool enough = true;
  other.for_each_page([&](std::uint64_t number, const ElementPage& more) {
    ElementPage* const page = enough ? find_or_make(number, pages) : nullptr;
    enough = page != nullptr;
    if (enough) page->add(more);
  });
  return enough;
}

ElementPage* ElementTable::find_or_make(std::uint64_t number, std::uint64_t& pages) {
  if (!latest_) latest_ = std::make_unique<std::array<Latest, std::size_t{1} << kLatestBits>>();
  Latest& latest = (*latest_)[place_of(number)];
  if (latest.page != nullptr && latest.number == number) return latest.page;
  std::unique_ptr<ElementPage>& page = sections_[number / kPagesASection][number % kPagesASection];
  if (!page) {
    if (pages == 0) return nullptr;
    --pages;
    page = std::make_unique<ElementPage>();
  }
  latest = {number, page.get()};
  return latest.page;
}

}  // namespace warplens::analysis
