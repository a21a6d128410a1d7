#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pseudo_language.h"
#include "picture/colour_difference.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/fonts.h"
#include "viz/picture/moment.h"

namespace warplens::picture {
namespace {

TEST(Colours, LanesRunAlongViridisFromDarkToBright) {
  EXPECT_EQ(lane_colour(0), (Colour{68, 1, 84}));
  EXPECT_EQ(lane_colour(31), (Colour{253, 231, 37}));
  for (int lane = 1; lane < 32; ++lane)
    EXPECT_GT(luminance(lane_colour(lane)), luminance(lane_colour(lane - 1))) << lane;
}

TEST(Colours, WorstConflictHasTheMostContrast) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    EXPECT_GT(contrast(conflict_colour(1, *palette), palette->panel), 1.9);
    for (int degree = 2; degree <= 32; ++degree) {
      EXPECT_GT(contrast(conflict_colour(degree, *palette), palette->panel),
                contrast(conflict_colour(degree - 1, *palette), palette->panel))
          << degree;
    }
    EXPECT_GT(contrast(conflict_colour(32, *palette), palette->panel), 8);
  }
}

TEST(Colours, TextOnLaneColoursIsLegible) {
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_GE(contrast(lane_colour(lane), readable_on(lane_colour(lane))), 4.5) << lane;
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    for (int degree = 1; degree <= 32; ++degree) {
      const Colour ground = conflict_colour(degree, *palette);
      EXPECT_GE(contrast(ground, readable_on(ground)), 4.5) << degree;
    }
  }
}

// What WCAG 2 asks of small text (AA), wherever it stands.
TEST(Colours, TextsOfBothPalettesCanBeRead) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    for (const Colour colour :
         {palette->text, palette->muted, palette->accent, palette->good, palette->costly, palette->fill}) {
      for (const Colour ground : {palette->panel, palette->background, palette->header})
        EXPECT_GE(contrast(colour, ground), 4.5);
    }
  }
}

TEST(Colours, DifferAsPublished) {
  EXPECT_NEAR(delta_e_2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 5e-5);
  EXPECT_NEAR(delta_e_2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 5e-5);
  EXPECT_NEAR(delta_e_2000({22.7233, 20.0904, -46.694}, {23.0331, 14.973, -42.5619}), 2.0373, 5e-5);
  EXPECT_NEAR(delta_e_2000({90.8027, -2.0831, 1.441}, {91.1528, -1.6435, 0.0447}), 1.4441, 5e-5);
  EXPECT_NEAR(delta_e_2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 5e-5);
}

constexpr double kApart = 10;  ///< ΔE2000, at which two colours are no longer taken for one

TEST(Colours, AreDistinguishableWithColourBlindness) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    const std::array meanings{palette->accent, palette->good, palette->costly, palette->fill, palette->muted};
    for (const Sight sight : {Sight::all_cones, Sight::protanopia, Sight::deuteranopia, Sight::tritanopia}) {
      for (std::size_t i = 0; i < meanings.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_GE(difference(meanings[i], meanings[j], sight), kApart)
              << palette->dark << ' ' << i << ' ' << j << ' ' << static_cast<int>(sight);
      }
    }
  }
}

// Fills are followed by computing, that by writing; what is at the ideal stands beside what is above it, in
// the colour of sentences.
TEST(Colours, AdjacentOnesAreDistinguishableInGrey) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    for (const auto& [one, other] : {std::pair{palette->fill, palette->accent},
                                     {palette->accent, palette->good},
                                     {palette->good, palette->costly},
                                     {palette->costly, palette->fill}})
      EXPECT_GE(difference(one, other, Sight::grey_print), kApart) << palette->dark;
  }
}

TEST(Colours, ConflictDegreesAreDistinguishable) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    for (const Sight sight : kSights) {
      for (int degree = 2; degree <= 32; degree *= 2)
        EXPECT_GE(difference(conflict_colour(degree, *palette), conflict_colour(degree / 2, *palette), sight),
                  kApart)
            << palette->dark << ' ' << degree << ' ' << static_cast<int>(sight);
    }
  }
}

