#include "viz/analysis/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "viz/analysis/buffer_finder.h"
#include "viz/analysis/history.h"
#include "viz/analysis/lanes.h"
#include "viz/analysis/shared_memory.h"

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kNever = ~std::uint32_t{0};

std::string range_name(std::uint64_t begin, std::uint64_t end) {
  return end == begin + 1 ? fmt::format("[{}]", begin) : fmt::format("[{}..{}]", begin, end - 1);
}

}  // namespace

/// The cells of one buffer, and in which phases their elements are touched.
class FootprintCells {
 public:
  explicit FootprintCells(const Buffer& buffer)
      : buffer_(buffer),
        rows_(std::min(buffer.rows, kMostFootprintCells)),
        columns_(static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, kMostFootprintCells))),
        element_shift_(std::countr_zero(static_cast<std::uint64_t>(size_of(buffer.type)))),
        is_whole_(rows_ == buffer.rows && columns_ == buffer.columns),
        touched_first_(std::size_t{rows_} * columns_, kNever),
        written_last_(touched_first_.size(), 0) {}

  /// Every element of an access of `bytes` at an address in the buffer.
  template <class Visit>
  void for_each_element(std::uint64_t address, std::uint64_t bytes, Visit visit) const {
    const std::uint64_t first = (address - buffer_.base) >> element_shift_;
    const std::uint64_t last = (address - buffer_.base + bytes - 1) >> element_shift_;
    const std::uint64_t pitch = std::max<std::uint64_t>(buffer_.pitch, 1);
    for (std::uint64_t element = first; element <= last; ++element) {
      const std::uint64_t row = element / pitch, column = element % pitch;
      if (row < buffer_.rows && column < buffer_.columns) visit(row, column);  // Else padding between rows
    }
  }
  [[nodiscard]] std::size_t cell_of(std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t at_row = is_whole_ ? row : row * rows_ / buffer_.rows;
    return at_row * columns_ + (is_whole_ ? column : column * columns_ / buffer_.columns);
  }
  void touch(std::size_t cell, std::uint32_t phase, bool write) {
    touched_first_[cell] = std::min(touched_first_[cell], phase);
    if (write) written_last_[cell] = std::max(written_last_[cell], phase);
  }
  /// Once all is touched.
  void finish() {
    for (const std::uint32_t phase : touched_first_) {
      if (phase != kNever && (changes_.empty() || changes_.back() != phase + 1)) changes_.push_back(phase + 1);
    }
    for (const std::uint32_t phase : written_last_) {
      if (phase != 0 && (changes_.empty() || changes_.back() != phase)) changes_.push_back(phase);
    }
    std::ranges::sort(changes_);
    changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());
  }
  /// Phases with the same number have the same `marks`.
  [[nodiscard]] std::size_t version(std::uint32_t phase) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(changes_, phase) - changes_.begin());
  }

  /// Without what is touched in the phase itself.
  [[nodiscard]] std::vector<float> marks(std::uint32_t phase) const {
    std::vector<float> marks(touched_first_.size());
    const std::uint32_t* const touched = touched_first_.data();
    const std::uint32_t* const written = written_last_.data();
    float* const mark = marks.data();
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const float later = written[i] > phase ? Mark::written_later : Mark::untouched;
      mark[i] = touched[i] < phase ? Mark::before : later;
    }
    return marks;
  }
  [[nodiscard]] BufferFootprint footprint() const {
    return {.rows = rows_, .columns = columns_, .marks = {}, .read_now = {}, .written_now = {}, .held_now = {}};
  }
  [[nodiscard]] bool holds(std::uint64_t row, std::uint64_t column) const { return row < buffer_.rows && column < buffer_.columns; }

 private:
  const Buffer& buffer_;
  std::uint32_t rows_, columns_;
  int element_shift_;                         ///< An element's bytes are a power of two
  bool is_whole_;                             ///< A cell for each element: no division
  std::vector<std::uint32_t> touched_first_;  ///< The first phase that touches it; kNever: none
  std::vector<std::uint32_t> written_last_;   ///< The last phase that writes it; 0, too, where none does
  std::vector<std::uint32_t> changes_;        ///< Phases whose marks are not those of the phase before
};

