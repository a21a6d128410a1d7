#include "viz/analysis/grid_counts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "viz/analysis/access_series.h"

namespace warplens::analysis {
namespace {

constexpr std::uint64_t kElementsABand = std::uint64_t{1}
                                         << 20;  ///< Counted at a time: what is kept of a matrix is its cells
constexpr std::size_t kMaxRuns = std::size_t{1} << 24;

}  // namespace

/// The elements [first, end): by how much the count grows from one to the next.
struct GridCounts::Band {
  std::uint64_t first = 0, end = 0;
  std::vector<std::int64_t> growth;

  void begin_at(std::uint64_t element, std::uint64_t elements) {
    first = element;
    end = std::min(element + kElementsABand, elements);
    growth.assign(end - first + 1, 0);
  }
  /// Where the count changes next after `element`.
  [[nodiscard]] std::uint64_t next_change(std::uint64_t element) const {
    const auto from = growth.begin() + static_cast<std::ptrdiff_t>(element - first) + 1;
    const auto at = std::find_if(from, growth.begin() + static_cast<std::ptrdiff_t>(end - first),
                                 [](std::int64_t by) { return by != 0; });
    return first + static_cast<std::uint64_t>(at - growth.begin());
  }
  void add(const Part& part) {
    if (part.runs.empty()) return;
    const auto low = static_cast<std::int64_t>(part.runs.front().first),
               high = static_cast<std::int64_t>(part.runs.back().end);
    const auto near =
        std::ranges::upper_bound(part.blocks, static_cast<std::int64_t>(first) - high, {}, &Moved::by);
    for (auto block = near; block != part.blocks.end() && low + block->by < static_cast<std::int64_t>(end);
         ++block)
      add(part.runs, *block);
  }
  void add(const std::vector<Run>& runs, const Moved& block) {
    const auto moved = [&](std::uint64_t element) { return static_cast<std::int64_t>(element) + block.by; };
    const auto begin = static_cast<std::int64_t>(first), stop = static_cast<std::int64_t>(end);
    const auto from =
        std::ranges::partition_point(runs, [&](const Run& run) { return moved(run.end) <= begin; });
    for (auto run = from; run != runs.end() && moved(run->first) < stop; ++run) {
      const auto touches = static_cast<std::int64_t>(run->count * block.blocks);
      growth[static_cast<std::size_t>(std::max(moved(run->first), begin) - begin)] += touches;
      growth[static_cast<std::size_t>(std::min(moved(run->end), stop) - begin)] -= touches;
    }
  }
};

GridCounts::GridCounts(Dim3 grid, const std::vector<Buffer>& buffers)
    : buffers_(buffers),
      touched_(buffers.size() * 2),
      sectors_(std::make_shared<GridSectors>(grid, buffers)) {}

bool GridCounts::add(const Recording& recording, std::uint32_t event_block, const BlockClass& alike,
                     std::span<const Shift> shifts) {
  blocks_ += alike.count();
  std::map<Shift, std::vector<bool>> sites;
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    if (recording.sites[site].space != Space::global) continue;
    std::vector<bool>& of_shift = sites.try_emplace(shifts[site], recording.sites.size()).first->second;
    of_shift[site] = true;
  }
  for (const auto& [shift, of_shift] : sites) {
    const std::vector<ElementCounts> counts = element_counts(recording, event_block, of_shift);
    if (!add(counts, alike, shift)) return false;
    if (sectors_ && !sectors_->add(counts, alike, shift)) sectors_ = nullptr;
  }
  return true;
}

bool GridCounts::add(const Recording& recording) {
  blocks_ += recording.event_blocks.size();
  if (sectors_ && !sectors_->add(recording)) sectors_ = nullptr;
  const BlockClass itself{.like = {}, .runs = {{.first = 0, .end = 1}}};
  return add(element_counts(recording), itself, {});
}

bool GridCounts::add(const std::vector<ElementCounts>& counts, const BlockClass& alike, const Shift& shift) {
  for (const ElementCounts& one : counts) {
    if (!one.complete) return false;
    const std::int64_t bytes = size_of(buffers_[one.buffer].type);
    for (const auto& [access, table] : {std::pair{Access::read, &one.reads}, {Access::write, &one.writes}}) {
      Part part{.runs = runs_of(*table), .blocks = {}};
      if (part.runs.empty()) continue;
      if (shift.x % bytes != 0 || shift.y % bytes != 0 || shift.z % bytes != 0) return false;
      runs_ += part.runs.size();
      if (runs_ > kMaxRuns) return false;
      part.blocks = moved_blocks(alike, {shift.x / bytes, shift.y / bytes, shift.z / bytes});
      of(one.buffer, access).parts.push_back(std::make_shared<const Part>(std::move(part)));
    }
  }
  return true;
}

