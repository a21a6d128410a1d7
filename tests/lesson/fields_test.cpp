// Each field, against what the recording says by other ways, and how words are filled with them.
#include <set>

#include "app/lesson/fields.h"
#include "app/lesson/words.h"
#include "kernels/base/figures.h"
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
/// A scene, and what fields are in it.
struct ExpectedScene {
  const char* launch;
  const char* lines;
  std::vector<Expected> fields;
};

const std::vector<ExpectedScene>& expected_scenes() {
  static const std::vector<ExpectedScene> scenes{
      {"bank_stride:stride=2",
       "access = \"shared load of words\"\nlane = 3\n",
       {{"wavefronts", "2"},
        {"conflicts", "1"},
        {"banks", "16"},
        {"groups", "1"},
        {"ideal", "1"},
        {"excess", "1"},
        {"lanes", "32"},
        {"idle_lanes", "0"},
        {"bytes", "4"},
        {"requested_bytes", "128"},
        {"words", "32"},
        {"apart", "8"},
        {"access", "shared load of words"},
        {"array", "words"},
        {"array.rows", "2"},
        {"array.row", "32"},
        {"observation",
         "Neighbouring lanes are 8 bytes apart: the 32 words lie in 16 banks, 2 in each, so the lanes are "
         "serialized into 2 wavefronts"},
        {"first.element", "words[0][0]"},
        {"last.element", "words[1][30]"},
        {"lane", "3"},
        {"lane.element", "words[0][6]"},
        {"lane.bank", "6"},
        {"lane.thread", "(3, 0)"},
        {"line", "25"},
        {"line.requests", "128"},
        {"line.cost", "256"},
        {"line.ideal", "128"},
        {"line.excess", "128"},
        {"line.a_request", "2"},
        {"line.divergent", "0"},
        {"stride", "2"},
        {"phase", "2"},
        {"phase.name", "tile 1 of 1, compute"},
        {"phases", "2"},
        {"steps", "4"}}},
      {"naive:size=64",
       "select = \"block=1,0,warp=2\"\naccess = \"global load of A\"\n",
       {{"sectors", "1"},
        {"lines", "1"},
        {"fetched_bytes", "32"},
        {"useful_bytes", "4"},
        {"efficiency", "12.5 %"},
        {"apart", "0"},
        {"lane", "0"},
        {"lane.element", "A[2][0]"},
        {"lane.thread", "(0, 2)"},
        {"array.row", "64"},
        {"array.rows", "64"},
        {"element.reads", "64"},
        {"element.writes", "0"},
        {"element.fetches", "2"},
        {"block", "(1, 0)"},
        {"warp", "2"},
        {"step", "2"}}},
      {"tiled:size=64,T=16",
       "",
       {{"kernel", "tiled"},
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
        {"instructions", "35,840"},
        {"phases", "9"},
        {"phases.fill", "4"},
        {"phases.compute", "4"},
        {"verified", "right"},
        {"findings", "0"},
        {"arithmetic.flops", "524,288"},
        {"arithmetic.intensity", "4"},
        {"arithmetic.requested_intensity", "4"},
        {"arithmetic.global_loads", "32,768"},
        {"arithmetic.loads_a_term", "0.125"},
        {"arithmetic.shared_loads_a_term", "2"},
        {"roof.peak", "1,500"},
        {"roof.bandwidth", "200"},
        {"roof.ridge", "7.5"},
        {"roof.memory", "800"}}},
      {"tiled_guarded:size=100",
       "access = \"global load of A\"\n",
       {{"divergence.requests", "2,450"},
        {"divergence.divergent", "350"},
        {"divergence.lanes", "28.6"},
        {"divergence.warp_phases", "2,744"},
        {"divergence.divergent_warp_phases", "350"}}},
      {"register_tile:T=16",
       "",
       {{"occupancy.blocks", "1"},
        {"occupancy.warps", "8"},
        {"occupancy.most", "64"},
        {"occupancy.share", "12.5 %"},
        {"occupancy.limit", "registers"},
        {"occupancy.waves", "1"},
        {"occupancy.registers", "255"},
        {"occupancy.stack_bytes", "168"},
        {"occupancy.spilled_bytes", "292"},
        {"compiled.architecture", "sm_90"}}},
      {"barrier_divergence",
       "",
       {{"findings", "1"},
        {"finding.kind", "barrier not reached by all lanes"},
        {"finding.count", "4"},
        {"finding.line", "17"},
        {"finding.warp", "0"},
        {"finding.lanes", "16"},
        {"finding.which_lanes", "16–31"},
        {"finding.other_lanes", "0–15"},
        {"finding.text", "barrier reached by lanes 0-15 of warp 0 only: lanes 16-31 are missing"}}},
      {"missing_barrier",
       "",
       {{"finding.kind", "race"},
        {"finding.line", "16"},
        {"finding.other_line", "16"},
        {"verified", "wrong"}}},
      {"tiled:size=64",
       "",
       {{"measured.machine", "H200"},
        {"measured.size", "4,096"},
        {"measured.gflops", "9,108"},
        {"measured.cublas_gflops", "51,393"},
        {"measured.of_cublas", "17.7 %"}}},
      {"warp_specialised:size=256",
       "select = \"warp=8,phase=2\"\nline = \"(kAll)\"\n",
       {{"box.rows", "64"},
        {"box.row_bytes", "128"},
        {"box.bytes", "8,192"},
        {"box.bytes_outside", "0"},
        {"box.sectors", "256"},
        {"box.bank_groups", "8"},
        {"box.bank_groups_unswizzled", "1"},
        {"box.blocks", "2"},
        {"timeline.roles", "3"},
        {"mbarriers", "8"},
        {"mbarrier.bytes", "49,152"},
        {"mbarrier.arrivals", "4"},
        {"mbarrier.remote_arrivals", "2"},
        {"cluster.blocks", "2"},
        {"cluster.bytes_issued", "131,072"},
        {"cluster.bytes_copied", "196,608"}}},
      {"async_copy:size=128,S=3", "", {{"pipeline.stages", "3"}, {"pipeline.phases_in_flight", "1"}}},
  };
  return scenes;
}

