// The pictures of the arithmetic of memory and of published figures: nothing leaves them, no text lies on another, and they say what they draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "picture/figures.h"
#include "viz/picture/canvas.h"

namespace warplens::picture {
namespace {

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
