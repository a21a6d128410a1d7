#include "viz/picture/memory_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/canvas/canvas.h"

namespace warplens::picture {
namespace {

LevelsScene scene_of_naive() {
  analysis::Levels levels{.shared_up = 0,
                          .shared_down = 0,
                          .lanes_up = 800'000,
                          .lanes_down = 20'000,
                          .l1_up = 600'000,
                          .l1_down = 20'000};
  levels.l2_up = {.min = 100'000, .max = 600'000, .once_a_block = 300'000, .once_a_wave = {}};
  levels.l2_down = {.min = 20'000, .max = 20'000, .once_a_block = {}, .once_a_wave = {}};
  levels.dram_up = {.min = 100'000, .max = 1'200'000, .once_a_block = {}, .once_a_wave = 200'000};
  levels.dram_down = {.min = 0, .max = 20'000, .once_a_block = {}, .once_a_wave = {}};
  return {.kernel = "naive",
          .grid = levels,
          .blocks = "all 4 blocks",
          .why_no_bands = {},
          .counted = {},
          .phase = {},
          .phase_name = {}};
}

TEST(MemoryLevels, BarsOfRowsAreOfOneScale) {
  const LevelsScene scene = scene_of_naive();
  for (const Size size : {Size{300, 200}, Size{420, 240}, Size{900, 200}}) {
    const Picture picture = make_memory_levels(scene, size, kStyle);
    std::vector<FilledRect> bars;
    for (const Item& item : picture.items) {
      if (const auto* const bar = std::get_if<FilledRect>(&item)) bars.push_back(*bar);
    }
    ASSERT_EQ(bars.size(), 8u) << "the most and the least of registers, L1, L2 and DRAM";
    const double bytes[] = {8e5, 8e5, 6e5, 6e5, 6e5, 1e5, 12e5, 1e5};
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_FLOAT_EQ(bars[i].rect.x, bars[0].rect.x);
      EXPECT_NEAR(static_cast<double>(bars[i].rect.width) / static_cast<double>(bars[6].rect.width),
                  bytes[i] / bytes[6], 1e-3)
          << i;
    }
  }
}

TEST(MemoryLevels, EveryLevelHasItsFigureInANarrowPanel) {
  const Picture picture = make_memory_levels(scene_of_naive(), {215, 220}, kStyle);
  for (const char* const figure : {"800 kB", "600 kB", "100 to 600 kB", "Registers", "DRAM"})
    EXPECT_TRUE(says(picture, figure)) << figure;
}

TEST(MemoryLevels, AGpusCountersAreMarkedOfTheGridAlone) {
  LevelsScene scene = scene_of_naive();
  scene.phase = scene.grid;
  scene.phase_name = "pass 1 of 4";
  EXPECT_FALSE(says(make_memory_levels(scene, {900, 700}, kStyle), "counted: 123 kB"));
  scene.counted.l2 = 123'000;
  const Picture picture = make_memory_levels(scene, {900, 700}, kStyle);
  EXPECT_EQ(std::ranges::count_if(picture.items,
                                  [](const Item& item) {
                                    const auto* const text = std::get_if<Text>(&item);
                                    return text != nullptr && text->text == "counted: 123 kB";
                                  }),
            1);
  const Picture rows = make_memory_levels(scene, {900, 200}, kStyle);
  EXPECT_TRUE(std::ranges::any_of(rows.items, [](const Item& item) {
    const auto* const text = std::get_if<Text>(&item);
    return text != nullptr && text->text.find("counted: 123 kB") != std::string::npos;
  }));
}

TEST(MemoryLevels, BytesHaveThreeSignificantDigits) {
  EXPECT_EQ(bytes_in_words(0), "0 B");
  EXPECT_EQ(bytes_in_words(9'999), "9,999 B");
  EXPECT_EQ(bytes_in_words(10'000), "10.0 kB");
  EXPECT_EQ(bytes_in_words(524'288), "524 kB");
  EXPECT_EQ(bytes_in_words(999'600), "1.00 MB");
  EXPECT_EQ(bytes_in_words(17'179'869'184), "17.2 GB");
}

// Beside each other a byte is as long in both.
TEST(MemoryLevels, TwoShareOneScale) {
  const LevelsScene small = scene_of_naive();
  LevelsScene large = small;
  large.grid.lanes_up *= 4;
  const auto first_bar = [](const Picture& picture) {
    for (const Item& item : picture.items) {
      if (const auto* const bar = std::get_if<FilledRect>(&item)) return bar->rect.width;
    }
    return 0.0f;
  };
  const Size low{900, 200};
  EXPECT_EQ(first_bar(make_memory_levels(small, low, kStyle)),
            first_bar(make_memory_levels(small, low, kStyle, &small)));
  EXPECT_NEAR(first_bar(make_memory_levels(large, low, kStyle, &small)),
              4 * first_bar(make_memory_levels(small, low, kStyle, &large)), 0.1f);
}

}  // namespace
}  // namespace warplens::picture
