#include "viz/picture/divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "picture/kernels.h"
#include "picture/words.h"
#include "recording/sample.h"

namespace warplens::picture {
namespace {

Picture make(const Recording& recording, const Moment& moment,
             std::optional<std::uint32_t> site = std::nullopt, Size size = {900, 500}) {
  return make_divergence(moment, analysis::divergence(recording), site, {}, size, {&dark_palette(), 1});
}

TEST(DivergencePicture, CountsWarpPhasesOfTheChosenAccess) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  const Moment moment{&recording, kHopper, 0, 3, 1, 0};
  const Picture of_load = make(recording, moment, sample::kLoadA);
  EXPECT_TRUE(says(of_load, "0 of 256 warp-phases divergent")) << "4 blocks, 32 warps, 2 fills";
  EXPECT_TRUE(says(of_load, "all 4 blocks"));
  EXPECT_EQ(of_load.sentence, "Every warp that makes the global load of A makes it with all its lanes");

  const Picture of_gather = make(recording, moment, sample::kGather);
  EXPECT_TRUE(says(of_gather, "128 of 128 warps divergent"));
  EXPECT_EQ(of_gather.sentence,
            "Warps diverge at the global load of A: lanes 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30 of warp 3 "
            "are left out");
  EXPECT_TRUE(says(of_gather, "21 of 32 make the access"));
  EXPECT_NE(of_gather.subtitle.find("phase 5"), std::string::npos) << of_gather.subtitle;
}

TEST(DivergencePicture, IsOfTheSelectedAccess) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  const std::uint32_t compute = 1;
  const Moment moment{&recording, kHopper, 0, 3, compute, 1};
  const Picture picture = make(recording, moment);
  const std::string selected = moment_name(moment, *moment.event());
  EXPECT_EQ(picture.subtitle, selected);
  EXPECT_NE(selected.find("tile 1, compute"), std::string::npos) << selected;
}

TEST(DivergencePicture, NamesPassesWhereThereAreNoBarriers) {
  Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  const auto has = [](const Picture& picture, const char* whole) {
    return std::any_of(picture.items.begin(), picture.items.end(), [&](const Item& item) {
      const Text* const text = std::get_if<Text>(&item);
      return text != nullptr && text->text == whole;
    });
  };
  EXPECT_TRUE(has(make(recording, {&recording, kHopper, 0, 3, 1, 1}), "phase"));
  recording.phases_are_barriers = false;
  const Picture picture = make(recording, {&recording, kHopper, 0, 3, 1, 1});
  EXPECT_TRUE(has(picture, "pass"));
  EXPECT_TRUE(says(picture, "warp-passes divergent"));
  EXPECT_FALSE(has(picture, "phase"));
}

TEST(DivergencePicture, SaysWhichBlocksItCovers) {
  const Recording recording = sample::make();  // 2 of 4 blocks
  const Picture picture = make(recording, {&recording, kHopper, 0, 0, 4, 0}, sample::kGather, {1400, 600});
  EXPECT_TRUE(says(picture, "64 of 64 warps divergent"));
  EXPECT_TRUE(says(picture, "2 of 4 blocks"));
  EXPECT_TRUE(says(picture, "whole grid: 128 of 128 requests divergent"));
}

TEST(DivergencePicture, CellsNamePhaseAndAccess) {
  const Recording recording = sample::make();
  const Picture picture = make(recording, {&recording, kHopper, 0, 0, 0, 0});
  std::size_t cells = 0, rows = 0;
  for (const Region& region : picture.regions) {
    if (region.target.kind != Target::Kind::site) continue;
    const auto hit = picture.hit({region.rect.x + 2, region.rect.y + region.rect.height / 2});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->target.b, region.target.b);
    if (region.target.a >= 0) {
      const std::string phase = analysis::phase_in_words(analysis::phase_kinds(recording),
                                                         static_cast<std::size_t>(region.target.a));
      EXPECT_TRUE(hit->tooltip.starts_with(phase + ", line ")) << hit->tooltip;
    }
    ++(region.target.a < 0 ? rows : cells);
  }
  EXPECT_EQ(rows, recording.sites.size());
  EXPECT_EQ(cells, recording.sites.size() * recording.phases.size());
}

TEST(DivergencePicture, KeepsTheChosenAccessInALowPanel) {
  const Recording recording = sample::make();
  for (const std::uint32_t site : {sample::kLoadA, sample::kReadA, sample::kGather}) {
    const Picture picture = make(recording, {&recording, kHopper, 0, 0, 0, 0}, site, {500, 150});
    const bool shown = std::ranges::any_of(picture.regions, [&](const Region& region) {
      return region.target.kind == Target::Kind::site && region.target.b == static_cast<std::int64_t>(site);
    });
    EXPECT_TRUE(shown) << site;
    EXPECT_TRUE(says(picture, "more access"));
  }
}

TEST(DivergencePicture, HasEveryAccessAtAnyHeightThatHasRoom) {
  const Recording recording = sample::make();
  for (int height = 420; height < 1300; ++height) {
    const Picture picture =
        make(recording, {&recording, kHopper, 0, 0, 0, 0}, std::nullopt, {900, static_cast<float>(height)});
    ASSERT_FALSE(says(picture, "more access")) << height;
  }
}

TEST(DivergencePicture, SaysWhatToDoWithoutEvents) {
  Recording recording = sample::make();
  recording.events = {};
  recording.event_blocks = {};
  EXPECT_NE(make(recording, {&recording, kHopper}).sentence.find("Record it again"), std::string::npos);
}

}  // namespace
}  // namespace warplens::picture
