// Pictures of two launches beside each other: to one scale, whichever of the two is drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/picture/banks.h"
#include "viz/picture/coalescing.h"
#include "viz/picture/costs.h"
#include "viz/picture/divergence.h"
#include "viz/picture/matrix_heat.h"
#include "viz/picture/tile_phases/tile_phases.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

/// Two launches, and where one looks in each.
struct Two {
  Recording recording_a, recording_b;
  analysis::Results results_a, results_b;
  Moment a, b;

  Two(Recording of_a, Recording of_b, std::uint32_t phase = 1)
      : recording_a(std::move(of_a)),
        recording_b(std::move(of_b)),
        results_a(analysis::results_of(recording_a, kHopper)),
        results_b(analysis::results_of(recording_b, kHopper)),
        a{&recording_a, kHopper, 0, 0, phase, 0},
        b{&recording_b, kHopper, 0, 0, phase, 0} {}

  [[nodiscard]] Picture draw(const char* view, bool of_b, Size size) const {
    viz::Subject subject{.moment = of_b ? b : a, .results = of_b ? &results_b : &results_a};
    subject.beside = of_b ? viz::Side{a, &results_a} : viz::Side{b, &results_b};
    return viz::find_view(view)->make(subject, size, kStyle);
  }
};

std::vector<HeatMap> heat_maps(const Picture& picture) {
  std::vector<HeatMap> maps;
  for (const Item& item : picture.items) {
    const auto* const map = std::get_if<HeatMap>(&item);
    if (map != nullptr && map->rows > 1) maps.push_back(*map);  // One of a row is a key to the colours
  }
  return maps;
}

/// The map of the most cells.
HeatMap largest_map(const Picture& picture) {
  const std::vector<HeatMap> maps = heat_maps(picture);
  return *std::ranges::max_element(maps, {}, [](const HeatMap& map) { return map.values.size(); });
}

float greatest(const HeatMap& map) {
  float max = 0;
  for (const float value : map.values) max = std::isnan(value) ? max : std::max(max, value);
  return max;
}

Rect region_of(const Picture& picture, Target::Kind kind) {
  const auto found = std::ranges::find_if(
      picture.regions, [kind](const Region& region) { return region.target.kind == kind; });
  return found == picture.regions.end() ? Rect{} : found->rect;
}

// Tiles of 16 have half as many accesses in a phase: their columns are as wide as those of tiles of 32, and
// half of the time is empty.
TEST(SideBySide, BanksShareOneTimeAxis) {
  const Two two(test::tiled({.tile = 16, .size = 64, .swapped = true}),
                test::tiled({.tile = 32, .size = 64, .swapped = true}));
  const Picture a = two.draw("banks", false, {900, 700}), b = two.draw("banks", true, {900, 700});
  const HeatMap map_a = largest_map(a), map_b = largest_map(b);
  EXPECT_EQ(map_a.columns, map_b.columns);
  EXPECT_EQ(map_a.rect.width, map_b.rect.width);
  EXPECT_EQ(map_a.rect.height, map_b.rect.height);
  EXPECT_EQ(map_a.table, map_b.table);
  EXPECT_TRUE(std::isnan(map_a.values[map_a.columns - 1])) << "A has no more accesses";
  EXPECT_EQ(region_of(a, Target::Kind::event).width, region_of(b, Target::Kind::event).width);
  EXPECT_EQ(region_of(a, Target::Kind::bank).width, region_of(b, Target::Kind::bank).width);
}

TEST(SideBySide, SixteenBanksAreHalfAsHighAsThirtyTwo) {
  Two two(test::tiled({.tile = 32, .size = 64, .swapped = true}),
          test::tiled({.tile = 32, .size = 64, .swapped = true}));
  two.a.cc = {1, 0};
  two.results_a = analysis::results_of(two.recording_a, {1, 0});
  const HeatMap a = largest_map(two.draw("banks", false, {900, 700})),
                b = largest_map(two.draw("banks", true, {900, 700}));
  EXPECT_EQ(a.rows, 16u);
  EXPECT_EQ(b.rows, 32u);
  EXPECT_EQ(a.table, b.table) << "a conflict of 16 has one colour";
  EXPECT_NEAR(a.rect.height / 16, b.rect.height / 32, 0.1);
}