/// Shared memory at some phases, so that one goes back to one without beginning anew.
class SharedMemoryStops {
 public:
  SharedMemoryStops(const Recording& recording, std::uint32_t event_block) : memory_(recording, event_block) {
    const std::size_t bytes = memory_.words().size() * sizeof(SharedWord) + recording.warps_per_block() * recording.sites.size() * kBytesASite + 1;
    const std::size_t stops = std::clamp<std::size_t>(kMostBytes / bytes, 1, kMostStops);
    pace_ = std::max<std::size_t>(1, (recording.phases.size() + stops - 1) / stops);
    stops_.push_back(memory_.state());
  }

  /// With all accesses of the phases before `end`.
  const std::vector<SharedWord>& until(std::uint32_t end) {
    if (end < memory_.phase()) {
      const auto after = std::ranges::upper_bound(stops_, end, {}, &SharedMemory::State::phase);
      memory_.go_back(*std::prev(after));
    }
    while (memory_.phase() < end) {
      const std::size_t next = stops_.size() * pace_;
      if (next > end) break;
      memory_.follow_until(static_cast<std::uint32_t>(next));
      stops_.push_back(memory_.state());
    }
    memory_.follow_until(end);
    return memory_.words();
  }

 private:
  static constexpr std::size_t kMostStops = 16, kMostBytes = std::size_t{16} << 20, kBytesASite = 300;
  SharedMemory memory_;
  std::size_t pace_ = 1;                    ///< Phases between two stops
  std::vector<SharedMemory::State> stops_;  ///< At multiples of it, from 0
};

void ElementBox::include(std::uint64_t row, std::uint64_t column) {
  row_begin = std::min(row_begin, row);
  row_end = std::max(row_end, row + 1);
  column_begin = std::min(column_begin, column);
  column_end = std::max(column_end, column + 1);
}

void ElementBox::include(const ElementBox& box) {
  row_begin = std::min(row_begin, box.row_begin);
  row_end = std::max(row_end, box.row_end);
  column_begin = std::min(column_begin, box.column_begin);
  column_end = std::max(column_end, box.column_end);
}

ElementBox BufferFootprint::now() const {
  ElementBox all = read_now;
  all.include(written_now);
  all.include(held_now);
  return all;
}

std::string box_name(const Buffer& buffer, const ElementBox& box) {
  const std::string columns = range_name(box.column_begin, box.column_end);
  return buffer.rows <= 1 ? buffer.name + columns : buffer.name + range_name(box.row_begin, box.row_end) + columns;
}

ElementBox written_by(const Recording& recording, std::uint32_t event_block, std::uint32_t buffer) {
  ElementBox box;
  const EventRange events = events_of_block(recording, event_block);
  for (std::size_t event = events.begin; event < events.end; ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global || site.op == AccessOp::load) continue;
    for_each_lane(recording.events.mask[event], [&](int lane) {
      ElementPlace place;
      const bool there = locate(recording, lane_address(recording, event, lane), place) && place.buffer == buffer;
      if (there) box.include(place.row, place.column);
    });
  }
  return box;
}

class PhaseFollower::Block {
 public:
  Block(const Recording& recording, std::uint32_t event_block)
      : recording_(recording), event_block_(event_block), buffers_(recording), shared_(recording, event_block) {
    for (const Buffer& buffer : recording.buffers) cells_.emplace_back(buffer);
    kept_.resize(cells_.size());
    const EventRange events = events_of_block(recording, event_block);
    for (std::size_t event = events.begin; event < events.end; ++event) {
      const std::uint32_t phase = recording.events.phase[event];
      for_each_element(event, [&](std::size_t buffer, std::uint64_t row, std::uint64_t column, bool write) {
        cells_[buffer].touch(cells_[buffer].cell_of(row, column), phase, write);
      });
    }
    for (FootprintCells& cells : cells_) cells.finish();
  }
  [[nodiscard]] bool is_of(const Recording& recording, std::uint32_t event_block) const {
    return &recording == &recording_ && event_block == event_block_;
  }

  std::shared_ptr<const PhaseState> at(std::uint32_t phase) {
    if (state_ == nullptr || phase != phase_) state_ = make(phase);
    phase_ = phase;
    return state_;
  }

 private:
  /// That an event touches in global memory: buffer, row, column, and whether it writes there.
  template <class Visit>
  void for_each_element(std::size_t event, Visit visit) const {
    const Site& site = recording_.sites[recording_.events.site[event]];
    if (site.space != Space::global) return;
    const bool write = writes(site);
    for_each_lane(recording_.events.mask[event], [&](int lane) {
      const std::uint64_t address = lane_address(recording_, event, lane);
      const Buffer* const buffer = buffers_.at(address);
      if (buffer == nullptr) return;
      const auto b = static_cast<std::size_t>(buffer - recording_.buffers.data());
      cells_[b].for_each_element(address, site.bytes, [&](std::uint64_t row, std::uint64_t column) { visit(b, row, column, write); });
    });
  }

