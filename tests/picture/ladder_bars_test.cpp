#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "picture/words.h"
#include "viz/picture/rate_bars.h"

namespace warplens::picture {
namespace {

LadderBars whole_ladder() {
  LadderBars ladder{.where = "An H200", .note = {}, .bars = {}};
  const auto add = [&](const std::string& name) {
    ladder.bars.push_back({.name = name, .percent = 10, .explanation = {}});
  };
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder) add(kernel.id);
  }
  add("cuBLAS");
  return ladder;
}

TEST(LadderBars, KernelsHaveTheirWholeNames) {
  const LadderBars ladder = whole_ladder();
  for (const float scale : {1.0f, 1.5f, 2.4f, 4.0f}) {
    const Picture picture = make_ladder_bars(ladder, {515 * scale, 210 * scale}, {&dark_palette(), scale});
    for (const LadderBars::Bar& bar : ladder.bars)
      EXPECT_TRUE(says(picture, bar.name)) << bar.name << " at " << scale;
  }
}

/// Columns of the window at 1280 x 800: of scale 1 and, 190 wide, of scale 2.
TEST(LadderBars, NamesAreReadableInNarrowColumns) {
  constexpr float kReadable = 8.5f;
  const LadderBars ladder = whole_ladder();
  for (const float scale : {1.0f, 2.0f}) {
    for (const Size at_1 : {Size{380, 150}, Size{290, 120}, Size{190, 80}, Size{700, 60}}) {
      const Size room{at_1.width * scale, at_1.height * scale};
      const Style style{&dark_palette(), scale};
      const Size size{room.width, ladder_bars_height(ladder, room, style)};
      EXPECT_GE(size.height, room.height);
      const Picture picture = make_ladder_bars(ladder, size, style);
      for (const LadderBars::Bar& bar : ladder.bars) {
        const std::vector<const Text*> texts = texts_of(picture);
        const auto name = std::ranges::find(texts, bar.name, [](const Text* text) { return text->text; });
        ASSERT_NE(name, texts.end()) << bar.name << " in " << room.width << " at " << scale;
        EXPECT_GE((*name)->size, kReadable * scale - 0.5f)
            << bar.name << " in " << room.width << " at " << scale;
      }
    }
  }
}

TEST(LadderBars, WhatHasRoomIsNotScrolled) {
  EXPECT_EQ(ladder_bars_height(whole_ladder(), {515, 520}, {&dark_palette(), 1}), 520);
}

}  // namespace
}  // namespace warplens::picture
