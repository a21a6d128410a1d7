// The blocks of a cluster: what is in each block's shared memory in each step, which copies go to several of
// them, and which accesses go from one to another. Each block is on its own clock of steps (role_timeline.h);
// all clocks begin when the cluster does. What another block contributes has no step on them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/role_timeline.h"

namespace warplens::analysis {

/// A copy, or stores behind each other, that fill a part of a block's shared memory.
struct PartFilling {
  std::uint32_t number = 0;  ///< Of the row's parts together where a copy, else of the part; from 1
  std::uint32_t begin = 0, complete = 0;               ///< Steps of the block that has the part
  std::optional<std::uint32_t> first_read, last_read;  ///< The same
  bool is_copy = false;
  std::uint32_t by = 0;             ///< A bit for each block that has issued some of it
  std::optional<std::size_t> copy;  ///< Index into that block's copies; nullopt: cp.async, or stores

  [[nodiscard]] std::uint32_t issuer() const { return static_cast<std::uint32_t>(std::countr_zero(by)); }
};

enum class PartState : std::uint8_t {
  empty,
  in_flight,     ///< A copy
  being_stored,  ///< By ordinary stores
  complete,      ///< Nobody has read it yet
  being_read,    ///< Between the first read of it and the last
  was_read       ///< It may be filled anew
};
inline constexpr std::size_t kPartStates = 6;

/// Bytes of shared memory that are filled together, in all blocks at the same place.
struct SharedPart {
  std::uint32_t offset = 0, bytes = 0;
};
/// The parts of a stage, whose copies complete at one mbarrier, or those of an array.
struct PartRow {
  std::optional<std::uint32_t> mbarrier;  ///< Its address
  std::vector<std::size_t> parts;         ///< Ascending
};

/// A bulk copy to shared memory.
struct ClusterCopy {
  std::uint32_t instruction = 0, warp = 0;
  std::uint32_t step = 0;  ///< Of the issuing block
  std::uint32_t offset = 0, bytes = 0;
  std::uint32_t ranks = 0;           ///< A bit for each block that it goes to
  std::optional<std::size_t> event;  ///< The first access that it is recorded as
};

/// An access by a warp of another block's shared memory.
struct RemoteAccess {
  std::uint32_t warp = 0, lanes = 0, step = 0, to = 0, offset = 0;
  AccessOp op = AccessOp::load;
  std::size_t event = 0;
};

struct ClusterBlock {
  Dim3 block;
  std::optional<std::uint32_t> event_block;  ///< nullopt: it is not in the recording, and the rest is empty
  RoleTimeline timeline;
  std::vector<ClusterCopy> copies;                 ///< That it has issued
  std::vector<RemoteAccess> accesses;              ///< Of other blocks' shared memory, ascending by step
  std::vector<std::vector<PartFilling>> fillings;  ///< By part; ascending by their beginning
  std::uint64_t bytes_issued = 0;                  ///< Bytes of the copies that it has issued, each once
  std::uint64_t bytes_copied = 0;                  ///< Bytes of all copies that have gone to it
  std::uint64_t arrivals_from_others = 0;          ///< At its mbarriers

  /// The filling that is there in a step; nullptr: none yet.
  [[nodiscard]] const PartFilling* filling_at(std::size_t part, std::uint32_t step) const;
};
[[nodiscard]] PartState state_of(const PartFilling* filling, std::uint32_t step);

struct ClusterBlocks {
  std::vector<ClusterBlock> blocks;  ///< By rank
  std::uint32_t rank = 0;            ///< Of the block whose details were given
  std::vector<SharedPart> parts;     ///< Ascending
  std::vector<PartRow> rows;         ///< By their first part
  std::uint32_t parts_left_out = 0;  ///< Smaller ones beyond kMaxSharedParts

  [[nodiscard]] std::uint32_t recorded() const;  ///< Blocks
};
inline constexpr std::size_t kMaxSharedParts = 128;

/// Whether blocks of the launch form clusters of several.
[[nodiscard]] bool has_clusters(const Recording& recording);
/// `details`: of the block, with those of the others of its cluster.
[[nodiscard]] ClusterBlocks cluster_blocks(const Recording& recording, const BlockDetails& details);

/// Keeps what was asked for last. Any thread may ask.
class ClusterKeeper {
 public:
  [[nodiscard]] std::shared_ptr<const ClusterBlocks> at(const Recording& recording,
                                                        const std::shared_ptr<const BlockDetails>& details);

 private:
  std::mutex mutex_;
  std::shared_ptr<const BlockDetails> details_;
  std::shared_ptr<const ClusterBlocks> cluster_;
};

}  // namespace warplens::analysis
