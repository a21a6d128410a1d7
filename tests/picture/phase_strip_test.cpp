#include "viz/picture/phase_strip.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "picture/kernels.h"

namespace warplens::picture {
namespace {

TEST(PhaseStrip, EdgesAscendFromNoneToAll) {
  const Recording recording = test::tiled({.tile = 32, .size = 128});
  const std::vector<float> edges = phase_edges(recording);
  ASSERT_EQ(edges.size(), recording.phases.size() + 1);
  EXPECT_EQ(edges.front(), 0);
  EXPECT_EQ(edges.back(), 1);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) EXPECT_LT(edges[i], edges[i + 1]);
  EXPECT_GT(edges[2] - edges[1], 2 * (edges[1] - edges[0]));  // Computing makes more requests than filling
}

TEST(PhaseStrip, EveryStepLiesWhereItsMarkerIsDrawn) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  const std::vector<float> edges = phase_edges(recording);
  for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
    Moment moment{&recording, {9, 0}, 0, 3, phase, 0};
    const auto steps = static_cast<std::uint32_t>(moment.steps().size());
    for (std::uint32_t step = 0; step < steps; ++step) {
      const float part = edges[phase] + (static_cast<float>(step) + 0.5f) / static_cast<float>(steps) *
                                            (edges[phase + 1] - edges[phase]);
      const StripPlace place = place_on_strip(moment, part);
      EXPECT_EQ(place.phase, phase);
      EXPECT_EQ(place.step, step);
    }
  }
}

TEST(PhaseStrip, PlacesBeyondTheEndsAreTheEnds) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  const Moment moment{&recording, {9, 0}, 0, 0, 0, 0};
  EXPECT_EQ(place_on_strip(moment, -1).phase, 0u);
  EXPECT_EQ(place_on_strip(moment, 2).phase, recording.phases.size() - 1);
}

TEST(PhaseStrip, ThousandsOfPhasesCanStillBePointedAt) {
  Recording recording = test::naive(4, 32, 3000);
  const Picture picture =
      make_phase_strip({&recording, {9, 0}, 0, 0, 1500, 0}, analysis::phase_kinds(recording), {1000, 60},
                       {&dark_palette(), 1});
  EXPECT_LT(picture.items.size(), 50u);
  const auto hit = picture.hit({500, 30});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->target.kind, Target::Kind::phase);
  EXPECT_NEAR(static_cast<double>(hit->target.a), 1500, 3);
}

TEST(PhaseStrip, NumbersAllPhasesOrTheCurrentOneAlone) {
  const Recording recording = test::naive(4, 32, 256);
  const std::size_t phases = recording.phases.size();
  ASSERT_GT(phases, 10u);
  for (const float width : {100.0f, 500.0f, 1000.0f, 4000.0f}) {
    const Picture picture =
        make_phase_strip({&recording, {9, 0}, 0, 0, 8, 0}, analysis::phase_kinds(recording), {width, 60},
                         {&dark_palette(), 1});
    const auto numbers = std::ranges::count_if(
        picture.items, [](const Item& item) { return std::holds_alternative<Text>(item); });
    EXPECT_TRUE(numbers <= 1 || static_cast<std::size_t>(numbers) == phases)
        << numbers << " of " << phases << " at " << width;
  }
}

}  // namespace
}  // namespace warplens::picture
