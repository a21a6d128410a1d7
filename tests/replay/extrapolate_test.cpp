// Following blocks that behave alike: what can be followed equals the replay of every block, and what cannot
// says why.
#include "kernels/replay/extrapolate.h"

#include <fmt/core.h>

#include <random>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

/// Kernels of a few dozen instructions: indices are made of the block's and the thread's in every way that
/// programs make them, guarded, clamped, scaled, masked, in loops, and now and then loaded.
class Generator {
 public:
  explicit Generator(std::uint32_t seed, bool with_matrices = false)
      : random_(seed), with_matrices_(with_matrices) {}

  std::string kernel() {
    line(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %tid.x; mov.u32 %r4, %ntid.x; mov.u32 "
        "%r5, %nctaid.x;");
    line("mov.u32 %r6, s; mul.wide.u32 %rd9, %r3, 4; add.s64 %rd10, %rd0, %rd9;");
    values_ = 6;
    const int steps = pick(3, 12);
    for (int i = 0; i < steps; ++i) make_value();
    const int accesses = pick(1, 4);
    for (int i = 0; i < accesses; ++i) make_access();
    return kernel_of(text_, 2, ".shared .align 4 .b8 s[1024];");
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  void line(const std::string& text) { text_ += text + "\n"; }
  std::string any() {
    const int which = pick(1, values_);
    return which == 6 ? "%r3" : fmt::format("%r{}", which);  // Not the address of shared memory
  }
  std::string next() {
    if (values_ == 30) values_ = 12;
    return fmt::format("%r{}", ++values_);
  }

  void make_value() {
    const std::string a = any(), b = any();
    switch (pick(0, 15)) {
      case 0:
      case 1: return line(fmt::format("add.s32 {}, {}, {};", next(), a, b));
      case 2:
        return line(fmt::format("mad.lo.s32 {}, {}, {}, {};", next(),
                                pick(0, 1) != 0 ? "%r4" : std::to_string(pick(-3, 40)), a, b));
      case 3: return line(fmt::format("shl.b32 {}, {}, {};", next(), a, pick(0, 5)));
      case 4: return line(fmt::format("and.b32 {}, {}, {};", next(), a, (1 << pick(1, 9)) - 1));
      case 5: return line(fmt::format("and.b32 {}, {}, -{};", next(), a, 1 << pick(1, 6)));
      case 6:
        return line(fmt::format("shr.{}32 {}, {}, {};", pick(0, 1) != 0 ? "s" : "u", next(), a, pick(0, 4)));
      case 7: return line(fmt::format("min.s32 {}, {}, {};", next(), a, pick(0, 200)));
      case 8: return line(fmt::format("max.s32 {}, {}, {};", next(), a, pick(0, 40)));
      case 9: return line(fmt::format("sub.s32 {}, {}, {};", next(), a, b));
      case 10: {
        line(fmt::format("setp.{}.s32 %p1, {}, {};", pick(0, 1) != 0 ? "lt" : "ge", a, pick(0, 150)));
        return line(fmt::format("selp.b32 {}, {}, {}, %p1;", next(), a, b));
      }
      case 11: return line(fmt::format("rem.u32 {}, {}, {};", next(), a, pick(1, 9)));
      case 12: return line(fmt::format("or.b32 {}, {}, {};", next(), a, pick(0, 7)));
      case 13: return line(fmt::format("not.b32 {}, {};", next(), a));
      case 14:
        if (pick(0, 3) != 0) return;
        return line(fmt::format("ld.global.u32 {}, [%rd10];", next()));
      default:
        return line(fmt::format("mul.lo.s32 {}, {}, {};", next(), a,
                                pick(0, 1) != 0 ? b : std::to_string(pick(1, 33))));
    }
  }

  void make_access() {
    const std::string index = any();
    const int guard = pick(0, 3);
    const std::string label = fmt::format("L{}", ++labels_);
    const bool loops = pick(0, 3) == 0;
    if (guard == 1)
      line(fmt::format("setp.{}.s32 %p2, {}, {};\n@%p2 bra {};", pick(0, 1) != 0 ? "gt" : "le", any(),
                       pick(0, 300), label));
    if (guard == 2)
      line(fmt::format("setp.{}.u32 %p3, {}, {};", pick(0, 1) != 0 ? "lo" : "ne", any(), pick(0, 100)));
    if (loops) line(fmt::format("mov.u32 %r31, 0;\nA{}:", labels_));
    const std::string when = guard == 2 ? "@%p3 " : "";
    switch (pick(0, 4)) {
      case 0: {  // In shared memory
        line(
            fmt::format("and.b32 %r30, {}, 252;\nadd.u32 %r30, %r30, %r6;", pick(0, 2) != 0 ? "%r9" : index));
        line(when + (pick(0, 1) != 0 ? "st.shared.u32 [%r30], %r3;" : "ld.shared.f32 %f1, [%r30];"));
        break;
      }
      default: {
        const bool is_signed = pick(0, 1) != 0;
        line(fmt::format("mul.wide.{} %rd5, {}, 4;\nadd.s64 %rd6, %rd1, %rd5;", is_signed ? "s32" : "u32",
                         index));
        if (loops) line("mul.wide.u32 %rd7, %r31, 128;\nadd.s64 %rd6, %rd6, %rd7;");
        if (with_matrices_ && pick(0, 1) == 0) {
          make_matrix_access();
          break;
        }
        line(when + (pick(0, 2) == 0 ? "st.global.f32 [%rd6], %f2;"
                                     : fmt::format("ld.global.f32 %f1, [%rd6+{}];", 4 * pick(0, 20))));
        line("fma.rn.f32 %f2, %f1, %f1, %f2;");
      }
    }
    if (loops)
      line(fmt::format("add.u32 %r31, %r31, 1;\nsetp.lo.u32 %p4, %r31, {};\n@%p4 bra A{};",
                       pick(0, 3) != 0 ? "3" : "%r2", labels_));
    if (guard == 1) line(label + ":");
    if (pick(0, 4) == 0) line("bar.sync 0;");
  }

  /// Emits a wmma.load or wmma.store whose base address differs by lane, which the replay accepts.
  void make_matrix_access() {
    const std::string stride = pick(0, 3) != 0 ? std::to_string(8 * pick(0, 4)) : any(),
                      registers = "{%f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}";
    line(pick(0, 1) == 0 ? fmt::format("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {}, [%rd6], {};",
                                       registers, stride)
                         : fmt::format("wmma.store.d.sync.aligned.{}.m16n16k16.global.f32 [%rd6], {}, {};",
                                       pick(0, 1) == 0 ? "row" : "col", registers, stride));
  }

  std::mt19937 random_;
  bool with_matrices_;
  std::string text_;
  int values_ = 0, labels_ = 0;
};

/// Kernels with a loop of many laps or two: counters up and down, guarded and clamped accesses in global and
/// shared memory, inner loops, barriers, and now and then something that is not the same in every lap.
class LoopGenerator {
 public:
  explicit LoopGenerator(std::uint32_t seed) : random_(seed) {}

