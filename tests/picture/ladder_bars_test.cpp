#include <gtest/gtest.h>

#include <string>

#include "kernels/catalog/catalog.h"
#include "picture/words.h"
#include "viz/picture/rate_bars.h"

namespace warplens::picture {
namespace {

TEST(LadderBars, KernelsHaveTheirWholeNames) {
  LadderBars ladder{.where = "An H200", .note = {}, .bars = {}};
  const auto add = [&](const std::string& name) {
    ladder.bars.push_back({.name = name, .percent = 10, .explanation = {}});
  };
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder) add(kernel.id);
  }
  add("cuBLAS");
  for (const float scale : {1.0f, 1.5f, 2.4f, 4.0f}) {
    const Picture picture = make_ladder_bars(ladder, {515 * scale, 210 * scale}, {&dark_palette(), scale});
    for (const LadderBars::Bar& bar : ladder.bars)
      EXPECT_TRUE(says(picture, bar.name)) << bar.name << " at " << scale;
  }
}

}  // namespace
}  // namespace warplens::picture