/// Expects the fields of a kind, and adds their names to `known`.
void expect_totals(const std::string& prefix, const analysis::Totals& totals, bool shared,
                   const StagedScene& staged, std::set<std::string>& known) {
  const auto expect = [&](const char* name, std::uint64_t value) {
    EXPECT_EQ(field(prefix + name, staged), with_thousands(value)) << prefix << name;
    known.insert(prefix + name);
  };
  const std::uint64_t cost = shared ? totals.cost.wavefronts : totals.cost.sectors;
  expect("requests", totals.requests);
  expect("requested_bytes", totals.requested_bytes);
  expect("divergent", totals.divergent_requests);
  expect("ideal", shared ? totals.cost.ideal_wavefronts : totals.cost.ideal_sectors);
  expect(shared ? "wavefronts" : "sectors", cost);
  if (shared) expect("conflicts", totals.cost.bank_conflicts);
  if (!shared) expect("lines", totals.cost.lines);
  known.insert(prefix + "a_request");
  if (totals.requests == 0) return;
  EXPECT_EQ(field(prefix + "a_request", staged),
            number_field(static_cast<double>(cost) / static_cast<double>(totals.requests)).text);
}

/// None is left out here.
TEST(LessonFields, EachHasItsValue) {
  std::set<std::string> known;
  for (const ExpectedScene& scene : expected_scenes()) {
    const StagedScene staged =
        staged_of(lesson_of(std::string("sentence = \"S\"\n") + scene.lines, scene.launch));
    for (const Expected& expected : scene.fields) {
      EXPECT_EQ(field(expected.name, staged), expected.text) << scene.launch << " " << expected.name;
      known.insert(expected.name);
    }
    for (const analysis::TotalsKind& kind : analysis::totals_kinds()) {
      expect_totals(std::string(kind.id) + ".", staged.loaded->report.*kind.totals, kind.shared(), staged,
                    known);
      if (staged.loaded->compiled.has_counts())
        expect_totals("compiled." + std::string(kind.id) + ".", staged.loaded->compiled.report.*kind.totals,
                      kind.shared(), staged, known);
    }
  }
  for (const LessonField& one : lesson_fields()) EXPECT_TRUE(known.contains(one.name)) << one.name;
}

