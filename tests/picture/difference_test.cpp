// The difference of two launches as a picture: what is drawn is B - A, counted here once more.
#include "viz/picture/comparison/difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/picture/bank_heat.h"
#include "viz/picture/comparison/bank_difference.h"
#include "viz/picture/comparison/paired_accesses.h"
#include "viz/picture/matrix_heat.h"

namespace warplens::picture {
namespace {

Recording swapped(std::uint32_t tile, std::uint32_t padding = 0, std::uint32_t size = 64) {
  return test::tiled({.tile = tile, .size = size, .padding = padding, .swapped = true});
}

std::optional<HeatMap> map_of_rows(const Picture& picture, std::uint32_t rows) {
  for (const Item& item : picture.items) {
    const auto* const map = std::get_if<HeatMap>(&item);
    if (map != nullptr && map->rows == rows) return *map;
  }
  return std::nullopt;
}

TEST(Difference, SignsHaveDifferentColours) {
  for (const Palette* const palette : {&dark_palette(), &light_palette()}) {
    const HeatMap map{{}, 1, 1, {}, difference_table(*palette), {}};
    const auto colour = [&](std::int64_t difference, std::uint64_t max) {
      return heat_colour(map, difference_value(difference, max));
    };
    EXPECT_EQ(colour(-31, 31), palette->accent);
    EXPECT_EQ(colour(31, 31), palette->fill);
    EXPECT_EQ(colour(-1, 1), palette->accent) << "where differences are of one only, too";
    std::set<std::tuple<int, int, int>> seen;
    for (std::int64_t difference = -31; difference <= 31; ++difference) {
      const Colour one = colour(difference, 31);
      EXPECT_TRUE(seen.insert({one.r, one.g, one.b}).second) << difference;
    }
    EXPECT_NE(colour(1, 1'000'000), colour(0, 1'000'000)) << "the smallest difference is seen";
    EXPECT_NE(colour(-1, 1'000'000), colour(0, 1'000'000));
  }
  EXPECT_EQ(difference_in_figures(-1234), "\u22121,234");
  EXPECT_EQ(difference_in_figures(7), "+7");
}

TEST(Difference, AccessesStandForThoseOfTheirKind) {
  const Recording a = swapped(16), b = swapped(32);
  const Moment at_a{&a, kHopper, 0, 0, 1, 0}, at_b{&b, kHopper, 0, 0, 1, 0};
  const auto events = [](const Moment& moment) {
    return shared_events_of_phase(moment, *moment.nearest({Space::shared}));
  };
  const std::vector<AccessPair> pairs = paired_by_kind(a, events(at_a), b, events(at_b));
  ASSERT_EQ(pairs.size(), 64u) << "two loads for each of 32 terms";
  std::size_t both = 0;
  for (const AccessPair& pair : pairs) {
    if (!pair.a || !pair.b) continue;
    ++both;
    EXPECT_TRUE(alike(a, *pair.a, b, *pair.b));
  }
  EXPECT_EQ(both, 32u);
  const std::vector<AccessPair> back = paired_by_kind(b, events(at_b), a, events(at_a));
  EXPECT_EQ(back.size(), 64u) << "what A alone has comes last";
  EXPECT_FALSE(back.back().b);
  // The fill of either makes two loads and two stores; then A's tile of 16 takes 32 loads, and B's 64.
  const std::vector<AccessPair> by_step = paired_by_step(at_a, at_b, events(at_b));
  ASSERT_EQ(by_step.size(), 64u);
  EXPECT_EQ(*by_step[0].a - events_of_warp(a, 0, 0).begin, 4u);
  EXPECT_EQ(*by_step[31].a - *by_step[0].a, 31u);
  const auto of_next_fill = std::count_if(by_step.begin() + 32, by_step.begin() + 36,
                                          [](const AccessPair& pair) { return pair.a.has_value(); });
  EXPECT_EQ(of_next_fill, 2) << "of A's next fill, whose two loads are from global memory";
  EXPECT_TRUE(by_step[36].a);
}

TEST(BankDifference, IsBMinusA) {
  const Recording a = swapped(32), b = swapped(32, 1);
  const Moment at_a{&a, kHopper, 0, 0, 0, 0}, at_b{&b, kHopper, 0, 0, 0, 0};
  const Picture picture = make_bank_difference(at_a, at_b, false, {900, 700}, kStyle);
  const auto map = map_of_rows(picture, 32);
  ASSERT_TRUE(map);
  const std::vector<std::size_t> events_a = shared_events_of_phase(at_a, *at_a.nearest({Space::shared})),
                                 events_b = shared_events_of_phase(at_b, *at_b.nearest({Space::shared}));
  ASSERT_EQ(map->columns, events_b.size());
  ASSERT_EQ(events_a.size(), events_b.size());
  std::uint64_t max = 0;
  std::vector<std::optional<int>> wanted(map->values.size());
  for (std::size_t column = 0; column < events_b.size(); ++column) {
    const auto of_a = bank_degrees(at_a.access(events_a[column]), kHopper),
               of_b = bank_degrees(at_b.access(events_b[column]), kHopper);
    for (std::size_t bank = 0; bank < 32; ++bank) {
      if (of_a[bank] == 0 && of_b[bank] == 0) continue;
      wanted[bank * map->columns + column] = of_b[bank] - of_a[bank];
      max = std::max(max, static_cast<std::uint64_t>(std::abs(of_b[bank] - of_a[bank])));
    }
  }
  EXPECT_EQ(max, 31u);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) {
      EXPECT_FLOAT_EQ(map->values[i], difference_value(*wanted[i], max)) << i;
    } else {
      EXPECT_TRUE(std::isnan(map->values[i])) << i;
    }
  }
  EXPECT_TRUE(says(picture, "32 \u2192 1 wavefront"));
  EXPECT_TRUE(says(picture, "\u221297 %"));
}

