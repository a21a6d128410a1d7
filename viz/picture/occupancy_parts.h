// The parts of the occupancy picture. Each draws into a rect of its own.
#pragma once

#include <string>

#include "viz/analysis/occupancy.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/occupancy.h"

namespace warplens::picture {

/// All that the parts draw from.
struct OccupancyScene {
  const analysis::OccupancySubject& subject;
  const OccupancyQuestion& question;
  const analysis::MultiprocessorModel& model;
  analysis::Occupancy found;
  std::uint32_t greatest_limit = 1;  ///< Blocks that a whole bar stands for
  std::uint32_t most_warps = 1;      ///< Places for warps that there is room for
};

/// One row a limit: what a block takes, and the blocks that it allows as a bar of so many pieces.
void draw_limits(Canvas& canvas, Rect box, const OccupancyScene& scene);
/// Its height in a place of `height` for all: more where there is more.
[[nodiscard]] float limits_height(const Canvas& canvas, float height);

/// The multiprocessor's places for warps, its registers and its shared memory, to scale and filled by the
/// blocks that it holds. Returns where it ends.
float draw_multiprocessor(Canvas& canvas, Rect box, const OccupancyScene& scene);
/// The places alone, as low as can be seen.
void draw_places(Canvas& canvas, Rect box, const OccupancyScene& scene);

/// The grid's full waves and its last one over the SMs of the card.
void draw_waves(Canvas& canvas, Rect box, const OccupancyScene& scene);
[[nodiscard]] float waves_height(const Canvas& canvas, const OccupancyScene& scene, float height);

/// The kernel for each value of its parameter: registers, stack, spills, local accesses, blocks.
void draw_variants(Canvas& canvas, Rect box, const OccupancyScene& scene);
[[nodiscard]] bool has_variants(const OccupancyScene& scene);
[[nodiscard]] float variants_height(const Canvas& canvas, const OccupancyScene& scene);
/// From which value on the kernel uses local memory.
[[nodiscard]] std::string variants_sentence(const OccupancyScene& scene);

/// The colour of the block of that number where blocks lie side by side.
[[nodiscard]] Colour block_colour(const Palette& palette, std::uint64_t block);

}  // namespace warplens::picture
