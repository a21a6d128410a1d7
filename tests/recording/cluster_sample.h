// A cluster of two blocks, each of which copies half of a tile into both, and what replays of them tell. The
// second block stores to the first one's shared memory besides.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"

namespace warplens::sample {

inline constexpr std::uint32_t kClusterShared = 1024, kClusterFull = 1024, kClusterTile = 1024,
                               kHalfTileBytes = 512, kRemoteOffset = 3072;

struct ClusterSample {
  Recording recording;
  std::shared_ptr<const BlockDetails> details;  ///< Of the first block
};

inline ClusterSample cluster_sample() {
  ClusterSample sample;
  Recording& recording = sample.recording;
  recording.kernel = recording.entry = "share";
  recording.grid = {2};
  recording.cluster = {2};
  recording.block = {64};
  recording.shared_bytes = 4096;
  recording.shared_base = kClusterShared;
  recording.event_blocks = {{0, 0, 0}, {1, 0, 0}};
  recording.phases.resize(1);
  constexpr std::uint32_t kExpect = 3, kCopy = 5, kWait = 8, kLoad = 9, kStore = 10, kArrive = 11;
  const char* const text = "cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1];";
  recording.sites = {{kCopy, 40, 0, 12, Space::global, AccessOp::bulk_load, 16, 0, -1, text},
                     {kCopy, 40, 0, 12, Space::shared, AccessOp::bulk_load, 16, 0, -1, text},
                     {kLoad, 50, 0, 15, Space::shared, AccessOp::load, 16, 0, -1, "ld.shared.v4.f32"},
                     {kStore, 60, 0, 18, Space::shared, AccessOp::store, 4, 0, -1, "st.shared::cluster.f32"}};
  recording.totals.resize(recording.sites.size());
  recording.shapes.resize(2);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    recording.shapes[0].at(lane) = 16 * static_cast<int>(lane);
    recording.shapes[1].at(lane) = 4 * static_cast<int>(lane);
  }
  recording.buffers = {
      {.name = "A", .base = 0x10000000, .bytes = 8192, .rows = 64, .columns = 32, .pitch = 32}};
  const auto add = [&](std::uint32_t rank, std::uint32_t warp, std::uint32_t order, std::uint32_t site,
                       std::uint64_t base, std::uint32_t shape) {
    EventColumns& events = recording.events;
    events.site.push_back(site);
    events.block.push_back(rank);
    events.warp.push_back(warp);
    events.phase.push_back(0);
    events.order.push_back(order);
    events.mask.push_back(0xffffffff);
    events.base.push_back(base);
    events.shape.push_back(shape);
  };
  const TensorMap map{.element = TensorElement::f32,
                      .rank = 2,
                      .address = 0x10000000,
                      .extents = {32, 64, 1, 1, 1},
                      .strides = {4, 128},
                      .box = {32, 4, 1, 1, 1}};
  std::array<BlockDetails, 2> details;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const std::uint32_t offset = kClusterTile + rank * kHalfTileBytes;
    add(rank, 0, 0, 0, 0x10000000 + std::uint64_t{rank} * kHalfTileBytes, 0);
    add(rank, 0, 1, 1, offset, 0);
    add(rank, 0, 2, 1, offset, 0);
    add(rank, 1, 0, 2, kClusterTile, 0);
    add(rank, 1, 1, 2, kClusterTile + kHalfTileBytes, 0);
    if (rank == 1) add(rank, 1, 2, 3, (std::uint64_t{1} << 24) + kRemoteOffset, 1);
    BlockDetails& of = details.at(rank);
    of.block = {rank, 0, 0};
    of.copies.push_back({.instruction = kCopy,
                         .map = map,
                         .start = {0, static_cast<std::int32_t>(4 * rank)},
                         .shared = kClusterShared + offset,
                         .ranks = 3});
    of.syncs = {{SyncKind::expect, kExpect, 0, 0, kClusterFull, 0, 2 * kHalfTileBytes},
                {SyncKind::arrive, kExpect, 0, 0, kClusterFull, 0, 1},
                {SyncKind::issue, kCopy, 0, 3, kClusterFull, 0, kHalfTileBytes},
                {SyncKind::issue, kCopy, kOtherBlock, 0, kClusterFull, 0, kHalfTileBytes, 1 - rank},
                {SyncKind::arrive, kArrive, kOtherBlock, 0, kClusterFull, 0, 2, 1 - rank},
                {SyncKind::complete, kCopy, 0, 3, kClusterFull, 0, kHalfTileBytes},
                {SyncKind::complete, kCopy, kOtherBlock, 0, kClusterFull, 0, kHalfTileBytes, 1 - rank},
                {SyncKind::phase_end, 0, 0, 0, kClusterFull, 0, 0},
                {SyncKind::wait, kWait, 1, 0, kClusterFull, 0, 0}};
  }
  details[0].cluster = {nullptr, std::make_shared<const BlockDetails>(details[1])};
  sample.details = std::make_shared<const BlockDetails>(std::move(details[0]));
  return sample;
}

}  // namespace warplens::sample
