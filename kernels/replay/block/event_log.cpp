#include "kernels/replay/block/event_log.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <new>
#include <numeric>
#include <thread>

namespace warplens::replay {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 21;

}  // namespace

void EventLog::Free::operator()(Event* events) const {
  std::free(events);
}

void EventLog::append(std::uint32_t warp, const Event& event) {
  if (next_ == end_) {
    void* const chunk = std::aligned_alloc(kChunkBytes, kChunkBytes);
    if (chunk == nullptr) throw std::bad_alloc();
    next_ = static_cast<Event*>(chunk);
    end_ = next_ + kChunkBytes / sizeof(Event);
    chunks_.emplace_back(next_);
  }
  if (runs_.empty() || runs_.back().warp != warp || runs_.back().first + runs_.back().count != next_)
    runs_.push_back({warp, 0, next_});
  ++runs_.back().count;
  *next_++ = event;
  ++count_;
}

void EventLog::add_line(std::uint32_t warp, std::uint32_t site, std::uint32_t phase, std::uint64_t first,
                        std::int64_t stride) {
  Last& last = last_[site];
  if (last.stride != stride || last.line == kNone) last = {stride, shape_of_line(stride), last.scattered};
  append(warp, {first, site, phase, 0xffffffffu, last.line});
}

void EventLog::add(std::uint32_t warp, std::uint32_t site, std::uint32_t phase, std::uint32_t mask,
                   const std::uint64_t* addresses) {
  const std::uint64_t base = addresses[std::countr_zero(mask)];
  Shape shape;
  for (std::size_t l = 0; l < shape.size(); ++l)
    shape[l] = (mask >> l & 1) != 0 ? static_cast<std::int64_t>(addresses[l] - base) : 0;
  Last& last = last_[site];
  if (last.scattered == kNone || shapes_.shapes()[last.scattered] != shape)
    last.scattered = shapes_.intern(shape);
  append(warp, {base, site, phase, mask, last.scattered});
}

std::uint32_t EventLog::shape_of_line(std::int64_t stride) {
  const auto [known, is_new] = lines_.try_emplace(stride, 0);
  if (is_new) {
    Shape shape;
    for (std::size_t l = 0; l < shape.size(); ++l) shape[l] = static_cast<std::int64_t>(l) * stride;
    known->second = shapes_.intern(shape);
  }
  return known->second;
}

std::uint32_t EventLog::events_of(std::uint32_t warp) const {
  std::uint32_t count = 0;
  for (const Run& run : runs_) count += run.warp == warp ? run.count : 0;
  return count;
}

EventLog::Mark EventLog::mark() const {
  return {runs_.size(), landings_.size(), runs_.empty() ? 0 : runs_.back().count, count_};
}

void EventLog::drop_from(const Mark& mark) {
  runs_.resize(mark.runs);
  landings_.resize(mark.landings);
  if (!runs_.empty()) runs_.back().count = mark.count_of_last_run;
  count_ = mark.count;
}

void EventLog::end_block(std::uint64_t linear) {
  std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.warp < b.warp; });
  std::ranges::sort(landings_);
  blocks_.push_back({linear, std::move(runs_), std::move(landings_)});
  runs_.clear();
  landings_.clear();
}

