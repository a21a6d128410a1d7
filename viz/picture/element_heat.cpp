#include "viz/picture/element_heat.h"

namespace warplens::picture {
namespace {

bool is_read(const CountedElements& counted, const analysis::ElementCounts& counts) {
  if (counted.of_grid == nullptr) return counts.max_reads != 0;
  return counted.of_grid->cells(counts.buffer, analysis::GridCounts::Access::read).max_of_all != 0;
}

}  // namespace

ElementHeat element_heat(const CountedElements& counted, const analysis::ElementCounts& counts, bool writes) {
  using Access = analysis::GridCounts::Access;
  if (counted.of_grid != nullptr) {
    const analysis::GridCounts::Cells& cells =
        counted.of_grid->cells(counts.buffer, writes ? Access::write : Access::read);
    return {counts.buffer, writes, cells.max_of_all, cells.even, nullptr, &cells};
  }
  if (const auto& cells = writes ? counts.written_cells : counts.read_cells; cells) {
    return {counts.buffer, writes, cells->max_of_all, cells->even, nullptr, &*cells};
  }
  const analysis::ElementTable& own = writes ? counts.writes : counts.reads;
  const std::uint32_t max = writes ? counts.max_writes : counts.max_reads;
  const Buffer& buffer = counted.recording.buffers[counts.buffer];
  return {counts.buffer, writes, max, max == 0 || own.with(max) == buffer.rows * buffer.pitch, &own};
}

std::vector<ElementHeat> element_heats(const CountedElements& counted) {
  std::vector<ElementHeat> heats;
  for (const analysis::ElementCounts& one : counted.counts) {
    if (counted.recording.buffers[one.buffer].columns != 0)
      heats.push_back(element_heat(counted, one, !is_read(counted, one)));
  }
  return heats;
}

std::pair<std::uint64_t, std::uint64_t> tile_of_buffer(std::uint32_t buffer,
                                                       const std::optional<Product>& product,
                                                       const Tiling& tiling) {
  if (!product) return {};
  if (buffer == product->a) return {tiling.rows, tiling.depth};
  if (buffer == product->c) return {tiling.rows, tiling.columns};
  if (buffer != product->b) return {};
  return product->b_transposed ? std::pair{tiling.columns, tiling.depth}
                               : std::pair{tiling.depth, tiling.columns};
}

}  // namespace warplens::picture
