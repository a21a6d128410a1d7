// What a lesson's file says, and what is wrong with one.
#include "lesson/lesson_fixture.h"

namespace warplens::app {
namespace {

TEST(LessonFile, IsReadAsItIsWritten) {
  const Result<Lesson> lesson = parse_lesson(R"(
title = "Banks"
about = "What they are."
rules = "5.0"

[[scene]]
title = "First"
launch = "bank_stride:stride=2"
against = "bank_stride:stride=1"
select = "block=0,0,warp=0,phase=2,step=1"
line = "out[first"
access = "shared load"
lane = 3
element = "in[0][4]"
views = [["banks", "coalescing"], ["source"]]
zoom = 1.5
figures = ["wavefronts"]
sentence = """
One line
runs on.

A new paragraph."""
notes = "Ask."

[scene.question]
asks = "How many?"
answers = ["{=1}", "{wavefronts}"]
right = 2
hides = ["sentence", "banks"]

[[scene]]
title = "Second"
launch = "tiled"
rules = "9.0"
views = ["phases"]
sentence = "That is all."
)",
                                             "banks.toml");
  ASSERT_TRUE(lesson.ok()) << lesson.error().message();
  EXPECT_EQ(lesson->title, "Banks");
  EXPECT_EQ(lesson->about, "What they are.");
  ASSERT_EQ(lesson->scenes.size(), 2u);
  const Scene& first = lesson->scenes[0];
  EXPECT_EQ(first.title, "First");
  EXPECT_EQ(first.launch, "bank_stride:stride=2");
  EXPECT_EQ(first.against, "bank_stride:stride=1");
  EXPECT_EQ(first.rules, "5.0");
  EXPECT_EQ(first.select, "block=0,0,warp=0,phase=2,step=1");
  EXPECT_EQ(first.line_of_code, "out[first");
  EXPECT_EQ(first.access, "shared load");
  EXPECT_EQ(first.lane, 3u);
  EXPECT_EQ(first.element, "in[0][4]");
  EXPECT_EQ(first.views, (std::vector<ViewRow>{{"banks", "coalescing"}, {"source"}}));
  EXPECT_FLOAT_EQ(first.zoom, 1.5f);
  EXPECT_EQ(first.figures, (std::vector<std::string>{"wavefronts"}));
  EXPECT_EQ(first.sentence.text, "One line runs on.\nA new paragraph.");
  EXPECT_EQ(first.notes.text, "Ask.");
  EXPECT_EQ(first.line, 6u);
  EXPECT_EQ(lesson->place(first.line), "banks.toml:6");
  ASSERT_TRUE(first.question);
  EXPECT_EQ(first.question->asks.text, "How many?");
  EXPECT_EQ(first.question->answers.size(), 2u);
  EXPECT_EQ(first.question->right, 1u);
  EXPECT_TRUE(first.question->hides_sentence);
  EXPECT_FALSE(first.question->hides_figures);
  EXPECT_TRUE(first.hides("banks"));
  EXPECT_FALSE(first.hides("coalescing"));
  EXPECT_EQ(lesson->scenes[1].rules, "9.0");
  EXPECT_EQ(lesson->scenes[1].views, (std::vector<ViewRow>{{"phases"}}));
  EXPECT_FALSE(lesson->scenes[1].question);
}

TEST(LessonFile, IsInAnyScript) {
  const Lesson lesson = lesson_of(
      "# Ünsinn: Θ, я\nsentence = \"\"\"\nHöhe ~ 5 €, ~~, ~41,\n\\\n  ß я Θ 中 \\u00e9\"\"\"  \nnotes = "
      "'Größe ~'\n");
  EXPECT_EQ(lesson.scenes.front().sentence.text, "Höhe ~ 5 €, ~~, ~41, ß я Θ 中 é");
  EXPECT_EQ(lesson.scenes.front().notes.text, "Größe ~");
  for (const char* const text :
       {"Θt", "[[=]]", "[é]", "a = é", "a = 1 é", "é = 1", "\xff", "title = \"\xc3\""}) {
    const Result<Lesson> none = parse_lesson(text, "mine.toml");
    ASSERT_FALSE(none.ok()) << text;
    EXPECT_TRUE(none.error().where.starts_with("mine.toml")) << none.error().message();
  }
  EXPECT_TRUE(parse_lesson("\xef\xbb\xbf" + lesson_text("sentence = \"S\"\n"), "mine.toml").ok());
}

TEST(LessonFile, AQuestionHidesTheAnswerUnlessItSaysWhat) {
  const Lesson lesson =
      lesson_of("sentence = \"S\"\n[scene.question]\nasks = \"A?\"\nanswers = [\"a\", \"b\"]\nright = 1\n");
  const Scene& scene = lesson.scenes.front();
  EXPECT_TRUE(scene.question->hides_sentence);
  EXPECT_TRUE(scene.question->hides_figures);
  EXPECT_TRUE(scene.hides("banks"));
}

TEST(LessonFile, ErrorsSayWhereWhatAndWhatToDo) {
  const std::string sentence = "sentence = \"S\"\n",
                    question = sentence + "[scene.question]\nasks = \"A?\"\n";
  const struct {
    std::string text, place, what;
  } wrongs[] = {
      {"title = \"x", "mine.toml:1", "string"},
      {"title = \"x\"\n", "mine.toml:1", "a lesson has between 1 and 100 scenes"},
      {"title = \"x\"\nscene = 3\n", "mine.toml:2", "a lesson has between 1 and 100 scenes"},
      {"[[scene]]\n", "mine.toml:1", "`title` is missing"},
      {"[[=]]\n", "mine.toml:1", "expected bare key"},
      {lesson_text(""), "mine.toml:2", "`sentence` is missing"},
      {lesson_text(sentence + "sentense = \"S\"\n"), "mine.toml:7", "there is no `sentense` here"},
      {lesson_text("sentence = 3\n"), "mine.toml:6", "`sentence` is no text"},
      {lesson_text("sentence = \"\"\n"), "mine.toml:6", "`sentence` is empty"},
      {lesson_text(sentence + "lane = 32\n"), "mine.toml:7", "`lane` is no number from 0 to 31"},
      {lesson_text(sentence + "zoom = 9\n"), "mine.toml:7", "`zoom` is no number"},
      {lesson_text(sentence + "figures = \"ideal\"\n"), "mine.toml:7", "`figures` is no list of texts"},
      {lesson_text(sentence + "compare = \"nonsense\"\n"), "mine.toml:2", "there is no picture `nonsense`"},
      {"title = \"x\"\n[[scene]]\ntitle = \"x\"\nlaunch = \"tiled\"\nviews = [\"bank\"]\nsentence = \"S\"\n",
       "mine.toml:2", "there is no picture `bank`"},
      {"title = \"x\"\n[[scene]]\ntitle = \"x\"\nlaunch = \"tiled\"\nviews = [\"compare\"]\nsentence = "
       "\"S\"\n",
       "mine.toml:2", "there is nothing to compare with"},
      {"title = \"x\"\n[[scene]]\ntitle = \"x\"\nlaunch = \"tiled\"\nviews = [[\"banks\"], "
       "\"source\"]\nsentence = \"S\"\n",
       "mine.toml:5", "rows and names"},
      {"title = \"x\"\n[[scene]]\ntitle = \"x\"\nlaunch = \"tiled\"\nviews = []\nsentence = \"S\"\n",
       "mine.toml:2", "a row has no views"},
      {"title = \"x\"\n[[scene]]\ntitle = \"x\"\nlaunch = \"tiled\"\nviews = [[\"banks\"], []]\nsentence = "
       "\"S\"\n",
       "mine.toml:2", "a row has no views"},
      {lesson_text(question), "mine.toml:7", "`right` is missing"},
      {lesson_text(question + "answers = [\"a\"]\nright = 1\n"), "mine.toml:7", "a question has 1 answers"},
      {lesson_text(question + "answers = [\"a\", \"b\"]\nright = 3\n"), "mine.toml:10",
       "`right` is no number from 1 to 2"},
      {lesson_text(question + "answers = [\"a\", \"b\"]\nright = 1\nhides = [\"heat\"]\n"), "mine.toml:11",
       "there is no `heat` in this scene to hide"},
      {lesson_text(sentence + "question = 1\n"), "mine.toml:7", "`question` is no table"},
  };
  for (const auto& wrong : wrongs) {
    SCOPED_TRACE(wrong.text);
    const Result<Lesson> lesson = parse_lesson(wrong.text, "mine.toml");
    ASSERT_FALSE(lesson.ok());
    EXPECT_EQ(lesson.error().where, wrong.place) << lesson.error().message();
    EXPECT_NE(lesson.error().what.find(wrong.what), std::string::npos) << lesson.error().message();
  }
  EXPECT_NE(
      parse_lesson(lesson_text(sentence + "sentense = \"S\"\n"), "mine.toml").error().hint.find("sentence"),
      std::string::npos);
}

TEST(LessonFile, WhatItNamesMustBeThere) {
  const struct {
    std::string lines, launch, what;
  } wrongs[] = {
      {"sentence = \"S\"\n", "no_such_kernel", "no_such_kernel"},
      {"sentence = \"S\"\n", "tiled:T=5", "T"},
      {"sentence = \"S\"\nrules = \"nine\"\n", "tiled", "nine"},
      {"sentence = \"S\"\nselect = \"phase=99\"\n", "tiled:size=64",
       "there is no `block=0,0,warp=0,phase=99,step=1`"},
      {"sentence = \"S\"\nselect = \"block=99,0\"\n", "tiled:size=64", "block 99,0,0"},
      {"sentence = \"S\"\nselect = \"here\"\n", "tiled:size=64", "selects nothing"},
      {"sentence = \"S\"\nline = \"goto\"\n", "tiled:size=64", "on a line with `goto`"},
      {"sentence = \"S\"\naccess = \"shared load of C\"\n", "tiled:size=64", "makes no `shared load of C`"},
      {"sentence = \"S\"\nelement = \"D[0][0]\"\n", "tiled:size=64", "there is no element `D[0][0]`"},
      {"sentence = \"S\"\nelement = \"A[0][64]\"\n", "tiled:size=64", "there is no element `A[0][64]`"},
      {"sentence = \"S\"\n", "missing.wlr", "missing.wlr"},
      {"sentence = \"S\"\n", "missing.cu", "missing.cu"},
  };
  for (const auto& wrong : wrongs) {
    SCOPED_TRACE(wrong.launch + " " + wrong.lines);
    const Lesson lesson = lesson_of(wrong.lines, wrong.launch);
    ScenePlayer player({});
    const Result<StagedScene> staged = player.play(lesson, lesson.scenes.front());
    ASSERT_FALSE(staged.ok());
    EXPECT_EQ(staged.error().where, "mine.toml:2");
    EXPECT_NE(staged.error().what.find(wrong.what), std::string::npos) << staged.error().message();
  }
}

TEST(LessonFile, APlaceIsFoundByItsLineAndAccess) {
  const StagedScene by_access =
      staged_of(lesson_of("sentence = \"S\"\naccess = \"shared store to bs\"\n", "tiled:size=64"));
  EXPECT_NE(
      by_access.place(),
      staged_of(lesson_of("sentence = \"S\"\naccess = \"shared store to as\"\n", "tiled:size=64")).place());
  const StagedScene selected = staged_of(
      lesson_of("sentence = \"S\"\nselect = \"block=1,0,warp=2,phase=1,step=3\"\n", "tiled:size=64"));
  EXPECT_EQ(selected.place(), "block=1,0,warp=2,phase=1,step=3");
  EXPECT_EQ(selected.at_step(0).place(), "block=1,0,warp=2,phase=1,step=1");
  const StagedScene lit =
      staged_of(lesson_of("sentence = \"S\"\nelement = \"as[3][7]\"\nlane = 4\n", "tiled:size=64"));
  EXPECT_EQ(lit.selection.shared_word, 3u * 32 + 7);
  EXPECT_EQ(lit.selection.lane, 4);
  const StagedScene of_buffer =
      staged_of(lesson_of("sentence = \"S\"\nelement = \"B[3][7]\"\n", "tiled:size=64"));
  ASSERT_TRUE(of_buffer.selection.element);
  EXPECT_EQ(of_buffer.selection.element->row, 3u);
  EXPECT_EQ(of_buffer.selection.element->column, 7u);
}

TEST(LessonFile, RecordingsLieBesideIt) {
  const Lesson lesson = lesson_of("sentence = \"S\"\n", "sample_1_0.wlr:cc=5.0");
  ScenePlayer player(std::string(WARPLENS_TEST_DATA) + "/recordings");
  const Result<StagedScene> staged = player.play(lesson, lesson.scenes.front());
  ASSERT_TRUE(staged.ok()) << staged.error().message();
  EXPECT_EQ(staged->loaded->cc.name(), "5.0");
  const Result<StagedScene> again = player.play(lesson, lesson.scenes.front());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->loaded, staged->loaded) << "it is loaded once";
}

