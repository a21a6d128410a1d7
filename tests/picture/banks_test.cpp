#include "viz/picture/banks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::picture {
namespace {

std::vector<std::int64_t> targets(const Picture& picture, Target::Kind kind) {
  std::vector<std::int64_t> found;
  for (const Region& region : picture.regions) {
    if (region.target.kind == kind) found.push_back(region.target.a);
  }
  return found;
}

TEST(Banks, DrawsAsManyWavefrontsAsTheRulesCount) {
  const Recording recording = test::assorted();
  for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
    const Moment first{&recording, kHopper, 0, 0, phase, 0};
    if (first.site_of(*first.event()).space != Space::shared) continue;
    for (std::uint32_t step = 0; step < first.steps().size(); ++step) {
      Moment moment = first;
      moment.step = step;
      const AccessCost cost = analysis::access_cost(moment.access(*moment.event()), kHopper);
      const Picture picture = make_banks(moment, {}, {1200, 1800}, kStyle);  // Room for all of them
      EXPECT_EQ(targets(picture, Target::Kind::wavefront).size(), cost.wavefronts)
          << "phase " << phase << " step " << step;
    }
  }
}

TEST(Banks, LowPicturesHaveTheBanksAlone) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  for (const Size size : {Size{420, 76}, Size{560, 80}, Size{560, 100}}) {
    const Picture picture = make_banks({&recording, kHopper, 0, 0, 1, 0}, {}, size, kStyle);
    expect_sound(picture, 1);
    EXPECT_TRUE(says(picture, "32 wavefronts"));
    EXPECT_EQ(targets(picture, Target::Kind::bank).size(), 32u) << size.width << " x " << size.height;
    const auto busiest = std::ranges::count_if(picture.items, [](const Item& item) {
      const auto* fill = std::get_if<FilledRect>(&item);
      return fill != nullptr && fill->colour == conflict_colour(32, *kStyle.palette);
    });
    EXPECT_EQ(busiest, 1) << "all words lie in one bank";
  }
}

TEST(Banks, DrawsHalfWarpsOnSixteenBanksUnderTheOldestRules) {
  const Recording subjects[] = {test::assorted(), test::tiled({.tile = 32, .size = 64, .swapped = true})};
  for (const Recording& recording : subjects) {
    for (const analysis::ComputeCapability cc : {analysis::ComputeCapability{1, 0}, {1, 3}, {2, 0}, {3, 5}}) {
      for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
        for (std::uint32_t step = 0; step < 8; ++step) {
          const Moment moment{&recording, cc, 0, 0, phase, step};
          if (!moment.event() || moment.site_of(*moment.event()).space != Space::shared) continue;
          const AccessCost cost = analysis::access_cost(moment.access(*moment.event()), cc);
          const Picture picture = make_banks(moment, {}, {1400, 2600}, kStyle);
          std::vector<std::int64_t> wavefronts = targets(picture, Target::Kind::wavefront), wanted;
          for (std::uint64_t i = 0; i < cost.wavefronts; ++i) wanted.push_back(static_cast<std::int64_t>(i));
          std::sort(wavefronts.begin(), wavefronts.end());
          EXPECT_EQ(wavefronts, wanted) << cc.name() << ", phase " << phase << ", step " << step;
          const std::vector<std::int64_t> banks = targets(picture, Target::Kind::bank);
          EXPECT_EQ(banks.size(), 32u);
          EXPECT_EQ(*std::max_element(banks.begin(), banks.end()), cc.major == 1 ? 15 : 31);
        }
      }
    }
  }
}

TEST(Banks, ShowNoConflictOverTimeWhereHalfWarpsAreFreeOfIt) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  const auto brightest = [&](const Recording& of, analysis::ComputeCapability cc) {
    float max = 0;
    std::uint32_t rows = 0;
    const Picture picture = make_banks({&of, cc, 0, 0, 1, 0}, {}, {900, 500}, kStyle);
    for (const Item& item : picture.items) {
      const auto* map = std::get_if<HeatMap>(&item);
      if (map == nullptr || map->rows == 1) continue;  // The scale
      rows = map->rows;
      for (const float value : map->values) max = std::max(max, std::isnan(value) ? 0.0f : value);
    }
    return std::pair(rows, max);
  };
  EXPECT_EQ(brightest(recording, {1, 0}), std::pair(16u, 0.0f));
  EXPECT_EQ(brightest(recording, kHopper), std::pair(32u, 0.0f));
  const Recording swapped = test::tiled({.tile = 32, .size = 64, .swapped = true});
  EXPECT_EQ(brightest(swapped, {1, 0}), std::pair(16u, 1.0f)) << "all 16 lanes of a half-warp on one bank";
  EXPECT_EQ(brightest(swapped, kHopper), std::pair(32u, 1.0f));
}

TEST(Banks, ShowsAllWavefrontsFromASmallProjectorOnAndTheirTimeOnAThirdOfTheHeight) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  constexpr float kPresented = 1.6f;  // The scale
  for (const Size size : {Size{1180, 510}, Size{1500, 600}, Size{1820, 760}, Size{1240, 640}}) {
    const Picture picture =
        make_banks({&recording, kHopper, 0, 0, 1, 0}, {}, size, {&dark_palette(), kPresented});
    EXPECT_EQ(targets(picture, Target::Kind::wavefront).size(), 32u) << size.width << " x " << size.height;
    float highest = 0;
    for (const Item& item : picture.items) {
      if (const auto* map = std::get_if<HeatMap>(&item)) highest = std::max(highest, map->rect.height);
    }
    EXPECT_GE(highest, size.height / 3 * 0.9f) << size.width << " x " << size.height;
  }
}

