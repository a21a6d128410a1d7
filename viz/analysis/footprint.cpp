#include "viz/analysis/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "viz/analysis/access_series.h"
#include "viz/analysis/cells.h"
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
        rows_(std::min(buffer.rows, kMaxFootprintCells)),
        columns_(static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, kMaxFootprintCells))),
        row_cells_(buffer.rows, rows_),
        column_cells_(buffer.columns, columns_),
        pitch_(buffer.pitch),
        touched_first_(std::size_t{rows_} * columns_, kNever),
        written_last_(touched_first_.size(), 0) {}

  /// What a series touches of one row: elements equally far apart.
  struct OfRow {
    std::uint64_t row = 0, first = 0, last = 0, step = 1;  ///< Columns
    std::uint64_t number = 0;                              ///< Of the first element in its part of the series
    std::uint64_t part = 0;                                ///< Parts are runs that lie apart
  };
  /// Calls `visit(OfRow)` for each row of each part.
  template <class Visit>
  void for_each_row(const ElementSeries& series, Visit visit) const {
    if (series.step == 0) return for_each_row(0, series.first, series.length, 1, visit);
    if (series.step == series.length)
      return for_each_row(0, series.first, series.length * series.times, 1, visit);
    if (series.length == 1) return for_each_row(0, series.first, series.times, series.step, visit);
    for (std::uint64_t i = 0; i < series.times; ++i)
      for_each_row(i, series.first + i * series.step, series.length, 1, visit);
  }
  /// Calls `visit(cell)` for the cells that those elements lie in.
  template <class Visit>
  void for_each_cell(const OfRow& touched, Visit visit) const {
    if (passes_over_cells(touched))
      return for_each_cell_alone(touched,
                                 [&](std::size_t cell, std::uint64_t, std::uint64_t) { visit(cell); });
    const std::size_t in_row = row_cells_(touched.row) * columns_, end = in_row + column_cells_(touched.last);
    for (std::size_t cell = in_row + column_cells_(touched.first); cell <= end; ++cell) visit(cell);
  }
  /// Calls `visit(cell, first, last)` with the numbers of the first and the last of the elements in each
  /// cell.
  template <class Visit>
  void for_each_cell_and_numbers(const OfRow& touched, Visit visit) const {
    if (passes_over_cells(touched)) return for_each_cell_alone(touched, visit);
    const std::size_t in_row = row_cells_(touched.row) * columns_, begin = column_cells_(touched.first),
                      end = column_cells_(touched.last);
    std::uint64_t from = touched.number;
    for (std::size_t cell = begin; cell <= end; ++cell) {
      const std::uint64_t last = cell == end ? touched.last : column_cells_.begin_of(cell + 1) - 1;
      const std::uint64_t to = touched.number + (last - touched.first) / touched.step;
      visit(in_row + cell, from, to);
      from = to + 1;
    }
  }
  /// `phases`: see AccessSeries.
  void touch(const ElementSeries& series, std::span<const std::uint32_t> phases, bool write) {
    if (series.step == 0 ||
        phases.front() == phases.back()) {  // All accesses touch all of it, or it is all one
      return for_each_row(series, [&](const OfRow& touched) {
        for_each_cell(touched, [&](std::size_t cell) { touch(cell, phases.front(), phases.back(), write); });
      });
    }
    const std::uint64_t an_access = series.step == series.length ? series.length : 1;
    for_each_row(series, [&](const OfRow& touched) {
      for_each_cell_and_numbers(touched, [&](std::size_t cell, std::uint64_t first, std::uint64_t last) {
        if (touched.part != 0 || series.length != an_access) {
          touch(cell, phases[touched.part], phases[touched.part], write);
        } else {
          touch(cell, phases[first / an_access], phases[last / an_access], write);
        }
      });
    });
  }
  [[nodiscard]] std::size_t cell_of(std::uint64_t row, std::uint64_t column) const {
    return row_cells_(row) * columns_ + column_cells_(column);
  }
  /// Once all is touched.
  void finish() {
    for (const std::uint32_t phase : touched_first_) {
      if (phase != kNever && (changes_.empty() || changes_.back() != phase + 1))
        changes_.push_back(phase + 1);
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
    return {
        .rows = rows_, .columns = columns_, .marks = {}, .read_now = {}, .written_now = {}, .held_now = {}};
  }
  [[nodiscard]] bool holds(std::uint64_t row, std::uint64_t column) const {
    return row < buffer_.rows && column < buffer_.columns;
  }

 private:
  template <class Visit>
  void for_each_row(std::uint64_t part, std::uint64_t first, std::uint64_t count, std::uint64_t step,
                    Visit visit) const {
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t element = first + done * step, row = pitch_.quotient(element),
                          column = element - row * pitch_.divisor();
      if (row >= buffer_.rows) return;
      const auto before = [&](std::uint64_t end) {  // How many of those that are left
        return column + (count - done - 1) * step < end ? count - done : (end - column - 1) / step + 1;
      };
      if (column < buffer_.columns) {  // Else padding between rows
        visit(OfRow{.row = row,
                    .first = column,
                    .last = column + (before(buffer_.columns) - 1) * step,
                    .step = step,
                    .number = done,
                    .part = part});
      }
      done += before(pitch_.divisor());
    }
  }
  [[nodiscard]] bool passes_over_cells(const OfRow& touched) const {
    return touched.step > 1 && touched.step > column_cells_.min();
  }
  template <class Visit>
  void for_each_cell_alone(const OfRow& touched, Visit visit) const {
    for (std::uint64_t column = touched.first, at = touched.number; column <= touched.last;
         column += touched.step, ++at) {
      visit(cell_of(touched.row, column), at, at);
    }
  }
  void touch(std::size_t cell, std::uint32_t first, std::uint32_t last, bool write) {
    touched_first_[cell] = std::min(touched_first_[cell], first);
    if (write) written_last_[cell] = std::max(written_last_[cell], last);
  }

  const Buffer& buffer_;
  std::uint32_t rows_, columns_;
  CellsOfLine row_cells_, column_cells_;
  Divider pitch_;
  std::vector<std::uint32_t> touched_first_;  ///< The first phase that touches it; kNever: none
  std::vector<std::uint32_t> written_last_;   ///< The last phase that writes it; 0, too, where none does
  std::vector<std::uint32_t> changes_;        ///< Phases whose marks are not those of the phase before
};

