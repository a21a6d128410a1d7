#include "viz/analysis/reuse.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "viz/analysis/access_series.h"
#include "viz/analysis/buffer_finder.h"
#include "viz/analysis/cells.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

const Buffer* buffer_at(const Recording& recording, std::uint64_t address) {
  for (const Buffer& buffer : recording.buffers) {
    if (address - buffer.base < buffer.bytes) return &buffer;
  }
  return nullptr;
}

/// Pages of element counts, of all buffers together: at first, and an event more. 32 lanes that touch
/// neighbouring words fill an eighth of one.
constexpr std::uint64_t kPagesAtLeast = std::uint64_t{1} << 16, kEventsAPage = 8;

std::uint64_t max_pages(const Recording& recording) {
  return kPagesAtLeast + recording.events.size() / kEventsAPage;
}

std::vector<ElementCounts> no_counts(const Recording& recording) {
  std::vector<ElementCounts> counts(recording.buffers.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i].buffer = static_cast<std::uint32_t>(i);
  return counts;
}

void finish(std::vector<ElementCounts>& all, bool complete) {
  for (ElementCounts& counts : all) {
    counts.complete = complete;
    if (!complete) counts.reads = {}, counts.writes = {};
    counts.max_reads = counts.reads.max();
    counts.max_writes = counts.writes.max();
  }
}

/// The touches of those events that `wanted` says.
template <class Wanted>
std::vector<ElementCounts> counted(const Recording& recording, EventRange range, Wanted wanted) {
  std::vector<ElementCounts> counts = no_counts(recording);
  std::uint64_t pages = max_pages(recording);
  bool complete = true;
  const auto add_to = [&](ElementTable& table, const ElementSeries& series) {
    complete = complete && table.add(series, pages);
  };
  AccessSeries accesses(recording, [&](std::uint32_t site, std::size_t buffer, const ElementSeries& series,
                                       std::span<const std::uint32_t>) {
    const AccessOp op = recording.sites[site].op;  // An atomic both reads and writes
    if (reads(op, Space::global)) add_to(counts[buffer].reads, series);
    if (writes(op, Space::global)) add_to(counts[buffer].writes, series);
  });
  for (std::size_t event = range.begin; event < range.end && complete; ++event) {
    if (wanted(event)) accesses.add(event);
  }
  accesses.finish();
  finish(counts, complete);
  return counts;
}

ElementCells cells_of(const Buffer& buffer, const ElementTable& table, std::uint32_t max) {
  ElementCells cells{
      .rows = std::min(buffer.rows, ElementCells::kMax),
      .columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, ElementCells::kMax)),
      .max = {},
      .max_of_all = max,
      .even = max == 0 || table.with(max) == elements_of(buffer)};
  cells.max.assign(std::size_t{cells.rows} * cells.columns, 0);
  const CellsOfLine rows(buffer.rows, cells.rows), columns(buffer.columns, cells.columns);
  const Divider pitch(buffer.pitch);
  table.for_each_page([&](std::uint64_t number, const ElementPage& page) {
    for (std::uint64_t at = 0; at < ElementPage::kElements;) {
      const std::uint64_t element = number * ElementPage::kElements + at, row = pitch.quotient(element),
                          column = element - row * pitch.divisor();
      if (row >= buffer.rows) return;
      const std::uint64_t of_row = std::min(pitch.divisor() - column, ElementPage::kElements - at),
                          end = std::min(column + of_row, buffer.columns);
      for (std::uint64_t from = column; from < end;) {  // Beyond that it is padding between rows
        const std::size_t cell = columns(from);
        const std::uint64_t to = std::min(columns.begin_of(cell + 1), end);
        std::uint64_t& max_of_cell = cells.max[rows(row) * cells.columns + cell];
        max_of_cell = std::max<std::uint64_t>(max_of_cell, page.max(at + from - column, at + to - column));
        from = to;
      }
      at += of_row;
    }
  });
  return cells;
}

}  // namespace

void make_cells(const Recording& recording, std::vector<ElementCounts>& counts) {
  for (ElementCounts& one : counts) {
    const Buffer& buffer = recording.buffers[one.buffer];
    if (!one.complete || std::max<std::uint64_t>(buffer.rows, buffer.columns) <= ElementCells::kMax) continue;
    one.read_cells = cells_of(buffer, one.reads, one.max_reads);
    one.written_cells = cells_of(buffer, one.writes, one.max_writes);
  }
}

bool locate_in(const Recording& recording, const Buffer* buffer, std::uint64_t address, ElementPlace& place) {
  if (buffer == nullptr || buffer->pitch == 0) return false;
  const std::uint64_t element = (address - buffer->base) / static_cast<std::uint64_t>(size_of(buffer->type));
  if (element >= std::uint64_t{buffer->rows} * buffer->pitch) return false;
  place = {static_cast<std::uint32_t>(buffer - recording.buffers.data()), element / buffer->pitch,
           element % buffer->pitch};
  return true;
}

std::vector<ElementCounts> element_counts(const Recording& recording) {
  return counted(recording, {.begin = 0, .end = recording.events.size()}, [](std::size_t) { return true; });
}

std::vector<ElementCounts> element_counts(const Recording& recording, std::uint32_t event_block,
                                          const std::vector<bool>& sites) {
  return counted(recording, events_of_block(recording, event_block),
                 [&](std::size_t event) { return sites[recording.events.site[event]]; });
}

ElementSums::ElementSums(const Recording& recording)
    : counts_(no_counts(recording)), pages_(max_pages(recording)) {}

void ElementSums::add(const std::vector<ElementCounts>& counts) {
  for (std::size_t i = 0; i < counts.size() && complete_; ++i) {
    complete_ = counts[i].complete && counts_[i].reads.add(counts[i].reads, pages_) &&
                counts_[i].writes.add(counts[i].writes, pages_);
  }
}

std::vector<ElementCounts> ElementSums::take() {
  finish(counts_, complete_);
  return std::move(counts_);
}

bool locate(const Recording& recording, std::uint64_t address, ElementPlace& place) {
  return locate_in(recording, buffer_at(recording, address), address, place);
}

std::vector<Touch> history(const Recording& recording, std::uint32_t buffer, std::uint64_t element,
                           std::size_t limit) {
  const auto element_bytes = static_cast<std::uint64_t>(size_of(recording.buffers[buffer].type));
  const std::uint64_t begin = recording.buffers[buffer].base + element * element_bytes,
                      end = begin + element_bytes;

  std::vector<std::pair<std::int64_t, std::int64_t>> extents;  // By shape: lowest and highest offset
  for (const Shape& shape : recording.shapes) {
    const auto [low, high] = std::minmax_element(shape.begin(), shape.end());
    extents.emplace_back(*low, *high);
  }
  std::vector<Touch> touches;
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global) continue;
    const auto [low, high] = extents[recording.events.shape[event]];
    const std::uint64_t base = recording.events.base[event];
    if (base + static_cast<std::uint64_t>(low) >= end ||
        base + static_cast<std::uint64_t>(high) + site.bytes <= begin)
      continue;
    for_each_lane(recording.events.mask[event], [&](int lane) {
      const std::uint64_t address = lane_address(recording, event, lane);
      if (address < end && address + site.bytes > begin && touches.size() < limit)
        touches.push_back({event, lane});
    });
    if (touches.size() == limit) break;
  }
  return touches;
}

}  // namespace warplens::analysis
