#include "kernels/recording/shape_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "recording/sample.h"

namespace warplens {
namespace {

Shape strided(std::int64_t stride) {
  Shape shape{};
  for (std::size_t lane = 0; lane < shape.size(); ++lane)
    shape[lane] = static_cast<std::int64_t>(lane) * stride;
  return shape;
}

TEST(ShapeTable, EqualShapesGetEqualIndicesInOrderOfAppearance) {
  ShapeTable table;
  for (std::int64_t round = 0; round < 2; ++round) {
    for (std::int64_t stride = 0; stride < 5000; ++stride)
      EXPECT_EQ(table.intern(strided(stride - 2500)), static_cast<std::uint32_t>(stride));
  }
  EXPECT_EQ(table.shapes().size(), 5000u);
  EXPECT_EQ(table.shapes()[7], strided(7 - 2500));
}

TEST(ShapeTable, ShapesThatDifferInOneLaneOnlyAreDifferent) {
  ShapeTable table;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    Shape shape{};
    shape[lane] = 1;
    EXPECT_EQ(table.intern(shape), lane);
  }
}

TEST(ShapeTable, IsEmptyAndUsableOnceTaken) {
  ShapeTable table;
  (void)table.intern(strided(4));
  EXPECT_EQ(table.take().size(), 1u);
  EXPECT_TRUE(table.shapes().empty());
  EXPECT_EQ(table.intern(strided(8)), 0u);
}

/// The same recording as another engine might have left it: shapes in another order, some twice, some unused;
/// patterns split and shuffled.
Recording scrambled(Recording recording, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t count = recording.shapes.size();
  std::vector<std::uint32_t> new_place(count);
  std::iota(new_place.begin(), new_place.end(), 0u);
  std::shuffle(new_place.begin(), new_place.end(), random);
  std::vector<Shape> shapes(2 * count);
  for (std::size_t index = 0; index < count; ++index)
    shapes[new_place[index]] = shapes[new_place[index] + count] = recording.shapes[index];
  shapes.push_back(strided(12345));
  recording.shapes = std::move(shapes);

  const auto moved = [&](std::uint32_t shape) {
    return new_place[shape] + static_cast<std::uint32_t>(random() % 2 * count);
  };
  for (std::uint32_t& shape : recording.events.shape) shape = moved(shape);
  for (SiteTotals& totals : recording.totals) {
    std::vector<PatternCount> patterns;
    for (PatternCount pattern : totals.patterns) {
      for (; pattern.count > 0; --pattern.count)
        patterns.push_back({moved(pattern.shape), pattern.mask, pattern.alignment, 1});
    }
    std::shuffle(patterns.begin(), patterns.end(), random);
    totals.patterns = std::move(patterns);
  }
  std::shuffle(recording.findings.begin(), recording.findings.end(), random);
  return recording;
}

TEST(Canonicalise, DoesNotDependOnInterningOrder) {
  const Recording expected = sample::make();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Recording recording = scrambled(expected, seed);
    EXPECT_NE(recording.shapes, expected.shapes);
    canonicalise(recording);
    EXPECT_EQ(recording, expected);
  }
}

TEST(Canonicalise, IsIdempotent) {
  Recording recording = scrambled(sample::make(), 6);
  canonicalise(recording);
  const Recording once = recording;
  canonicalise(recording);
  EXPECT_EQ(recording, once);
}

TEST(Canonicalise, SortsShapesPatternsAndFindings) {
  const Recording recording = sample::make();
  EXPECT_TRUE(std::is_sorted(recording.shapes.begin(), recording.shapes.end()));
  for (const SiteTotals& totals : recording.totals) {
    for (std::size_t i = 1; i < totals.patterns.size(); ++i)
      EXPECT_LE(totals.patterns[i - 1].shape, totals.patterns[i].shape);
  }
  ASSERT_EQ(recording.findings.size(), 2u);
  EXPECT_EQ(recording.findings[0].warp, 0u);
  EXPECT_EQ(recording.findings[1].warp, 1u);
}

/// Shapes that differ from the first lane on or from the last one, near each other and as far apart as 64
/// bits go, each of them in two patterns.
Recording many_shapes(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  Recording recording;
  recording.totals.resize(2);
  for (std::size_t k = 0; k < count; ++k) {
    Shape shape{};
    const std::size_t first = random() % kWarpSize;
    const int shift = seed % 2 == 0 ? 52 : static_cast<int>(random() % 64);
    for (std::size_t lane = first; lane < kWarpSize; ++lane)
      shape[lane] = static_cast<std::int64_t>(random()) >> shift;
    recording.shapes.push_back(shape);
    for (SiteTotals& totals : recording.totals) {
      totals.patterns.push_back({static_cast<std::uint32_t>(random() % (k + 1)),
                                 static_cast<std::uint32_t>(random() % 3 + 1), 0, 1});
      totals.patterns.push_back(
          {static_cast<std::uint32_t>(k), 1, static_cast<std::uint32_t>(random() % 2 * 128), 1});
    }
  }
  return recording;
}

TEST(Canonicalise, SortsManyOfEveryWidth) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Recording recording = many_shapes(seed, 3000);
    std::vector<Shape> expected = recording.shapes;
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    using Pattern = std::tuple<Shape, std::uint32_t, std::uint32_t>;
    const auto counts_of = [](const Recording& of, std::size_t site) {
      std::map<Pattern, std::uint64_t> counts;
      for (const PatternCount& pattern : of.totals[site].patterns)
        counts[{of.shapes[pattern.shape], pattern.mask, pattern.alignment}] += pattern.count;
      return counts;
    };
    const auto first = counts_of(recording, 0), second = counts_of(recording, 1);
    canonicalise(recording);
    EXPECT_EQ(recording.shapes, expected);
    EXPECT_EQ(counts_of(recording, 0), first);
    EXPECT_EQ(counts_of(recording, 1), second);
    EXPECT_EQ(recording.totals[0].patterns.size(), first.size());
    const auto key = [](const PatternCount& pattern) {
      return std::tie(pattern.shape, pattern.mask, pattern.alignment);
    };
    for (const SiteTotals& totals : recording.totals) {
      EXPECT_TRUE(
          std::is_sorted(totals.patterns.begin(), totals.patterns.end(),
                         [&](const PatternCount& a, const PatternCount& b) { return key(a) < key(b); }));
    }
  }
}

TEST(Canonicalise, AcceptsAnEmptyRecording) {
  Recording recording;
  canonicalise(recording);
  EXPECT_EQ(recording, Recording{});
}

}  // namespace
}  // namespace warplens