/// Shared memory at some phases, so that one goes back to one without beginning anew.
class SharedMemoryStops {
 public:
  SharedMemoryStops(const Recording& recording, std::uint32_t event_block) : memory_(recording, event_block) {
    const std::size_t bytes = memory_.words().size() * sizeof(SharedWord) +
                              recording.warps_per_block() * recording.sites.size() * kBytesASite + 1;
    const std::size_t stops = std::clamp<std::size_t>(kMaxBytes / bytes, 1, kMaxStops);
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
  static constexpr std::size_t kMaxStops = 16, kMaxBytes = std::size_t{16} << 20, kBytesASite = 300;
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
  return buffer.rows <= 1 ? buffer.name + columns
                          : buffer.name + range_name(box.row_begin, box.row_end) + columns;
}

ElementBox written_by(const Recording& recording, std::uint32_t event_block, std::uint32_t buffer) {
  ElementBox box;
  const EventRange events = events_of_block(recording, event_block);
  for (std::size_t event = events.begin; event < events.end; ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global || !writes(site.op, site.space)) continue;
    for_each_lane(recording.events.mask[event], [&](int lane) {
      ElementPlace place;
      const bool there =
          locate(recording, lane_address(recording, event, lane), place) && place.buffer == buffer;
      if (there) box.include(place.row, place.column);
    });
  }
  return box;
}

