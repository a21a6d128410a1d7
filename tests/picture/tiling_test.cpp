// Tiles of a product's launch: their size, the lines between them, the lens around the one of now, and the
// way to their blocks.
#include "viz/picture/tile_phases/tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "picture/kernels.h"
#include "picture/sound.h"
#include "picture/words.h"
#include "viz/analysis/results.h"
#include "viz/picture/banks.h"
#include "viz/picture/matrix_heat.h"
#include "viz/picture/matrix_map.h"
#include "viz/picture/tile_phases/tile_phases.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

Tiling tiling(const Recording& recording) {
  return tiling_of(recording, *product_of(recording), analysis::phase_kinds(recording));
}

Picture phases_of(const Recording& recording, Size size, std::uint32_t phase = 1) {
  return make_tile_phases({&recording, {9, 0}, 0, 0, phase, 0}, analysis::phase_kinds(recording), {}, size,
                          kStyle);
}

TEST(Tiling, IsThatOfTheBlock) {
  for (const std::uint32_t tile : {4u, 8u, 32u}) {
    const Tiling found = tiling(test::tiled({.tile = tile, .size = 64}));
    EXPECT_EQ(found.rows, tile);
    EXPECT_EQ(found.columns, tile);
    EXPECT_EQ(found.depth, tile);
  }
}

TEST(Tiling, ATileOfCLeadsToItsBlock) {
  Recording recording = test::tiled({.tile = 8, .size = 24});
  const Dim3 last =
      recording.event_blocks.at(0);  // Down and across alike: it does not say which coordinate counts what
  ASSERT_EQ(last.x, last.y);
  EXPECT_FALSE(tiling(recording).across);
  recording.event_blocks[0] = {
      last.x, 1, 0};  // One that writes column `last.x` and row `last.y` of the tiles cannot be that block
  EXPECT_FALSE(tiling(recording).across);
}

// Lines between several tiles would be those of a tile that the kernel does not have.
TEST(Tiling, LinesAreThoseOfTheTileOrNone) {
  const Buffer matrix{.name = "B", .bytes = 4 * 256 * 256, .rows = 256, .columns = 256, .pitch = 256};
  const auto lines = [&](std::uint64_t tile_rows, std::uint64_t tile_columns) {
    Canvas canvas({256, 256}, kStyle);
    draw_tile_lines(canvas, {0, 0, 256, 256}, matrix, tile_rows, tile_columns);
    std::vector<float> down;
    for (const Item& item : canvas.take().items) {
      const auto& line = std::get<Line>(item);
      if (line.from.x == line.to.x) down.push_back(line.from.x);
    }
    return down;
  };
  EXPECT_EQ(lines(256, 1), std::vector<float>()) << "of buffered_column, whose tile is one column";
  EXPECT_EQ(lines(4, 4), std::vector<float>());
  EXPECT_EQ(lines(64, 64), (std::vector<float>{64, 128, 192}));
  EXPECT_EQ(lines(16, 16).size(), 15u);
}

TEST(TilePhases, AFrameStandsAroundWhatIsNarrowerThanItsLine) {
  const Recording recording = test::tiled({.tile = 4, .size = 1024});
  const Picture picture = phases_of(recording, {900, 500}, 0);
  int narrow = 0;
  for (const Item& item : picture.items) {
    const auto* frame = std::get_if<OutlinedRect>(&item);
    if (frame == nullptr || frame->colour != kStyle.palette->text) continue;
    const auto holds = std::ranges::find_if(picture.items, [&](const Item& other) {
      const auto* map = std::get_if<HeatMap>(&other);
      return map != nullptr && map->rect.x > frame->rect.x && map->rect.right() < frame->rect.right() &&
             map->rect.y > frame->rect.y && map->rect.bottom() < frame->rect.bottom();
    });
    if (holds == picture.items.end()) continue;
    const HeatMap& area = std::get<HeatMap>(*holds);
    EXPECT_GE(std::min(area.rect.width, area.rect.height), 2.9f);
    EXPECT_TRUE(std::ranges::any_of(area.values, [](float value) { return value == 1; }))
        << "what is touched now";
    ++narrow;
  }
  EXPECT_EQ(narrow, 2) << "of A, and of B";
}

TEST(TilePhases, NameWhatTheAccessCosts) {
  const Recording swapped = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture = phases_of(swapped, {900, 500});
  EXPECT_TRUE(says(picture, "32 wavefronts"));
  EXPECT_TRUE(says(picture, "ideal 1"));
  EXPECT_TRUE(says(phases_of(swapped, {900, 500}, 0), "sectors"));
}

