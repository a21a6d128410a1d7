#include <gtest/gtest.h>

#include <string>

#include "picture/words.h"
#include "viz/picture/rate_bars.h"

namespace warplens::picture {
namespace {

TEST(LadderBars, KernelsHaveTheirWholeNames) {
  LadderBars ladder{.where = "An H200", .note = {}, .bars = {}};
  for (const char* const name :
       {"naive", "naive_uncoalesced", "buffered_column", "buffered_row", "tiled_dynamic", "tiled_guarded",
        "tiled_padded", "tiled", "tiled_swapped", "tiled_shared_a", "tiled_unroll4", "register_tile",
        "volkov", "volkov_transposed", "volkov_padded", "cuBLAS"})
    ladder.bars.push_back({.name = name, .percent = 10, .explanation = {}});
  for (const float scale : {1.0f, 1.5f, 2.4f, 4.0f}) {
    const Picture picture = make_ladder_bars(ladder, {515 * scale, 210 * scale}, {&dark_palette(), scale});
    for (const LadderBars::Bar& bar : ladder.bars)
      EXPECT_TRUE(says(picture, bar.name)) << bar.name << " at " << scale;
  }
}

}  // namespace
}  // namespace warplens::picture