  std::string kernel() {
    line(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %tid.x; mov.u32 %r4, s; mov.f32 %f2, "
        "0f00000000;");
    line(
        "mad.lo.s32 %r5, %r2, 6, %r1; mad.lo.s32 %r5, %r5, 64, %r3; mad.lo.s32 %r6, %r2, 128, %r3; "
        "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, "
        "%rd2;");
    line("and.b32 %r7, %r3, 31; shl.b32 %r8, %r3, 2; add.u32 %r8, %r8, %r4; shr.u32 %r9, %r3, 5;");
    if (pick(0, 2) != 0) line("st.shared.u32 [%r8], %r3; st.shared.u32 [%r8+256], %r3; bar.sync 0;");
    for (int loops = pick(1, 2); loops > 0; --loops) make_loop();
    line("mul.wide.u32 %rd2, %r6, 4; add.s64 %rd4, %rd0, %rd2;");
    if (pick(0, 2) != 0) line("st.global.f32 [%rd3], %f2;");
    return kernel_of(text_, 2, ".shared .align 4 .b8 s[512];");
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool one_in(int n) { return pick(1, n) == 1; }
  void line(const std::string& text) { text_ += text + "\n"; }

  void make_loop() {
    const int id = ++labels_;
    laps_ = pick(5, 60);
    const bool by_block = one_in(4), by_warp = one_in(6), downwards = one_in(4);
    // %r20 counts laps, %r21 and %rd10 move with them.
    line(fmt::format("mov.u32 %r20, {}; mov.u32 %r21, {}; mov.u32 %r25, {};", downwards ? laps_ : 0,
                     pick(0, 1) != 0 ? "%r6" : "%r7", laps_));
    line(
        "add.s64 %rd10, %rd0, %rd2; mov.u64 %rd11, %rd3; mov.u32 %r22, %r3; mov.u32 %r26, %r4; mov.u32 %r27, "
        "%r4;");
    if (by_block) line("add.u32 %r25, %r25, %r1;");
    if (by_warp) line("add.u32 %r25, %r25, %r9;");
    line(fmt::format("A{}:", id));
    for (int i = pick(1, 4); i > 0; --i) make_step();
    line(fmt::format("add.u32 %r21, %r21, {}; add.s64 %rd10, %rd10, {};", pick(0, 3) * 32, pick(0, 4) * 32));
    if (one_in(2)) line(fmt::format("add.u32 %r27, %r27, {};", one_in(3) ? 8 : 4));
    if (one_in(8)) line("mul.lo.u32 %r22, %r22, 3;");
    if (one_in(8)) line("add.u32 %r26, %r26, 4; and.b32 %r26, %r26, 127; add.u32 %r26, %r26, %r4;");
    if (downwards) {
      line(fmt::format("add.s32 %r20, %r20, -1; setp.gt.s32 %p1, %r20, {};\n@%p1 bra A{};", pick(0, 2), id));
    } else {
      line(fmt::format("add.u32 %r20, %r20, {}; setp.{}.u32 %p1, %r20, %r25;\n@%p1 bra A{};", pick(1, 2),
                       one_in(6) ? "le" : "lt", id));
    }
  }

  void make_step() {
    const int id = ++labels_;
    switch (pick(0, 11)) {
      case 0:
      case 1:
        return line(
            fmt::format("ld.global.f32 %f1, [%rd10+{}]; fma.rn.f32 %f2, %f1, %f1, %f2;", pick(0, 4) * 4));
      case 2: return line("mul.wide.u32 %rd5, %r21, 4; add.s64 %rd6, %rd0, %rd5; ld.global.f32 %f1, [%rd6];");
      case 3: return line("ld.shared.f32 %f1, [%r8]; fma.rn.f32 %f2, %f1, %f1, %f2;");
      case 4: return line("bar.sync 0;\nst.shared.f32 [%r8], %f2;\nbar.sync 0;\nld.shared.f32 %f3, [%r26];");
      case 5:
        return line(
            fmt::format("setp.lt.u32 %p2, %r21, {};\n@%p2 ld.global.f32 %f1, [%rd10];", pick(0, 2500)));
      case 6: {
        line(fmt::format("setp.gt.u32 %p3, %r20, {};\n@%p3 bra B{};\nld.global.f32 %f1, [%rd10+64];\nB{}:",
                         pick(0, 60), id, id));
        return;
      }
      case 7: {  // An inner loop
        line(fmt::format("mov.u32 %r23, 0; mov.u64 %rd7, %rd10;\nC{}:\nld.global.f32 %f1, [%rd7];", id));
        return line(fmt::format(
            "add.s64 %rd7, %rd7, 128; add.u32 %r23, %r23, 1; setp.lt.u32 %p4, %r23, {};\n@%p4 bra C{};",
            one_in(4) ? "%r20" : std::to_string(pick(1, 4)), id));
      }
      case 8:
        return line(
            "min.u32 %r24, %r21, 900; mul.wide.u32 %rd5, %r24, 4; add.s64 %rd6, %rd0, %rd5; ld.global.u32 "
            "%r24, [%rd6];");
      case 10:
        return line(
            fmt::format("ld.shared.f32 %f1, [%r27+{}]; fma.rn.f32 %f2, %f1, %f1, %f2;", 4 * pick(0, 2)));
      case 9:
        return line(one_in(3) ? "st.global.f32 [%rd11], %f2; add.s64 %rd11, %rd11, 4608;"
                              : "st.global.f32 [%rd3], %f2;");
      default:
        return line(
            "and.b32 %r24, %r22, 15; shl.b32 %r24, %r24, 2; add.u32 %r24, %r24, %r4; ld.shared.f32 %f1, "
            "[%r24];");
    }
  }

  std::mt19937 random_;
  std::string text_;
  int labels_ = 0, laps_ = 0;
};

struct FollowOutcome {
  bool is_followed = false;
  std::uint64_t iterations_skipped = 0;
};

FollowOutcome expect_same(Trial trial) {
  const auto followed = trial.follow();
  auto replayed = trial.go();
  EXPECT_EQ(followed.ok(), replayed.ok());
  if (!followed.ok() || !replayed.ok()) return {};
  if (!followed->recording) {
    EXPECT_FALSE(followed->obstacle.empty());
    return {};
  }
  const Recording& recording = *followed->recording;
  EXPECT_EQ(recording.blocks_replayed(), followed->run.size());
  EXPECT_EQ(recording.warp_instructions, replayed->warp_instructions);
  EXPECT_EQ(recording.thread_instructions, replayed->thread_instructions);
  EXPECT_EQ(recording.findings, replayed->findings);
  EXPECT_EQ(recording.phases, replayed->phases);
  EXPECT_EQ(recording.totals, replayed->totals);
  replayed->blocks_extrapolated = recording.blocks_extrapolated;
  replayed->seconds = recording.seconds;
  EXPECT_TRUE(recording == *replayed);
  return {.is_followed = recording.blocks_extrapolated > 0,
          .iterations_skipped = followed->iterations_skipped};
}

void expect_same_of_generated(bool with_matrices, std::uint32_t share) {
  constexpr std::uint32_t kKernels = 500;
  std::uint32_t followed = 0;
  for (std::uint32_t seed = 1; seed <= kKernels; ++seed) {
    const std::string ptx = Generator(seed, with_matrices).kernel();
    Trial trial(ptx, "k", {9, 5}, {64});
    trial.buffer(testing::numbers(1 << 10, seed)).buffer(std::vector<float>(1 << 15));
    trial.options.event_blocks = {{0, 0, 0}, {8, 4, 0}};
    followed += expect_same(std::move(trial)).is_followed ? 1 : 0;
    if (::testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << ptx;
    }
  }
  ::testing::Test::RecordProperty("followed", static_cast<int>(followed));
  EXPECT_GT(followed, kKernels / share) << "hardly any is followed, so little was compared";
}

TEST(ExtrapolateGenerated, EqualsTheFullReplayOrIsRefused) {
  expect_same_of_generated(false, 5);
}

TEST(ExtrapolateGenerated, EqualsTheFullReplayWithMatricesInRegisters) {
  expect_same_of_generated(true, 10);
}

TEST(ExtrapolateGenerated, EqualsTheReplayWhereIterationsAreSkipped) {
  constexpr std::uint32_t kKernels = 500;
  std::uint32_t followed = 0, with_laps = 0;
  for (std::uint32_t seed = 1; seed <= kKernels; ++seed) {
    const std::string ptx = LoopGenerator(seed).kernel();
    Trial trial(ptx, "k", {6, 3}, {64});
    trial.buffer(testing::numbers(1 << 14, seed)).buffer(std::vector<float>(1 << 17));
    const FollowOutcome outcome = expect_same(std::move(trial));
    followed += outcome.is_followed ? 1 : 0;
    with_laps += outcome.is_followed && outcome.iterations_skipped > 0 ? 1 : 0;
    if (::testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << ptx;
    }
  }
  RecordProperty("followed", static_cast<int>(followed));
  RecordProperty("with_laps", static_cast<int>(with_laps));
  EXPECT_GT(with_laps, kKernels / 5) << "hardly any, so little was compared";
}

Trial of_blocks(const std::string& body, Dim3 grid) {
  Trial trial(kernel_of(body, 2), "k", grid, {32});
  trial.buffer(std::vector<int>(1 << 12)).buffer(std::vector<float>(1 << 16));
  return trial;
}

std::string obstacle_of(const std::string& body, Dim3 grid = {64}) {
  const auto followed = of_blocks(body, grid).follow();
  EXPECT_TRUE(followed.ok());
  return followed.ok() ? followed->obstacle : std::string();
}

/// A kernel of so many ifs one after another, either side of each of which sets a register of its own.
std::string ifs(int count) {
  std::string body =
      "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; mov.u32 %r2, %ctaid.x; mad.wide.u32 %rd2, %r2, 4, %rd1; "
      "st.global.u32 [%rd2], %r1;\n";
  std::string registers;
  for (int i = 0; i < count; ++i) {
    registers += fmt::format(".reg .b32 %own{};\n", i);
    body += fmt::format(
        "@%p1 bra A{0}; add.s32 %own{0}, %r1, 1; bra B{0};\nA{0}: add.s32 %own{0}, %r2, 1;\nB{0}:\n", i);
  }
  return registers + body;
}

/// In the order of the text: depth first, as it once was, this took twenty seconds.
TEST(Extrapolate, HandlesAThousandBranchesInARow) {
  const auto followed = of_blocks(ifs(1000), {64}).follow();
  ASSERT_TRUE(followed.ok()) << followed.error().message();
  EXPECT_EQ(followed->obstacle, "lanes store to one place, so what they store matters");
}

TEST(Extrapolate, CanBeCancelledBeforeABlockRuns) {
  replay::Progress progress;
  progress.cancel = true;
  Trial trial = of_blocks("mov.u32 %r1, %ctaid.x;", {64});
  trial.options.progress = &progress;
  const auto followed = trial.follow();
  ASSERT_FALSE(followed.ok());
  EXPECT_EQ(followed.error().what, "cancelled");
  EXPECT_EQ(followed.error().where, "") << "no block was run";
}

TEST(Extrapolate, NamesTheObstacle) {
  EXPECT_EQ(obstacle_of("ld.global.u32 %r1, [%rd0]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; "
                        "ld.global.f32 %f1, [%rd3];"),
            "line 10 of the PTX: an address depends on `ld.global.u32 %r1, [%rd0]` (line 10 of the PTX)");
  EXPECT_EQ(
      obstacle_of(
          "ld.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 7; @%p1 bra E; st.global.u32 [%rd0], 1; E:"),
      "line 10 of the PTX: the way through the code depends on `ld.global.u32 %r1, [%rd0]` (line 10 of the "
      "PTX)");
  EXPECT_EQ(obstacle_of("mov.u32 %r1, %ctaid.x; mul.lo.u32 %r2, %r1, %r1; mul.wide.u32 %rd2, %r2, 4; add.s64 "
                        "%rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];"),
            "line 10 of the PTX: an address depends on `mul.lo.u32 %r2, %r1, %r1` (line 10 of the PTX)");
  EXPECT_EQ(obstacle_of("mov.u32 %r1, %ctaid.x; st.global.u32 [%rd0], %r1;"),
            "lanes store to one place, so what they store matters");
}

TEST(Extrapolate, RunsOneBlockForEachClass) {
  const auto followed = of_blocks(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2;
setp.ge.s32 %p1, %r3, 1000; @%p1 bra E;
mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
E:)",
                                  {1000})
                            .follow();
  ASSERT_TRUE(followed.ok());
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  EXPECT_EQ(followed->recording->blocks_counted, 1000u);
  EXPECT_LE(followed->run.size(), 3u) << "all inside, all outside, and the one between";
  EXPECT_EQ(followed->recording->totals[0].thread_accesses, 1000u);
}

/// What is clamped across an edge of a picture is the same along it: the inside, four edges and four corners.
TEST(Extrapolate, BlocksAlongAnEdgeFormAClass) {
  const auto followed = of_blocks(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2; mov.u32 %r4, %ctaid.y;
add.s32 %r5, %r3, -3; max.s32 %r5, %r5, 0; add.s32 %r6, %r4, -1; max.s32 %r6, %r6, 0;
add.s32 %r7, %r3, 3; min.s32 %r7, %r7, 1279; add.s32 %r8, %r4, 1; min.s32 %r8, %r8, 29;
mad.lo.s32 %r9, %r6, 1280, %r5; mul.wide.s32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
mad.lo.s32 %r9, %r8, 1280, %r7; mul.wide.s32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];)",
                                  {40, 30})
                            .follow();
  ASSERT_TRUE(followed.ok());
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  EXPECT_EQ(followed->run.size(), 9u);
}

