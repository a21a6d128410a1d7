// A block whose first warp copies two tiles that two others multiply: what a replay of it tells.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"

namespace warplens::sample {

inline constexpr std::uint32_t kFull = 1024, kEmpty = 1032, kTileBytes = 512;

struct RolesSample {
  Recording recording;
  BlockDetails details;
};

inline RolesSample roles_sample() {
  RolesSample sample;
  Recording& recording = sample.recording;
  recording.kernel = recording.entry = "roles";
  recording.grid = {1};
  recording.block = {128};
  recording.shared_bytes = 4096;
  recording.shared_base = 1024;
  recording.event_blocks = {{0, 0, 0}};
  recording.phases.resize(1);
  constexpr std::uint32_t kCopy = 5, kProduct = 9, kWaitFull = 8, kArriveEmpty = 10, kWaitEmpty = 4,
                          kExpect = 3;
  for (const Space space : {Space::global, Space::shared})
    recording.sites.push_back({kCopy, 40, 0, 12, space, AccessOp::bulk_load, 16, 0, -1, "cp.async.bulk"});
  recording.totals.resize(2);
  recording.shapes.resize(1);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    recording.shapes[0].at(lane) = 16 * static_cast<int>(lane);
  EventColumns& events = recording.events;
  for (std::uint32_t order = 0; order < 4; ++order) {
    events.site.push_back(order % 2);
    events.block.push_back(0);
    events.warp.push_back(0);
    events.phase.push_back(0);
    events.order.push_back(order);
    events.mask.push_back(0xffffffff);
    events.base.push_back(order % 2 == 0 ? 0x10000000 : 2048);
    events.shape.push_back(0);
  }
  std::vector<Sync>& syncs = sample.details.syncs;
  const auto fill = [&](std::uint32_t phase, std::uint32_t order) {
    syncs.push_back({SyncKind::expect, kExpect, 0, order, kFull, phase, kTileBytes});
    syncs.push_back({SyncKind::arrive, kExpect, 0, order, kFull, phase, 1});
    syncs.push_back({SyncKind::issue, kCopy, 0, order + 2, kFull, phase, kTileBytes});
    syncs.push_back({SyncKind::complete, kCopy, 0, order + 2, kFull, phase, kTileBytes});
    syncs.push_back({SyncKind::phase_end, 0, 0, 0, kFull, phase, 0});
  };
  const auto use = [&](std::uint32_t phase) {
    for (const std::uint32_t warp : {2u, 3u}) {
      syncs.push_back({SyncKind::wait, kWaitFull, warp, 0, kFull, phase, 0});
      for (int k = 0; k < 2; ++k) syncs.push_back({SyncKind::multiply, kProduct, warp, 0, 0, 0, 0});
    }
    syncs.push_back({SyncKind::arrive, kArriveEmpty, 2, 0, kEmpty, phase, 1});
    syncs.push_back({SyncKind::phase_end, 0, 0, 0, kEmpty, phase, 0});
  };
  fill(0, 0);
  use(0);
  syncs.push_back({SyncKind::wait, kWaitEmpty, 0, 2, kEmpty, 0, 0});
  fill(1, 2);
  use(1);
  return sample;
}

}  // namespace warplens::sample
