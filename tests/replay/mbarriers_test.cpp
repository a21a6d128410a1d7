// mbarriers of one block: phases, who waits for them, and what is wrong about their use. PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier".
#include <fmt/core.h>

#include <numeric>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

/// %r1 the thread, %r2 the mbarriers, %r3 the words of shared memory, %r4 the thread's, %rd1 the thread's
/// word of the second buffer, %rd2 its 16 bytes of the first.
std::string waiting(const std::string& body) {
  return kernel_of(R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.s32 %r4, %r3, %r4;
mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd2, %rd0, %rd3;
setp.eq.u32 %p7, %r1, 0;
)" + body,
                   2, ".shared .align 8 .b64 bar[4]; .shared .align 1024 .b8 s[8192];") +
         ".file 1 \"k.cu\"\n";
}

/// Thread 0 makes an mbarrier of that count, and all see it.
std::string made(int count, int at = 0) {
  return fmt::format("\n.loc 1 1 0\n@%p7 mbarrier.init.shared::cta.b64 [%r2+{}], {};\nbar.sync 0;\n", 8 * at,
                     count);
}

/// Until the phase whose state %rd10 holds has ended.
std::string wait_by_state(const char* name, const char* address = "%r2") {
  return fmt::format("\n{0}: mbarrier.try_wait.shared::cta.b64 %p1, [{1}], %rd10;\n@!%p1 bra {0};\n", name,
                     address);
}
std::string wait_by_parity(const char* name, const char* address, const char* parity) {
  return fmt::format(
      "\n{0}: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [{1}], {2}, 1000;\n@%p1 bra "
      "{0}_over;\n"
      "bra.uni {0};\n{0}_over:\n",
      name, address, parity);
}

struct Ran {
  Recording recording;
  std::vector<std::uint32_t> words;  ///< Of the second buffer
  [[nodiscard]] std::vector<std::string> findings() const {
    std::vector<std::string> found;
    for (const Finding& finding : recording.findings)
      found.push_back(fmt::format("{} {} {}", name_of(finding.kind), finding.line, finding.other_line));
    return found;
  }
  [[nodiscard]] std::string text() const {
    return recording.findings.empty() ? "" : recording.findings.back().text;
  }
};

Trial trial_of(const std::string& body, Dim3 block, Dim3 grid = {1}) {
  std::vector<std::uint32_t> source(4096);
  std::iota(source.begin(), source.end(), 1000u);
  Trial trial(waiting(body), "k", grid, block);
  trial.buffer(source).buffer(std::vector<std::uint32_t>(1024));
  return trial;
}

Ran run(const std::string& body, Dim3 block = {1}) {
  Trial trial = trial_of(body, block);
  trial.options.event_blocks = {{0, 0, 0}};
  Ran ran;
  ran.recording = trial.record();
  ran.words = trial.contents<std::uint32_t>(1);
  return ran;
}

using Texts = std::vector<std::string>;
using Stored = std::vector<std::uint32_t>;

/// What one thread stores in %r10, %r11, ..: the results of tests and counts.
Stored stored(const std::string& body, int count) {
  std::string text = body;
  for (int k = 0; k < count; ++k) text += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", 4 * k, 10 + k);
  const Ran ran = run(text);
  EXPECT_EQ(ran.findings(), Texts{}) << body;
  return {ran.words.begin(), ran.words.begin() + count};
}

TEST(Mbarriers, AnArrivalGivesTheStateBeforeIt) {
  EXPECT_EQ(stored(R"(
mov.u64 %rd20, bar; cvta.shared.u64 %rd20, %rd20;
mbarrier.init.b64 [%rd20], 4;
mbarrier.arrive.shared.b64 %rd10, [bar];
mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd11, [bar], 2;
mbarrier.arrive.release.cta.shared::cta.b64 %rd12, [bar], 1;
mbarrier.arrive.b64 %rd13, [%rd20], 3;
mbarrier.pending_count.b64 %r10, %rd10; mbarrier.pending_count.b64 %r11, %rd11;
mbarrier.pending_count.b64 %r12, %rd12; mbarrier.pending_count.b64 %r13, %rd13;
)",
                   4),
            (Stored{4, 3, 1, 4}));
}