TEST(BankDifference, DifferentBankCountsAreNotCompared) {
  const Recording recording = swapped(32);
  const Picture picture = make_bank_difference({&recording, {1, 0}, 0, 0, 1, 0},
                                               {&recording, kHopper, 0, 0, 1, 0}, false, {900, 700}, kStyle);
  EXPECT_TRUE(picture.empty);
  EXPECT_NE(picture.sentence.find("16 banks for A and 32 for B"), std::string::npos) << picture.sentence;
}

TEST(HeatDifference, IsBMinusA) {
  // Each element of A is read by as many lanes as C has columns; here C's row is cut short by the number of
  // threads.
  const Recording a = test::naive(20, 37, 5), b = test::tiled({.tile = 8, .size = 24});
  const auto counts_a = analysis::element_counts(a), counts_b = analysis::element_counts(b);
  const Picture other = make_heat_difference({a, counts_a}, {b, counts_b}, {}, {900, 500}, kStyle);
  EXPECT_TRUE(says(other, "A has 20 \u00d7 5 elements in launch A"));
  EXPECT_FALSE(map_of_rows(other, 20));
  EXPECT_NE(other.sentence.find("24 \u00d7 24 in launch B: element by element there is no difference"),
            std::string::npos)
      << other.sentence;

  const Recording c = test::tiled({.tile = 12, .size = 24});
  const auto counts_c = analysis::element_counts(c);
  const Picture picture = make_heat_difference({b, counts_b}, {c, counts_c}, {}, {1500, 500}, kStyle);
  const auto map = map_of_rows(picture, 24);
  ASSERT_TRUE(map) << "of A, the first";
  std::int64_t max = 0;
  const auto at = [&](std::size_t i) {
    return std::int64_t{counts_c[0].reads[i]} - std::int64_t{counts_b[0].reads[i]};
  };
  for (std::size_t i = 0; i < 24 * 24; ++i) max = std::max(max, std::abs(at(i)));
  EXPECT_GT(max, 0);
  for (std::size_t i = 0; i < 24 * 24; ++i) {
    if (counts_b[0].reads[i] == 0 && counts_c[0].reads[i] == 0) continue;
    EXPECT_FLOAT_EQ(map->values[i], difference_value(at(i), static_cast<std::uint64_t>(max))) << i;
  }
}

TEST(HeatDifference, OfALaunchWithItselfIsZero) {
  const Recording recording = test::tiled({.tile = 8, .size = 24});
  const auto counts = analysis::element_counts(recording);
  const Picture picture =
      make_heat_difference({recording, counts}, {recording, counts}, {}, {900, 500}, kStyle);
  EXPECT_EQ(picture.sentence, "Every element is accessed as often by both");
  EXPECT_TRUE(says(picture, "A: read as often"));
  EXPECT_TRUE(says(picture, "C: written as often"));
}

}  // namespace
}  // namespace warplens::picture
