// The pictures of the arithmetic of memory and of published figures: nothing leaves them, no text lies on another, and they say what they draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "viz/picture/canvas.h"
#include "viz/picture/published.h"
#include "viz/picture/roofline.h"

namespace warplens::picture {
namespace {

Arithmetic example(double intensity, double fetched, bool counted = true) {
  Arithmetic arithmetic;
  arithmetic.kernel = "tiled, T = 32";
  arithmetic.size = "256";
  arithmetic.device = "RTX 4070, published figures";
  if (counted) {
    analysis::CountedArithmetic figures;
    figures.flops = 2.0 * 256 * 256 * 256;
    figures.requested_bytes = static_cast<std::uint64_t>(figures.flops / intensity);
    figures.fetched_bytes = static_cast<std::uint64_t>(figures.flops / fetched);
    figures.global_loads = figures.requested_bytes / 4;
    figures.shared_loads = 2 * 256 * 256 * 256;
    figures.shared_stores = figures.global_loads;
    arithmetic.counted = figures;
  } else {
    arithmetic.why_not = "vector_add multiplies no matrices";
    arithmetic.what_to_do = "Record a kernel of the ladder.";
  }
  const char* const names[] = {"naive, T = 32", "naive_uncoalesced, T = 32", "buffered_column", "buffered_row", "tiled_dynamic, T = 32",
                               "tiled_guarded", "tiled_padded, T = 32",      "tiled, T = 32",   "volkov"};
  const double ratios[] = {0.25, 0.25, 0.498, 0.498, 8, 4, 8, 8, 6.4};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    arithmetic.ladder.push_back({"a_kernel", 32, names[i], "m p ceil(n / T) + n p ceil(m / T)", "T / 4", ratios[i], std::nullopt, i == 7 && counted});
  }
  arithmetic.ladder[0].measured = MeasuredRate{6061.1, 0.25, "naive, T = 32 at 1,024 on Test GPU"};
  arithmetic.ladder[7].measured = MeasuredRate{8983.2, 8, "tiled, T = 32 at 1,024 on Test GPU"};
  return arithmetic;
}

Compared bars(bool own) {
  Compared compared{.title = "Kernels, H200", .unit = "GFLOP/s", .machine = "H200", .own = "Test GPU, at 1,024", .why_no_own = "Measure the ladder."};
  compared.note =
      "A university lecture on matrix multiplication in CUDA, on a processor that it does not name. The rate is 2 x multiply-adds / time.";
  for (int i = 0; i < 12; ++i) {
    ComparedRow row{"register_tile, T = 2, 1,021 x 1,020 x 1,022", "register_tile, T = 2", {100.0 * (i + 1), "published"}, {}};
    if (own && i % 2 == 0) row.own = {150.0 * (i + 1), "own"};
    compared.rows.push_back(row);
  }
  return compared;
}

Compared lines(bool own) {
  Compared compared{.title = "Tile of tiled, GTX 770", .unit = "GFLOP/s", .machine = "GTX 770", .own = "Test GPU"};
  compared.note = "A journal paper. Times include both transfers: the rate is 2 n^3 / (upload + multiply + download).";
  compared.axis = "tile";
  compared.marks = {1, 2, 4, 8, 16, 32};
  for (int n = 1; n <= 4; ++n) {
    ComparedLine line{.name = "N = " + std::to_string(256 << n), .own = own && n == 4};
    for (const double tile : compared.marks) {
      line.points.push_back({tile, 0.4 * n * tile});
      line.explanations.emplace_back("a point");
    }
    compared.lines.push_back(line);
  }
  return compared;
}

struct Drawn {
  const char* name;
  std::function<Picture(Size, const Style&)> make;
};

std::vector<Drawn> pictures() {
  std::vector<Drawn> all;
  const auto add = [&](const char* name, std::function<Picture(Size, const Style&)> make) { all.push_back({name, std::move(make)}); };
  for (const double intensity : {0.25, 8.0, 64.0}) {
    for (const bool counted : {true, false}) {
      const Arithmetic arithmetic = example(intensity, intensity * 1.6, counted);
      add("roofline", [=](Size size, const Style& style) { return make_roofline(arithmetic, size, style); });
      add("ladder", [=](Size size, const Style& style) { return make_intensity_ladder(arithmetic, size, style); });
      add("gain", [=](Size size, const Style& style) { return make_gain(arithmetic, {100, 10}, size, style); });
      add("gain of slow shared memory", [=](Size size, const Style& style) { return make_gain(arithmetic, {1, 1000}, size, style); });
    }
  }
  for (const bool own : {true, false}) {
    add("bars", [=](Size size, const Style& style) { return make_published(bars(own), size, style); });
    add("source", [=](Size size, const Style& style) { return make_published_source(bars(own), size, style); });
    add("lines", [=](Size size, const Style& style) { return make_published(lines(own), size, style); });
  }
  return all;
}

Rect bounds_of(const std::vector<Point>& points) {
  Rect bounds{points[0].x, points[0].y, 0, 0};
  for (const Point p : points) bounds = united(bounds, {p.x, p.y, 0, 0});
  return bounds;
}

struct Bounds {
  Rect operator()(const FilledRect& item) const { return item.rect; }
  Rect operator()(const OutlinedRect& item) const { return item.rect; }
  Rect operator()(const Hatch& item) const { return item.rect; }
  Rect operator()(const HeatMap& item) const { return item.rect; }
  Rect operator()(const Line& item) const { return bounds_of({item.from, item.to}); }
  Rect operator()(const Curve& item) const { return bounds_of({item.from, item.to}); }
  Rect operator()(const Polygon& item) const { return bounds_of(item.points); }
  Rect operator()(const Polyline& item) const { return bounds_of(item.points); }
  Rect operator()(const Text& item) const { return text_box(item); }
};

std::vector<const Text*> texts_of(const Picture& picture) {
  std::vector<const Text*> texts;
  for (const Item& item : picture.items) {
    if (const auto* text = std::get_if<Text>(&item)) texts.push_back(text);
  }
  return texts;
}

void expect_sound(const Picture& picture, float scale) {
  for (const Item& item : picture.items) {
    const Rect box = std::visit(Bounds{}, item);
    EXPECT_FALSE(std::isnan(box.x + box.y + box.width + box.height));
    const auto* text = std::get_if<Text>(&item);
    EXPECT_TRUE(box.x >= -scale && box.y >= -scale && box.right() <= picture.width + scale && box.bottom() <= picture.height + scale)
        << item.index() << " " << (text ? text->text : "") << " at " << box.x << "," << box.y << " " << box.width << " x " << box.height;
  }
  const auto texts = texts_of(picture);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Rect a = text_box(*texts[i]), b = text_box(*texts[j]);
      const float overlap = std::min(std::min(a.right(), b.right()) - std::max(a.x, b.x), std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y));
      EXPECT_LE(overlap, 0.17f * std::max(texts[i]->size, texts[j]->size)) << "`" << texts[i]->text << "` lies on `" << texts[j]->text << "`";
    }
  }
}

