#include "viz/picture/tile_phases/tiling.h"

#include <algorithm>
#include <limits>

namespace warplens::picture {
namespace {

/// Returns the edge of a block's tile: what the block writes if that does not reach the matrix's edge; else
/// the tile that puts the block at its place in the grid.
std::uint64_t tile_edge(std::uint64_t begin, std::uint64_t end, std::uint64_t elements, const Dim3& block) {
  const std::uint64_t extent = end - begin;
  if (end < elements || begin == 0) return extent;
  for (const std::uint64_t place : {std::uint64_t{block.x}, std::uint64_t{block.y}}) {
    if (place > 0 && begin % place == 0 && begin / place >= extent) return begin / place;
  }
  return extent;
}

/// From a recorded block that is as far across as it is down, one cannot tell.
std::optional<Tiling::Across> across_of(const Recording& recording, std::uint32_t buffer,
                                        const Tiling& tiling, analysis::PhaseFollower& follower) {
  const auto block =
      std::ranges::find_if(recording.event_blocks, [](const Dim3& one) { return one.x != one.y; });
  if (block == recording.event_blocks.end() || tiling.rows == 0 || tiling.columns == 0) return std::nullopt;
  const analysis::ElementBox written = follower.written_by(
      recording, static_cast<std::uint32_t>(block - recording.event_blocks.begin()), buffer);
  if (written.empty()) return std::nullopt;
  const auto lies = [&](std::uint64_t across, std::uint64_t down) {
    return written.column_begin == across * tiling.columns && written.row_begin == down * tiling.rows;
  };
  if (lies(block->x, block->y)) return Tiling::Across::x;
  return lies(block->y, block->x) ? std::optional(Tiling::Across::y) : std::nullopt;
}

/// The parameter that the ladder calls so; 0 without one.
std::uint64_t tile_parameter(const Recording& recording) {
  const auto found = std::ranges::find_if(
      recording.parameters, [](const NamedValue& value) { return value.name == "T" && value.value > 0; });
  return found == recording.parameters.end() ? 0 : static_cast<std::uint64_t>(found->value);
}

}  // namespace

std::optional<Product> product_of(const Recording& recording) {
  if (recording.m == 0 || recording.buffers.size() < 3) return std::nullopt;
  const auto index_of = [&](const char* name) {
    return static_cast<std::uint32_t>(std::ranges::find(recording.buffers, name, &Buffer::name) -
                                      recording.buffers.begin());
  };
  const auto count = static_cast<std::uint32_t>(recording.buffers.size());
  Product product{index_of("A"), index_of("B"), index_of("C")};
  product.b_transposed = product.b == count;
  if (product.b_transposed) product.b = index_of("Bt");
  if (product.a == count || product.b == count || product.c == count) return std::nullopt;
  if (product.b_transposed &&
      recording.buffers[product.b].columns > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return product;
}

Tiling tiling_of(const Recording& recording, const Product& product,
                 const std::vector<analysis::PhaseKind>& kinds, analysis::PhaseFollower& follower) {
  Tiling tiling;
  if (recording.event_blocks.empty()) return tiling;
  const Buffer& c = recording.buffers[product.c];
  const analysis::ElementBox written = follower.written_by(recording, 0, product.c);
  if (!written.empty()) {
    tiling.rows = tile_edge(written.row_begin, written.row_end, c.rows, recording.event_blocks[0]);
    tiling.columns =
        tile_edge(written.column_begin, written.column_end, c.columns, recording.event_blocks[0]);
  }
  tiling.across = across_of(recording, product.c, tiling, follower);
  const std::uint64_t tiles = analysis::count_tiles(kinds);
  const std::uint64_t terms = recording.buffers[product.a].columns;
  if (tiles > 0) tiling.depth = terms % tiles == 0 ? terms / tiles : tile_parameter(recording);
  return tiling;
}

Tiling tiling_of(const Recording& recording, const Product& product,
                 const std::vector<analysis::PhaseKind>& kinds) {
  analysis::PhaseFollower follower;
  return tiling_of(recording, product, kinds, follower);
}

}  // namespace warplens::picture
