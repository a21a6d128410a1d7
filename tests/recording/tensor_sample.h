// A recording of one block that copies one box of a tensor, and what a replay of the block tells of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/recording/block_details.h"
#include "kernels/recording/recording.h"

namespace warplens::sample {

inline constexpr std::uint64_t kTensorBase = 0x10000000;
inline constexpr std::uint32_t kTensorSharedBase = 1024;

struct TensorSample {
  Recording recording;
  BlockDetails details;
};

/// A matrix of f32, of which a box of 32 x 32 elements is copied.
inline TensorMap tensor_of(std::uint64_t rows, std::uint64_t columns, TensorSwizzle swizzle) {
  return {.element = TensorElement::f32,
          .rank = 2,
          .address = kTensorBase,
          .extents = {columns, rows, 1, 1, 1},
          .strides = {4, columns * 4},
          .box = {32, 32, 1, 1, 1},
          .swizzle = swizzle};
}

/// Appends pieces of which a bit of the mask is set as an event.
inline void add_pieces(Recording& recording, std::uint32_t site, std::uint32_t mask,
                       const std::array<std::uint64_t, kWarpSize>& addresses) {
  if (mask == 0) return;
  EventColumns& events = recording.events;
  std::uint32_t first = 0;
  while ((mask >> first & 1) == 0) ++first;
  Shape shape{};
  for (std::uint32_t k = 0; k < kWarpSize; ++k) {
    if ((mask >> k & 1) != 0)
      shape.at(k) =
          static_cast<std::int64_t>(addresses.at(k)) - static_cast<std::int64_t>(addresses.at(first));
  }
  events.site.push_back(site);
  events.block.push_back(0);
  events.warp.push_back(0);
  events.phase.push_back(0);
  events.order.push_back(static_cast<std::uint32_t>(events.order.size()));
  events.mask.push_back(mask);
  events.base.push_back(addresses.at(first));
  events.shape.push_back(static_cast<std::uint32_t>(recording.shapes.size()));
  recording.shapes.push_back(shape);
}

inline TensorSample tensor_sample(const TensorMap& map,
                                  const std::array<std::int32_t, kMaxTensorRank>& start = {},
                                  AccessOp op = AccessOp::bulk_load) {
  TensorSample sample;
  Recording& recording = sample.recording;
  recording.kernel = recording.entry = "scale";
  recording.grid = {1};
  recording.block = {64};
  recording.shared_bytes = 65536;
  recording.shared_base = kTensorSharedBase;
  recording.event_blocks = {{0, 0, 0}};
  recording.phases.resize(1);
  std::uint64_t rows = 1;
  for (std::size_t d = 1; d < map.rank; ++d) rows *= map.extents.at(d);
  const std::uint64_t pitch = map.rank > 1 ? map.strides[1] / 4 : map.extents[0];
  recording.buffers = {{.name = "A",
                        .base = map.address,
                        .bytes = rows * pitch * 4,
                        .rows = static_cast<std::uint32_t>(rows),
                        .columns = map.extents[0],
                        .pitch = pitch}};
  for (const Space space : {Space::global, Space::shared})
    recording.sites.push_back({5, 40, 0, 12, space, op, 16, 0, -1,
                               "cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1];"});
  recording.totals.resize(2);
  const std::vector<BoxPiece> pieces = pieces_of_box(map, start, kTensorSharedBase);
  for (std::size_t first = 0; first < pieces.size(); first += kWarpSize) {
    std::array<std::uint64_t, kWarpSize> global{}, shared{};
    std::uint32_t inside = 0, all = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(kWarpSize, pieces.size() - first); ++k) {
      const BoxPiece& piece = pieces[first + k];
      global.at(k) = piece.global;
      shared.at(k) = piece.shared - kTensorSharedBase;
      all |= 1u << k;
      if (piece.begin != piece.end) inside |= 1u << k;
    }
    add_pieces(recording, 0, inside, global);
    add_pieces(recording, 1, op == AccessOp::bulk_load ? all : inside, shared);
  }
  sample.details.copies.push_back(
      {.instruction = 5, .map = map, .start = start, .shared = kTensorSharedBase});
  return sample;
}

}  // namespace warplens::sample
