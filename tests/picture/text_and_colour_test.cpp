#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/pseudo_language.h"
#include "viz/picture/canvas.h"
#include "viz/picture/fonts.h"
#include "viz/picture/moment.h"

namespace warplens::picture {
namespace {

double lightness(Colour colour) {
  const auto linear = [](std::uint8_t value) { return std::pow(value / 255.0, 2.2); };
  return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
}

double contrast(Colour a, Colour b) {
  const double la = lightness(a) + 0.05, lb = lightness(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

TEST(Colours, LanesRunAlongViridisFromDarkToBright) {
  EXPECT_EQ(lane_colour(0), (Colour{68, 1, 84}));
  EXPECT_EQ(lane_colour(31), (Colour{253, 231, 37}));
  for (int lane = 1; lane < 32; ++lane) EXPECT_GT(lightness(lane_colour(lane)), lightness(lane_colour(lane - 1))) << lane;
  EXPECT_EQ(conflict_colour(32, dark_palette()), lane_colour(31));
}

TEST(Colours, TheWorstConflictStandsOffMost) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    EXPECT_GT(contrast(conflict_colour(1, *palette), palette->panel), 1.9);
    for (int degree = 2; degree <= 32; ++degree) {
      EXPECT_GT(contrast(conflict_colour(degree, *palette), palette->panel), contrast(conflict_colour(degree - 1, *palette), palette->panel))
          << degree;
    }
    EXPECT_GT(contrast(conflict_colour(32, *palette), palette->panel), 8);
  }
}

TEST(Colours, WritingOnALaneCanBeRead) {
  for (int lane = 0; lane < 32; ++lane) EXPECT_GE(contrast(lane_colour(lane), readable_on(lane_colour(lane))), 4.0) << lane;
}

TEST(Colours, TextsOfBothPalettesCanBeRead) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    for (const Colour colour : {palette->text, palette->muted, palette->accent, palette->good, palette->costly, palette->fill}) {
      EXPECT_GE(contrast(colour, palette->panel), 4.0);  // WCAG AA asks 4.5 for small text, 3 for big
    }
  }
}

TEST(Texts, WidthsAddUpAndScale) {
  for (const Font font : {Font::sans, Font::sans_bold, Font::mono}) {
    EXPECT_NEAR(text_width("lane", 13, font) + text_width(" 31", 13, font), text_width("lane 31", 13, font), 1e-3);
    EXPECT_NEAR(2 * text_width("sector", 11, font), text_width("sector", 22, font), 1e-3);
    for (const char* digit : {"1", "4", "7", "8"}) EXPECT_FLOAT_EQ(text_width(digit, 13, font), text_width("0", 13, font)) << "digits are tabular";
  }
  EXPECT_FLOAT_EQ(text_width("iiii", 13, Font::mono), text_width("WWWW", 13, Font::mono));
}

TEST(Texts, BrokenUtf8IsTakenByteByByte) {
  std::string_view text = "a\xc3\xa9\xff\xe2\x82";
  EXPECT_EQ(take_code_point(text), U'a');
  EXPECT_EQ(take_code_point(text), U'é');
  EXPECT_EQ(take_code_point(text), U'\ufffd');
  EXPECT_EQ(take_code_point(text), U'\ufffd');
  EXPECT_EQ(take_code_point(text), U'\ufffd');
  EXPECT_TRUE(text.empty());
}

TEST(Texts, LanesAreNamedInRuns) {
  EXPECT_EQ(lanes_name(1u << 5), "lane 5");
  EXPECT_EQ(lanes_name(0xffffffffu), "lanes 0–31");
  EXPECT_EQ(lanes_name(0b1011), "lanes 0–1, 3");
  EXPECT_EQ(lane_numbers(0b1011), "0–1, 3");
}

constexpr AccessOp kOps[] = {AccessOp::load,     AccessOp::store,    AccessOp::atomic,  AccessOp::reduction,
                             AccessOp::ldmatrix, AccessOp::stmatrix, AccessOp::cp_async};

/// Whether there is such an instruction.
bool exists(Space space, AccessOp op) {
  if (space == Space::local) return op == AccessOp::load || op == AccessOp::store;
  return space == Space::shared || (op != AccessOp::ldmatrix && op != AccessOp::stmatrix);
}