std::vector<GridCounts::Run> GridCounts::runs_of(const ElementTable& table) {
  std::vector<Run> runs;
  table.for_each([&](std::uint64_t element, std::uint32_t count) {
    if (!runs.empty() && runs.back().end == element && runs.back().count == count) {
      ++runs.back().end;
    } else {
      runs.push_back({element, element + 1, count});
    }
  });
  return runs;
}

std::vector<GridCounts::Moved> GridCounts::moved_blocks(const BlockClass& alike, const Shift& shift) {
  std::map<std::int64_t, std::uint64_t> blocks;
  const auto distance = [](std::uint32_t to, std::uint32_t from) {
    return std::int64_t{to} - std::int64_t{from};
  };
  for (const BlockRun& run : alike.runs) {
    const std::int64_t first = shift.x * distance(run.first, alike.like.x) +
                               shift.y * distance(run.y, alike.like.y) +
                               shift.z * distance(run.z, alike.like.z);
    if (shift.x == 0) {
      blocks[first] += run.end - run.first;
      continue;
    }
    for (std::uint32_t x = run.first; x < run.end; ++x)
      blocks[first + shift.x * std::int64_t{x - run.first}] += 1;
  }
  std::vector<Moved> moved;
  moved.reserve(blocks.size());
  for (const auto& [by, count] : blocks) moved.push_back({by, count});
  return moved;
}

bool GridCounts::finish(const std::atomic<bool>* cancelled) {
  for (std::uint32_t buffer = 0; buffer < buffers_.size(); ++buffer) {
    for (const Access access : {Access::read, Access::write}) {
      if (!make_cells(buffers_[buffer], of(buffer, access), cancelled)) return false;
    }
  }
  if (sectors_ && sectors_->complete()) all_sectors_ = sectors_;
  return true;
}

bool GridCounts::make_cells(const Buffer& buffer, Touched& touched, const std::atomic<bool>* cancelled) {
  Cells& cells = touched.cells;
  cells.rows = std::min(buffer.rows, kMaxCells);
  cells.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, kMaxCells));
  cells.max.assign(std::size_t{cells.rows} * cells.columns, 0);
  cells.even = touched.parts.empty();
  if (touched.parts.empty() || cells.max.empty()) return true;
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
  Band band;
  for (const std::uint64_t elements = elements_of(buffer); band.end < elements;) {
    if (cancelled != nullptr && *cancelled) return false;
    band.begin_at(band.end, elements);
    for (const auto& part : touched.parts) band.add(*part);
    std::int64_t count = 0;
    for (std::uint64_t first = band.first; first < band.end;) {
      count += band.growth[first - band.first];
      const std::uint64_t end = band.next_change(first);
      const auto times = static_cast<std::uint64_t>(count);
      min = std::min(min, times);
      cells.max_of_all = std::max(cells.max_of_all, times);
      if (times != 0) raise_cells(buffer, {first, end, times}, cells);
      first = end;
    }
  }
  cells.even = min == cells.max_of_all;
  return true;
}

void GridCounts::raise_cells(const Buffer& buffer, const Run& run, Cells& cells) {
  for (std::uint64_t first = run.first; first < run.end;) {
    const std::uint64_t row = first / buffer.pitch, begin = row * buffer.pitch,
                        end = std::min(begin + buffer.pitch, run.end);
    const std::uint64_t column = first - begin,
                        last =
                            std::min(end - begin, buffer.columns);  // Beyond that it is padding between rows
    std::uint64_t* const of_row = cells.max.data() + row * cells.rows / buffer.rows * cells.columns;
    if (column < last) {
      const std::uint64_t from = column * cells.columns / buffer.columns,
                          to = (last - 1) * cells.columns / buffer.columns;
      for (std::uint64_t cell = from; cell <= to; ++cell) of_row[cell] = std::max(of_row[cell], run.count);
    }
    first = end;
  }
}

std::uint64_t GridCounts::count(std::uint32_t buffer, Access access, std::uint64_t element) const {
  std::uint64_t count = 0;
  const auto place = static_cast<std::int64_t>(element);
  for (const auto& part : of(buffer, access).parts) {
    const auto low = static_cast<std::int64_t>(part->runs.front().first),
               high = static_cast<std::int64_t>(part->runs.back().end);
    const auto near = std::ranges::upper_bound(part->blocks, place - high, {}, &Moved::by);
    for (auto block = near; block != part->blocks.end() && low + block->by <= place; ++block) {
      const auto there = static_cast<std::uint64_t>(place - block->by);
      const auto run = std::ranges::upper_bound(part->runs, there, {}, &Run::end);
      if (run != part->runs.end() && run->first <= there) count += run->count * block->blocks;
    }
  }
  return count;
}

const GridCounts::Cells& GridCounts::cells(std::uint32_t buffer, Access access) const {
  return of(buffer, access).cells;
}

}  // namespace warplens::analysis
