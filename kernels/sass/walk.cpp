#include "kernels/sass/walk.h"

#include <algorithm>

#include "kernels/base/texts.h"

namespace warplens::sass {
namespace {

constexpr std::size_t kSharedBytes = std::size_t{1}
                                     << 18;  ///< More than a block can have, with what the system keeps of it

Dim3 first_of_cluster(Dim3 block, Dim3 size) {
  return {block.x - block.x % size.x, block.y - block.y % size.y, block.z - block.z % size.z};
}

bool are_whole_clusters(const std::vector<Dim3>& blocks, Dim3 size) {
  const auto is_first = [&](Dim3 block) { return first_of_cluster(block, size) == block; };
  const auto first_is_listed = [&](Dim3 block) {
    return std::ranges::find(blocks, first_of_cluster(block, size)) != blocks.end();
  };
  return size.count() == 1 ||
         (static_cast<std::uint64_t>(std::ranges::count_if(blocks, is_first)) * size.count() ==
              blocks.size() &&
          std::ranges::all_of(blocks, first_is_listed));
}

}  // namespace

Walk::Walk(const Program& program, const Launch& launch, const std::atomic<bool>* cancelled)
    : launch_(launch),
      cancelled_(cancelled),
      allowance_(launch.max_instructions, cancelled),
      tally_(program),
      cluster_(launch.cluster.count()) {
  for (const MemoryRegion& region : *launch.memory) global_.add(region);
  std::vector<Memories*> all;
  for (Block& block : cluster_) all.push_back(&block.memories);
  const auto warps = static_cast<std::uint32_t>((launch.block.count() + kWarpSize - 1) / kWarpSize);
  for (Block& block : cluster_) {
    block.memories.global = &global_;
    block.memories.cluster = all;
    for (std::uint32_t i = 0; i < warps; ++i)
      block.warps.push_back(std::make_unique<Warp>(program, launch, tally_, allowance_, block.memories));
  }
}

void Walk::run() {
  const Dim3 size = launch_.cluster;
  if (launch_.blocks && !are_whole_clusters(*launch_.blocks, size)) {
    stop_ = Stop{0, marked("a part of a cluster is to be followed")};
    return;
  }
  const std::uint64_t blocks = launch_.blocks ? launch_.blocks->size() : launch_.grid.count();
  for (std::uint64_t i = 0; i < blocks && !stop_; ++i) {
    if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) return;
    const Dim3 block = launch_.blocks ? (*launch_.blocks)[i] : index_from_linear(launch_.grid, i);
    // Each cluster once, where its first block is met.
    if (first_of_cluster(block, size) == block) run_cluster(block);
  }
}

void Walk::run_cluster(Dim3 first) {
  for (std::size_t rank = 0; rank < cluster_.size(); ++rank) {
    const Dim3 in = index_from_linear(launch_.cluster, rank);
    Block& block = cluster_[rank];
    block.memories.shared.make_unknown(kSharedBytes);
    block.memories.mbarriers.clear();
    block.memories.arrived = {};
    for (std::uint32_t i = 0; i < block.warps.size(); ++i)
      block.warps[i]->begin({first.x + in.x, first.y + in.y, first.z + in.z}, i);
  }
  for (bool any = true; any;) {
    any = false;
    bool has_progressed = false;
    std::optional<Stop> waiting;
    for (Block& block : cluster_) {
      for (const auto& warp : block.warps) {
        if (warp->has_ended()) continue;
        stop_ = warp->go_on();
        if (stop_) return;
        has_progressed |= warp->take_progress();
        any |= !warp->has_ended();
        if (!waiting) waiting = warp->waits_where();
      }
      release_barriers(block);
    }
    release_cluster_barrier();
    if (any && !has_progressed) {
      stop_ = waiting;
      return;
    }
  }
}

void Walk::release_barriers(Block& block) {
  for (std::uint32_t number = 0; number < kBlockBarriers; ++number) {
    std::uint32_t waiting = 0, threads = 0;
    bool all_are_there = true;
    Warp::Brought brought;
    for (const auto& warp : block.warps) {
      const Warp::AtBarrier at = warp->at_block_barrier(number);
      waiting += at.lanes;
      threads = std::max(threads, at.threads);
      all_are_there &= at.lanes != 0 || warp->has_ended();
      brought.holds += warp->brought().holds;
      brought.lanes += warp->brought().lanes;
    }
    if (waiting == 0) continue;
    std::uint32_t& arrived = block.memories.arrived.at(number);
    if (threads == 0 ? !all_are_there : waiting + arrived < threads) continue;
    arrived = 0;
    for (const auto& warp : block.warps) warp->pass_block_barrier(number, brought);
  }
}

void Walk::release_cluster_barrier() {
  std::uint64_t least = ~std::uint64_t{0};
  for (const Block& block : cluster_) {
    for (const auto& warp : block.warps) least = std::min(least, warp->cluster_arrivals());
  }
  for (const Block& block : cluster_) {
    for (const auto& warp : block.warps) warp->pass_cluster_barrier(least);
  }
}

}  // namespace warplens::sass
