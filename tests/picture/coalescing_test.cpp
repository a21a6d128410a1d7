#include "viz/picture/coalescing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "picture/kernels.h"
#include "picture/words.h"
#include "recording/sample.h"
#include "viz/picture/access_strip.h"
#include "viz/picture/tile_phases/tile_phases.h"

namespace warplens::picture {
namespace {

template <class Shape>
std::size_t count(const Picture& picture) {
  std::size_t found = 0;
  for (const Item& item : picture.items) found += std::holds_alternative<Shape>(item) ? 1 : 0;
  return found;
}

TEST(Coalescing, ShowsAFullLineAsFourSectorsAllUsed) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, {900, 320}, kStyle);
  EXPECT_TRUE(says(picture, "4 sectors"));
  EXPECT_TRUE(says(picture, "128 of 128 fetched bytes used (100 %)"));
  EXPECT_EQ(count<Curve>(picture), 32u);
}

TEST(Coalescing, ShowsAColumnAsOneSectorPerLane) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, {900, 320}, kStyle);
  EXPECT_TRUE(says(picture, "32 sectors"));
  EXPECT_TRUE(says(picture, "128 of 1,024 fetched bytes used (12.5 %)"));
  EXPECT_TRUE(says(picture, "more lines like these"));
}

/// Every lane the word 16 of its own local memory, and the next ones if it is wide: a word of all lanes is
/// one line.
TEST(Coalescing, DrawsLocalMemoryAsItIsInterleaved) {
  Recording recording = test::tiled({.tile = 32, .size = 64});
  const std::size_t event = *Moment{&recording, kHopper, 0, 0, 0, 0}.event();
  recording.shapes.push_back(Shape{});
  recording.events.shape[event] = static_cast<std::uint32_t>(recording.shapes.size() - 1);
  recording.events.base[event] = 64;
  Site& site = recording.sites[recording.events.site[event]];
  site.space = Space::local;
  const auto lanes_of_word = [&](int word) {
    const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, {900, 400}, kStyle);
    EXPECT_EQ(count<Curve>(picture), 32u);
    return std::ranges::count_if(picture.regions, [&](const Region& region) {
      return region.target.kind == Target::Kind::lane &&
             region.tooltip.find(": local word " + std::to_string(word) + " ") != std::string::npos;
    });
  };
  EXPECT_EQ(lanes_of_word(16), 32);
  EXPECT_EQ(lanes_of_word(17), 0);
  site.bytes = 16;
  for (int word = 16; word < 20; ++word) EXPECT_EQ(lanes_of_word(word), 32);
}

TEST(Coalescing, DrawsTheLineThatThePointedAtLaneNeeds) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Moment moment{&recording, kHopper, 0, 0, 0, 0};
  const std::string line_of_31 = hexadecimal(moment.access(*moment.event()).address[31] / 128 * 128);
  const auto names_it = [&](const Picture& picture) {
    for (const Region& region : picture.regions) {
      if (region.target.kind == Target::Kind::line && region.tooltip.find(line_of_31) != std::string::npos)
        return true;
    }
    return false;
  };
  EXPECT_FALSE(names_it(make_coalescing(moment, {}, {500, 300}, kStyle)));
  EXPECT_TRUE(names_it(make_coalescing(moment, {.lane = 31}, {500, 300}, kStyle)));
}

TEST(Coalescing, DrawsAsManyTransactionsAsTheOlderRulesCount) {
  const Recording subjects[] = {test::tiled({.tile = 32, .size = 64}),
                                test::tiled({.tile = 32, .size = 64, .swapped = true}),
                                test::naive(20, 37, 5)};
  for (const Recording& recording : subjects) {
    for (const analysis::ComputeCapability cc : {analysis::ComputeCapability{1, 0}, {1, 3}, {2, 0}, {3, 5}}) {
      for (std::uint32_t step = 0; step < 2; ++step) {
        const Moment moment{&recording, cc, 0, 1, 0, step};
        const Picture picture = make_coalescing(moment, {}, {1600, 1600}, kStyle);  // Room for all lines
        std::uint64_t drawn = 0;
        for (const Region& region : picture.regions) {
          if (region.target.kind == Target::Kind::transaction) drawn += region.columns;
        }
        EXPECT_EQ(drawn, analysis::access_cost(moment.access(*moment.nearest({Space::global})), cc).sectors)
            << cc.name() << ", step " << step;
        EXPECT_EQ(says(picture, "half-warp: lanes 16\u201331"), cc.major == 1) << cc.name();
      }
    }
  }
}