TEST(Mbarriers, PhasesAreTestedByStateAndByParity) {
  EXPECT_EQ(stored(R"(
mbarrier.init.shared::cta.b64 [bar], 2;
mbarrier.arrive.shared::cta.b64 %rd10, [bar];
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd10;        selp.u32 %r10, 1, 0, %p1;
mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], 0;     selp.u32 %r11, 1, 0, %p1;
mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 1;      selp.u32 %r12, 1, 0, %p1;
mbarrier.arrive.shared::cta.b64 _, [bar];
mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [bar], %rd10; selp.u32 %r13, 1, 0, %p1;
mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd10, 99;     selp.u32 %r14, 1, 0, %p1;
mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;      selp.u32 %r15, 1, 0, %p1;
mbarrier.test_wait.parity.shared::cta.b64 %p1, [bar], 1;     selp.u32 %r16, 1, 0, %p1;
)",
                   7),
            (Stored{0, 0, 1, 1, 1, 1, 0}));
}

TEST(Mbarriers, TransactionBytesHoldAPhaseOpen) {
  EXPECT_EQ(stored(R"(
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 %rd10, [bar], 64;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd10; selp.u32 %r10, 1, 0, %p1;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;
mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 64;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd10; selp.u32 %r11, 1, 0, %p1;
mbarrier.complete_tx.shared::cta.b64 [bar], 16;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd10; selp.u32 %r12, 1, 0, %p1;
)",
                   3),
            (Stored{0, 0, 1}));
  // Bytes may arrive before they are expected.
  EXPECT_EQ(stored(R"(
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.complete_tx.shared::cta.b64 [bar], 48;
mbarrier.arrive.expect_tx.shared::cta.b64 %rd10, [bar], 48;
mbarrier.test_wait.shared::cta.b64 %p1, [bar], %rd10; selp.u32 %r10, 1, 0, %p1;
)",
                   1),
            Stored{1});
}

TEST(Mbarriers, DroppedArrivalsAreNotExpectedAgain) {
  for (const char* drop :
       {"mbarrier.arrive_drop.shared::cta.b64 _, [bar]; mbarrier.arrive.shared.b64 _, [bar];",
        "mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd10, [bar], 1; "
        "mbarrier.arrive.shared.b64 _, [bar];",
        "mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [bar], 8; "
        "mbarrier.complete_tx.shared.b64 [bar], 8; mbarrier.arrive.shared.b64 _, [bar];"}) {
    EXPECT_EQ(stored(std::string("mbarrier.init.shared.b64 [bar], 2;\n") + drop + R"(
mbarrier.arrive.shared.b64 %rd10, [bar]; mbarrier.pending_count.b64 %r10, %rd10;
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r11, 1, 0, %p1;
)",
                     2),
              (Stored{1, 1}))
        << drop;
  }
}

const std::string kExchange = R"(
.loc 1 3 0
st.shared.u32 [%r4], %r1;
.loc 1 4 0
mbarrier.arrive.shared::cta.b64 %rd10, [%r2];
)",
                  kRead = R"(
xor.b32 %r5, %r4, {};
.loc 1 6 0
ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd1], %r6;
)";

TEST(Mbarriers, WarpsWaitForEachOther) {
  const Ran ran =
      run(made(128) + kExchange + wait_by_state("W") + fmt::format(fmt::runtime(kRead), 0x1fc), {128});
  EXPECT_EQ(ran.findings(), Texts{});
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(ran.words[t], t ^ 127) << t;
  // Operations on objects are no accesses.
  EXPECT_EQ(ran.recording.sites.size(), 3u);
}