TEST(SideBySide, MatricesShareScaleAndColours) {
  const Two two(test::naive(20, 37, 5), test::naive(20, 64, 5),
                0);  // Each element of A is read by as many lanes as B has columns
  const Picture a = two.draw("heat", false, {700, 400}), b = two.draw("heat", true, {700, 400});
  const std::vector<HeatMap> maps_a = heat_maps(a), maps_b = heat_maps(b);
  ASSERT_FALSE(maps_a.empty() || maps_b.empty());
  const auto pixels = [](const HeatMap& map, std::uint64_t columns) {
    return map.rect.width / static_cast<float>(columns);
  };
  EXPECT_NEAR(pixels(maps_a[1], 37), pixels(maps_b[1], 64), 0.1);
  const Picture alone =
      viz::find_view("heat")->make({.moment = two.a, .results = &two.results_a}, {700, 400}, kStyle);
  EXPECT_EQ(greatest(heat_maps(alone)[0]), 1);
  EXPECT_LT(std::min(greatest(maps_a[0]), greatest(maps_b[0])), 1) << "one is read less often";
  EXPECT_EQ(std::max(greatest(maps_a[0]), greatest(maps_b[0])), 1);
}

TEST(SideBySide, MatricesAndTilesShareOneScale) {
  const Two two(test::tiled({.tile = 8, .size = 32}), test::tiled({.tile = 32, .size = 64}));
  const HeatMap a = largest_map(two.draw("phases", false, {900, 500})),
                b = largest_map(two.draw("phases", true, {900, 500}));
  EXPECT_NEAR(a.rect.width / static_cast<float>(a.columns), b.rect.width / static_cast<float>(b.columns),
              0.01);
}

TEST(SideBySide, BarsShareOneScale) {
  // Padding takes the conflicts away, so that its bars are of what is left.
  const Two two(test::tiled({.tile = 32, .size = 64, .swapped = true}),
                test::tiled({.tile = 32, .size = 64, .padding = 1, .swapped = true}), 0);
  const auto shares = [&](bool of_b) -> const std::vector<analysis::LineCost>& {
    return of_b ? two.results_b.costs : two.results_a.costs;
  };
  const auto bars = [&](bool of_b) {
    std::vector<float> widths;
    for (const Item& item : two.draw("costs", of_b, {900, 700}).items) {
      const auto* const rect = std::get_if<FilledRect>(&item);
      if (rect != nullptr && rect->colour == dark_palette().costly) widths.push_back(rect->rect.width);
    }
    return widths;
  };
  const std::vector<float> a = bars(false), b = bars(true);
  ASSERT_EQ(a.size(), shares(false).size());
  ASSERT_EQ(b.size(), shares(true).size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto &of_a = shares(false)[i], &of_b = shares(true)[j];
      if ((of_a.figures.space == Space::shared) != (of_b.figures.space == Space::shared)) continue;
      EXPECT_NEAR(a[i] * static_cast<float>(of_b.excess()), b[j] * static_cast<float>(of_a.excess()),
                  1e-2f * a[i] * static_cast<float>(of_b.excess()));
    }
  }
}

TEST(SideBySide, SectorsShareOneScale) {
  const Two two(test::tiled({.tile = 32, .size = 64}), test::tiled({.tile = 32, .size = 64, .swapped = true}),
                0);
  EXPECT_TRUE(says(two.draw("coalescing", false, {900, 600}), "most 32"))
      << "those of B, of which a load takes 32 sectors";
  EXPECT_TRUE(says(two.draw("coalescing", true, {900, 600}), "most 32"));
  EXPECT_TRUE(says(
      viz::find_view("coalescing")->make({.moment = two.a, .results = &two.results_a}, {900, 600}, kStyle),
      "most 4"));
}

TEST(SideBySide, DivergenceCellsShareOneSize) {
  const Two two(test::tiled({.tile = 16, .size = 64}), test::tiled({.tile = 32, .size = 64}));
  const Picture a = two.draw("divergence", false, {900, 500}), b = two.draw("divergence", true, {900, 500});
  const auto cell = [](const Picture& picture) {
    const auto found = std::ranges::find_if(picture.regions, [](const Region& region) {
      return region.target.kind == Target::Kind::site && region.target.a == 0;
    });
    return found->rect;
  };
  EXPECT_NEAR(cell(a).width, cell(b).width, 0.01);
  EXPECT_NEAR(cell(a).height, cell(b).height, 0.01);
}

}  // namespace
}  // namespace warplens::picture