/// Each kind of access has words of its own, in English those that this puts together.
TEST(Texts, EveryKindOfAccessIsNamed) {
  Site site;
  for (const Space space : {Space::global, Space::shared, Space::local}) {
    for (const AccessOp op : kOps) {
      site.space = space;
      site.op = op;
      const std::string name = std::string(name_of(space)) + " " + name_of(op);
      EXPECT_EQ(access_words(site, ""), name);
      if (space == Space::local || !exists(space, op)) continue;
      const bool read = op == AccessOp::load || op == AccessOp::ldmatrix, written = op == AccessOp::store || op == AccessOp::stmatrix;
      EXPECT_EQ(access_words(site, "as"), name + (read ? " of as" : written ? " to as" : " on as"));
    }
  }
}

TEST(Texts, AccessesAndLanesAreTranslatedWhole) {
  const PseudoLanguage language;
  Site site;
  for (const Space space : {Space::global, Space::shared, Space::local}) {
    for (const AccessOp op : kOps) {
      if (!exists(space, op)) continue;
      site.space = space;
      site.op = op;
      EXPECT_TRUE(words_left_alone(access_words(site, "")).empty()) << access_words(site, "");
      if (space == Space::local) continue;
      EXPECT_TRUE(words_left_alone(access_words(site, "as")).empty()) << access_words(site, "as");
    }
  }
  EXPECT_TRUE(words_left_alone(lanes_name(1)).empty());
  EXPECT_TRUE(words_left_alone(lanes_name(0b1011)).empty());
}

TEST(Texts, WrappedTextStaysInItsBoxAndEndsInAnEllipsis) {
  Canvas canvas({200, 60}, {&dark_palette(), 1});
  const std::string_view text = "Lane k reads row k of as, and all of these rows start in the very same bank, so that the lanes queue";
  const Rect box{10, 10, 120, canvas.line_height(12) * 2};
  canvas.wrapped(box, text, canvas.plain(12));
  const Picture picture = canvas.take();
  ASSERT_EQ(picture.items.size(), 2u);
  for (const Item& item : picture.items) {
    const Rect drawn = text_box(std::get<Text>(item));
    EXPECT_LE(drawn.right(), box.right() + 0.01f);
    EXPECT_LE(drawn.bottom(), box.bottom() + 0.01f);
  }
  EXPECT_TRUE(std::get<Text>(picture.items[1]).text.ends_with("…"));
}

TEST(Texts, FittedTakesTheFirstThatFits) {
  Canvas canvas({200, 60}, {&dark_palette(), 1});
  EXPECT_TRUE(canvas.fitted({0, 0, 60, 20}, {"much too long for such a box", "short"}, canvas.plain()));
  EXPECT_FALSE(canvas.fitted({0, 0, 10, 20}, {"much too long for such a box", "short"}, canvas.plain()));
  EXPECT_FALSE(canvas.fitted({0, 0, 60, 5}, {"short"}, canvas.plain()));
  const Picture picture = canvas.take();
  ASSERT_EQ(picture.items.size(), 1u);
  EXPECT_EQ(std::get<Text>(picture.items[0]).text, "short");
}

TEST(Grids, CellsOfARegionAreTargetsOfTheirOwn) {
  Picture picture;
  picture.regions.push_back({{10, 10, 40, 20}, {Target::Kind::shared_word, 100}, "word", 2, 4});
  EXPECT_FALSE(picture.hit({5, 5}));
  EXPECT_EQ(picture.hit({11, 11})->target.a, 100);
  EXPECT_EQ(picture.hit({49, 11})->target.a, 103);
  EXPECT_EQ(picture.hit({25, 29})->target.a, 105);
  EXPECT_FLOAT_EQ(picture.hit({25, 29})->rect.x, 20);
}

TEST(Sentence, IsSmallerRatherThanCut) {
  const std::string words = "Phase 172 computes from shared memory: A[16352..16383][16352..16383] and B[16352..16383][16352..16383]";
  for (const float scale : {1.0f, 2.0f}) {
    for (const float width : {500.0f, 574.0f, 700.0f, 1000.0f, 1600.0f}) {
      for (const float height : {200.0f, 500.0f, 900.0f, 2000.0f}) {
        Canvas canvas({width * scale, height * scale}, {&dark_palette(), scale});
        Rect rest = canvas.inside();
        draw_sentence(canvas, rest, words);
        const Picture picture = canvas.take();
        for (const Item& item : picture.items) {
          const Text* const text = std::get_if<Text>(&item);
          if (text != nullptr) {
            EXPECT_EQ(text->text.find("\u2026"), std::string::npos) << text->text << " at " << width << " x " << height;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace warplens::picture