TEST(Coalescing, SaysWhyAHalfWarpDoesNotJoin) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture = make_coalescing({&recording, {1, 0}, 0, 0, 0, 0}, {}, {1400, 500}, kStyle);
  EXPECT_TRUE(
      says(picture, "half-warp 0\u201315: 16 transactions of 32 bytes, as lane 1 does not access word 1"));
  EXPECT_TRUE(
      says(picture, "half-warp 16\u201331: 16 transactions of 32 bytes, as lane 17 does not access word 1"));
  EXPECT_NE(picture.sentence.find("16 for each half-warp, as lane 1 does not access word 1"),
            std::string::npos)
      << picture.sentence;
}

TEST(Coalescing, DrawsLocalMemoryAsItIsStored) {
  Recording recording = test::tiled({.tile = 32, .size = 64});
  for (Site& site : recording.sites) site.space = Space::local;
  for (Shape& shape : recording.shapes)
    shape = {};  // The same index in every lane: the words of 32 lanes lie side by side
  const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, {900, 320}, kStyle);
  EXPECT_TRUE(says(picture, "4 sectors"));
  float covered = 0, line = 0;
  for (const Region& region : picture.regions) {
    if (region.target.kind == Target::Kind::line) line += region.rect.width;
    if (region.target.kind == Target::Kind::lane && region.tooltip.find("local word") != std::string::npos)
      covered += region.rect.width;
  }
  EXPECT_GT(line, 0);
  EXPECT_NEAR(covered, line, 1);
}

TEST(Coalescing, LanesOfTheStripPointToThemselves) {
  const Recording recording = test::naive(20, 30, 4);
  const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, {700, 400}, kStyle);
  int lane = 0;
  for (const Region& region : picture.regions) {
    if (region.target.kind != Target::Kind::lane || lane == kWarpSize) continue;
    EXPECT_EQ(region.target.a, lane++);  // The strip is drawn first, in order
  }
  EXPECT_EQ(lane, kWarpSize);
}

TEST(Coalescing, CurvesEndOnTheFirstRowOfLines) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, {900, 500}, kStyle);
  std::vector<float> ends;
  for (const Item& item : picture.items) {
    if (const auto* curve = std::get_if<Curve>(&item)) ends.push_back(curve->to.y);
  }
  ASSERT_GT(ends.size(), 1u);
  EXPECT_LT(ends.size(), 32u) << "The other lanes have stubs";
  EXPECT_EQ(std::ranges::count(ends, ends.front()), static_cast<std::ptrdiff_t>(ends.size()));
  EXPECT_TRUE(says(picture, "lane 15"));
}

TEST(Coalescing, FramesTheCurrentAccessAmongManyMoreThanPixels) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  for (std::uint32_t step = 0; step < 64; ++step) {  // As many as a compute phase makes
    const Moment moment{&recording, kHopper, 0, 0, 1, step};
    Canvas canvas({60, 80}, kStyle);
    Rect rest{0, 0, 60, 80};
    draw_access_strip(canvas, rest, moment, *moment.event(), AccessFigure::wavefronts);
    const Picture picture = canvas.take();
    const auto* const frame = std::get_if<OutlinedRect>(&*std::ranges::find_if(
        picture.items, [](const Item& item) { return std::holds_alternative<OutlinedRect>(item); }));
    ASSERT_NE(frame, nullptr) << step;
    EXPECT_GE(frame->rect.width, 4);
    EXPECT_NEAR(frame->rect.x + frame->rect.width / 2, 60 * (static_cast<float>(step) + 0.5f) / 64, 3);
  }
}

TEST(Coalescing, LanesAreAsWideAsTheLineThatTheyLeadTo) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  for (const Size size : {Size{420, 300}, Size{900, 320}, Size{2400, 500}, Size{3840, 600}}) {
    const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, size, kStyle);
    const auto line = std::ranges::find(picture.regions, Target::Kind::line,
                                        [](const Region& region) { return region.target.kind; });
    ASSERT_NE(line, picture.regions.end());
    std::vector<Rect> lanes;  // The strip is drawn first
    for (const Region& region : picture.regions) {
      if (region.target.kind == Target::Kind::lane && lanes.size() < 32) lanes.push_back(region.rect);
    }
    ASSERT_EQ(lanes.size(), 32u);
    EXPECT_FLOAT_EQ(lanes.front().x, line->rect.x) << size.width;
    EXPECT_NEAR(lanes.back().right(), line->rect.right(), 0.1f) << size.width;
  }
}