class PhaseFollower::Block {
 public:
  Block(const Recording& recording, std::uint32_t event_block)
      : recording_(recording), event_block_(event_block), shared_(recording, event_block) {
    for (const Buffer& buffer : recording.buffers) cells_.emplace_back(buffer);
    kept_.resize(cells_.size());
    AccessSeries accesses(recording, [&](std::uint32_t site, std::size_t buffer, const ElementSeries& series,
                                         std::span<const std::uint32_t> phases) {
      cells_[buffer].touch(series, phases, writes(recording.sites[site]));
    });
    accesses.add(events_of_block(recording, event_block));
    accesses.finish();
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
  /// By buffer, those of a phase; empty as long as nothing is touched in the phase itself.
  using Marks = std::vector<std::vector<float>>;

  std::shared_ptr<const PhaseState> make(std::uint32_t phase) {
    auto state = std::make_shared<PhaseState>();
    state->shared = shared_.until(phase + 1);
    for (const FootprintCells& cells : cells_) state->footprints.push_back(cells.footprint());
    Marks marks(cells_.size());
    AccessSeries accesses(recording_, [&](std::uint32_t site, std::size_t buffer, const ElementSeries& series,
                                          std::span<const std::uint32_t>) {
      BufferFootprint& footprint = state->footprints[buffer];
      ElementBox& box = writes(recording_.sites[site]) ? footprint.written_now : footprint.read_now;
      cells_[buffer].for_each_row(series, [&](const FootprintCells::OfRow& touched) {
        box.include(touched.row, touched.first);
        box.include(touched.row, touched.last);
        std::vector<float>& of_buffer = begun(phase, buffer, marks);
        cells_[buffer].for_each_cell(touched, [&](std::size_t cell) { of_buffer[cell] = Mark::now; });
      });
    });
    for (std::uint32_t warp = 0; warp < recording_.warps_per_block(); ++warp)
      accesses.add(events_of_phase(recording_, event_block_, warp, phase));
    accesses.finish();
    mark_held(phase, *state, marks);
    for (std::size_t buffer = 0; buffer < marks.size(); ++buffer) {
      state->footprints[buffer].marks =
          marks[buffer].empty() ? kept_marks(phase, buffer)
                                : std::make_shared<const std::vector<float>>(std::move(marks[buffer]));
    }
    return state;
  }

  std::vector<float>& begun(std::uint32_t phase, std::size_t buffer, Marks& marks) const {
    if (marks[buffer].empty()) marks[buffer] = cells_[buffer].marks(phase);
    return marks[buffer];
  }

  /// Marks what the phase reads in shared memory where it came from.
  void mark_held(std::uint32_t phase, PhaseState& state, Marks& marks) const {
    const std::vector<bool> read = words_read(phase, state.shared.size());
    for (std::size_t i = 0; i < state.shared.size(); ++i) {
      const SharedWord& word = state.shared[i];
      if (!read[i] || !word.from_global) continue;
      const FootprintCells& cells = cells_[word.source.buffer];
      const std::uint64_t pitch = recording_.buffers[word.source.buffer].pitch;
      for (std::uint64_t k = 0; k < word.elements; ++k) {
        const std::uint64_t element = word.source.row * pitch + word.source.column + k, row = element / pitch,
                            column = element % pitch;
        if (!cells.holds(row, column)) continue;
        begun(phase, word.source.buffer, marks)[cells.cell_of(row, column)] = Mark::now;
        state.footprints[word.source.buffer].held_now.include(row, column);
      }
    }
  }

  /// Returns which words of shared memory the phase reads.
  [[nodiscard]] std::vector<bool> words_read(std::uint32_t phase, std::size_t words) const {
    std::vector<bool> read(words);
    for (std::uint32_t warp = 0; warp < recording_.warps_per_block(); ++warp) {
      const EventRange events = events_of_phase(recording_, event_block_, warp, phase);
      for (std::size_t event = events.begin; event < events.end; ++event) {
        const Site& site = recording_.sites[recording_.events.site[event]];
        if (site.space != Space::shared || !reads(site.op, site.space)) continue;
        for_each_lane(addressing_lanes(site, recording_.events.mask[event]), [&](int lane) {
          const std::uint64_t begin = lane_address(recording_, event, lane), end = begin + site.bytes;
          for (std::uint64_t word = begin / 4; word < std::min<std::uint64_t>((end + 3) / 4, words); ++word)
            read[word] = true;
        });
      }
    }
    return read;
  }

  /// Returns the marks of a buffer that the phase does not touch: mostly the same from phase to phase.
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
  std::vector<FootprintCells> cells_;  ///< By buffer
  std::vector<Kept> kept_;             ///< By buffer: the latest marks without a Mark::now
  SharedMemoryStops shared_;
  std::uint32_t phase_ = 0;
  std::shared_ptr<const PhaseState> state_;  ///< Of that phase
};

PhaseFollower::PhaseFollower() = default;
PhaseFollower::~PhaseFollower() = default;

std::shared_ptr<const PhaseState> PhaseFollower::at(const Recording& recording, std::uint32_t event_block,
                                                    std::uint32_t phase) {
  const std::lock_guard lock(mutex_);
  if (block_ == nullptr || !block_->is_of(recording, event_block))
    block_ = std::make_unique<Block>(recording, event_block);
  return block_->at(phase);
}

ElementBox PhaseFollower::written_by(const Recording& recording, std::uint32_t event_block,
                                     std::uint32_t buffer) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = written_.try_emplace({event_block, buffer});
  if (is_new) known->second = analysis::written_by(recording, event_block, buffer);
  return known->second;
}

}  // namespace warplens::analysis