TEST(Mbarriers, OrderLanesOfAWarp) {
  const std::string read = fmt::format(fmt::runtime(kRead), 0x7c);
  EXPECT_EQ(run(made(32) + kExchange + wait_by_state("W") + read, {32}).findings(), Texts{});
  EXPECT_EQ(run(made(32) + kExchange + read, {32}).findings(), Texts{"lane_race 6 3"});
}

/// Warp 0 fills the two stages in turn, warp 1 adds up what it finds there.
std::string two_stages() {
  const std::string stage = R"(
and.b32 %r8, %r7, 1; shl.b32 %r9, %r8, 3; add.s32 %r10, %r2, %r9; add.s32 %r11, %r10, 16;
shl.b32 %r12, %r8, 7; and.b32 %r13, %r4, 127; add.s32 %r12, %r12, %r13; add.s32 %r12, %r3, %r12;
shr.u32 %r14, %r7, 1; and.b32 %r14, %r14, 1;
)";
  return made(32, 0) + made(32, 1) + made(32, 2) + made(32, 3) + R"(
mov.u32 %r7, 0; mov.u32 %r20, 0; setp.ge.u32 %p2, %r1, 32;
@%p2 bra CONSUME;
PRODUCE:
)" + stage +
         "xor.b32 %r15, %r14, 1;\n" + wait_by_parity("E", "%r11", "%r15") + R"(
mad.lo.u32 %r16, %r7, 100, %r1; st.shared.u32 [%r12], %r16;
mbarrier.arrive.shared::cta.b64 _, [%r10];
add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 20; @%p3 bra PRODUCE;
bra DONE;
CONSUME:
)" + stage +
         wait_by_parity("F", "%r10", "%r14") + R"(
ld.shared.u32 %r16, [%r12]; add.u32 %r20, %r20, %r16;
mbarrier.arrive.shared::cta.b64 _, [%r11];
add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 20; @%p3 bra CONSUME;
st.global.u32 [%rd1], %r20;
DONE:
)";
}

TEST(Mbarriers, ProducersAndConsumersShareTwoStages) {
  const Ran ran = run(two_stages(), {64});
  EXPECT_EQ(ran.findings(), Texts{});
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(ran.words[32 + l], 20 * l + 100 * 190) << l;
}

TEST(Mbarriers, BlocksThatUseThemAreAlike) {
  const std::string own_place =
      "mov.u32 %r21, %ctaid.x; mul.wide.u32 %rd9, %r21, 256; add.s64 %rd1, %rd1, %rd9;\n";
  const std::string exchange =
      made(64) + kExchange + wait_by_state("W") + fmt::format(fmt::runtime(kRead), 0xfc);
  for (const std::string& body : {exchange, two_stages()}) {
    Trial trial = trial_of(own_place + body, {64}, {16});
    const auto followed = trial.follow();
    ASSERT_TRUE(followed.ok()) << followed.error().message();
    ASSERT_TRUE(followed->recording) << followed->obstacle;
    EXPECT_LT(followed->recording->blocks_replayed(), 16u);
    const Recording replayed = trial.record();
    EXPECT_EQ(followed->recording->warp_instructions, replayed.warp_instructions);
    EXPECT_EQ(followed->recording->totals, replayed.totals);
    EXPECT_EQ(followed->recording->findings, replayed.findings);
  }
}

TEST(Mbarriers, ArriveOnceCopiesHaveLanded) {
  for (const bool counts : {false, true}) {
    // With .noinc the thread's own arrival is the one of its copies.
    const std::string arrive = counts ? "cp.async.mbarrier.arrive.shared::cta.b64 [%r2];\n"
                                        "mbarrier.arrive.shared::cta.b64 %rd10, [%r2];\n"
                                      : "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2];\n";
    const std::string body = made(64) + R"(
shl.b32 %r5, %r1, 4; add.s32 %r5, %r3, %r5;
.loc 1 3 0
cp.async.cg.shared.global [%r5], [%rd2], 16;
)" + arrive + "{}" + R"(
xor.b32 %r6, %r5, 0x3f0;
.loc 1 6 0
ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd1], %r7;
)";
    const Ran ran = run(fmt::format(fmt::runtime(body), wait_by_parity("W", "%r2", "0")), {64});
    EXPECT_EQ(ran.findings(), Texts{}) << arrive;
    for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(ran.words[t], 1000 + 4 * (t ^ 63)) << t;
    EXPECT_EQ(run(fmt::format(fmt::runtime(body), ""), {64}).findings(),
              (Texts{"uninitialised 6 0", "race 3 6", "race 6 3"}))
        << arrive;
  }
}