TEST(Texts, WidthsAddUpAndScale) {
  for (const Font font : {Font::sans, Font::sans_bold, Font::mono}) {
    EXPECT_NEAR(text_width("lane", 13, font) + text_width(" 31", 13, font), text_width("lane 31", 13, font),
                1e-3);
    EXPECT_NEAR(2 * text_width("sector", 11, font), text_width("sector", 22, font), 1e-3);
    for (const char* digit : {"1", "4", "7", "8"})
      EXPECT_FLOAT_EQ(text_width(digit, 13, font), text_width("0", 13, font)) << "digits are tabular";
  }
  EXPECT_FLOAT_EQ(text_width("iiii", 13, Font::mono), text_width("WWWW", 13, Font::mono));
}

/// The lines of a text, as wrapped at the width of `widest`.
std::vector<std::string> lines_as_wide_as(std::string_view widest, std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = end_of_line(text, text_width(widest, 13, Font::sans) + 0.01f, 13, Font::sans);
    if (end == 0) return lines;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  return lines;
}

TEST(Texts, LinesEndBetweenWords) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_as_wide_as("no driver (libcuda.so.", "no driver (libcuda.so.1). Install it"),
            (Lines{"no driver", "(libcuda.so.1). Install", "it"}));
  EXPECT_EQ(lines_as_wide_as("at most 12", "at most 12 %"), (Lines{"at most", "12 %"}))
      << "a figure keeps its sign";
  EXPECT_EQ(lines_as_wide_as("warps", "wavefronts"), Lines{}) << "one word has to be broken";
  EXPECT_EQ(lines_as_wide_as("all of it", "all of it"), Lines{"all of it"});
}

TEST(Texts, LinesOfChineseEndBetweenCharacters) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_as_wide_as("全局内存", "全局内存的访问"), (Lines{"全局内存", "的访问"}));
  EXPECT_EQ(lines_as_wide_as("全局内存", "全局内存，访问"), (Lines{"全局内", "存，访问"}))
      << "no line begins with a comma";
  EXPECT_EQ(lines_as_wide_as("一个（线", "一个（线程块"), (Lines{"一个（线", "程块"}));
  EXPECT_EQ(lines_as_wide_as("一个（", "一个（线程块"), (Lines{"一个", "（线程", "块"}))
      << "nor ends with a bracket that opens";
  EXPECT_EQ(lines_as_wide_as("共 32 wav", "共 32 wavefronts 次"), (Lines{"共 32"})) << "words stay whole";
}

TEST(Texts, ChineseIsDrawnByAFontThatHasIt) {
  for (const Font font : {Font::sans, Font::sans_bold, Font::mono}) {
    EXPECT_TRUE(is_of_stand_in(U'存', font));
    EXPECT_FALSE(is_of_stand_in(U'a', font));
    EXPECT_FALSE(is_of_stand_in(U'ж', font));
    EXPECT_TRUE(has_glyph(U'存', font));
    EXPECT_FALSE(has_glyph(U'\U0001f600', font));
    EXPECT_FLOAT_EQ(text_width("内存", 20, font), 40) << "each fills an em";
    const GlyphImage glyph = draw_glyph(U'存', 20, font, 0);
    EXPECT_GT(glyph.width, 10);
    EXPECT_GT(std::ranges::max(glyph.coverage), 200);
  }
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
      const bool read = op == AccessOp::load || op == AccessOp::ldmatrix,
                 written = op == AccessOp::store || op == AccessOp::stmatrix;
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
  const std::string_view text =
      "Lane k reads row k of as, and all of these rows start in the very same bank, so that the lanes queue";
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
  const std::string words =
      "Phase 172 computes from shared memory: A[16352..16383][16352..16383] and "
      "B[16352..16383][16352..16383]";
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
            EXPECT_EQ(text->text.find("\u2026"), std::string::npos)
                << text->text << " at " << width << " x " << height;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace warplens::picture
