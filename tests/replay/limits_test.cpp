// Runs that end with an error, and kernels that try to get at the host.
#include <algorithm>
#include <thread>

#include "kernels/recording/validate.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

Trial one_warp(const std::string& body, const std::string& declarations = "") {
  Trial run(kernel_of(body, 1, declarations), "k", {1}, {32});
  run.buffer(std::vector<int>(1024));
  return run;
}

// 31 strides wrap around to 8: lane 31 is inside the buffer, lane 1 is not.
TEST(Limits, StridesThatWrapAroundAreOutOfBounds) {
  const std::string address =
      "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 0x7BDEF7BDEF7BDEF8; add.s64 %rd3, "
      "%rd0, %rd2;\n";
  const Recording read = one_warp(address + "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd0], 1;").record();
  ASSERT_EQ(read.findings.size(), 1u);
  EXPECT_EQ(read.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(read.findings[0].lanes, 0x7ffffffeu);
}

TEST(Limits, AddressesBelowZeroAreOutOfBounds) {
  const Recording recording = one_warp(R"(
ld.global.u32 %r3, [%rd0];
mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 0x2100000; sub.s64 %rd3, %rd0, %rd2;
ld.global.u32 %r2, [%rd3+64];)")
                                  .record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].lanes, 0xfffffffeu);
}

TEST(Limits, ParametersAreBounded) {
  const Recording recording = one_warp("ld.param.u32 %r1, [p0+-4]; ld.param.u64 %rd1, [p0+4];").record();
  EXPECT_EQ(recording.findings.size(), 2u);
}

TEST(Limits, SharedAndLocalMemoryAreBounded) {
  const Recording recording = one_warp(
                                  "mov.u32 %r1, s; st.shared.u32 [%r1+64], %r1; st.shared.u32 [%r1+-4], "
                                  "%r1;\nmov.u64 %rd1, d; ld.local.u32 %r2, [%rd1+16];",
                                  ".shared .align 4 .b8 s[64]; .local .align 4 .b8 d[16];")
                                  .record();
  EXPECT_EQ(recording.findings.size(), 1u) << "three lines are unknown here, so they are one group";
  EXPECT_EQ(recording.findings[0].count, 3u);
}

TEST(Limits, LocalMemoryBeyondCudasIsRefused) {
  Trial run = one_warp("ret;", ".local .align 4 .b8 d[1073741824];");
  const auto result = run.go();
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("local memory"), std::string::npos);
}

TEST(Limits, LaunchesBeyondCudasAreRefused) {
  for (const auto& [grid, block] : {std::pair<Dim3, Dim3>{{1, 65536, 1}, {32, 1, 1}},
                                    {{0, 1, 1}, {32, 1, 1}},
                                    {{1, 1, 1}, {1025, 1, 1}},
                                    {{1, 1, 1}, {1, 1, 65}}}) {
    Trial run(kernel_of("ret;"), "k", grid, block);
    EXPECT_FALSE(run.buffer(std::vector<int>(1)).go());
  }
}

TEST(Limits, WrongArgumentsAreRefused) {
  Trial none(kernel_of("ret;"), "k", {1}, {32});
  EXPECT_FALSE(none.go());
  Trial narrow(kernel_of("ret;"), "k", {1}, {32});
  EXPECT_FALSE(narrow.scalar(1).go());
  Trial outside = one_warp("ret;");
  outside.options.replay_blocks = {{Dim3{1, 0, 0}}};
  EXPECT_FALSE(outside.go());
}

TEST(Limits, UnsupportedInstructionsStopTheRunOnlyWhenReached) {
  const std::string body =
      "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, LIMIT; @!%p1 bra L; mma.sync.unheard.of %r2; L: "
      "st.global.u32 [%rd0], 1;";
  const auto with = [&](const std::string& limit) {
    std::string text = body;
    text.replace(text.find("LIMIT"), 5, limit);
    return text;
  };
  Trial reached = one_warp(with("20"));
  const auto error = reached.go();
  ASSERT_FALSE(error);
  EXPECT_NE(error.error().what.find("mma.sync.unheard.of %r2"), std::string::npos) << error.error().message();
  EXPECT_EQ(error.error().where.substr(0, 9), "test.ptx:");
  one_warp(with("40")).record();
}

TEST(Limits, TrapNamesItsLine) {
  const auto result = one_warp("trap;").go();
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("trap"), std::string::npos);
}

TEST(Limits, EndlessWaitIsAnError) {
  Trial volatile_wait(testing::read_ptx("replay_findings.sm_75.ptx"), "waits_for_ever", {1}, {64});
  const Recording spinning = volatile_wait.buffer(std::vector<int>(64)).record();
  ASSERT_FALSE(spinning.findings.empty());
  EXPECT_EQ(spinning.findings[0].kind, FindingKind::deadlock);
  const auto empty = one_warp("L: bra L;").go();
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message().find("stuck"), std::string::npos);
}

