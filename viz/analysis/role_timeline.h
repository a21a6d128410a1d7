// The warps of a block by role, on a clock of steps: a step is one access, one bulk copy or one wgmma of a
// warp. A warp's steps follow each other; after a wait for an mbarrier or at a barrier it goes on where the
// phase has ended. So the clock shows what the order of the block makes everybody wait for, and no times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// What a warp does in a step.
enum class StepKind : std::uint8_t { load, store, read_shared, write_shared, copy, multiply, wait };
inline constexpr std::size_t kStepKinds = 7;

/// Steps of one kind behind each other.
struct StepSpan {
  StepKind kind = StepKind::load;
  std::uint32_t begin = 0, end = 0;            ///< Steps
  std::uint32_t first_order = 0, orders = 0;   ///< EventColumns::order of its accesses, and how many
  std::optional<std::uint32_t> mbarrier = {};  ///< Of a wait; nullopt: at a barrier of the block
  std::uint32_t phase = 0;                     ///< Of the mbarrier
};

struct WarpLine {
  std::uint32_t warp = 0;
  std::vector<StepSpan> spans;               ///< Ascending
  std::vector<std::uint32_t> step_of_order;  ///< The step of each of the warp's accesses
};

/// Warps that execute the same instructions, or some of those that the first does.
struct Role {
  std::vector<WarpLine> warps;
  std::array<std::uint64_t, kStepKinds> steps{};  ///< By kind, of all its warps
};

struct MbarrierPhase {
  std::uint32_t number = 0, begin = 0, end = 0;
  std::uint64_t arrivals = 0, bytes = 0;  ///< Bytes: those expected
  std::uint64_t from_others = 0;          ///< Of the arrivals, those by other blocks of the cluster
};
struct MbarrierLine {
  std::uint32_t address = 0;
  std::vector<MbarrierPhase> phases;  ///< Those that ended
};

/// A bulk copy to shared memory: in flight until the first wait that finds its phase ended.
struct Flight {
  std::uint32_t begin = 0, end = 0;
  std::uint64_t bytes = 0;
  std::uint32_t mbarrier = 0, phase = 0;
};

/// From that step on, so many bytes are in flight.
struct BytesFrom {
  std::uint32_t step = 0;
  std::uint64_t bytes = 0;
};

struct RoleTimeline {
  std::uint32_t steps = 0;
  std::vector<Role> roles;  ///< By their first warp
  std::vector<MbarrierLine> mbarriers;
  std::vector<Flight> flights;
  std::vector<BytesFrom> in_flight;  ///< Ascending: where it changes
  std::uint64_t most_in_flight = 0;

  [[nodiscard]] const WarpLine* line_of(std::uint32_t warp) const;
  /// The step of an access of the block.
  [[nodiscard]] std::uint32_t step_of(const Recording& recording, std::size_t event) const;
  [[nodiscard]] std::uint64_t bytes_in_flight(std::uint32_t step) const;
};

[[nodiscard]] RoleTimeline role_timeline(const Recording& recording, std::uint32_t event_block,
                                         const BlockDetails& details);

/// Keeps the timeline of the details that were asked for last. Any thread may ask.
class TimelineKeeper {
 public:
  [[nodiscard]] std::shared_ptr<const RoleTimeline> at(const Recording& recording, std::uint32_t event_block,
                                                       const std::shared_ptr<const BlockDetails>& details);

 private:
  std::mutex mutex_;
  std::shared_ptr<const BlockDetails> details_;
  std::shared_ptr<const RoleTimeline> timeline_;
};

}  // namespace warplens::analysis