TEST(TilePhases, EnlargeTilesThatAreTooSmallToBeSeen) {
  EXPECT_TRUE(says(phases_of(test::tiled({.tile = 4, .size = 256}), {900, 500}), "enlarged"));
  EXPECT_FALSE(says(phases_of(test::tiled({.tile = 8, .size = 24}), {900, 500}), "enlarged"));
}

TEST(TilePhases, EnlargeTwiceOrNotAtAll) {
  int enlarged = 0;
  for (const std::uint32_t tile : {4u, 16u, 32u}) {
    const Recording recording = test::tiled({.tile = tile, .size = 256});
    for (const Size size : {Size{500, 320}, Size{640, 380}, Size{900, 500}, Size{1600, 900}}) {
      const Picture picture = phases_of(recording, size, 4);
      std::vector<float> frames;  // The lens, and what it enlarges
      for (const Item& item : picture.items) {
        const auto* frame = std::get_if<OutlinedRect>(&item);
        if (frame != nullptr && frame->colour == kStyle.palette->accent) frames.push_back(frame->rect.width);
      }
      EXPECT_EQ(frames.empty(), !says(picture, "enlarged"));
      EXPECT_TRUE(says(picture, "enlarged") || says(picture, "before"));
      if (frames.empty()) continue;
      ASSERT_EQ(frames.size(), 2u);
      EXPECT_GE(frames[0], 2 * (frames[1] - 2) - 0.1f) << tile << " at " << size.width;
      ++enlarged;
    }
  }
  EXPECT_GT(enlarged, 4);
}

TEST(TilePhases, SayOfWhichElementEachCellIsWhereThereIsRoom) {
  const Recording recording = test::tiled({.tile = 8, .size = 24});
  EXPECT_TRUE(says(phases_of(recording, {1500, 700}), "7,16"));  // The last block's first tile of B
  EXPECT_FALSE(says(phases_of(recording, {400, 300}), "7,16"));
}

TEST(TilePhases, TheLegendHasEveryColour) {
  const Palette& palette = *kStyle.palette;
  const Picture picture = phases_of(test::tiled({.tile = 8, .size = 24}), {900, 500}, 3);
  for (const Colour colour :
       {with_alpha(palette.accent, kBefore), with_alpha(palette.fill, kBefore), palette.accent, palette.fill,
        with_alpha(palette.good, kWrittenLater), lane_colour(0), lane_colour(31)}) {
    EXPECT_TRUE(std::ranges::any_of(picture.items, [&](const Item& item) {
      const auto* square = std::get_if<FilledRect>(&item);
      return square != nullptr && square->colour == colour && square->rect.width == square->rect.height;
    }));
  }
  EXPECT_TRUE(says(picture, "lanes of this access"));
}

TEST(TilePhases, MatricesStandInARowWhereThePanelIsLow) {
  const auto places = [](Size size) {
    const Picture picture = phases_of(test::tiled({.tile = 8, .size = 24}), size, 3);
    std::vector<Rect> matrices;
    for (const Region& region : picture.regions) {
      if (region.target.kind == Target::Kind::element) matrices.push_back(region.rect);
    }
    return matrices;
  };
  const std::vector<Rect> low = places({620, 130}), high = places({620, 420});
  ASSERT_EQ(low.size(), 3u);
  ASSERT_EQ(high.size(), 3u);
  EXPECT_EQ(low[0].y, low[1].y);
  EXPECT_GT(low[0].height, 50);
  EXPECT_LT(high[1].y, high[0].y) << "B above C";
}

// A colour stands for the same number in all matrices of a picture.
TEST(MatrixHeat, MatricesAreOfOneScale) {
  const Recording recording = test::naive(8, 8, 8);
  const std::vector<analysis::ElementCounts> counts = analysis::element_counts(recording);
  const Picture picture = make_matrix_heat({recording, counts}, {}, {900, 500}, kStyle);
  std::vector<float> greatest;  // Of each matrix
  for (const Item& item : picture.items) {
    const auto* map = std::get_if<HeatMap>(&item);
    if (map == nullptr || map->rows <= 1) continue;
    greatest.push_back(0);
    for (const float value : map->values)
      greatest.back() = std::isnan(value) ? greatest.back() : std::max(greatest.back(), value);
  }
  EXPECT_EQ(greatest, (std::vector<float>{1, 1, 0}));  // A and B are read 8 times, C is written once
  EXPECT_TRUE(says(picture, "times an element is read or written"));
}

