// The GPU's recorder records what the replay records: here both are run by the replay, for every kernel at
// odd sizes.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/linked_recorder.h"
#include "device/problems.h"
#include "kernels/ptx/instrument/instrument.h"
#include "kernels/ptx/parser.h"
#include "kernels/recording/compare.h"
#include "kernels/replay/decode/code.h"

namespace warplens::gpu {
namespace {

void expect_same(const std::string& text, const std::string& entry, const replay::Launch& launch,
                 const replay::Memory& memory, const replay::Options& options, bool one_window) {
  const Result<ptx::Module> module = ptx::parse(text, "kernel.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const Result<replay::Program> program = replay::Program::decode(*module, entry);
  ASSERT_TRUE(program.ok()) << program.error().message();
  replay::Memory changed = memory;
  Result<Recording> replayed = replay::run(*program, launch, changed, options);
  ASSERT_TRUE(replayed.ok()) << replayed.error().message();
  replayed->findings.clear();  // The replay's alone
  Result<Recording> recorded = record_in_replay(*module, *program, launch, memory, options, one_window);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message();
  forget_polls(text, *replayed, *recorded);
  for (const Difference& difference : differences(*replayed, *recorded, 5)) ADD_FAILURE() << difference.what;
}

class Recorder : public testing::TestWithParam<std::string> {};

TEST_P(Recorder, RecordsWhatTheReplayDoes) {
  for (const ProblemToRun& problem : odd_problems(*catalog().find(GetParam()))) {
    SCOPED_TRACE(problem.name);
    replay::Options options{.threads = 1};
    for (std::uint64_t b = 0; b < std::min<std::uint64_t>(problem.launch.grid.count(), 4); ++b) {
      options.event_blocks.push_back(index_from_linear(problem.launch.grid, b));
    }
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory, options, true);
    options.replay_blocks = options.event_blocks;
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory, options, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, Recorder, testing::ValuesIn(recordable_kernels()),
                         [](const auto& kernel) { return kernel.param; });

void expect_same_of(const std::vector<ShortCode>& codes) {
  for (const ShortCode& code : codes) {
    SCOPED_TRACE(code.what);
    const ProblemToRun problem = problem_of(code);
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory,
                {.event_blocks = {{0, 0, 0}, {1, 0, 0}}, .threads = 1}, true);
  }
}

TEST(RecorderOf, CodeInWhichLanesPart) {
  expect_same_of(divergent_codes());
}

TEST(RecorderOf, AFunctionThatLeavesOutItsLastRet) {
  for (const ShortCode& code : nested_loops()) {
    SCOPED_TRACE(code.what);
    ProblemToRun problem = problem_of(code);
    problem.ptx.erase(problem.ptx.rfind("ret;"), 4);
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory,
                {.event_blocks = {{0, 0, 0}}, .threads = 1}, true);
  }
}

TEST(RecorderOf, CodeOfOtherForms) {
  expect_same_of(codes_of_other_forms());
}

TEST(RecorderOf, CopiesAndMatrices) {
  expect_same_of(codes_of_copies());
}

TEST(RecorderOf, MatricesInRegisters) {
  expect_same_of(codes_of_fragments());
}

TEST(RecorderOf, CodeOfOtherFormsIsTakenByTheAssembler) {
  if (std::system("ptxas --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no ptxas on the PATH";
  const auto file =
      std::filesystem::temp_directory_path() / ("warplens_recorder_" + std::to_string(::getpid()) + ".ptx");
  std::vector<ProblemToRun> problems = calls_of_other_forms();
  for (const ShortCode& code : codes_of_other_forms()) problems.push_back(problem_of(code));
  for (const ProblemToRun& problem : kernels_that_call("sm_75")) problems.push_back(problem);
  for (const ProblemToRun& problem : kernels_with_textures("sm_75")) problems.push_back(problem);
  for (const ProblemToRun& problem : problems) {
    SCOPED_TRACE(problem.name);
    const Result<ptx::Module> module = ptx::parse(problem.ptx, "kernel.ptx");
    ASSERT_TRUE(module.ok()) << module.error().message();
    for (const ptx::RecordMode mode : {ptx::RecordMode::totals, ptx::RecordMode::events}) {
      const replay::Program program = *replay::Program::decode(*module, problem.entry);
      const Result<ptx::Instrumented> made = ptx::instrument(
          *module, program.code().function, {.mode = mode, .choose_blocks = true}, program.code().called);
      ASSERT_TRUE(made.ok()) << made.error().message();
      std::ofstream(file) << made->text;
      const std::string registers = program.code().called.empty()
                                        ? ""
                                        : "-maxrregcount 64 ";  // As the recorder limits those of functions
      EXPECT_EQ(std::system(("ptxas -c -arch=sm_75 " + registers + file.string() + " -o /dev/null").c_str()),
                0)
          << made->text;
    }
  }
  std::filesystem::remove(file);
}

TEST(RecorderOf, LoopsInLoops) {
  expect_same_of(nested_loops());
}

// Functions with bodies: in loops, recursive, by address, with barriers, with memory from the heap.
void expect_same_of_problem(const ProblemToRun& problem) {
  SCOPED_TRACE(problem.name);
  for (const bool alone : {false, true}) {
    replay::Options options{.event_blocks = {{0, 0, 0}, {1, 0, 0}}, .threads = 1};
    if (alone) options.replay_blocks = options.event_blocks = {{1, 0, 0}};
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory, options, true);
  }
}

class CallsRecorded : public testing::TestWithParam<const char*> {};

TEST_P(CallsRecorded, AsTheReplayDoes) {
  for (const ProblemToRun& problem : kernels_that_call(GetParam())) expect_same_of_problem(problem);
  expect_same_of_problem(kernel_that_allocates(GetParam()));
}

// One block only: blocks that poll for one another make a number of accesses that depends on timing.
TEST_P(CallsRecorded, AndHowBlocksMeetIsNot) {
  for (const ProblemToRun& problem : kernels_that_wait_for_the_grid(GetParam(), 1)) {
    SCOPED_TRACE(problem.name);
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory,
                {.event_blocks = {{0, 0, 0}}, .threads = 1}, true);
  }
}

INSTANTIATE_TEST_SUITE_P(, CallsRecorded, testing::Values("sm_75", "sm_100"),
                         [](const auto& target) { return std::string(target.param); });

class TexturesRecorded : public testing::TestWithParam<const char*> {};

TEST_P(TexturesRecorded, AsTheReplayDoes) {
  for (const ProblemToRun& problem : kernels_with_textures(GetParam())) expect_same_of_problem(problem);
}

INSTANTIATE_TEST_SUITE_P(, TexturesRecorded, testing::Values("sm_75", "sm_100"),
                         [](const auto& target) { return std::string(target.param); });

TEST(RecorderOf, CallsOfOtherForms) {
  for (const ProblemToRun& problem : calls_of_other_forms()) expect_same_of_problem(problem);
}

// Some lanes go round a loop before others do: whether the phases of these count that depends on who was
// first, which only the replay decides.
TEST(RecorderOf, PhasesThatDependOnTurns) {
  const auto code = [](const std::string& who) {
    return "and.b32 %r5, %r1, 3;\nmov.u32 %r2, 0;\nsetp.eq.u32 %p2, " + who +
           ", 0;\n@%p2 bra OTHERS;\nSOME:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra "
           "SOME;\nbra.uni END;\nOTHERS:\n"
           "ld.global.u32 %r4, [%rd1];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 bra "
           "OTHERS;\nEND:\nst.global.u32 [%rd1], %r2;\n";
  };
  const auto recorded = [&](const std::string& who) {
    ProblemToRun problem = problem_of({"turns", code(who)});
    const ptx::Module module = *ptx::parse(problem.ptx, "kernel.ptx");
    return record_in_replay(module, *replay::Program::decode(module, problem.entry), problem.launch,
                            problem.memory, {.event_blocks = {{0, 0, 0}}, .threads = 1}, true);
  };
  EXPECT_EQ(recorded("%r5").error().what, "phases depend on turns");
  EXPECT_TRUE(recorded("%ctaid.y").ok());  // All go the same way
}

// Between two variables, and behind them: offsets there count from where the compute capability has shared
// memory begin.
TEST(RecorderOf, SharedMemoryThatIsInNoVariable) {
  const std::string generic =
      "cvta.shared.u64 %rd2, %rd3;\nadd.s64 %rd2, %rd2, %rd0;\nst.u32 [%rd2], %r1;\nst.u32 [%rd2+512], "
      "%r1;\n";
  ProblemToRun problem = problem_of({"no variable's",
                                     "mov.u32 %r6, tile;\nmad.lo.u32 %r6, %r1, 4, %r6;\nst.shared.u32 "
                                     "[%r6+512], %r1;\nst.shared.u32 [%r6+1024], %r1;\n"
                                     "mov.u64 %rd3, tile;\nmul.wide.u32 %rd0, %r1, 4;\n" +
                                         generic});
  problem.launch.dynamic_shared_bytes = 4096;
  for (const std::uint32_t base : {0u, 1024u}) {
    SCOPED_TRACE(base);
    expect_same(problem.ptx, problem.entry, problem.launch, problem.memory,
                {.event_blocks = {{0, 0, 0}, {1, 0, 0}}, .shared_base = base, .threads = 1}, true);
  }
}

TEST(RecorderOf, WhatLiesBelowSharedMemory) {
  ProblemToRun problem = problem_of(
      {"below", "mov.u32 %r6, tile;\nmad.lo.u32 %r6, %r1, 4, %r6;\nst.shared.u32 [%r6+-8], %r1;\n"});
  expect_same(problem.ptx, problem.entry, problem.launch, problem.memory,
              {.event_blocks = {{0, 0, 0}, {1, 0, 0}}, .threads = 1}, true);
}

}  // namespace
}  // namespace warplens::gpu
