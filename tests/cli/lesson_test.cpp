// The command that prints, checks and writes lessons.
#include <fstream>

#include "cli/cli_fixture.h"

namespace warplens::app {
namespace {

constexpr const char* kLesson =
    "title = \"Mine\"\n[[scene]]\ntitle = \"Stride {stride}\"\nlaunch = \"bank_stride:stride=2\"\naccess = "
    "\"shared load\"\nviews = [\"banks\"]\n"
    "sentence = \"{wavefronts} wavefronts\"\nnotes = \"N\"\n[scene.question]\nasks = \"How many?\"\nanswers "
    "= [\"{=1}\", \"{wavefronts}\"]\nright = "
    "2\n";

TEST_F(Cli, LessonsAreListedAndPrinted) {
  const ordered_json lessons = run({"lesson", "--list", "--json"}).json()["lessons"];
  EXPECT_EQ(column(lessons, "name"),
            (std::vector<std::string>{"coalescing", "tiles", "banks", "ladder", "wrong", "compiled",
                                      "pipelines", "tensor_cores", "hopper"}));
  EXPECT_NE(run({"lesson", "--list"}).out.find("banks"), std::string::npos);
  EXPECT_GT(run({"lesson", "--fields", "--json"}).json()["fields"].size(), 100u);
  EXPECT_NE(run({"lesson", "--fields"}).out.find("wavefronts"), std::string::npos);

  std::ofstream(path("mine.toml")) << kLesson;
  const Output printed = run({"lesson", path("mine.toml")});
  EXPECT_EQ(printed.status, kDone) << printed.err;
  EXPECT_NE(printed.out.find("1. Stride 2"), std::string::npos);
  EXPECT_NE(printed.out.find("2 wavefronts"), std::string::npos);
  EXPECT_NE(printed.out.find("2) 2  (right)"), std::string::npos);
  const ordered_json scene = run({"lesson", path("mine.toml"), "--json"}).json()["scenes"][0];
  EXPECT_EQ(keys(scene), (std::vector<std::string>{"title", "launch", "against", "rules", "select", "views",
                                                   "sentence", "notes", "figures", "question"}));
  EXPECT_EQ(scene["sentence"], "2 wavefronts");
  EXPECT_EQ(scene["figures"][0]["field"], "wavefronts");
  EXPECT_EQ(scene["figures"][0]["value"], 2);
  EXPECT_EQ(scene["question"]["right"], 2);
}

TEST_F(Cli, LessonsAreChecked) {
  std::ofstream(path("mine.toml")) << kLesson;
  EXPECT_EQ(run({"lesson", path("mine.toml"), "--check"}).status, kDone);
  EXPECT_TRUE(run({"lesson", path("mine.toml"), "--check", "--json"}).json()["problems"].empty());
  std::ofstream(path("wrong.toml"))
      << "title = \"W\"\n[[scene]]\ntitle = \"T\"\nlaunch = \"tiled:size=64\"\nviews = [\"banks\"]\nsentence "
         "= \"16 {nothing}\"\n";
  const Output wrong = run({"lesson", path("wrong.toml"), "--check"});
  EXPECT_EQ(wrong.status, kFailed);
  EXPECT_NE(wrong.out.find("wrong.toml:6: `16` is a number"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("wrong.toml:6: there is no field `nothing`"), std::string::npos) << wrong.out;
  EXPECT_EQ(run({"lesson", path("wrong.toml"), "--check", "--json"}).json()["problems"].size(), 2u);
  const Output not_written = run({"lesson", path("wrong.toml"), "--check", "--handout", path("w.html")});
  EXPECT_EQ(not_written.status, kFailed);
  EXPECT_FALSE(std::filesystem::exists(path("w.html")));
}

TEST_F(Cli, LessonsBecomeHandouts) {
  std::ofstream(path("mine.toml")) << kLesson;
  for (const char* const name : {"h.html", "h.pdf"}) {
    const Output output = run({"lesson", path("mine.toml"), "--handout", path(name)});
    EXPECT_EQ(output.status, kDone) << output.err;
    EXPECT_EQ(output.out, "");
    EXPECT_GT(contents(name).size(), 5000u);
  }
  EXPECT_TRUE(contents("h.html").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(contents("h.pdf").starts_with("%PDF-"));
}

TEST_F(Cli, ScenesOfAHandoutCanBeTriedInThePage) {
  const auto html_with = [&](const char* page) {
    const Output output = run({"lesson", "banks", "--handout", path("live.html"), "--page", page});
    EXPECT_EQ(output.status, kDone) << output.err;
    return contents("live.html");
  };
  EXPECT_NE(
      html_with("../page").find("data-page=\"../page/?alone=1&amp;lang=en&amp;scene=2&amp;lesson=banks\""),
      std::string::npos);
  EXPECT_NE(html_with("https://example.org/w/").find("data-page=\"https://example.org/w/?"),
            std::string::npos);
  for (const char* wrong : {"javascript:alert(1)", "data:text/html,x"})
    EXPECT_EQ(run({"lesson", "banks", "--handout", path("h.html"), "--page", wrong}).status, kMisused)
        << wrong;
  EXPECT_EQ(run({"lesson", "banks", "--page", "page"}).status, kMisused);
}

TEST_F(Cli, LessonsThatCannotBe) {
  EXPECT_EQ(run({"lesson"}).status, kMisused);
  EXPECT_EQ(run({"lesson", "banks", "--handout", path("h.docx")}).status, kMisused);
  EXPECT_EQ(run({"lesson", "no_such_lesson"}).status, kFailed);
  std::ofstream(path("bad.toml")) << "title = \"x";
  const Output bad = run({"lesson", path("bad.toml")});
  EXPECT_EQ(bad.status, kFailed);
  EXPECT_NE(bad.err.find("bad.toml:1"), std::string::npos) << bad.err;
  std::ofstream(path("launch.toml")) << "title = \"W\"\n[[scene]]\ntitle = \"T\"\nlaunch = "
                                        "\"nothing\"\nviews = [\"banks\"]\nsentence = \"S\"\n";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--json"}, {"--handout", path("x.html")}}) {
    std::vector<std::string> command{"lesson", path("launch.toml")};
    command.insert(command.end(), more.begin(), more.end());
    const Output output = run(command);
    EXPECT_EQ(output.status, kFailed);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err.find("launch.toml:2"), std::string::npos) << output.err;
  }
  EXPECT_EQ(run({"lesson", path(".")}).status, kFailed);
}

}  // namespace
}  // namespace warplens::app
