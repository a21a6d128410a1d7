// The lessons that ship: all that they say is so, and they make handouts.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>

#include "app/languages/languages.h"
#include "app/lesson/handout.h"
#include "app/lesson/shipped.h"
#include "app/lesson/themed.h"
#include "app/lesson/words.h"
#include "lesson/lesson_fixture.h"
#include "viz/export/pdf.h"

namespace warplens::app {
namespace {

/// In English. All cases of a process share the recordings of each, which take longer than what is looked at.
class ShippedLesson : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    static std::map<std::string, std::unique_ptr<OpenedLesson>> all;
    std::unique_ptr<OpenedLesson>& kept = all[GetParam()];
    if (!kept) {
      Result<OpenedLesson> opened = open_lesson(GetParam());
      ASSERT_TRUE(opened.ok()) << opened.error().message();
      kept = std::make_unique<OpenedLesson>(*std::move(opened));
    }
    opened_ = kept.get();
  }
  OpenedLesson* opened_ = nullptr;
};

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++count;
  return count;
}

/// Every figure is a field that the recording fills, every number that is none is marked, and no answer
/// stands there twice.
TEST_P(ShippedLesson, SaysNothingThatIsNotSo) {
  for (const Error& problem : problems_of(opened_->lesson, opened_->player))
    ADD_FAILURE() << problem.message();
}

TEST_P(ShippedLesson, SaysNothingThatIsNotSoInAnyLanguage) {
  for (const SpokenLanguage& language : spoken_languages()) {
    SCOPED_TRACE(language.name);
    speak(language.tag);
    Result<OpenedLesson> translated = open_lesson(GetParam());
    speak(kEnglish);
    ASSERT_TRUE(translated.ok());
    EXPECT_EQ(translated->lesson.about == opened_->lesson.about, language.catalogue == nullptr);
    speak(language.tag);
    for (const Error& problem : problems_of(translated->lesson, translated->player))
      ADD_FAILURE() << problem.message();
    const Result<PreparedScene> first =
        prepared(translated->lesson, translated->lesson.scenes.front(), translated->player);
    EXPECT_TRUE(first.ok());
  }
  speak(kEnglish);
}

TEST_P(ShippedLesson, HasNotesAndFiguresForEachScene) {
  for (const Scene& scene : opened_->lesson.scenes) {
    SCOPED_TRACE(scene.title);
    EXPECT_FALSE(scene.notes.empty());
    EXPECT_NE(scene.sentence.text.find('{'), std::string::npos);
    const Result<StagedScene> staged = opened_->player.play(opened_->lesson, scene);
    ASSERT_TRUE(staged.ok()) << staged.error().message();
    EXPECT_FALSE(figures_of(opened_->lesson, scene, *staged)->empty());
  }
}

/// It has to work from a memory stick: whatever it shows is in it.
TEST_P(ShippedLesson, MakesAHandoutOfOneFile) {
  const Result<std::string> html = make_handout(opened_->lesson, opened_->player, ".html");
  ASSERT_TRUE(html.ok()) << html.error().message();
  EXPECT_LE(html->size(), kMostHandoutBytes);
  for (const char* const outside : {"http:", "https:", "src=", "url(", "@import", "<link", "xlink:href=\"h"})
    EXPECT_EQ(count_of(*html, outside), 0u) << outside;
  EXPECT_EQ(count_of(*html, "href=\""), count_of(*html, "href=\"#scene-") + count_of(*html, "href=\"data:"));
  EXPECT_EQ(count_of(*html, "<section "), opened_->lesson.scenes.size());
  EXPECT_EQ(count_of(*html, "<section "), count_of(*html, "</section>"));
  EXPECT_GE(count_of(*html, "<svg "), opened_->lesson.scenes.size());
  const auto questions = std::ranges::count_if(opened_->lesson.scenes,
                                               [](const Scene& scene) { return scene.question.has_value(); });
  EXPECT_EQ(count_of(*html, "<details>"), static_cast<std::size_t>(questions));
}

TEST_P(ShippedLesson, MakesAPageOfEachScene) {
  const Result<std::string> pdf = make_handout(opened_->lesson, opened_->player, ".pdf");
  ASSERT_TRUE(pdf.ok()) << pdf.error().message();
  EXPECT_TRUE(pdf->starts_with("%PDF-"));
  EXPECT_EQ(count_of(*pdf, "/Type /Page") - count_of(*pdf, "/Type /Pages"), opened_->lesson.scenes.size());
}

INSTANTIATE_TEST_SUITE_P(Each, ShippedLesson, testing::ValuesIn(shipped_lessons()),
                         [](const auto& lesson) { return lesson.param; });

TEST(ShippedLessons, AreACourse) {
  EXPECT_EQ(shipped_lessons(), (std::vector<std::string>{"coalescing", "tiles", "banks", "ladder", "wrong",
                                                         "compiled", "pipelines", "tensor_cores", "hopper"}));
  std::size_t scenes = 0, questions = 0;
  for (const std::string& name : shipped_lessons()) {
    const Result<OpenedLesson> opened = open_lesson(name);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    scenes += opened->lesson.scenes.size();
    for (const Scene& scene : opened->lesson.scenes) questions += scene.question ? 1 : 0;
  }
  EXPECT_GE(scenes, 24u);
  EXPECT_GE(questions, 12u);
}