TEST(Mbarriers, MisuseIsReported) {
  struct Case {
    const char *wrong, *right, *text;
  };
  const Case cases[] = {
      {"mbarrier.arrive.shared.b64 _, [bar];",
       "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 _, [bar];",
       "operation on an mbarrier at shared address 0x0 by lane 0 of warp 0: no mbarrier.init has made one "
       "there"},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [bar], 2;",
       "mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; mbarrier.init.shared.b64 [bar], "
       "2;",
       "mbarrier.init at shared address 0x0 by lane 0 of warp 0: that of line 4 has made one there, and no "
       "mbarrier.inval has ended it"},
      {"mbarrier.init.shared.b64 [bar], 0;", "mbarrier.init.shared.b64 [bar], 1;",
       "mbarrier.init with the count 0 at shared address 0x0 by lane 0 of warp 0: a count is 1 to 1048575"},
      {"mbarrier.init.shared.b64 [bar], 1048576;", "mbarrier.init.shared.b64 [bar], 1048575;",
       "mbarrier.init with the count 1048576 at shared address 0x0 by lane 0 of warp 0: a count is 1 to "
       "1048575"},
      {"mbarrier.init.shared.b64 [bar], 3; mbarrier.arrive.shared.b64 _, [bar], 4;",
       "mbarrier.init.shared.b64 [bar], 3; mbarrier.arrive.shared.b64 _, [bar], 3;",
       "arrival with the count 4 at the mbarrier at shared address 0x0 by lane 0 of warp 0: its phase "
       "expects 3 more"},
      {"mbarrier.init.shared.b64 [bar+4], 1;", "mbarrier.init.shared.b64 [bar+8], 1;",
       "mbarrier at the address 0x4 by lane 0 of warp 0: it is not a multiple of 8 in the block's shared "
       "memory"},
      {"mbarrier.init.shared.b64 [bar+65536], 1;", "mbarrier.init.shared.b64 [bar+16], 1;",
       "mbarrier at the address 0x10000 by lane 0 of warp 0: it is not a multiple of 8 in the block's shared "
       "memory"},
      {"mbarrier.init.b64 [%rd0], 1;", "cvta.shared.u64 %rd9, %rd8; mbarrier.init.b64 [%rd9], 1;", nullptr},
      {"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 %rd10, [bar], 1;",
       "mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.noComplete.shared.b64 %rd10, [bar], 1;",
       "arrival with .noComplete at the mbarrier at shared address 0x0 by lane 0 of warp 0: it would end the "
       "phase"},
      {"mbarrier.init.shared.b64 [bar], 2; st.shared.u32 [bar], 0x200007; mbarrier.arrive.shared.b64 _, "
       "[bar];",
       "mbarrier.init.shared.b64 [bar], 2; st.shared.u32 [bar+8], 7; mbarrier.arrive.shared.b64 _, [bar];",
       "operation on the mbarrier at shared address 0x0 by lane 0 of warp 0: a store has changed the object "
       "since line 4 made it"},
  };
  for (const Case& one : cases) {
    const std::string before = "mov.u64 %rd8, bar;\n.loc 1 4 0\n";
    const Ran wrong = run(before + one.wrong);
    ASSERT_EQ(wrong.recording.findings.size(), 1u) << one.wrong;
    EXPECT_EQ(wrong.recording.findings[0].kind, FindingKind::mbarrier) << one.wrong;
    EXPECT_EQ(wrong.recording.findings[0].line, 4u) << one.wrong;
    if (one.text != nullptr) {
      EXPECT_EQ(wrong.text(), one.text);
    }
    EXPECT_EQ(run(before + one.right).findings(), Texts{}) << one.right;
  }
}

