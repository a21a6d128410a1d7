// What becomes of shared memory over the phases of a block: which parts are filled together, when what was
// copied to them has landed, and when they are read. The parts of a pipeline are its stages.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::analysis {

/// Phases, each 0, 1, .. as EventColumns::phase.
struct Filling {
  std::uint32_t number = 0;  ///< Among those of all stages, in the order in which they are there; from 1
  std::uint32_t issued = 0;  ///< In which it is stored, or its copies are issued
  std::uint32_t landed = 0;  ///< In which the last of the copies had landed; of stores the same as `issued`
  std::uint8_t landed_part =
      0;  ///< How far into that phase, in 16ths of the accesses of the warp that waited
  bool is_copy = false;
  std::optional<std::uint32_t> first_read, last_read;
  friend bool operator==(const Filling&, const Filling&) = default;
};

/// Bytes of shared memory that are filled at the same times.
struct Stage {
  std::uint32_t offset = 0;  ///< Of the first of them
  std::uint32_t bytes = 0;   ///< How many, in pieces of 16
  std::vector<Filling> fillings;
};

struct Pipeline {
  std::vector<Stage> stages;      ///< By the phase of their first filling, then by offset
  std::uint32_t left_out = 0;     ///< Smaller ones beyond kMaxStages
  std::uint32_t phases = 0;       ///< Those looked at: of very many only the first
  bool landings_unknown = false;  ///< There are copies, and it is not recorded when they landed
};
inline constexpr std::size_t kMaxStages = 16;

[[nodiscard]] Pipeline pipeline_of(const Recording& recording, std::uint32_t event_block);

/// How many phases a copy is in flight at most; 0 without copies.
[[nodiscard]] std::uint32_t phases_in_flight(const Pipeline& pipeline);

/// Keeps the pipeline of the block that was asked for last. Any thread may ask.
class PipelineKeeper {
 public:
  [[nodiscard]] std::shared_ptr<const Pipeline> at(const Recording& recording, std::uint32_t event_block);

 private:
  std::mutex mutex_;
  std::uint32_t event_block_ = 0;
  std::shared_ptr<const Pipeline> pipeline_;
};

}  // namespace warplens::analysis