TEST(ArithmeticPictures, KeepInsideAndTextsApart) {
  struct Page {
    Size size;
    float scale;
  };
  for (const Page& page : {Page{{300, 200}, 1}, Page{{540, 230}, 1}, Page{{670, 420}, 1}, Page{{1900, 1000}, 1}, Page{{400, 1200}, 1},
                           Page{{1600, 200}, 1}, Page{{120, 100}, 1}, Page{{1000, 710}, 2}, Page{{540, 230}, 2}, Page{{1900, 1000}, 3}}) {
    for (const Drawn& drawn : pictures()) {
      for (const Palette* palette : {&dark_palette(), &light_palette()}) {
        SCOPED_TRACE(testing::Message() << drawn.name << " in " << page.size.width << " x " << page.size.height << " at " << page.scale);
        const Picture picture = drawn.make(page.size, {palette, page.scale});
        EXPECT_FALSE(picture.title.empty());
        EXPECT_FALSE(picture.sentence.empty());
        expect_sound(picture, page.scale);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

const Style kStyle{&dark_palette(), 1};
constexpr Size kSize{900, 500};

bool says(const Picture& picture, std::string_view words) {
  const auto texts = texts_of(picture);
  return std::any_of(texts.begin(), texts.end(), [&](const Text* text) { return text->text.find(words) != std::string::npos; });
}

TEST(Roofline, SaysTheTextbooksArithmetic) {
  Arithmetic arithmetic = example(0.25, 0.4);
  arithmetic.kernel = "naive, T = 32";
  arithmetic.ladder.clear();
  const Picture picture = make_roofline(arithmetic, kSize, kStyle);
  EXPECT_EQ(picture.sentence, "naive, T = 32: 4 B a flop, so 200 GB/s feed 50 GFLOP/s, 3.3 % of the peak: memory binds");
  EXPECT_TRUE(says(picture, "50 GFLOP/s"));
}

TEST(Roofline, SaysWhenArithmeticBindsAndWhenCachesHelp) {
  const Picture picture = make_roofline(example(8, 8), kSize, kStyle);
  EXPECT_NE(picture.sentence.find("arithmetic binds"), std::string::npos);
  EXPECT_TRUE(says(picture, "served by caches"));
}

TEST(Roofline, WithoutACountSaysWhy) {
  const Picture picture = make_roofline(example(1, 1, false), kSize, kStyle);
  EXPECT_NE(picture.sentence.find("Record a kernel of the ladder"), std::string::npos);
}

TEST(IntensityLadder, SaysThatCountAndFormulaAgree) {
  EXPECT_EQ(make_intensity_ladder(example(8, 8), kSize, kStyle).sentence,
            "tiled, T = 32: 8 flop/B counted, 8 by formula, the same. The others are by formula");
}

TEST(Gain, DrawsTheRecordingAtItsCounts) {
  const Picture picture = make_gain(example(8, 8), {100, 10}, kSize, kStyle);
  // g = 2 / 32, s = 2: 200 / (6.25 + 20)
  EXPECT_TRUE(says(picture, "7.62 x naive"));
  EXPECT_TRUE(says(picture, "0.0625"));
}

TEST(Published, OwnFiguresAreFilledAndPublishedHatched) {
  const auto hatches = [](const Picture& picture) {
    return std::count_if(picture.items.begin(), picture.items.end(), [](const Item& item) { return std::holds_alternative<Hatch>(item); });
  };
  const Picture with_own = make_published(bars(true), kSize, kStyle), alone = make_published(bars(false), kSize, kStyle);
  EXPECT_EQ(hatches(with_own), 13);  // Twelve bars and the legend
  EXPECT_EQ(hatches(alone), 13);
  EXPECT_TRUE(says(with_own, "here: Test GPU, at 1,024"));
  EXPECT_FALSE(says(alone, "here:"));
  EXPECT_TRUE(says(with_own, "published: H200"));
}

}  // namespace
}  // namespace warplens::picture
