// Blocks of thread block clusters.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "kernels/base/dim3.h"

namespace warplens {

/// Returns these blocks and all others of their clusters, each once, in ascending order of their linear
/// index. The extents of the grid are multiples of the cluster's.
[[nodiscard]] inline std::vector<Dim3> with_whole_clusters(Dim3 grid, Dim3 cluster,
                                                           const std::vector<Dim3>& blocks) {
  std::set<std::uint64_t> all;
  for (const Dim3& block : blocks) {
    const Dim3 first{block.x / cluster.x * cluster.x, block.y / cluster.y * cluster.y,
                     block.z / cluster.z * cluster.z};
    for (std::uint64_t rank = 0; rank < cluster.count(); ++rank) {
      const Dim3 in = index_from_linear(cluster, rank);
      all.insert(linear_index(grid, {first.x + in.x, first.y + in.y, first.z + in.z}));
    }
  }
  std::vector<Dim3> result;
  for (const std::uint64_t block : all) result.push_back(index_from_linear(grid, block));
  return result;
}

}  // namespace warplens
