#include "viz/picture/costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "picture/kernels.h"
#include "picture/sound.h"
#include "picture/words.h"
#include "viz/picture/cost_words.h"

namespace warplens::picture {
namespace {

struct CostsSubject {
  Recording recording;
  analysis::Results results = analysis::results_of(recording, kHopper);
  [[nodiscard]] Moment moment() const { return {.recording = &recording, .cc = kHopper, .phase = 1}; }
  [[nodiscard]] Picture make(Size size = {700, 500}, float scale = 1,
                             const Palette& palette = dark_palette()) const {
    return make_costs(moment(), results, {}, size, {&palette, scale});
  }
};

CostsSubject swapped() {
  return {test::tiled({.tile = 32, .size = 64, .swapped = true})};
}

TEST(CostsPicture, RanksLinesByExcess) {
  const CostsSubject subject = swapped();
  const Picture picture = subject.make();
  const auto& costs = subject.results.costs;
  ASSERT_GE(costs.size(), 4u);
  EXPECT_TRUE(says(picture, "Line " + std::to_string(costs[0].figures.line) + " · shared load of as"));
  EXPECT_TRUE(says(picture, with_thousands(costs[0].excess()) + " wavefronts"));
  EXPECT_TRUE(says(picture, "With rows of 33 words: 1 wavefront per request"));
  EXPECT_TRUE(says(picture, "beyond the ideal"));
  EXPECT_NE(picture.sentence.find("of all wavefronts beyond the ideal"), std::string::npos)
      << picture.sentence;
  EXPECT_NE(picture.subtitle.find("beyond the ideal"), std::string::npos);
}

TEST(CostsPicture, FitsAtEveryLegibleSize) {
  const CostsSubject subject = swapped();
  for (const float scale : {1.0f, 2.0f}) {
    for (const Size size : {Size{300, 200}, Size{420, 700}, Size{500, 300}, Size{900, 500}, Size{1600, 900},
                            Size{2400, 1400}}) {
      SCOPED_TRACE(std::to_string(size.width) + " x " + std::to_string(size.height) + " at " +
                   std::to_string(scale));
      const Picture picture = subject.make(size, scale, light_palette());
      expect_sound(picture, scale);
      const auto rows = std::ranges::count_if(
          picture.regions, [](const Region& region) { return region.target.kind == Target::Kind::event; });
      EXPECT_GE(rows, 1);
      if (rows < static_cast<std::ptrdiff_t>(subject.results.costs.size()) && size.height >= 300 * scale) {
        EXPECT_TRUE(says(picture, " more"));
      }
    }
  }
}

TEST(CostsPicture, RowSelectsItsCostliestRequest) {
  const CostsSubject subject = swapped();
  const Picture picture = subject.make({900, 900});
  std::size_t row = 0;
  for (const Region& region : picture.regions) {
    if (region.target.kind != Target::Kind::event) continue;
    ASSERT_LT(row, subject.results.costs.size());
    const auto hit = picture.hit(centre(region.rect));
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->target.a, static_cast<std::int64_t>(*subject.results.costs[row].event));
    EXPECT_NE(hit->tooltip.find(cost_sentence(subject.recording, subject.results.costs[row], kHopper)),
              std::string::npos);
    ++row;
  }
  EXPECT_EQ(row, subject.results.costs.size());
}

TEST(CostsPicture, AtTheIdealSaysSo) {
  EXPECT_NE(
      CostsSubject{test::tiled({.tile = 32, .size = 64})}.make().sentence.find("Everything is at the ideal"),
      std::string::npos);
  EXPECT_NE(CostsSubject{Recording{}}.make().sentence.find("no access to memory"), std::string::npos);
}

TEST(CostsPicture, TextIsLargeInALargePicture) {
  const auto largest = [](Size size) {
    float max = 0;
    const Picture picture = CostsSubject{test::tiled({.tile = 32, .size = 64})}.make(size);
    for (const Item& item : picture.items) {
      if (const Text* text = std::get_if<Text>(&item)) max = std::max(max, text->size);
    }
    return max;
  };
  EXPECT_GT(largest({1600, 900}), 1.5f * largest({400, 250}));
}

TEST(CostsPicture, WithoutEventsALineIsSelected) {
  Recording totals = test::tiled({.tile = 32, .size = 64, .swapped = true});
  totals.events = {};
  totals.event_blocks = {};
  const Picture picture = CostsSubject{std::move(totals)}.make();
  EXPECT_TRUE(std::ranges::any_of(
      picture.regions, [](const Region& region) { return region.target.kind == Target::Kind::line; }));
  EXPECT_TRUE(says(picture, "With rows of 33 words in as, bs: 1 wavefront per request"));
}

TEST(CostWords, NameLinesThatGetWorse) {
  const CostsSubject subject = swapped();
  analysis::LineCost cost = subject.results.costs.front();
  ASSERT_TRUE(cost.fix);
  cost.fix->worse = {.figures = cost.figures, .cost = cost.figures.totals.requests * 5 / 2};
  EXPECT_NE(fix_words(subject.recording, cost, kHopper).find("; but line"), std::string::npos);
  EXPECT_NE(fix_words(subject.recording, cost, kHopper).find("gets worse: 2.50 wavefronts per request, not"),
            std::string::npos)
      << fix_words(subject.recording, cost, kHopper);
  cost.fix.reset();
  EXPECT_EQ(fix_words(subject.recording, cost, kHopper), "");
}

}  // namespace
}  // namespace warplens::picture
