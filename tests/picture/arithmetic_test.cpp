// The pictures of the arithmetic of memory and of published figures: nothing leaves them, no text lies on
// another, and they say what they draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "picture/figures.h"
#include "picture/sound.h"
#include "picture/words.h"
#include "viz/canvas/canvas.h"

namespace warplens::picture {
namespace {

struct Drawn {
  const char* name;
  std::function<Picture(Size, const Style&)> make;
};

std::vector<Drawn> pictures() {
  std::vector<Drawn> all;
  const auto add = [&](const char* name, std::function<Picture(Size, const Style&)> make) {
    all.push_back({name, std::move(make)});
  };
  for (const double intensity : {0.25, 8.0, 64.0}) {
    for (const bool counted : {true, false}) {
      Arithmetic arithmetic = example(intensity, intensity * 1.6, counted);
      if (counted) {
        const auto wavefronts = static_cast<std::uint64_t>(arithmetic.counted->flops / (8 * intensity));
        arithmetic.counted->shared = {
            .wavefronts = wavefronts, .ideal = wavefronts / 4, .architecture = "sm_90"};
      }
      add("roofline", [=](Size size, const Style& style) { return make_roofline(arithmetic, size, style); });
      add("ladder",
          [=](Size size, const Style& style) { return make_intensity_ladder(arithmetic, size, style); });
      add("gain",
          [=](Size size, const Style& style) { return make_gain(arithmetic, {100, 10}, size, style); });
      add("gain of slow shared memory",
          [=](Size size, const Style& style) { return make_gain(arithmetic, {1, 1000}, size, style); });
    }
  }
  for (const bool own : {true, false}) {
    add("bars", [=](Size size, const Style& style) { return make_published(bars(own), size, style); });
    add("source",
        [=](Size size, const Style& style) { return make_published_source(bars(own), size, style); });
    add("lines", [=](Size size, const Style& style) { return make_published(lines(own), size, style); });
  }
  return all;
}

TEST(ArithmeticPictures, KeepInsideAndTextsApart) {
  struct Page {
    Size size;
    float scale;
  };
  for (const Page& page :
       {Page{{300, 200}, 1}, Page{{540, 230}, 1}, Page{{670, 420}, 1}, Page{{1900, 1000}, 1},
        Page{{400, 1200}, 1}, Page{{1600, 200}, 1}, Page{{120, 100}, 1}, Page{{1000, 710}, 2},
        Page{{540, 230}, 2}, Page{{1900, 1000}, 3}}) {
    for (const Drawn& drawn : pictures()) {
      for (const Palette* palette : {&dark_palette(), &light_palette()}) {
        SCOPED_TRACE(testing::Message() << drawn.name << " in " << page.size.width << " x "
                                        << page.size.height << " at " << page.scale);
        const Picture picture = drawn.make(page.size, {palette, page.scale});
        EXPECT_FALSE(picture.title.empty());
        EXPECT_FALSE(picture.sentence.empty());
        expect_sound(picture, page.scale);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

constexpr Size kPlotSize{900, 500};

TEST(Roofline, EqualsTheTextbook) {
  Arithmetic arithmetic = example(0.25, 0.4);
  arithmetic.kernel = "naive, T = 32";
  arithmetic.ladder.clear();
  const Picture picture = make_roofline(arithmetic, kPlotSize, kStyle);
  EXPECT_EQ(
      picture.sentence,
      "naive, T = 32: 2.5 B fetched per flop, so 200 GB/s feed 80 GFLOP/s, 5.3 % of the peak: limited by "
      "memory");
  EXPECT_TRUE(says(picture, "80 GFLOP/s"));
  EXPECT_TRUE(says(picture, "requested: 0.25 flop/B"));  // The textbook's
}

TEST(Roofline, UsesRequestedBytesWhereFetchedOnesAreUnknown) {
  Arithmetic arithmetic = example(0.25, 0.4);
  arithmetic.kernel = "naive, T = 32";
  arithmetic.counted->fetched_bytes.reset();
  EXPECT_EQ(
      make_roofline(arithmetic, kPlotSize, kStyle).sentence,
      "naive, T = 32: 4 B requested per flop, so 200 GB/s feed 50 GFLOP/s, 3.3 % of the peak: limited by "
      "memory");
}

TEST(Roofline, SharedMemoryLimitFollowsWavefronts) {
  Arithmetic arithmetic = example(8, 8);
  const auto wavefronts = static_cast<std::uint64_t>(arithmetic.counted->flops) / 64;
  arithmetic.counted->shared = {.wavefronts = wavefronts, .ideal = wavefronts, .architecture = ""};
  const Picture picture = make_roofline(arithmetic, kPlotSize, kStyle);
  EXPECT_EQ(picture.sentence,
            "tiled, T = 32: 64 flop per wavefront, so 1,000 GFLOP/s of shared memory, 66.7 % of the peak: "
            "limited by shared memory");
  EXPECT_TRUE(says(picture, "1,000 GFLOP/s"));
  EXPECT_EQ(picture.subtitle, "RTX 4070, published figures · wavefronts as written");
}

TEST(Roofline, BankConflictsAreTheLimitWhereTheyCost) {
  Arithmetic arithmetic = example(8, 8);
  const auto wavefronts = static_cast<std::uint64_t>(arithmetic.counted->flops) / 2;
  arithmetic.counted->shared = {.wavefronts = wavefronts, .ideal = wavefronts / 16, .architecture = "sm_90"};
  const Picture picture = make_roofline(arithmetic, kPlotSize, kStyle);
  EXPECT_EQ(picture.sentence,
            "tiled, T = 32: 2 flop per wavefront, so 31.2 GFLOP/s of shared memory, 500 without bank "
            "conflicts: they bind");
  EXPECT_TRUE(says(picture, "limited by bank conflicts"));
  EXPECT_EQ(picture.subtitle, "RTX 4070, published figures · wavefronts as compiled for sm_90");
  EXPECT_TRUE(says(picture, "without bank conflicts 500"));
}

TEST(Roofline, NamesArithmeticAndCachesAsLimits) {
  const Picture picture = make_roofline(example(8, 8), kPlotSize, kStyle);
  EXPECT_NE(picture.sentence.find("limited by arithmetic"), std::string::npos);
  EXPECT_TRUE(says(picture, "served by caches"));
}

// A leader that went through another, or through the roof, would lead nowhere.
TEST(Roofline, NoLeaderCrossesALineAndEveryKernelIsNamed) {
  for (const Size size : {Size{620, 300}, Size{900, 500}, Size{1900, 1000}}) {
    const Arithmetic arithmetic = example(8, 8);
    const Picture picture = make_roofline(arithmetic, size, kStyle);
    std::vector<Line> leaders, roofs;
    for (const Item& item : picture.items) {
      const Line* const line = std::get_if<Line>(&item);
      if (line == nullptr) continue;
      if (line->colour.a == with_alpha(kStyle.palette->muted, 0.7f).a) leaders.push_back(*line);
      if (line->thickness == 2) roofs.push_back(*line);
    }
    const auto side = [](Point from, Point to, Point of) {
      return (to.x - from.x) * (of.y - from.y) - (to.y - from.y) * (of.x - from.x);
    };
    const auto cross = [&](const Line& a, const Line& b) {
      return side(a.from, a.to, b.from) * side(a.from, a.to, b.to) < 0 &&
             side(b.from, b.to, a.from) * side(b.from, b.to, a.to) < 0;
    };
    EXPECT_FALSE(roofs.empty());
    for (std::size_t i = 0; i < leaders.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(cross(leaders[i], leaders[j])) << size.width;
      for (const Line& roof : roofs) EXPECT_FALSE(cross(leaders[i], roof)) << size.width;
    }
    if (size.width < 1000) continue;
    for (const analysis::FormulaKernel& catalog_kernel : arithmetic.ladder) {
      EXPECT_TRUE(std::ranges::any_of(texts_of(picture), [&](const Text* text) {
        return text->text == catalog_kernel.name;
      })) << catalog_kernel.name;
    }
  }
}

// By its first kernel beside it, or by a number that stands for it.
TEST(Roofline, EveryRingIsNamed) {
  for (const double intensity : {0.25, 4.0, 8.0}) {
    for (const Size size :
         {Size{420, 270}, Size{420, 300}, Size{600, 150}, Size{620, 300}, Size{900, 500}, Size{3840, 2160}}) {
      Arithmetic arithmetic = example(intensity, intensity);
      for (std::size_t i = 0; i < arithmetic.ladder.size(); ++i)
        arithmetic.ladder[i].kernel = "kernel_" + std::to_string(i);
      const Picture picture = make_roofline(arithmetic, size, kStyle);
      expect_sound(picture, 1);
      int rings = 0;
      for (const Region& region : picture.regions) {
        if (region.tooltip.find("\nby formula at") == std::string::npos) continue;
        ++rings;
        const std::string kernel = region.tooltip.substr(0, region.tooltip.find('\n'));
        const auto texts = texts_of(picture);
        const auto named = std::ranges::find_if(
            texts, [&](const Text* text) { return text->text.find(kernel) != std::string::npos; });
        EXPECT_NE(named, texts.end()) << kernel << " at " << size.width << " x " << size.height;
      }
      EXPECT_GE(rings, 5);
    }
  }
}

TEST(Roofline, WithoutACountSaysWhy) {
  const Picture picture = make_roofline(example(1, 1, false), kPlotSize, kStyle);
  EXPECT_NE(picture.sentence.find("Record a kernel of the ladder"), std::string::npos);
}

TEST(IntensityLadder, SaysThatCountAndFormulaAgree) {
  EXPECT_EQ(make_intensity_ladder(example(8, 8), kPlotSize, kStyle).sentence,
            "tiled, T = 32: 8 flop/B counted, 8 by formula, the same. The others are by formula");
}

TEST(Gain, DrawsTheRecordingAtItsCounts) {
  const Picture picture = make_gain(example(8, 8), {100, 10}, kPlotSize, kStyle);
  // g = 2 / 32, s = 2: 200 / (6.25 + 20)
  EXPECT_TRUE(says(picture, "7.62 × naive"));
  EXPECT_TRUE(says(picture, "0.0625"));
}

TEST(Published, OwnFiguresAreFilledAndPublishedHatched) {
  const auto hatches = [](const Picture& picture) {
    return std::count_if(picture.items.begin(), picture.items.end(),
                         [](const Item& item) { return std::holds_alternative<Hatch>(item); });
  };
  const Picture with_own = make_published(bars(true), kPlotSize, kStyle),
                alone = make_published(bars(false), kPlotSize, kStyle);
  EXPECT_EQ(hatches(with_own), 13);  // Twelve bars and the legend
  EXPECT_EQ(hatches(alone), 13);
  EXPECT_TRUE(says(with_own, "here: Test GPU, at 1,024"));
  EXPECT_FALSE(says(alone, "here:"));
  EXPECT_TRUE(says(with_own, "published: H200"));
}

TEST(Roofline, ListsWhatIsDrawn) {
  Arithmetic arithmetic = example(8, 8);
  const Picture all = make_roofline(arithmetic, kPlotSize, kStyle);
  EXPECT_TRUE(says(all, "measured"));
  EXPECT_TRUE(says(all, "fetched, counted"));
  for (analysis::FormulaKernel& catalog_kernel : arithmetic.ladder) catalog_kernel.measured.reset();
  arithmetic.counted.reset();
  const Picture by_formula = make_roofline(arithmetic, kPlotSize, kStyle);
  EXPECT_FALSE(says(by_formula, "measured"));
  EXPECT_FALSE(says(by_formula, "fetched, counted"));
  EXPECT_TRUE(says(by_formula, "by formula"));
}

TEST(IntensityLadder, EveryRowHasAName) {
  for (const Size size : {Size{500, 320}, Size{500, 150}, Size{300, 110}}) {
    const Arithmetic arithmetic = example(8, 8);
    const Picture picture = make_intensity_ladder(arithmetic, size, kStyle);
    const auto names = [](const Text* text) {
      return text->align == Align::left && text->text.find("T = 32") != std::string::npos;
    };
    const auto figures = [](const Text* text) { return text->align == Align::right && text->text == "8"; };
    EXPECT_GT(std::ranges::count_if(texts_of(picture), names), 0) << size.height;
    EXPECT_EQ(std::ranges::count_if(texts_of(picture), figures),
              std::ranges::count_if(texts_of(picture),
                                    [](const Text* text) {
                                      return text->text == "tiled, T = 32" ||
                                             text->text == "tiled_padded, T = 32" ||
                                             text->text == "tiled_dynamic, T = 32";
                                    }))
        << size.height;
  }
}

TEST(IntensityLadder, NamesAreWholeWhereThereIsRoom) {
  const Picture picture = make_intensity_ladder(example(8, 8), {780, 400}, kStyle);
  EXPECT_TRUE(says(picture, "naive_uncoalesced, T = 32"));
  EXPECT_TRUE(says(picture, "flop/B, logarithmic"));
}

TEST(Gain, TileCurveIsLabelledBelowItsLimit) {
  const Picture picture = make_gain(example(8, 8, false), {100, 10}, {780, 480}, kStyle);
  float curve = 0, limit = 0;
  for (const Item& item : picture.items) {
    const Text* const text = std::get_if<Text>(&item);
    if (text != nullptr && text->text == "tiles with s = 2, by formula") curve = text->at.y;
    if (text != nullptr && text->text == "10") limit = text->at.y;
  }
  ASSERT_GT(limit, 0);
  EXPECT_GT(curve, limit + 5);
}

}  // namespace
}  // namespace warplens::picture