TEST(Mbarriers, WaitThatNobodyEndsIsADeadlock) {
  const std::string arrive = "\n.loc 1 3 0\nmbarrier.arrive.shared::cta.b64 %rd10, [%r2];\n.loc 1 4 0\n";
  EXPECT_EQ(run(made(64) + arrive + wait_by_state("W"), {64}).findings(), Texts{});
  const Ran ran = run(made(65) + arrive + wait_by_state("W"), {64});
  EXPECT_EQ(ran.findings(), Texts{"deadlock 4 0"});
  EXPECT_EQ(
      ran.text(),
      "lanes 0-31 of warp 0 wait at the mbarrier at shared address 0x0, whose phase nothing in the block "
      "ends any more: 1 of 65 arrivals and 0 transaction bytes are missing");
  // As the C++ library waits: the clock only says how long to sleep.
  const std::string sleeping = R"(
mov.u64 %rd11, %globaltimer; mov.u32 %r10, 0;
W: mbarrier.test_wait.shared::cta.b64 %p1, [%r2], %rd10;
@%p1 bra OVER;
setp.lt.s32 %p2, %r10, 16; @%p2 bra COUNT;
mov.u64 %rd12, %globaltimer; sub.s64 %rd12, %rd12, %rd11; setp.lt.s64 %p3, %rd12, 40000; @%p3 bra W;
nanosleep.u32 100; bra.uni W;
COUNT: add.s32 %r10, %r10, 1; bra.uni W;
OVER:
)";
  EXPECT_EQ(run(made(64) + arrive + sleeping, {64}).findings(), Texts{});
  EXPECT_EQ(run(made(65) + arrive + sleeping, {64}).findings(), Texts{"deadlock 4 0"});
  EXPECT_EQ(run(made(65) + arrive + "@%p7 bra OVER;\n" + sleeping, {64}).findings(), Texts{"deadlock 4 0"});
}

// Compilers place the block that counts tries before the loop's header.
TEST(Mbarriers, DeadlockIsFoundWhereTheLoopsLastBlockPrecedesItsHeader) {
  const std::string counted = R"(
.loc 1 4 0
mbarrier.arrive.shared::cta.b64 %rd10, [%r2];
mov.u64 %rd12, %globaltimer; mov.u32 %r20, 0; bra.uni TRY;
COUNT: add.s32 %r20, %r20, 1;
TRY: mbarrier.try_wait.shared::cta.b64 %p1, [%r2], %rd10;
@!%p1 bra LOOK;
bra.uni OVER;
LOOK: setp.lt.s32 %p2, %r20, 16; @%p2 bra COUNT;
mov.u64 %rd13, %globaltimer; sub.s64 %rd13, %rd13, %rd12; setp.lt.s64 %p3, %rd13, 40000; @%p3 bra TRY;
nanosleep.u32 100; bra.uni TRY;
OVER:
)";
  EXPECT_EQ(run(made(64) + counted, {64}).findings(), Texts{});
  EXPECT_EQ(run(made(65) + counted, {64}).findings(), Texts{"deadlock 4 0"});
}

TEST(Mbarriers, LanesOfAWarpWaitForEachOther) {
  for (const char* side : {"setp.lt.u32 %p2, %r1, 16;", "setp.ge.u32 %p2, %r1, 16;"}) {
    const auto body = [&](int count) {
      return made(count) + side + R"(
mov.u32 %r6, 5;
@%p2 bra ARRIVE;
.loc 1 4 0
)" + wait_by_parity("W", "%r2", "0") +
             R"(
mov.u32 %r6, 6; bra END;
ARRIVE:
mbarrier.arrive.shared::cta.b64 _, [%r2];
END:
st.global.u32 [%rd1], %r6;
)";
    };
    const Ran ran = run(body(16), {32});
    EXPECT_EQ(ran.findings(), Texts{}) << side;
    EXPECT_EQ(ran.words[0] + ran.words[31], 11u) << side;
    EXPECT_EQ(run(body(17), {32}).findings(), Texts{"deadlock 4 0"}) << side;
  }
}