/// Where a shift cannot be told along one axis, for what happens there is no shift, blocks are compared along
/// the others.
TEST(Extrapolate, ComparesAlongOneAxisIfNotAlongBoth) {
  Trial trial = of_blocks(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2; mov.u32 %r4, %ctaid.y;
mul.lo.s32 %r5, %r4, %r4; mad.lo.s32 %r6, %r5, 1280, %r3; mul.wide.s32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];)",
                          {40, 7});
  const auto followed = trial.follow();
  ASSERT_TRUE(followed.ok());
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  EXPECT_EQ(followed->run.size(), 7u) << "one of each row";
  EXPECT_TRUE(expect_same(std::move(trial)).is_followed);
}

/// The same with a block that stands alone in its row: it is not compared along the axis of which nothing can
/// be told.
TEST(Extrapolate, ComparesSingleBlocksAlongNoOtherAxis) {
  Trial trial = of_blocks(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2; max.s32 %r3, %r3, 37; mov.u32 %r4, %ctaid.y;
mul.lo.s32 %r5, %r4, %r4; mad.lo.s32 %r6, %r5, 1280, %r3; mul.wide.s32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];)",
                          {40, 7});
  EXPECT_TRUE(expect_same(std::move(trial)).is_followed);
}

/// A loop of so many laps, each of which loads a row of 128 bytes further on, between two barriers.
Trial of_laps(int loop_extrapolation, std::size_t elements) {
  Trial trial(kernel_of(fmt::format(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2; mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd0, %rd2;
mov.u32 %r4, s; shl.b32 %r5, %r2, 2; add.u32 %r4, %r4, %r5; mov.u32 %r6, 0;
A:
ld.global.u32 %r7, [%rd3]; st.shared.u32 [%r4], %r7; bar.sync 0; ld.shared.u32 %r8, [%r4]; bar.sync 0;
add.s64 %rd3, %rd3, 128; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, {}; @%p1 bra A;)",
                                    loop_extrapolation),
                        1, ".shared .align 4 .b8 s[128];"),
              "k", {8}, {32});
  trial.buffer(std::vector<int>(elements));
  return trial;
}