  /// By buffer, those of a phase; empty as long as nothing is touched in the phase itself.
  using Marks = std::vector<std::vector<float>>;

  std::shared_ptr<const PhaseState> make(std::uint32_t phase) {
    auto state = std::make_shared<PhaseState>();
    state->shared = shared_.until(phase + 1);
    for (const FootprintCells& cells : cells_) state->footprints.push_back(cells.footprint());
    Marks marks(cells_.size());
    for (std::uint32_t warp = 0; warp < recording_.warps_per_block(); ++warp) {
      const EventRange events = events_of_phase(recording_, event_block_, warp, phase);
      for (std::size_t event = events.begin; event < events.end; ++event) {
        for_each_element(event, [&](std::size_t buffer, std::uint64_t row, std::uint64_t column, bool write) {
          BufferFootprint& footprint = state->footprints[buffer];
          (write ? footprint.written_now : footprint.read_now).include(row, column);
          mark_now(phase, buffer, row, column, marks);
        });
      }
    }
    mark_held(phase, *state, marks);
    for (std::size_t buffer = 0; buffer < marks.size(); ++buffer) {
      state->footprints[buffer].marks =
          marks[buffer].empty() ? kept_marks(phase, buffer) : std::make_shared<const std::vector<float>>(std::move(marks[buffer]));
    }
    return state;
  }

  void mark_now(std::uint32_t phase, std::size_t buffer, std::uint64_t row, std::uint64_t column, Marks& marks) const {
    if (marks[buffer].empty()) marks[buffer] = cells_[buffer].marks(phase);
    marks[buffer][cells_[buffer].cell_of(row, column)] = Mark::now;
  }

  /// What is only held in shared memory is not of a phase that leaves it alone, as that which writes the result does.
  void mark_held(std::uint32_t phase, PhaseState& state, Marks& marks) const {
    const PhaseTotals totals = phase < recording_.phases.size() ? recording_.phases[phase] : PhaseTotals();
    if (totals.shared_loads + totals.shared_stores + totals.other == 0) return;
    for (const SharedWord& word : state.shared) {
      if (!word.from_global) continue;
      const ElementPlace& source = word.source;
      if (!cells_[source.buffer].holds(source.row, source.column)) continue;
      mark_now(phase, source.buffer, source.row, source.column, marks);
      state.footprints[source.buffer].held_now.include(source.row, source.column);
    }
  }

  /// Of a buffer that the phase leaves alone: from phase to phase mostly the same.
  std::shared_ptr<const std::vector<float>> kept_marks(std::uint32_t phase, std::size_t buffer) {
    Kept& kept = kept_[buffer];
    const std::size_t version = cells_[buffer].version(phase);
    if (kept.marks == nullptr || kept.version != version) {
      kept = {version, std::make_shared<const std::vector<float>>(cells_[buffer].marks(phase))};
    }
    return kept.marks;
  }

  struct Kept {
    std::size_t version = 0;
    std::shared_ptr<const std::vector<float>> marks;
  };
  const Recording& recording_;
  std::uint32_t event_block_;
  BufferFinder buffers_;
  std::vector<FootprintCells> cells_;  ///< By buffer
  std::vector<Kept> kept_;             ///< By buffer: the latest marks without a Mark::now
  SharedMemoryStops shared_;
  std::uint32_t phase_ = 0;
  std::shared_ptr<const PhaseState> state_;  ///< Of that phase
};

PhaseFollower::PhaseFollower() = default;
PhaseFollower::~PhaseFollower() = default;

std::shared_ptr<const PhaseState> PhaseFollower::at(const Recording& recording, std::uint32_t event_block, std::uint32_t phase) {
  const std::lock_guard lock(mutex_);
  if (block_ == nullptr || !block_->is_of(recording, event_block)) block_ = std::make_unique<Block>(recording, event_block);
  return block_->at(phase);
}

ElementBox PhaseFollower::written_by(const Recording& recording, std::uint32_t event_block, std::uint32_t buffer) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = written_.try_emplace({event_block, buffer});
  if (is_new) known->second = analysis::written_by(recording, event_block, buffer);
  return known->second;
}

}  // namespace warplens::analysis
