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

inline constexpr std::uint32_t kPartsOfPhase = 16;

/// One fill of a stage. Phases count from 0, as EventColumns::phase.
struct Filling {
  std::uint32_t number = 0;  ///< From 1, in the order of completion over all stages
  std::uint32_t issued = 0;  ///< Phase of the stores, or of the copies' issue
  /// Phase in which the last copy completed; of stores equal to `issued`. nullopt: it is not recorded.
  std::optional<std::uint32_t> landed = 0;
  /// How far into that phase, in parts of the accesses of the warp that waited.
  std::uint8_t landed_part = 0;
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

/// Returns when a filling can be read, in phases: stores after the barrier that ends their phase. nullopt:
/// the completion of its copies is not recorded.
[[nodiscard]] std::optional<double> completion_time(const Filling& filling);

struct Pipeline {
  std::vector<Stage> stages;      ///< By the phase of their first filling, then by offset
  std::uint32_t left_out = 0;     ///< Smaller ones beyond kMaxStages
  std::uint32_t phases = 0;       ///< Those looked at: of very many only the first
  bool landings_unknown = false;  ///< There are copies whose completion is not recorded
};
inline constexpr std::size_t kMaxStages = 16;

[[nodiscard]] Pipeline pipeline_of(const Recording& recording, std::uint32_t event_block);

/// How many phases a copy is in flight at most; 0 without copies, nullopt where it is not recorded.
[[nodiscard]] std::optional<std::uint32_t> phases_in_flight(const Pipeline& pipeline);

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
