// The languages that ship: that their catalogues are whole is held by tools/dev/update-texts.sh --check,
// their arguments by the build.
#include "app/languages/languages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "kernels/base/language_table.h"
#include "viz/canvas/fonts.h"

namespace warplens::app {
namespace {

TEST(Languages, AreThoseThatLecturesAreHeldIn) {
  EXPECT_EQ(tags_of_languages(), (std::vector<std::string_view>{"en", "de", "fr", "pl", "ru", "zh"}));
  for (const SpokenLanguage& language : spoken_languages()) EXPECT_EQ(find_language(language.tag), &language);
  EXPECT_EQ(find_language("pl_PL.UTF-8")->name, "Polski");
  EXPECT_EQ(find_language("zh-Hans")->tag, "zh");
  EXPECT_EQ(find_language("plx"), nullptr);
  EXPECT_EQ(find_language(""), nullptr);
  EXPECT_EQ(why_not_spoken("fr"), "");
  EXPECT_EQ(why_not_spoken("xx"), "`xx` is none of the languages: en, de, fr, pl, ru, zh");
}

TEST(Languages, SpeakFromWhenTheyAreChosen) {
  speak("de");
  EXPECT_EQ(language_spoken().name, "Deutsch");
  EXPECT_STREQ(tr("Banks"), "Bänke");
  EXPECT_EQ(with_thousands(1'048'576), "1.048.576");
  speak("en");
  EXPECT_EQ(language_spoken().tag, kEnglish);
  EXPECT_STREQ(tr("Banks"), "Banks");
}

/// The variables of the environment that a test sets, put back at its end.
class Environment : public testing::Test {
 protected:
  Environment() {
    for (const char* const name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
      if (const char* const value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
  }
  ~Environment() override {
    for (const char* const name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(Environment, SaysWhichLanguageIsSpokenAtFirst) {
  EXPECT_EQ(language_of_environment().tag, "en");
  setenv("LANG", "ru_RU.UTF-8", 1);
  EXPECT_EQ(language_of_environment().tag, "ru");
  setenv("LC_MESSAGES", "de_AT.UTF-8", 1);
  EXPECT_EQ(language_of_environment().tag, "de");
  setenv("LANGUAGE", "nl:fr:pl", 1);
  EXPECT_EQ(language_of_environment().tag, "fr");
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ(language_of_environment().tag, "en") << "for scripts";
  setenv("LC_ALL", "nl_NL.UTF-8", 1);
  unsetenv("LANGUAGE");
  EXPECT_EQ(language_of_environment().tag, "en");
}

class EachLanguage : public testing::TestWithParam<std::string_view> {
 protected:
  const LanguageTable& table() {
    return dynamic_cast<const LanguageTable&>(*find_language(GetParam())->catalogue);
  }
};

TEST_P(EachLanguage, HasAGlyphForEachOfItsCharacters) {
  std::set<char32_t> missing;
  const auto look_at = [&](std::string_view text) {
    while (!text.empty()) {
      const char32_t character = picture::take_code_point(text);
      const bool drawn = picture::has_glyph(character, picture::Font::sans) &&
                         picture::has_glyph(character, picture::Font::sans_bold) &&
                         picture::has_glyph(character, picture::Font::mono);
      if (character != '\n' && !drawn) missing.insert(character);
    }
  };
  look_at(table().name());
  look_at(table().signs().thousands);
  for (std::size_t i = 0; i < table().translations().size(); ++i) {
    const Translation& one = table().translations()[i];
    for (std::size_t form = 0; form < one.count; ++form) look_at(one.forms[form]);
  }
  for (const char32_t character : missing)
    ADD_FAILURE() << fmt::format(
        "U+{:04x} has no glyph: `tools/dev/make-fonts.py chinese` makes fonts that have it, or translate "
        "without "
        "it",
        static_cast<std::uint32_t>(character));
}

TEST_P(EachLanguage, SaysItsOwnOfWhatIsShownFirst) {
  const Language* const language = &table();
  std::size_t own_words = 0;
  for (const char* const text : {"Banks", "Coalescing", "Record", "File", "View", "Help", "Kernel"}) {
    const char* const own = language->text(text);
    ASSERT_NE(own, nullptr) << text;
    own_words += std::string_view(own) == text ? 0 : 1;
  }
  EXPECT_GE(own_words, 5u) << "some are the same in both";
}

INSTANTIATE_TEST_SUITE_P(Shipped, EachLanguage, testing::Values("de", "fr", "pl", "ru", "zh"),
                         [](const auto& tag) { return std::string(tag.param); });

}  // namespace
}  // namespace warplens::app