TEST(LessonFields, WithoutAValueSayWhy) {
  const StagedScene shared = staged_of(lesson_of("sentence = \"S\"\naccess = \"shared load of words\"\n"));
  const Result<FieldValue> sectors = field_value("sectors", shared);
  ASSERT_FALSE(sectors.ok());
  EXPECT_EQ(sectors.error().what, "`sectors` has no value here");
  EXPECT_EQ(sectors.error().hint,
            "It has a value where the selected access is one of global or local memory.");
  const StagedScene global =
      staged_of(lesson_of("sentence = \"S\"\naccess = \"global load of A\"\n", "naive:size=64"));
  for (const char* const name : {"wavefronts", "conflicts", "banks", "lane.bank", "finding.line"})
    EXPECT_FALSE(field_value(name, global).ok()) << name;
}

TEST(LessonFields, OfTheOtherLaunchStandBehindAgainst) {
  const StagedScene staged =
      staged_of(lesson_of("sentence = \"S\"\nagainst = \"naive:size=64\"\n", "tiled:size=64,T=16"));
  EXPECT_EQ(field("kernel", staged), "tiled");
  EXPECT_EQ(field("against.kernel", staged), "naive");
  EXPECT_EQ(field("against.T", staged), "32");
  EXPECT_EQ(field("against.arithmetic.loads_a_term", staged), "2");
}

/// What is measured is of the ladder's usual parameters alone.
TEST(LessonFields, OfWhatWasMeasured) {
  for (const char* const launch :
       {"tiled:size=64,T=8", "register_tile:T=2,size=64", "tiled_shared_a:size=64,type=f64", "bank_stride"}) {
    const StagedScene other = staged_of(lesson_of("sentence = \"S\"\n", launch));
    EXPECT_FALSE(field_value("measured.gflops", other).ok()) << launch;
  }
  EXPECT_EQ(field("measured.gflops", staged_of(lesson_of("sentence = \"S\"\n", "register_tile:size=64"))),
            "15,139");
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
  for (const char* const launch : {"tiled:size=64", "bank_stride", "missing_barrier", "naive:size=33,cc=1.0",
                                   "vector_add", "register_tile:T=2,size=64"}) {
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
  EXPECT_NE(field_value("shared_load.sectors", staged).error().hint.find("shared_load.wavefronts"),
            std::string::npos);
  EXPECT_NE(field_value("against.wavefronts", staged).error().what.find("against no other launch"),
            std::string::npos);
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
                                     {1.0 / 3, "0.333"}}) {
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
      "[[scene]]\ntitle = \"Two\"\nlaunch = \"bank_stride:stride=2\"\naccess = \"shared load\"\nviews = "
      "[\"banks\"]\nsentence = \"S\"\n"
      "[scene.question]\nasks = \"A?\"\nanswers = [\"{=2}\", \"{wavefronts}\"]\nright = 2\n"
      "[[scene]]\ntitle = \"Three\"\nlaunch = \"nothing\"\nviews = [\"banks\"]\nsentence = \"S\"\n");
  ScenePlayer player({});
  const std::vector<Error> problems = problems_of(lesson, player);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].what, "`2` is a number, and no field");
  EXPECT_EQ(problems[0].where, "mine.toml:6");
  EXPECT_NE(problems[1].what.find("nonsense"), std::string::npos);
  EXPECT_EQ(problems[2].what, "the answer `2` stands there twice");
  EXPECT_NE(problems[3].what.find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
