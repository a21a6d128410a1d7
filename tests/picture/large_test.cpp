// Pictures that have a whole 4K screen at scale 1: what is drawn grows until it fills them.
#include <gtest/gtest.h>

#include <algorithm>

#include "picture/figures.h"
#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/analysis/results.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/divergence.h"
#include "viz/picture/occupancy.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

constexpr Size kScreen{3840, 2160};

TEST(LargePictures, AreDrawnLargerThanTheirScaleSays) {
  const auto scale = [](Size size, float of_style) { return roomy({&dark_palette(), of_style}, size).scale; };
  EXPECT_EQ(scale({1920, 1080}, 1), 1);
  EXPECT_EQ(scale({400, 300}, 1), 1);
  EXPECT_EQ(scale({3840, 500}, 1), 1) << "wide alone is not large";
  EXPECT_EQ(scale(kScreen, 1), 2);
  EXPECT_EQ(scale(kScreen, 2), 2);
  EXPECT_EQ(scale({9000, 9000}, 1), 2);
  const Style in_hall = roomy({&dark_palette(), 1, kTinySize}, kScreen);
  EXPECT_EQ(in_hall.min_text * in_hall.scale, kTinySize) << "as many pixels as before";
}

TEST(LargePictures, FewAccessesShareTheRoomForDivergence) {
  const Recording recording = test::naive(20, 37, 5);
  const analysis::Divergence divergence = analysis::divergence(recording);
  ASSERT_LE(divergence.accesses.size(), 3u);
  const Picture picture =
      make_divergence({&recording, kHopper, 0, 0, 0, 0}, divergence, std::nullopt, {}, kScreen, kStyle);
  std::optional<Rect> cells;
  for (const Region& region : picture.regions) {
    if (region.target.kind == Target::Kind::site && region.target.a >= 0)
      cells = cells ? united(*cells, region.rect) : region.rect;
  }
  ASSERT_TRUE(cells);
  EXPECT_GT(cells->height, 0.6f * kScreen.height);
  EXPECT_GT(cells->width, 0.6f * kScreen.width);
}

TEST(LargePictures, OccupancyReachesDownToItsSentence) {
  const analysis::OccupancySubject about = subject();
  const OccupancyQuestion question{
      .cc = kHopper, .needs = about.needs_for(kHopper), .as_recorded = true, .variants_first = false};
  for (const Size size : {Size{1920, 1080}, kScreen}) {
    float bottom = 0;
    for (const Item& item : make_occupancy(about, question, size, kStyle).items) {
      if (const auto* fill = std::get_if<FilledRect>(&item)) bottom = std::max(bottom, fill->rect.bottom());
    }
    EXPECT_GT(bottom, 0.85f * size.height) << size.width;
  }
}

TEST(LargePictures, MatricesFillTheWidthAndTheirNamesAreLarge) {
  const Recording recording = test::tiled({.tile = 32, .size = 128});
  const analysis::Results results = analysis::results_of(recording, kHopper);
  const viz::Subject drawn{.moment = {&recording, kHopper, 0, 0, 0, 0}, .results = &results};
  const Picture picture = viz::find_view("heat")->make(drawn, kScreen, kStyle);
  float area = 0;
  for (const Item& item : picture.items) {
    if (const auto* map = std::get_if<HeatMap>(&item)) area += map->rect.width * map->rect.height;
  }
  EXPECT_GT(area, 0.54f * kScreen.width * kScreen.height);
  const auto texts = texts_of(picture);
  EXPECT_TRUE(std::ranges::any_of(
      texts, [](const Text* text) { return text->text.starts_with("A: read") && text->size >= 24; }));
}

}  // namespace
}  // namespace warplens::picture