TEST(Coalescing, ExcessIsHatchedAtAnyWidth) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Moment moment{&recording, kHopper, 0, 0, 1, 0};
  for (const float width : {60.0f, 200.0f, 1600.0f}) {
    Canvas canvas({width, 80}, kStyle);
    Rect rest{0, 0, width, 80};
    draw_access_strip(canvas, rest, moment, *moment.event(), AccessFigure::wavefronts);
    const Picture picture = canvas.take();
    const auto height_of = [&](Colour colour) {
      float highest = 0;
      for (const Item& item : picture.items) {
        const auto* fill = std::get_if<FilledRect>(&item);
        if (fill != nullptr && fill->colour == colour) highest = std::max(highest, fill->rect.height);
      }
      return highest;
    };
    EXPECT_NEAR(height_of(kStyle.palette->costly), 34.0f * 31 / 32, 0.1f)
        << width << ": 31 of 32 wavefronts are conflicts";
    EXPECT_GT(height_of(kStyle.palette->good), 0) << width;
    EXPECT_EQ(says(picture, "hatched"), count<Hatch>(picture) > 0 && width > 1000) << width;
  }
}

TEST(Coalescing, LowPicturesHaveTheLinesAlone) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  for (const Size size : {Size{420, 76}, Size{560, 80}, Size{900, 110}}) {
    const Picture picture = make_coalescing({&recording, kHopper, 0, 0, 0, 0}, {}, size, kStyle);
    expect_sound(picture, 1);
    EXPECT_TRUE(says(picture, "32 sectors"));
    EXPECT_TRUE(
        std::ranges::none_of(texts_of(picture), [](const Text* text) { return text->text == "lanes"; }));
    const auto lines = std::ranges::count(picture.regions, Target::Kind::line,
                                          [](const Region& region) { return region.target.kind; });
    EXPECT_GE(lines, 1) << size.width << " x " << size.height;
    EXPECT_GE(count<Hatch>(picture), 1u) << "what is fetched and not used";
  }
}

TEST(TilePhases, AWritePhaseIsNotOfWhatSharedMemoryStillHolds) {
  const Recording recording = test::tiled({.tile = 32, .size = 128});
  analysis::PhaseFollower follower;
  const auto& footprints = follower.at(recording, 0, 8)->footprints;
  EXPECT_TRUE(footprints[0].now().empty());
  EXPECT_TRUE(footprints[1].now().empty());
  EXPECT_FALSE(footprints[2].now().empty());
}

TEST(TilePhases, NamesWhatAFillReadsAndWhatAComputePhaseHolds) {
  const Recording recording = test::tiled({.tile = 32, .size = 128});  // The block is (3, 3)
  const auto kinds = analysis::phase_kinds(recording);
  const Picture fill = make_tile_phases({&recording, kHopper, 0, 0, 2, 0}, kinds, {}, {500, 355}, kStyle);
  EXPECT_EQ(fill.sentence, "Tile 2 fills shared memory from A[96..127][32..63] and B[32..63][96..127]");
  const Picture compute = make_tile_phases({&recording, kHopper, 0, 0, 3, 5}, kinds, {}, {500, 355}, kStyle);
  EXPECT_EQ(compute.sentence,
            "Tile 2 computes from shared memory: A[96..127][32..63] and B[32..63][96..127]");
  EXPECT_EQ(compute.subtitle, "tile 2 of 4, compute · block (3, 3)");
  const Picture write = make_tile_phases({&recording, kHopper, 0, 0, 8, 0}, kinds, {}, {500, 355}, kStyle);
  EXPECT_EQ(write.sentence, "Results are written to C[96..127][96..127]");
}

