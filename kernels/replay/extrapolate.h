// Extrapolates the recording of a whole grid from one representative block of each equivalence class: blocks
// that are proved to behave alike are run once and counted as often as the class has members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/block_classes.h"
#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/program.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

struct Extrapolation {
  /// The recording that `run` would make, apart from blocks_extrapolated and seconds. nullopt: the grid
  /// cannot be extrapolated.
  std::optional<Recording> recording;
  std::vector<Dim3> run;                 ///< The blocks that were run, in linear order
  std::vector<BlockClass> classes;       ///< A partition of the grid, if there is a recording
  std::uint64_t iterations_skipped = 0;  ///< Loop iterations of those blocks that were not run
  std::vector<Shift> shifts;             ///< By site: how its address shifts with the block, in bytes
  std::string obstacle;  ///< Why not, in English: "line 24: an address depends on `ld.global.u32 %r5, [%rd3]`
                         ///< (line 20)"
};

/// Equivalence is proved, not sampled. Abstract interpretation over affine functions of blockIdx gives the
/// shift of each address from one block to the next (block_shift.h). A representative block is run; its
/// comparisons, conversions and addresses bound the distance over which nothing but the shifts changes
/// (watcher.h). All blocks within these bounds form its class. This repeats with the first block that is in
/// no class yet. Values are not computed and memory is not read, so a kernel in which a loaded value decides
/// on an address or on control flow cannot be extrapolated.
///
/// options.replay_blocks must be nullopt. Errors are those of `run`.
[[nodiscard]] Result<Extrapolation> extrapolate(const Program& program, const Launch& launch,
                                                const Memory& memory, const Options& options);

}  // namespace warplens::replay
