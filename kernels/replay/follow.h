// The record of a whole grid from a few of its blocks: those that are proved to behave alike are run once,
// and counted as often as there are of them.
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

struct Following {
  /// What `run` would record, but for blocks_followed and seconds: equal in all else. nullopt: not all of the
  /// grid can be followed.
  std::optional<Recording> recording;
  std::vector<Dim3> run;            ///< The blocks that were run, in linear order
  std::vector<BlockClass> classes;  ///< Of which every block is in one, if there is a recording
  std::uint64_t laps_left_out = 0;  ///< Of loops in those blocks (laps.h)
  std::vector<Shift> shifts;        ///< By its sites: of the addresses of global accesses, in bytes
  std::string obstacle;  ///< Why not, in English: "line 24: an address depends on `ld.global.u32 %r5, [%rd3]`
                         ///< (line 20)"
};

/// Which blocks behave alike is proved, not sampled. From the code and the launch follows by how much an
/// address moves from one block to the next (block_shift.h). The first block is run; its comparisons,
/// conversions and addresses say how far it can be moved with nothing else changing (watcher.h); all blocks
/// that near are counted with it, their addresses moved. Then the first that is left, until none is. Values
/// are not computed: nothing of memory is read, and a kernel in which a loaded value decides on an address or
/// the way through the code is not followed.
///
/// For the whole grid: options.replay_blocks must be nullopt. Errors are those of `run`.
[[nodiscard]] Result<Following> follow(const Program& program, const Launch& launch, const Memory& memory,
                                       const Options& options);

}  // namespace warplens::replay