TEST(Extrapolate, SkipsAffineIterations) {
  Trial trial = of_laps(1000, 32 * 1010);
  const auto followed = trial.follow();
  ASSERT_TRUE(followed.ok());
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  EXPECT_EQ(followed->run.size(), 1u);
  EXPECT_EQ(followed->iterations_skipped, 995u)
      << "all but the two that say by how much, the one that is counted, and the last two";
  EXPECT_EQ(followed->recording->phases.size(), 2000u);
  EXPECT_TRUE(expect_same(std::move(trial)).is_followed);
}

TEST(Extrapolate, RunsEveryIterationIfThereAreFindings) {
  Trial trial = of_laps(1000, 32 * 700);
  const auto followed = trial.follow();
  ASSERT_TRUE(followed.ok());
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  ASSERT_EQ(followed->recording->findings.size(), 1u);
  EXPECT_EQ(followed->recording->findings[0].kind, FindingKind::out_of_bounds);
  expect_same(std::move(trial));
}

/// Each block stores 32 words from `step` times its number on, so many words behind what the second buffer
/// begins with.
std::string store_at(int step, int behind) {
  return fmt::format(
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, {}, %r2;"
      "mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3+{}], %r1;\n",
      step, 4 * behind);
}

TEST(Extrapolate, DetectsStoresOfTwoBlocksToOneElement) {
  constexpr const char* kMeet = "blocks store to one place, or load what others store";
  EXPECT_EQ(obstacle_of(store_at(32, 0), {2000}), "") << "one behind the other";
  EXPECT_EQ(obstacle_of(store_at(33, 0), {1900}), "") << "a word between";
  EXPECT_EQ(obstacle_of(store_at(31, 0), {2000}), kMeet);
  EXPECT_EQ(obstacle_of(store_at(-32, 64000), {2000}), "");
  EXPECT_EQ(obstacle_of(store_at(-31, 64000), {2000}), kMeet);
  EXPECT_EQ(obstacle_of(store_at(0, 0), {2}), kMeet);
  EXPECT_EQ(obstacle_of(store_at(64, 0) + store_at(64, 32), {1000}), "") << "two pieces, in turns";
  EXPECT_EQ(obstacle_of(store_at(64, 0) + store_at(64, 63), {1000}), kMeet) << "of neighbours in a word";
  EXPECT_EQ(obstacle_of(store_at(32, 0) + store_at(32, 32), {1000}), kMeet);
}