/// Fills the columns one by one, so that several threads may. Memory is had first: a thread has nobody to
/// tell that there is none.
class EventGatherer {
 public:
  EventGatherer(Recording& recording, std::span<EventLog* const> logs,
                std::span<const std::uint64_t> event_blocks) {
    intern_shapes(recording, logs);
    for (std::size_t k = 0; k < logs.size(); ++k) {
      for (const EventLog::Block& block : logs[k]->blocks_) {
        const auto at =
            std::lower_bound(event_blocks.begin(), event_blocks.end(), block.linear) - event_blocks.begin();
        parts_.push_back({static_cast<std::uint32_t>(at), &block, &moved_to_[k]});
        for (const EventLog::Run& run : block.runs) count_ += run.count;
      }
    }
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.event_block < b.event_block; });
  }

  void fill(std::vector<CopyLanding>& landings) const {
    for (const Part& part : parts_) {
      for (CopyLanding landing : part.block->landings) {
        landing.block = part.event_block;
        landings.push_back(landing);
      }
    }
  }

  void fill(EventColumns& columns, unsigned threads) {
    columns.base.reserve(count_);
    for (auto* column : {&columns.site, &columns.block, &columns.warp, &columns.phase, &columns.order,
                         &columns.mask, &columns.shape}) {
      column->reserve(count_);
    }
    const std::function<void()> jobs[] = {
        [&] { fill(columns.base, [](const Event& event, const Part&) { return event.base; }); },
        [&] {
          fill(columns.shape,
               [](const Event& event, const Part& part) { return (*part.moved_to)[event.shape]; });
        },
        [&] { fill(columns.site, [](const Event& event, const Part&) { return event.site; }); },
        [&] { fill(columns.phase, [](const Event& event, const Part&) { return event.phase; }); },
        [&] { fill(columns.mask, [](const Event& event, const Part&) { return event.mask; }); },
        [&] {
          fill_by_run(columns.block, [](const Part& part, const EventLog::Run&) { return part.event_block; });
        },
        [&] { fill_by_run(columns.warp, [](const Part&, const EventLog::Run& run) { return run.warp; }); },
        [&] { fill_order(columns.order); },
    };
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t k = next++; k < std::size(jobs); k = next++) jobs[k]();
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }

 private:
  using Event = EventLog::Event;
  struct Part {
    std::uint32_t event_block = 0;
    const EventLog::Block* block = nullptr;
    const std::vector<std::uint32_t>* moved_to = nullptr;  ///< From the log's shapes to the recording's
  };

  void intern_shapes(Recording& recording, std::span<EventLog* const> logs) {
    ShapeTable table;
    for (const Shape& shape : recording.shapes)
      static_cast<void>(table.intern(shape));  // the totals' shapes stay where they are
    for (const EventLog* log : logs) {
      std::vector<std::uint32_t>& moved_to = moved_to_.emplace_back();
      for (const Shape& shape : log->shapes_.shapes()) moved_to.push_back(table.intern(shape));
    }
    recording.shapes = table.take();
  }

  template <class T, class Field>
  void fill(std::vector<T>& column, const Field& field) const {
    column.resize(count_);
    T* to = column.data();
    for (const Part& part : parts_) {
      for (const EventLog::Run& run : part.block->runs) {
        to = std::transform(run.first, run.first + run.count, to,
                            [&](const Event& event) { return field(event, part); });
      }
    }
  }
  template <class Field>
  void fill_by_run(std::vector<std::uint32_t>& column, const Field& field) const {
    for (const Part& part : parts_) {
      for (const EventLog::Run& run : part.block->runs)
        column.insert(column.end(), run.count, field(part, run));
    }
  }
  void fill_order(std::vector<std::uint32_t>& column) const {
    column.resize(count_);
    std::uint32_t* to = column.data();
    for (const Part& part : parts_) {
      std::uint32_t warp = 0, order = 0;
      for (const EventLog::Run& run : part.block->runs) {
        if (run.warp != warp) order = 0;
        warp = run.warp;
        std::iota(to, to + run.count, order);
        to += run.count;
        order += run.count;
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> moved_to_;
  std::vector<Part> parts_;
  std::size_t count_ = 0;
};

void gather_events(Recording& recording, std::span<EventLog* const> logs,
                   std::span<const std::uint64_t> event_blocks, unsigned threads) {
  if (event_blocks.empty()) return;
  EventGatherer gatherer(recording, logs, event_blocks);
  gatherer.fill(recording.events, threads);
  gatherer.fill(recording.landings);
}

}  // namespace warplens::replay
