// The blocks of a cluster beside each other.
#pragma once

#include "viz/analysis/cluster/cluster_blocks.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// "rank 1", "ranks 0–1".
[[nodiscard]] std::string ranks_name(std::uint32_t ranks);
/// "copy in flight": of a part of shared memory.
[[nodiscard]] std::string part_state_name(analysis::PartState state);

/// A column for each block, in the order of ranks: what it copies or accesses of other blocks now, and a row
/// for each stage or array of its shared memory, with what is in each part in the selected access's step.
/// Links below a row join the parts of a copy that goes to several blocks, and the places of an access of
/// another block's shared memory. At the bottom the mbarriers, with arrivals of other blocks. `cluster`: null
/// where it is not known.
[[nodiscard]] Picture make_cluster_blocks(const Moment& moment, const analysis::ClusterBlocks* cluster,
                                          Size size, const Style& style);

}  // namespace warplens::picture
