// What stands in the columns of a cluster's picture, and the links between them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "viz/analysis/cluster/cluster_blocks.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The blocks that are drawn, side by side, each with its place.
struct ClusterColumns {
  float names = 0;  ///< Width of the names of the rows
  std::vector<std::pair<std::uint32_t, Rect>> places;
  [[nodiscard]] const Rect* place_of(std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t ranks() const;
};

/// What a block does about the others in a step: its access of another one's shared memory, else its latest
/// copy.
struct Activity {
  std::string words, brief;
  bool is_now = false;  ///< In that very step
};
[[nodiscard]] Activity activity_of(const analysis::ClusterBlock& block, std::uint32_t rank,
                                   std::uint32_t step);
/// Bytes of the block's shared memory that copies in flight go to.
[[nodiscard]] std::uint64_t bytes_in_flight(const analysis::ClusterBlocks& cluster, std::uint32_t rank,
                                            std::uint32_t step);
/// The parts of shared memory that the selected access is of, by rank and part: of a bulk copy those of all
/// blocks that it goes to.
[[nodiscard]] std::set<std::pair<std::uint32_t, std::size_t>> selected_parts(
    const Moment& moment, const analysis::ClusterBlocks& cluster);
/// All that is counted of the block, for its tooltip.
[[nodiscard]] std::string figures_of(const analysis::ClusterBlock& block);
[[nodiscard]] std::string block_name(Dim3 block);  ///< "block (1, 0)"
[[nodiscard]] std::string part_name(const Recording& recording, std::uint32_t offset);

/// The part's place among those of its row, as wide as it has bytes.
[[nodiscard]] Rect part_cell(const Canvas& canvas, const analysis::ClusterBlocks& cluster,
                             const analysis::PartRow& row, std::size_t part, Rect place);
/// Returns the colour that is behind its text.
Colour draw_state(Canvas& canvas, Rect box, analysis::PartState state);
[[nodiscard]] std::string part_in_words(const Recording& recording, const analysis::ClusterBlocks& cluster,
                                        std::uint32_t rank, std::size_t part,
                                        const analysis::PartFilling* filling, analysis::PartState state);

/// Draws the lanes of its access of another block's shared memory in that step, each in its colour; without
/// one, empty places.
void draw_lanes_of_access(Canvas& canvas, Rect row, const analysis::ClusterBlock& block, std::uint32_t step);
void draw_arrow(Canvas& canvas, Point from, Point to, Colour colour);
/// Joins parts of the row, in a strip below it: those of a copy in flight that goes to several blocks, and
/// those of an access of another block.
void draw_links(Canvas& canvas, const analysis::ClusterBlocks& cluster, const ClusterColumns& columns,
                const analysis::PartRow& row, Rect strip, std::uint32_t step);

/// Addresses of the mbarriers of all blocks, ascending.
[[nodiscard]] std::vector<std::uint32_t> mbarriers_of(const analysis::ClusterBlocks& cluster);
/// The phase of an mbarrier in a step, its last one after its end; null: none has ended.
[[nodiscard]] const analysis::MbarrierPhase* phase_at(const analysis::ClusterBlock& block,
                                                      std::uint32_t address, std::uint32_t step);

}  // namespace warplens::picture