TEST(TilePhases, SentenceCountsPhasesAsTheSubtitleDoes) {
  for (const Recording& recording :
       {sample::make(), test::tiled(), test::naive(20, 37, 5), test::assorted(), test::wrong()}) {
    const std::vector<analysis::PhaseKind> kinds = analysis::phase_kinds(recording);
    for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
      const Picture picture =
          make_tile_phases({&recording, kHopper, 0, 0, phase, 0}, kinds, {}, {900, 600}, kStyle);
      const auto tile = analysis::tile_of(kinds, phase);
      EXPECT_EQ(picture.subtitle.starts_with("tile "), tile.has_value()) << picture.subtitle;
      EXPECT_EQ(picture.sentence.starts_with("Tile "), tile.has_value()) << picture.sentence;
      if (tile) {
        EXPECT_TRUE(picture.sentence.starts_with("Tile " + std::to_string(*tile) + " ")) << picture.sentence;
      }
    }
  }
}

TEST(TilePhases, ElementsCanBePointedAt) {
  const Recording recording = test::tiled({.tile = 32, .size = 128});
  const Picture picture = make_tile_phases({&recording, kHopper, 0, 0, 2, 0},
                                           analysis::phase_kinds(recording), {}, {900, 600}, kStyle);
  const auto region = std::find_if(picture.regions.begin(), picture.regions.end(), [](const Region& r) {
    return r.target.kind == Target::Kind::element && r.target.a == 1;
  });
  ASSERT_NE(region, picture.regions.end());
  const float cell = region->rect.width / 128;
  const auto hit = picture.hit({region->rect.x + 100.5f * cell, region->rect.y + 40.5f * cell});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->target.b, 40);
  EXPECT_EQ(hit->target.c, 100);
  EXPECT_EQ(hit->tooltip, "B[40][100]");
}

TEST(TilePhases, AnElementOfOneRowHasOneIndex) {
  Picture picture;
  picture.regions.push_back({.rect = {0, 0, 80, 20},
                             .target = {Target::Kind::element, 0, 0, 0},
                             .tooltip = "data",
                             .rows = 1,
                             .columns = 8});
  EXPECT_EQ(picture.hit({35, 10})->tooltip, "data[3]");
  picture.regions[0].transposed = true;  // A column of eight, each a row
  EXPECT_EQ(picture.hit({35, 10})->tooltip, "data[3][0]");
}

TEST(TilePhases, DrawsAMatrixThatIsStoredTransposedInItsPlace) {
  Recording recording = test::tiled({.tile = 32, .size = 128});
  recording.buffers[1].name = "Bt";
  const auto kinds = analysis::phase_kinds(recording);
  const Picture picture = make_tile_phases({&recording, kHopper, 0, 0, 2, 0}, kinds, {}, {900, 600}, kStyle);
  const auto region_of = [&](std::int64_t buffer) {
    return *std::find_if(picture.regions.begin(), picture.regions.end(), [buffer](const Region& r) {
      return r.target.kind == Target::Kind::element && r.target.a == buffer;
    });
  };
  const Region b = region_of(1), c = region_of(2);
  EXPECT_EQ(b.rect.x, c.rect.x) << "above C";
  EXPECT_LT(b.rect.bottom(), c.rect.y);
  const float cell = b.rect.width / 128;
  const auto hit = picture.hit({b.rect.x + 100.5f * cell, b.rect.y + 40.5f * cell});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->tooltip, "Bt[100][40]") << "row 40 and column 100 of B";
  // The block reads Bt[32..63][96..127] in this phase: B's rows 96 to 127, its columns 32 to 63.
  bool framed = false;
  for (const Item& item : picture.items) {
    const auto* frame = std::get_if<OutlinedRect>(&item);
    if (frame == nullptr) continue;
    framed = framed || (std::abs(frame->rect.x + 1 - (b.rect.x + 32 * cell)) < 0.5f &&
                        std::abs(frame->rect.y + 1 - (b.rect.y + 96 * cell)) < 0.5f);
  }
  EXPECT_TRUE(framed);
}

TEST(TilePhases, SaysWhichLanesAreOutOfRange) {
  const Recording recording = test::naive(20, 37, 5);
  const Picture picture = make_tile_phases({&recording, kHopper, 0, 1, 2, 0},
                                           analysis::phase_kinds(recording), {}, {900, 600}, kStyle);
  EXPECT_TRUE(says(picture, "lanes 5–7 out of range"));  // Thread 37, 38, 39 of the row of 40
  EXPECT_EQ(picture.sentence, "Pass 3 reads A[0..19][2] and B[2][0..36]");
}

}  // namespace
}  // namespace warplens::picture