TEST(Banks, SaysHowManyWavefrontsAreLeftOut) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture = make_banks({&recording, kHopper, 0, 0, 1, 0}, {}, {420, 320}, kStyle);
  const std::size_t drawn = targets(picture, Target::Kind::wavefront).size();
  ASSERT_LT(drawn, 32u);
  const std::string wanted =
      "… " + std::to_string(32 - drawn) + " more wavefronts: every lane waits for the one before it";
  bool said = false;
  for (const Item& item : picture.items) {
    const auto* text = std::get_if<Text>(&item);
    said = said || (text != nullptr && text->text == wanted);
  }
  EXPECT_TRUE(said) << wanted;
}

// Half a presentation at 1280 x 800, as Compare has it: what there is no room to say at length is said all
// the same.
TEST(Banks, SaysHowManyWavefrontsAreLeftOutWhereThereIsLittleRoom) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture =
      make_banks({&recording, kHopper, 0, 0, 1, 0}, {}, {595, 340}, {&dark_palette(), 1.6f});
  const std::size_t drawn = targets(picture, Target::Kind::wavefront).size();
  ASSERT_LT(drawn, 32u);
  const std::string wanted = "… " + std::to_string(32 - drawn) + " more wavefronts";
  EXPECT_TRUE(std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* const text = std::get_if<Text>(&item);
    return text != nullptr && text->text == wanted;
  })) << wanted;
}

TEST(Banks, SaysWhereSharedMemoryBegins) {
  Recording recording = test::tiled({.tile = 32, .size = 64});
  recording.shared_base = 1024;
  for (const analysis::ComputeCapability cc :
       {kHopper, analysis::ComputeCapability{1, 3}}) {  // Of the recording, whatever it is costed by
    const Moment load_of_bs{&recording, cc, 0, 0, 1, 1};
    ASSERT_EQ(access_name(load_of_bs, *load_of_bs.event()), "shared load of bs");
    const Picture picture = make_banks(load_of_bs, {}, {1200, 600}, kStyle);
    EXPECT_TRUE(
        says(picture,
             "Shared memory begins at 1,024 on compute capability 8.0 and later; bs[0][0] lies at 5,120"));
    const auto cell = std::find_if(picture.regions.begin(), picture.regions.end(), [](const Region& region) {
      return region.target.kind == Target::Kind::lane_word && region.target.a == 1;
    });
    ASSERT_NE(cell, picture.regions.end());
    EXPECT_NE(cell->tooltip.find(" of bs, address 0x1404"), std::string::npos) << cell->tooltip;
  }
  EXPECT_TRUE(says(make_banks({&recording, kHopper, 0, 0, 1, 1}, {}, {400, 420}, kStyle),
                   "Shared memory begins at 1,024; bs[0][0] lies at 5,120"))
      << "where there is less room";
  recording.shared_base = 0;
  EXPECT_TRUE(says(make_banks({&recording, kHopper, 0, 0, 1, 0}, {}, {1200, 600}, kStyle),
                   "Shared memory begins at 0 before compute capability 8.0; as[0][0] lies at 0"));
}

TEST(Banks, CellsPointToTheLaneThatIsServedThere) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .padding = 1, .swapped = true});
  const Moment moment{&recording, kHopper, 0, 0, 1, 4};  // as[lane][2], rows of 33 words: bank lane + 2
  const Picture picture = make_banks(moment, {}, {900, 500}, kStyle);
  std::set<std::int64_t> lanes;
  for (const Region& region : picture.regions) {
    if (region.target.kind != Target::Kind::lane_word) continue;
    lanes.insert(region.target.a);
    EXPECT_EQ(region.target.b, region.target.a * 33 + 2) << "the word";
    const Point middle{region.rect.x + region.rect.width / 2, region.rect.y + region.rect.height / 2};
    const auto hit = picture.hit(middle);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->target.a, region.target.a);
    EXPECT_NE(hit->tooltip.find("bank " + std::to_string((region.target.a + 2) % 32)), std::string::npos)
        << hit->tooltip;
  }
  EXPECT_EQ(lanes.size(), 32u);
}

TEST(Banks, WithoutSharedMemorySaysWhatToDo) {
  const Recording recording = test::naive(20, 30, 4);
  const Picture picture = make_banks({&recording, kHopper, 0, 0, 1, 0}, {}, {500, 300}, kStyle);
  EXPECT_NE(picture.sentence.find("no shared memory"), std::string::npos);
  EXPECT_NE(picture.sentence.find("Coalescing"), std::string::npos);
}

TEST(Banks, KeepsShowingTheLastSharedAccessDuringGlobalOnes) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  const Moment at_store_of_c{&recording, kHopper, 0, 0, 4, 0};
  ASSERT_EQ(at_store_of_c.site_of(*at_store_of_c.event()).space, Space::global);
  const Picture picture = make_banks(at_store_of_c, {}, {670, 420}, kStyle);
  EXPECT_NE(picture.subtitle.find("shared load of bs"), std::string::npos) << picture.subtitle;
  EXPECT_NE(picture.subtitle.find("tile 2, compute"), std::string::npos) << picture.subtitle;
}

}  // namespace
}  // namespace warplens::picture
