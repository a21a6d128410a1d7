#include "kernels/base/texts.h"

#include <gtest/gtest.h>

#include "base/pseudo_language.h"

namespace warplens {
namespace {

TEST(Texts, AreTheirEnglishWithoutALanguage) {
  EXPECT_STREQ(tr("Nothing is loaded."), "Nothing is loaded.");
  EXPECT_EQ(tr("{kernel} at {size:>4}", "size"_a = 64, "kernel"_a = "ijk"), "ijk at   64");
  EXPECT_EQ(tr_n(1, "{n} line of {of}", "{n} lines of {of}", "of"_a = 2), "1 line of 2");
  EXPECT_EQ(tr_n(0, "{n} line", "{n} lines"), "0 lines");
  EXPECT_EQ(tr_n(1024, "{n} line", "{n} lines"), "1,024 lines");
}

/// As a language would that puts the arguments elsewhere, and has no words for some texts.
struct Reversed : Language {
  [[nodiscard]] const char* text(const char* english) const override {
    return std::string_view(english) == "{kernel} at {size}" ? "{size}: {kernel}" : nullptr;
  }
  [[nodiscard]] const char* text(const char* /*one*/, const char* /*many*/,
                                 std::uint64_t count) const override {
    return count < 5 ? "{n} few" : "{n} many";
  }
};

TEST(Texts, AreThoseOfTheLanguage) {
  const Reversed language;
  use_language(&language);
  EXPECT_EQ(tr("{kernel} at {size}", "kernel"_a = "ijk", "size"_a = 64), "64: ijk");
  EXPECT_STREQ(tr("Nothing is loaded."), "Nothing is loaded.");
  EXPECT_EQ(tr_n(3, "{n} line", "{n} lines"), "3 few");
  EXPECT_EQ(tr_n(1000, "{n} line", "{n} lines"), "1,000 many");
  use_language(nullptr);
  EXPECT_EQ(tr_n(3, "{n} line", "{n} lines"), "3 lines");
}

TEST(Texts, OfThePseudoLanguageAreLongerAndBracketed) {
  const PseudoLanguage language;
  EXPECT_STREQ(tr("Record"), "[Ŕéçöŕd··]");
  EXPECT_EQ(tr("{kernel} is drawn", "kernel"_a = "ijk"), "[ijk ïš dŕáwñ····]");
  EXPECT_EQ(words_left_alone(tr("{kernel} is drawn", "kernel"_a = "tiled_guarded")),
            std::vector<std::string>{"tiled_guarded"});
  EXPECT_EQ(words_left_alone("Lane 3 \u2013 [l\u00e1\u00f1\u00e9] ab"), std::vector<std::string>{"Lane"});
}

}  // namespace
}  // namespace warplens
