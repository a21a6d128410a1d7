// What the hardware counted of a launch, beside what the replay says of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/loaded.h"
#include "kernels/recording/launch_counters.h"
#include "viz/analysis/levels.h"

namespace warplens::app {

/// Whether a site of machine code is of shared memory by generic addresses, which may be another block's of
/// the cluster. What GPUs count of these accesses is not measured.
[[nodiscard]] bool is_in_cluster(const AsCompiled& compiled, const Site& site);

struct CheckedCounter {
  const CounterField* field = nullptr;
  std::uint64_t counted = 0;
  std::optional<std::uint64_t>
      replayed;  ///< As compiled, of bulk copies and wgmma as written; nullopt: it has no such figure
  std::optional<analysis::LevelBand> band;  ///< In bytes, of what caches decide
  std::uint64_t others = 0;  ///< So many more may be of others: code and constants, which DRAM delivers too
  std::uint64_t unit_bytes = 1;  ///< What one of `counted` is, for the band

  /// Equal, or within the band; nullopt: there is nothing to compare it with.
  [[nodiscard]] std::optional<bool> agrees() const;
};

/// Whether a GPU, which runs every block, counted what the replay did: by the same rules, and of all blocks.
[[nodiscard]] bool may_be_compared(const Loaded& loaded, const LaunchCounters& counters);
/// Returns the counters that the GPU has, in the order of kCounterFields; none for a recording that counts
/// only some of the blocks, nor under rules of another compute capability than the GPU's, whose code is
/// another.
[[nodiscard]] std::vector<CheckedCounter> checked(const Loaded& loaded, const LaunchCounters& counters);

/// The same recording, with what a GPU counted of its launch.
[[nodiscard]] std::shared_ptr<const Loaded> with_hardware(const Loaded& loaded,
                                                          const LaunchCounters& counters);

}  // namespace warplens::app