TEST(Limits, CancelEndsEndlessBlocks) {
  for (const char* body : {"L: bar.sync 0; bra L;", "L: add.s32 %r1, %r1, 1; bra L;"}) {
    Trial run = one_warp(body);
    replay::Progress progress;
    run.options.progress = &progress;
    std::thread canceller([&] {
      while (progress.blocks_total == 0) std::this_thread::yield();
      progress.cancel = true;
    });
    const auto result = run.go();
    canceller.join();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what, "cancelled");
  }
}

// Each thread adds 1 a hundred times, in 3 instructions each time.
const char* const kCounts = R"(
mov.u32 %r1, 0;
L:
st.global.u32 [%rd0], %r1;
add.s32 %r1, %r1, 1;
setp.lt.s32 %p1, %r1, 100;
@%p1 bra L;
)";

TEST(Limits, ALaunchEndsAtItsLimitWithWhatWasCounted) {
  Trial whole(kernel_of(kCounts, 1), "k", {4}, {64});
  const Recording all = whole.buffer(std::vector<int>(1)).record();
  EXPECT_FALSE(all.ended);
  Trial run(kernel_of(kCounts, 1), "k", {4}, {64});
  run.options.threads = 4;
  run.options.limit = all.warp_instructions / 2;
  run.options.event_blocks = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}};
  const Recording half = run.buffer(std::vector<int>(1)).record();
  ASSERT_TRUE(half.ended);
  EXPECT_EQ(half.ended->limit, all.warp_instructions / 2);
  EXPECT_GE(half.warp_instructions, all.warp_instructions / 2);
  EXPECT_LT(half.warp_instructions, all.warp_instructions / 2 + 16);
  EXPECT_EQ(half.blocks_total, 4u);
  EXPECT_LE(half.blocks_counted, 3u);
  EXPECT_EQ(half.ended->block.x + 1, half.blocks_counted);
  EXPECT_EQ(half.event_blocks.size(), 2u) << "the last is not begun";
  EXPECT_TRUE(validate(half)) << validate(half).error().message();
  Trial again(kernel_of(kCounts, 1), "k", {4}, {64});
  again.options.limit = run.options.limit;
  again.options.event_blocks = run.options.event_blocks;
  Recording same = again.buffer(std::vector<int>(1)).record();
  same.seconds = half.seconds;
  EXPECT_EQ(same, half) << "whatever the number of threads";
}

TEST(Limits, LimitDoesNotChangeShorterLaunches) {
  Trial whole(kernel_of(kCounts, 1), "k", {4}, {64});
  Recording all = whole.buffer(std::vector<int>(1)).record();
  for (const std::uint64_t more : {0, 1}) {
    Trial run(kernel_of(kCounts, 1), "k", {4}, {64});
    run.options.limit = all.warp_instructions + more;
    const Recording limited = run.buffer(std::vector<int>(1)).record();
    all.seconds = limited.seconds;
    EXPECT_EQ(limited, all);
  }
}

TEST(Limits, ALimitNamesTheLineThatLoops) {
  for (const char* body :
       {".loc 1 5 0\nmov.u32 %r1, 0;\n.loc 1 7 0\nL: add.s32 %r1, %r1, 1;\n.loc 1 8 0\nbra L;\n",
        ".loc 1 5 0\nmov.u32 %r1, 0;\nL:\n.loc 1 7 0\nbar.sync 0; bra L;\n"}) {
    Trial run(kernel_of(body, 1) + ".file 1 \"k.cu\"\n", "k", {1}, {64});
    run.options.limit = 1000;
    const Recording recording = run.buffer(std::vector<int>(1)).record();
    ASSERT_TRUE(recording.ended);
    EXPECT_EQ(recording.ended->line, 7u);
  }
}

TEST(Limits, CancelledLaunchSaysHowFarItCame) {
  Trial run(kernel_of(".loc 1 5 0\nmov.u32 %r1, 0;\n.loc 1 7 0\nL: add.s32 %r1, %r1, 1;\nbra L;\n", 1) +
                ".file 1 \"k.cu\"\n",
            "k", {1}, {32});
  replay::Progress progress;
  run.options.progress = &progress;
  std::thread canceller([&] {
    while (progress.line == 0) std::this_thread::yield();
    progress.cancel = true;
  });
  const auto result = run.buffer(std::vector<int>(1)).go();
  canceller.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(progress.line, 7u);
  EXPECT_GE(progress.warp_instructions, 1u << 20);
  EXPECT_EQ(result.error().what, "cancelled");
  EXPECT_NE(result.error().where.find("k.cu:7"), std::string::npos) << result.error().where;
  EXPECT_NE(result.error().hint.find("block 0,0,0, warp 0"), std::string::npos) << result.error().hint;
}

TEST(Limits, TooManyInstructionsOrEventsAreErrors) {
  Trial longer = one_warp("L: add.s32 %r1, %r1, 1; bra L;");
  longer.options.max_warp_instructions = 1000;
  EXPECT_FALSE(longer.go());
  Trial events = one_warp("st.global.u32 [%rd0], 1; st.global.u32 [%rd0], 1; st.global.u32 [%rd0], 1;");
  events.options.event_blocks = {{0, 0, 0}};
  events.options.max_events = 2;
  const auto result = events.go();
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("fewer blocks"), std::string::npos);
}

}  // namespace
}  // namespace warplens