TEST(ShippedLessons, OthersAreFiles) {
  const Result<OpenedLesson> none = open_lesson("no_such_lesson");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().hint.find("coalescing, tiles, banks"), std::string::npos);
  const std::string path = testing::TempDir() + "own_lesson.toml";
  std::ofstream(path) << lesson_text("sentence = \"{wavefronts}\"\naccess = \"shared load\"\n");
  const Result<OpenedLesson> own = open_lesson(path);
  ASSERT_TRUE(own.ok()) << own.error().message();
  EXPECT_EQ(own->lesson.title, "A lesson");
}

/// Where all steps are too much for one file, those around the scene's own are kept.
TEST(Handout, KeepsItsSize) {
  std::string text = "title = \"Long\"\n";
  for (int i = 0; i < 20; ++i) {
    text += "[[scene]]\ntitle = \"S\"\nlaunch = \"naive:size=512,T=32\"\nselect = \"phase=" +
            std::to_string(i + 1) +
            "\"\nviews = [\"coalescing\", \"source\", \"scrubber\"]\nsentence = \"S\"\n";
    text +=
        "[[scene]]\ntitle = \"S\"\nlaunch = \"tiled:size=128\"\nselect = \"phase=2\"\nviews = [\"banks\", "
        "\"phases\", \"heat\"]\nsentence = \"S\"\n";
  }
  const Result<Lesson> lesson = parse_lesson(text, "long.toml");
  ASSERT_TRUE(lesson.ok()) << lesson.error().message();
  ScenePlayer player({});
  const Result<std::string> html = make_handout(*lesson, player, ".html");
  ASSERT_TRUE(html.ok()) << html.error().message();
  EXPECT_LE(html->size(), kMostHandoutBytes);
  EXPECT_EQ(count_of(*html, "<section "), 40u);
}

/// Both launches are drawn above the table of what changed.
TEST(Handout, DrawsWhatIsCompared) {
  const auto html_of = [](const std::string& lines) {
    const Result<Lesson> lesson = parse_lesson(
        "title = \"C\"\n[[scene]]\ntitle = \"S\"\nlaunch = \"tiled:size=64\"\nagainst = "
        "\"tiled:size=64,T=16\"\nviews = [\"compare\"]\nsentence = "
        "\"S\"\n" +
            lines,
        "compared.toml");
    ScenePlayer player({});
    const Result<std::string> html = make_handout(*lesson, player, ".html");
    return html.ok() ? *html : html.error().message();
  };
  const std::string table = html_of(""), both = html_of("compare = \"banks\"\n");
  EXPECT_NE(table.find("tiled:size=64,T=16"), std::string::npos);
  EXPECT_EQ(table.find("wavefront<"), std::string::npos);
  EXPECT_GT(both.size(), table.size() + 10'000);
}

/// Nothing of a lesson is taken for a part of the page.
TEST(Handout, TextsStayTexts) {
  const Lesson lesson = lesson_of("sentence = \"a < b & `c<d>` </script><script>x</script>\"\n");
  ScenePlayer player({});
  const Result<std::string> html = make_handout(lesson, player, ".html");
  ASSERT_TRUE(html.ok()) << html.error().message();
  EXPECT_NE(html->find("a &lt; b &amp; <code>c&lt;d&gt;</code> &lt;/script&gt;"), std::string::npos);
  EXPECT_EQ(count_of(*html, "<script>x"), 0u);
}

TEST(ThemedPicture, NamesAVariableForEachPairOfColours) {
  picture::Picture dark, light;
  dark.items = {picture::FilledRect{{1, 2, 3.5f, 4}, {0x10, 0x20, 0x30}},
                picture::FilledRect{{0, 0, 1, 1}, {1, 2, 3}}};
  light.items = {picture::FilledRect{{1, 2, 3.5f, 4}, {0xff, 0xfe, 0xfd}},
                 picture::FilledRect{{0, 0, 1, 1}, {1, 2, 3}}};
  Theme theme;
  const std::vector<std::string> elements = theme.elements(dark, light);
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(elements[0], "<rect x=\"1\" y=\"2\" width=\"3.5\" height=\"4\" fill=\"var(--k0)\"/>");
  EXPECT_EQ(elements[1], "<rect x=\"0\" y=\"0\" width=\"1\" height=\"1\" fill=\"#010203\"/>");
  EXPECT_EQ(theme.dark_values(), "--k0:#102030;");
  EXPECT_EQ(theme.light_values(), "--k0:#fffefd;");
}

TEST(ThemedPicture, HasTwiceWhatDiffersInMore) {
  picture::Picture dark, light;
  dark.items = {picture::FilledRect{{1, 2, 3, 4}, {0x10, 0x20, 0x30}}};
  light.items = {picture::FilledRect{{1, 2, 3, 5}, {0xff, 0xfe, 0xfd}}};
  Theme theme;
  const std::vector<std::string> elements = theme.elements(dark, light);
  EXPECT_NE(elements[0].find("<g class=\"dark\">"), std::string::npos);
  EXPECT_NE(elements[0].find("<g class=\"light\">"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
