// Blocks of thread block clusters. The extents of the grid are multiples of the cluster's where nothing else
// is said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/base/dim3.h"

namespace warplens {

/// Whether the grid divides into such clusters.
[[nodiscard]] inline bool divides_into(Dim3 grid, Dim3 cluster) {
  return grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

/// Returns the clusters that some of these blocks belong to, by their index in the grid of clusters,
/// ascending.
[[nodiscard]] inline std::vector<std::uint64_t> clusters_of(Dim3 grid, Dim3 cluster,
                                                            const std::vector<std::uint64_t>& blocks) {
  const Dim3 clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  std::vector<std::uint64_t> list;
  for (const std::uint64_t block : blocks) {
    const Dim3 at = index_from_linear(grid, block);
    list.push_back(linear_index(clusters, {at.x / cluster.x, at.y / cluster.y, at.z / cluster.z}));
  }
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Returns the blocks of a cluster by rank.
[[nodiscard]] inline std::vector<std::uint64_t> blocks_of_cluster(Dim3 grid, Dim3 cluster,
                                                                  std::uint64_t index) {
  const Dim3 at = index_from_linear({grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z}, index);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t rank = 0; rank < cluster.count(); ++rank) {
    const Dim3 in = index_from_linear(cluster, rank);
    blocks.push_back(
        linear_index(grid, {at.x * cluster.x + in.x, at.y * cluster.y + in.y, at.z * cluster.z + in.z}));
  }
  return blocks;
}

/// Returns these blocks and all others of their clusters, each once, by linear index, ascending.
[[nodiscard]] inline std::vector<std::uint64_t> with_whole_clusters(
    Dim3 grid, Dim3 cluster, const std::vector<std::uint64_t>& blocks) {
  std::vector<std::uint64_t> all;
  for (const std::uint64_t index : clusters_of(grid, cluster, blocks))
    std::ranges::copy(blocks_of_cluster(grid, cluster, index), std::back_inserter(all));
  std::ranges::sort(all);
  return all;
}
/// The same of blocks by their index. Where the grid does not divide into clusters, which is an error of the
/// launch, these blocks alone.
[[nodiscard]] inline std::vector<Dim3> with_whole_clusters(Dim3 grid, Dim3 cluster,
                                                           const std::vector<Dim3>& blocks) {
  if (!divides_into(grid, cluster)) return blocks;
  std::vector<std::uint64_t> linear;
  for (const Dim3& block : blocks) linear.push_back(linear_index(grid, block));
  std::vector<Dim3> all;
  for (const std::uint64_t block : with_whole_clusters(grid, cluster, linear))
    all.push_back(index_from_linear(grid, block));
  return all;
}

}  // namespace warplens