/// A kernel's source and its PTX are enough: no compiler is asked.
TEST(LessonFile, KernelsAreTakenFromWhatIsAtHand) {
  const std::string cuda =
      "// warplens: grid=1 block=32 out=f32[32]\n__global__ void first(float* out) { out[threadIdx.x] = 1; "
      "}\n";
  const std::string ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry _Z5firstPf(.param .u64 "
      "_Z5firstPf_param_0)\n{\n.reg .b32 %r<2>;\n.reg .b64 "
      "%rd<4>;\nld.param.u64 %rd1, [_Z5firstPf_param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, "
      "8;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "st.global.u32 [%rd3], %r1;\nret;\n}\n";
  const Lesson lesson = lesson_of("sentence = \"S\"\n", "first.cu");
  ScenePlayer player({}, {{"first.cu", cuda}, {"first.ptx", ptx}});
  const Result<StagedScene> staged = player.play(lesson, lesson.scenes.front());
  ASSERT_TRUE(staged.ok()) << staged.error().message();
  EXPECT_EQ(staged->loaded->recording->buffers.at(0).name, "out");
  EXPECT_EQ(staged->loaded->recording->sites.size(), 1u);
  EXPECT_FALSE(staged->loaded->recording->findings.empty())
      << "the PTX goes past the end, which the source does not";
}

}  // namespace
}  // namespace warplens::app
