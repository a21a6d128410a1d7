// Each field, against what the recording says by other ways, and how words are filled with them.
#include <set>

#include "app/lesson/fields.h"
#include "app/lesson/words.h"
#include "lesson/lesson_fixture.h"

namespace warplens::app {
namespace {

std::string field(const std::string& name, const StagedScene& staged) {
  const Result<FieldValue> value = field_value(name, staged);
  return value.ok() ? value->text : "error: " + value.error().what;
}

struct Expected {
  const char* name;
  const char* text;
};

void expect_fields(const StagedScene& staged, const std::vector<Expected>& fields) {
  for (const Expected& expected : fields) EXPECT_EQ(field(expected.name, staged), expected.text) << expected.name;
}

TEST(LessonFields, OfASharedAccess) {
  const StagedScene staged = staged_of(lesson_of("sentence = \"S\"\naccess = \"shared load of words\"\nlane = 3\n"));
  expect_fields(staged, {{"wavefronts", "2"},
                         {"ideal", "1"},
                         {"excess", "1"},
                         {"conflicts", "1"},
                         {"banks", "16"},
                         {"groups", "1"},
                         {"lanes", "32"},
                         {"idle_lanes", "0"},
                         {"bytes", "4"},
                         {"requested_bytes", "128"},
                         {"words", "32"},
                         {"apart", "8"},
                         {"access", "shared load of words"},
                         {"array", "words"},
                         {"line", "25"},
                         {"lane", "3"},
                         {"lane.bank", "6"},
                         {"lane.thread", "(3, 0)"},
                         {"lane.element", "words[0][6]"},
                         {"first.element", "words[0][0]"},
                         {"last.element", "words[1][30]"},
                         {"array.row", "32"},
                         {"array.rows", "2"},
                         {"line.requests", "128"},
                         {"line.cost", "256"},
                         {"line.ideal", "128"},
                         {"line.excess", "128"},
                         {"line.a_request", "2"},
                         {"line.divergent", "0"}});
  EXPECT_NE(field("observation", staged).find("8 bytes apart"), std::string::npos);
  EXPECT_NE(field("sectors", staged).find("has no value here"), std::string::npos);
}

TEST(LessonFields, OfAGlobalAccess) {
  const StagedScene staged =
      staged_of(lesson_of("sentence = \"S\"\nselect = \"block=1,0,warp=2\"\naccess = \"global load of A\"\n", "naive:size=64"));
  expect_fields(staged, {{"sectors", "1"},
                         {"ideal", "1"},
                         {"lines", "1"},
                         {"lanes", "32"},
                         {"fetched_bytes", "32"},
                         {"useful_bytes", "4"},
                         {"efficiency", "12.5 %"},
                         {"apart", "0"},
                         {"lane", "0"},
                         {"lane.element", "A[2][0]"},
                         {"element.reads", "64"},
                         {"element.writes", "0"},
                         {"element.fetches", "2"},
                         {"block", "(1, 0)"},
                         {"warp", "2"},
                         {"step", "2"},
                         {"array.row", "64"},
                         {"array.rows", "64"}});
  EXPECT_NE(field("wavefronts", staged).find("has no value here"), std::string::npos);
}

TEST(LessonFields, OfALaunch) {
  const StagedScene staged = staged_of(lesson_of("sentence = \"S\"\nagainst = \"naive:size=64\"\n", "tiled:size=64,T=16"));
  expect_fields(staged, {{"kernel", "tiled"},
                         {"m", "64"},
                         {"p", "64"},
                         {"n", "64"},
                         {"T", "16"},
                         {"parameter.T", "16"},
                         {"type", "f32"},
                         {"rules", "9.0"},
                         {"grid", "4 x 4"},
                         {"blocks", "16"},
                         {"block.shape", "16 x 16"},
                         {"threads", "256"},
                         {"warps", "8"},
                         {"shared_bytes", "2,048"},
                         {"phases", "9"},
                         {"phases.fill", "4"},
                         {"phases.compute", "4"},
                         {"verified", "right"},
                         {"global_load.requests", "1,024"},
                         {"global_load.sectors", "4,096"},
                         {"global_load.ideal", "4,096"},
                         {"global_load.a_request", "4"},
                         {"global_load.requested_bytes", "131,072"},
                         {"global_load.divergent", "0"},
                         {"global_store.requests", "128"},
                         {"shared_store.wavefronts", "1,024"},
                         {"shared_store.ideal", "1,024"},
                         {"shared_store.conflicts", "0"},
                         {"shared_store.a_request", "1"},
                         {"local_load.requests", "0"},
                         {"findings", "0"},
                         {"arithmetic.flops", "524,288"},
                         {"arithmetic.global_loads", "32,768"},
                         {"arithmetic.loads_a_term", "0.12"},
                         {"against.kernel", "naive"},
                         {"against.arithmetic.loads_a_term", "2"},
                         {"against.T", "32"}});
}

TEST(LessonFields, OfDivergenceOccupancyAndFindings) {
  const StagedScene guarded = staged_of(lesson_of("sentence = \"S\"\naccess = \"global load of A\"\n", "tiled_guarded:size=100"));
  expect_fields(guarded, {{"divergence.warp_phases", "2,744"}, {"divergence.divergent_warp_phases", "350"}});
  const StagedScene spilled = staged_of(lesson_of("sentence = \"S\"\n", "register_tile:T=16"));
  expect_fields(spilled,
                {{"occupancy.registers", "255"}, {"occupancy.most", "64"}, {"occupancy.limit", "registers"}, {"compiled.architecture", "sm_90"}});
  EXPECT_NE(field("occupancy.spilled_bytes", spilled), "0");
  const StagedScene race = staged_of(lesson_of("sentence = \"S\"\n", "missing_barrier"));
  expect_fields(race, {{"finding.kind", "race"}, {"verified", "wrong"}});
  const StagedScene barrier = staged_of(lesson_of("sentence = \"S\"\n", "barrier_divergence"));
  expect_fields(barrier,
                {{"finding.kind", "barrier_divergence"}, {"finding.which_lanes", "16–31"}, {"finding.other_lanes", "0–15"}, {"finding.lanes", "16"}});
}

/// What is measured is of the ladder's usual parameters alone.
TEST(LessonFields, OfWhatWasMeasured) {
  const StagedScene usual = staged_of(lesson_of("sentence = \"S\"\n", "tiled:size=64"));
  expect_fields(usual,
                {{"measured.gflops", "9,108"}, {"measured.size", "4,096"}, {"measured.cublas_gflops", "51,403"}, {"measured.of_cublas", "17.7 %"}});
  const StagedScene other = staged_of(lesson_of("sentence = \"S\"\n", "tiled:size=64,T=8"));
  EXPECT_NE(field("measured.gflops", other).find("has no value here"), std::string::npos);
}

TEST(LessonFields, AllHaveNamesOfTheirOwnAndMeanings) {
  std::set<std::string> names;
  for (const LessonField& one : lesson_fields()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_STRNE(one.meaning, "") << one.name;
  }
}

/// Whatever the recording, a field has a value or says why not.
TEST(LessonFields, AllAnswerOfAnyLaunch) {
  for (const char* const launch :
       {"tiled:size=64", "bank_stride", "missing_barrier", "naive:size=33,cc=1.0", "vector_add", "register_tile:T=2,size=64"}) {
    const StagedScene staged = staged_of(lesson_of("sentence = \"S\"\n", launch));
    for (const LessonField& one : lesson_fields()) {
      const Result<FieldValue> value = field_value(one.name, staged);
      if (value.ok()) {
        EXPECT_NE(value->text, "") << launch << " " << one.name;
      } else {
        EXPECT_NE(value.error().what, "") << launch << " " << one.name;
      }
    }
  }
}

TEST(LessonFields, UnknownOnesAreErrorsThatNameOthers) {
  const StagedScene staged = staged_of(lesson_of("sentence = \"S\"\n"));
  const Result<FieldValue> unknown = field_value("wavefront", staged);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().what, "there is no field `wavefront`");
  EXPECT_NE(unknown.error().hint.find("wavefronts"), std::string::npos);
  EXPECT_NE(field_value("shared_load.sectors", staged).error().hint.find("shared_load.wavefronts"), std::string::npos);
  EXPECT_NE(field_value("against.wavefronts", staged).error().what.find("against no other launch"), std::string::npos);
}

TEST(LessonFields, NumbersAreShort) {
  for (const auto& [number, text] : {std::pair{0.0, "0"},
                                     {7.0, "7"},
                                     {1048576.0, "1,048,576"},
                                     {0.5, "0.5"},
                                     {2.5, "2.5"},
                                     {12.34, "12.3"},
                                     {123.4, "123"},
                                     {1234.5, "1,235"},
                                     {0.0312, "0.0312"},
                                     {-3.5, "-3.5"},
                                     {1.0 / 3, "0.33"}}) {
    EXPECT_EQ(number_field(number).text, text);
  }
}

TEST(LessonWords, AreFilled) {
  const Lesson lesson = lesson_of("access = \"shared load of words\"\nsentence = \"S\"\n");
  const StagedScene staged = staged_of(lesson);
  const auto fill = [&](const std::string& words) {
    const Result<std::string> text = filled(LessonText{words, 6}, lesson, staged);
    return text.ok() ? *text : "error: " + text.error().message();
  };
  EXPECT_EQ(fill("It takes {wavefronts} of {=32}."), "It takes 2 of 32.");
  EXPECT_EQ(fill("{wavefronts / ideal} times, {wavefronts - ideal} more"), "2 times, 1 more");
  EXPECT_EQ(fill("`{{ 1 }}` and `as[{ideal}]`"), "`{ 1 }` and `as[1]`");
  EXPECT_NE(fill("{wavefronts").find("mine.toml:6: a brace is opened"), std::string::npos);
  EXPECT_NE(fill("{access / ideal}").find("is no number"), std::string::npos);
  EXPECT_NE(fill("{wavefronts / idle_lanes}").find("divides by nothing"), std::string::npos);
  EXPECT_NE(fill("{nonsense}").find("there is no field `nonsense`"), std::string::npos);
}

TEST(LessonWords, NumbersThatAreNoFieldsAreSeen) {
  const auto numbers = [](const std::string& words) { return bare_numbers(words); };
  EXPECT_EQ(numbers("16 wavefronts, or 2"), (std::vector<std::string>{"16", "2"}));
  EXPECT_TRUE(numbers("{=16} of {a.b2}, `as[32]`, L1, float4, H200").empty());
  EXPECT_EQ(numbers("`code` 7"), (std::vector<std::string>{"7"}));
}

TEST(LessonWords, ProblemsAreAllTold) {
  const Lesson lesson = lesson_of(
      "sentence = \"It takes 2 wavefronts, {nonsense}.\"\n"
      "[[scene]]\ntitle = \"Two\"\nlaunch = \"bank_stride:stride=2\"\naccess = \"shared load\"\nviews = [\"banks\"]\nsentence = \"S\"\n"
      "[scene.question]\nasks = \"A?\"\nanswers = [\"{=2}\", \"{wavefronts}\"]\nright = 2\n"
      "[[scene]]\ntitle = \"Three\"\nlaunch = \"nothing\"\nviews = [\"banks\"]\nsentence = \"S\"\n");
  Stage stage({});
  const std::vector<Error> problems = problems_of(lesson, stage);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].what, "`2` is a number, and no field");
  EXPECT_EQ(problems[0].where, "mine.toml:6");
  EXPECT_NE(problems[1].what.find("nonsense"), std::string::npos);
  EXPECT_EQ(problems[2].what, "the answer `2` stands there twice");
  EXPECT_NE(problems[3].what.find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