TEST(MatrixHeat, SaysHowOftenInEveryCellWhereThereIsRoom) {
  const Recording recording = test::tiled({.tile = 8, .size = 24});
  const analysis::Results results = analysis::results_of(recording, {9, 0});
  const auto numbers = [&](Size size) {
    const viz::Subject subject{.moment = {&recording, {9, 0}, 0, 0, 0, 0}, .results = &results};
    const Picture picture = viz::find_view("heat")->make(subject, size, kStyle);
    return std::ranges::count_if(texts_of(picture), [](const Text* text) {
      return text->font == Font::sans_bold && text->text == "1";
    });
  };
  EXPECT_EQ(numbers({1800, 700}),
            8 * 24 + 24 * 8 + 8 * 8);  // What the only recorded block touches of A, B and C
  EXPECT_EQ(numbers({300, 200}), 0);
}

TEST(MatrixHeat, ShowsWhatIsTouchedOfAMatrixOfMoreElementsThanPixels) {
  const Recording recording =
      test::tiled({.tile = 4, .size = 1024});  // One block: four rows of A, four columns of B
  const analysis::Results results = analysis::results_of(recording, {9, 0});
  const viz::Subject subject{.moment = {&recording, {9, 0}, 0, 0, 0, 0}, .results = &results};
  for (const float scale : {1.0f, 2.0f}) {
    const Picture picture = viz::find_view("heat")->make(subject, {500, 320}, {&light_palette(), scale});
    int maps = 0;
    for (const Item& item : picture.items) {
      const auto* map = std::get_if<HeatMap>(&item);
      if (map == nullptr || map->rows == 1) continue;  // The keys have one row
      ++maps;
      EXPECT_LE(static_cast<float>(map->rows), map->rect.height);
      EXPECT_LE(static_cast<float>(map->columns), map->rect.width);
      const auto touched = std::ranges::count_if(map->values, [](float value) { return !std::isnan(value); });
      const float cell = map->rect.width / static_cast<float>(map->columns) * map->rect.height /
                         static_cast<float>(map->rows);
      EXPECT_GE(static_cast<float>(touched) * cell, 9 * scale * scale);
    }
    EXPECT_EQ(maps, 3);
  }
}

TEST(MatrixHeat, ElementsReadOnceSaySo) {
  Recording recording = test::tiled({.tile = 8, .size = 8});  // One block alone reads every element
  const analysis::Results results = analysis::results_of(recording, {9, 0});
  const viz::Subject subject{.moment = {&recording, {9, 0}, 0, 0, 0, 0}, .results = &results};
  EXPECT_EQ(viz::find_view("heat")->make(subject, {500, 320}, kStyle).sentence,
            "The only block reads every element of A once, of B once");
}

TEST(TilePhases, DefineTheirTermsWhereTheyStand) {
  const Picture picture = phases_of(test::tiled({.tile = 32, .size = 64, .swapped = true}), {900, 500});
  for (const Text* text : texts_of(picture)) {
    if (text->text != "32 wavefronts") continue;
    const auto hit = picture.hit(centre(text_box(*text)));
    ASSERT_TRUE(hit);
    EXPECT_NE(hit->tooltip.find("data stage"), std::string::npos);
  }
}

/// Under every rule each active lane has a place of its own in the grid, or rides along with one that is
/// named with it.
TEST(Banks, DrawEveryLaneUnderEveryRule) {
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    for (const Recording& recording :
         {test::tiled({.tile = 32, .size = 64}), test::tiled({.tile = 32, .size = 64, .swapped = true}),
          test::assorted()}) {
      for (const std::uint32_t step : {0u, 1u, 3u}) {
        SCOPED_TRACE(model.cc.name() + " " + std::to_string(step));
        const Moment moment{&recording, model.cc, 0, 0, 1, step};
        const auto event = moment.nearest({Space::shared});
        ASSERT_TRUE(event);
        const Picture picture = make_banks(moment, {}, {1800, 1400}, kStyle);
        std::uint32_t lanes = 0;
        for (const FilledRect* fill = nullptr; const Item& item : picture.items) {
          fill = std::get_if<FilledRect>(&item);
          if (fill == nullptr) continue;
          for (int lane = 0; lane < kWarpSize; ++lane) {
            if (fill->colour == lane_colour(lane)) lanes |= 1u << lane;
          }
        }
        EXPECT_EQ(lanes, recording.events.mask[*event]);
      }
    }
  }
}

}  // namespace
}  // namespace warplens::picture