/// More pieces than are compared with each other: then each element has a bit.
TEST(Extrapolate, DetectsThemInFragmentedFootprints) {
  const auto obstacle = [](int step) {
    Trial trial(kernel_of(store_at(step, 0), 2), "k", {40000}, {32});
    trial.buffer(std::vector<int>(16)).buffer(std::vector<float>(40000 * 33));
    const auto followed = trial.follow();
    EXPECT_TRUE(followed.ok());
    return followed.ok() ? followed->obstacle : std::string();
  };
  EXPECT_EQ(obstacle(33), "");
  EXPECT_EQ(obstacle(31), "blocks store to one place, or load what others store");
}

/// Blocks 8 apart have their lines at the same place in memory; those between have other alignments, and are
/// counted so.
TEST(Extrapolate, ShiftsAlignments) {
  const auto followed = of_blocks(R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 5, %r2;
mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];)",
                                  {640})
                            .follow();
  ASSERT_TRUE(followed.ok());
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  EXPECT_EQ(followed->run.size(), 1u);
  const SiteTotals& load = followed->recording->totals[0];
  ASSERT_EQ(load.patterns.size(), 64u)
      << "by alignment: multiples of 20 bytes modulo 256 are all multiples of 4";
  for (const PatternCount& pattern : load.patterns) EXPECT_EQ(pattern.count, 10u);
}

}  // namespace
}  // namespace warplens