TEST(Mbarriers, WaitWithATimeLimitEnds) {
  const Ran ran = run(made(64) + R"(
mov.u64 %rd11, %globaltimer; mbarrier.arrive.shared::cta.b64 %rd10, [%r2];
W: mbarrier.try_wait.shared::cta.b64 %p1, [%r2], %rd10;
@%p1 bra OVER;
mov.u64 %rd12, %globaltimer; sub.s64 %rd12, %rd12, %rd11; setp.lt.s64 %p3, %rd12, 4000; @%p3 bra W;
mov.u32 %r6, 77; st.global.u32 [%rd1], %r6;
OVER:
)",
                      {32});
  EXPECT_EQ(ran.findings(), Texts{});
  EXPECT_EQ(ran.words[0], 77u);
}

class MbarriersOfCompilers : public ::testing::TestWithParam<const char*> {};

// tests/data/cu/mbarriers.cu: cuda::barrier, cuda::pipeline and memcpy_async. Before compute capability 8.0
// they are made of atomics.
TEST_P(MbarriersOfCompilers, SumsAreRight) {
  constexpr std::uint32_t kTiles = 5;
  const std::pair<const char*, std::uint32_t> kKernels[] = {
      {"sum_by_barrier", 128}, {"sum_by_pipeline", 128}, {"sum_by_roles", 96}};
  for (const auto& [kernel, sums] : kKernels) {
    const std::vector<int> in = testing::numbers(kTiles * 128);
    Trial trial(testing::read_ptx(GetParam()), kernel, {1}, {128});
    const Recording recording =
        trial.buffer(in).buffer(std::vector<int>(sums)).scalar(static_cast<int>(kTiles)).record();
    EXPECT_TRUE(recording.findings.empty())
        << kernel << ": " << (recording.findings.empty() ? "" : recording.findings[0].text);
    const std::vector<int> out = trial.contents<int>(1);
    for (std::uint32_t t = 0; t < sums; ++t) {
      int sum = 0;
      for (std::uint32_t k = 0; k < kTiles; ++k) sum += in[k * sums + sums - 1 - t];
      EXPECT_EQ(out[t], sum) << kernel << " " << t;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Files, MbarriersOfCompilers,
                         ::testing::Values("mbarriers.sm_75.ptx", "mbarriers.sm_90.ptx",
                                           "mbarriers.sm_100.ptx"));

TEST(Mbarriers, WorkBetweenTwoWaitsOfALoopIsCounted) {
  // The second warp waits for the first four times, and stores each time; the first waits for that.
  const Ran ran = run(R"(
@%p7 mbarrier.init.shared::cta.b64 [%r2], 32; @%p7 mbarrier.init.shared::cta.b64 [%r2+8], 32; bar.sync 0;
mov.u32 %r10, 0; setp.gt.u32 %p2, %r1, 31; @%p2 bra SECOND;
FIRST: mbarrier.arrive.shared::cta.b64 _, [%r2]; and.b32 %r11, %r10, 1;
A: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2+8], %r11; @!%p1 bra A;
add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 4; @%p3 bra FIRST;
bra END;
SECOND: and.b32 %r11, %r10, 1;
B: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], %r11; @!%p1 bra B;
st.global.u32 [%rd1], %r10; mbarrier.arrive.shared::cta.b64 _, [%r2+8];
add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 4; @%p3 bra SECOND;
END:)",
                      {64});
  EXPECT_EQ(ran.findings(), Texts{});
  ASSERT_EQ(ran.recording.sites.size(), 1u);
  EXPECT_EQ(ran.recording.totals[0].requests, 4u);
}

}  // namespace
}  // namespace warplens
