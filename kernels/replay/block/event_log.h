// The accesses of the blocks to be recorded, as one runner meets them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/recording/recording.h"
#include "kernels/recording/shape_table.h"

namespace warplens::replay {

class EventLog {
 public:
  explicit EventLog(std::size_t sites) : last_(sites) {}

  /// A whole warp along a line: lane k at first + k * stride.
  void add_line(std::uint32_t warp, std::uint32_t site, std::uint32_t phase, std::uint64_t first,
                std::int64_t stride);
  /// The lanes of `mask`, at least one.
  void add(std::uint32_t warp, std::uint32_t site, std::uint32_t phase, std::uint32_t mask,
           const std::uint64_t* addresses);

  /// Events of the warp in the block that runs, so far.
  [[nodiscard]] std::uint32_t events_of(std::uint32_t warp) const;
  /// A copy of the block that runs has landed; `landing.block` is filled in later.
  void add_landing(const CopyLanding& landing) { landings_.push_back(landing); }

  /// How far the log has come within the block that runs.
  struct Mark {
    std::size_t runs = 0, landings = 0;
    std::uint32_t count_of_last_run = 0;
    std::uint64_t count = 0;
  };
  [[nodiscard]] Mark mark() const;
  /// Drops what was added since; nothing was taken or ended in between.
  void drop_from(const Mark& mark);

  /// What was added since the last block ended is of this block.
  void end_block(std::uint64_t linear);

  [[nodiscard]] std::size_t shapes() const { return shapes_.shapes().size(); }
  /// Events added since take_count was last called.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t take_count() { return std::exchange(count_, 0); }

 private:
  friend class EventGatherer;

  struct Event {
    std::uint64_t base;
    std::uint32_t site, phase, mask, shape;
  };
  /// Events of one warp that follow each other in memory.
  struct Run {
    std::uint32_t warp = 0, count = 0;
    const Event* first = nullptr;
  };
  struct Block {
    std::uint64_t linear = 0;
    std::vector<Run> runs;
    std::vector<CopyLanding> landings;
  };
  /// The shapes that a site had last, which it mostly has again.
  struct Last {
    std::int64_t stride = 0;
    std::uint32_t line = kNone, scattered = kNone;
  };
  struct Free {
    void operator()(Event* events) const;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  void append(std::uint32_t warp, const Event& event);
  [[nodiscard]] std::uint32_t shape_of_line(std::int64_t stride);

  std::vector<std::unique_ptr<Event, Free>>
      chunks_;  ///< A large page each: millions of events cost more in page faults than in all else
  Event *next_ = nullptr, *end_ = nullptr;  ///< In the last chunk
  std::vector<Run> runs_;                   ///< Of the block that runs now
  std::vector<CopyLanding> landings_;       ///< The same
  std::vector<Block> blocks_;
  std::vector<Last> last_;  ///< By site
  std::unordered_map<std::int64_t, std::uint32_t> lines_;
  ShapeTable shapes_;
  std::uint64_t count_ = 0;
};

/// Copies the events of all runners into the recording: ascending by block, and their shapes behind those
/// that it has. `event_blocks` ascends, and names the blocks of every event.
void gather_events(Recording& recording, std::span<EventLog* const> logs,
                   std::span<const std::uint64_t> event_blocks, unsigned threads);

}  // namespace warplens::replay
