// Races in global memory between warps of a block, and updates that are lost: with nothing that orders the
// warps each is found; whatever orders them is honoured.
#include <set>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

using Found = std::set<std::tuple<FindingKind, std::uint32_t, std::uint32_t>>;

Trial trial_of(const std::string& body, Dim3 grid = {1}, Dim3 block = {64},
               const std::string& declarations = "") {
  return {kernel_of(body, 1, declarations) + ".file 1 \"k.cu\"\n", "k", grid, block};
}

Found found_in(const Recording& recording) {
  Found found;
  for (const Finding& finding : recording.findings)
    found.insert({finding.kind, finding.line, finding.other_line});
  return found;
}

Found found_by(const std::string& body, Dim3 grid = {1}, Dim3 block = {64},
               const std::string& declarations = "") {
  Trial run = trial_of(body, grid, block, declarations);
  return found_in(run.buffer(testing::numbers(4096)).record());
}

Found race(std::uint32_t line, std::uint32_t other_line) {
  return {{FindingKind::race, line, other_line}};
}

/// Of findings in global memory.
Found global_races_by(const std::string& body, Dim3 block, const std::string& declarations) {
  Trial run = trial_of(body, {1}, block, declarations);
  Recording recording = run.buffer(testing::numbers(4096)).record();
  std::erase_if(recording.findings, [](const Finding& finding) { return !finding.is_global_race(); });
  return found_in(recording);
}

/// %r1: thread, %r2: warp, %r3: block; %rd8: A + thread, %rd9: A + (thread ^ 32)
const std::string kPlaces = R"(
mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r3, %ctaid.x;
mul.wide.u32 %rd7, %r1, 4; add.s64 %rd8, %rd0, %rd7;
xor.b32 %r4, %r1, 32; mul.wide.u32 %rd7, %r4, 4; add.s64 %rd9, %rd0, %rd7;
)";
const std::string kStoreOwn = ".loc 1 4 0\nst.global.u32 [%rd8], %r1;\n";
const std::string kLoadOther =
    ".loc 1 6 0\nld.global.u32 %r9, [%rd9];\n.loc 1 7 0\nst.global.u32 [%rd8+4096], %r9;\n";
const std::string kFirstWarp = "setp.ne.u32 %p1, %r2, 0;\n";

TEST(WarpRaces, StoreThatAnotherWarpLoadsNamesBothAccesses) {
  Trial run = trial_of(kPlaces + kStoreOwn + kLoadOther);
  const Recording recording = run.buffer(testing::numbers(4096)).record();
  // The second warp stores what the first has loaded already, and loads what the first has stored.
  EXPECT_EQ(found_in(recording), (Found{{FindingKind::race, 4, 6}, {FindingKind::race, 6, 4}}));
  const Finding& finding = recording.findings.at(0);
  EXPECT_EQ(finding.text,
            "store of 4 bytes at A[32] by thread 32 and load of line 6 by thread 0, of another warp of the "
            "block: nothing orders the two warps");
  EXPECT_EQ(finding.warp, 1u);
  EXPECT_EQ(finding.lanes, 0xffffffffu);
  ASSERT_TRUE(finding.access && finding.other);
  EXPECT_EQ(finding.access->space, Space::global);
  EXPECT_EQ(finding.access->addresses.size(), 32u);
  EXPECT_EQ(*finding.other, (OtherAccess{.instruction = finding.other->instruction,
                                         .op = AccessOp::load,
                                         .block = {0, 0, 0},
                                         .warp = 0,
                                         .lane = 0,
                                         .address = recording.buffers[0].base + 128}));
}

TEST(WarpRaces, BarriersOrderWarps) {
  for (const char* const barrier : {"bar.sync 0;\n", "barrier.sync.aligned 3;\n", "bar.sync 1, 64;\n",
                                    "bar.red.popc.u32 %r20, 0, %p1;\n"}) {
    EXPECT_EQ(found_by(kPlaces + kFirstWarp + kStoreOwn + barrier + kLoadOther), (Found{})) << barrier;
  }
}

TEST(WarpRaces, NamedBarrierOrdersWarpsThatMeetThere) {
  // Warps 0 and 1 meet at one barrier, 2 and 3 at another.
  const std::string meet = "add.u32 %r20, %r2, 2; shr.u32 %r20, %r20, 1; bar.sync %r20, 64;\n";
  EXPECT_EQ(found_by(kPlaces + kStoreOwn + meet + kLoadOther, {1}, {128}), (Found{}));
  // Each loads what the warp after the next has stored.
  const std::string far = "xor.b32 %r4, %r1, 64; mul.wide.u32 %rd7, %r4, 4; add.s64 %rd9, %rd0, %rd7;\n";
  EXPECT_EQ(found_by(kPlaces + far + kStoreOwn + meet + kLoadOther, {1}, {128}), race(6, 4));
  // Of warps 0 and 1, then of 1 and 2: what the first has done comes before what the third does.
  const std::string chain = kPlaces + R"(
setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1;
@!%p1 bra SECOND;
)" + kStoreOwn + R"(
bar.sync 1, 64; bra END;
SECOND: @!%p2 bra THIRD;
bar.sync 1, 64; bar.sync 2, 64; bra END;
THIRD: bar.sync 2, 64;
.loc 1 6 0
ld.global.u32 %r9, [%rd8+-256]; st.global.u32 [%rd8+4096], %r9;
END:)";
  EXPECT_EQ(found_by(chain, {1}, {96}), (Found{}));
}

TEST(WarpRaces, ArrivalOrdersTheWarpThatWaits) {
  const auto hand_over = [](const std::string& before, const std::string& behind) {
    return found_by(kPlaces + kFirstWarp + "@%p1 bra WAITS;\n" + before + "bar.arrive 1, 64;\n" + behind +
                    "bra END;\nWAITS: bar.sync 1, 64;\n.loc 1 6 0\nld.global.u32 %r9, [%rd9];\n"
                    "st.global.u32 [%rd8+4096], %r9;\nEND:");
  };
  EXPECT_EQ(hand_over(kStoreOwn, ""), (Found{}));
  EXPECT_EQ(hand_over("", kStoreOwn), race(6, 4)) << "what follows the arrival is not waited for";
}

TEST(WarpRaces, WarpsThatHaveExitedHaveArrived) {
  EXPECT_EQ(found_by(kPlaces + kFirstWarp + "@%p1 bra STAYS;\n" + kStoreOwn +
                     "exit;\nSTAYS: bar.sync 0;\n.loc 1 6 0\nld.global.u32 %r9, [%rd9]; st.global.u32 "
                     "[%rd8+4096], %r9;"),
            (Found{}));
}

TEST(WarpRaces, LoadBeforeTheStoreIsReported) {
  // In place: each thread takes its neighbour's element.
  const std::string shift = kPlaces + ".loc 1 4 0\nld.global.u32 %r9, [%rd8+4];\n";
  const std::string store = ".loc 1 5 0\nst.global.u32 [%rd8], %r9;";
  EXPECT_EQ(found_by(shift + store), race(5, 4));
  EXPECT_EQ(found_by(shift + "bar.sync 0;\n" + store), (Found{}));
  EXPECT_EQ(found_by(shift + store, {1}, {32}), (Found{})) << "one warp";
}

TEST(WarpRaces, StoresOfDifferentValuesAreReported) {
  EXPECT_EQ(found_by(kPlaces + ".loc 1 4 0\nst.global.u32 [%rd0], %r2;"), race(4, 4));
  EXPECT_EQ(found_by(kPlaces + ".loc 1 4 0\nst.global.u32 [%rd0], %r3;"), (Found{})) << "of one value";
}

TEST(WarpRaces, EachWarpMayReadWhatAllHaveStoredAlike) {
  const std::string alike = kPlaces +
                            "st.global.u32 [%rd0+8192], 7;\nld.global.u32 %r9, [%rd0+8192];\n"
                            "st.global.u32 [%rd8], %r9;\n";
  EXPECT_EQ(found_by(alike, {1}, {128}), (Found{}));
  EXPECT_EQ(found_by(kPlaces + kFirstWarp +
                     ".loc 1 4 0\n@!%p1 st.global.u32 [%rd0+8192], 7;\n.loc 1 5 0\n"
                     "ld.global.u32 %r9, [%rd0+8192];\nst.global.u32 [%rd8], %r9;"),
            race(5, 4))
      << "one has stored";
}

TEST(WarpRaces, BytesOfAWordAreApart) {
  const std::string bytes = kPlaces +
                            "cvt.u64.u32 %rd5, %r2; add.s64 %rd5, %rd0, %rd5; cvt.u16.u32 %rs1, %r2;\n"
                            ".loc 1 4 0\nst.global.u8 [%rd5], %rs1;\n.loc 1 5 0\n";
  EXPECT_EQ(found_by(bytes + "ld.global.u8 %rs2, [%rd5];"), (Found{}));
  EXPECT_EQ(found_by(bytes + "ld.global.u8 %rs2, [%rd0];"), race(5, 4));
}

TEST(WarpRaces, VectorAndElementMeet) {
  EXPECT_EQ(
      found_by(kPlaces + kFirstWarp +
               "@%p1 bra SECOND;\n.loc 1 4 0\nst.global.v4.u32 [%rd0], {%r1, %r1, %r1, %r1};\nbra END;\n"
               "SECOND:\n.loc 1 5 0\nld.global.u32 %r9, [%rd0+12];\nst.global.u32 [%rd8+64], %r9;\nEND:"),
      (Found{{FindingKind::race, 4, 4}, {FindingKind::race, 5, 4}}));
}

// One warp sets a flag when it has stored, another one waits for it.
std::string by_flag(const std::string& set, const std::string& look) {
  return kPlaces + kFirstWarp + "@%p1 bra WAITS;\n" + kStoreOwn + "membar.cta;\n" + set +
         "\nbra END;\nWAITS: " + look + "\nsetp.eq.u32 %p2, %r8, 0; @%p2 bra WAITS;\n" +
         ".loc 1 6 0\nld.global.u32 %r9, [%rd9]; st.global.u32 [%rd8+4096], %r9;\nEND:";
}

TEST(WarpRaces, FlagOrdersWarps) {
  const std::string shared = ".shared .align 4 .b32 flag;\n";
  const auto found = [&](const std::string& set, const std::string& look) {
    return global_races_by(
        "mov.u32 %r10, flag;\nst.shared.u32 [flag], 0;\nbar.sync 0;\n" + by_flag(set, look), {64}, shared);
  };
  for (const char* const set : {"st.volatile.shared.u32 [flag], 1;", "atom.shared.exch.b32 %r11, [flag], 1;",
                                "red.shared.add.u32 [flag], 1;", "st.release.cta.shared.u32 [flag], 1;",
                                "st.shared.u32 [flag], 1;"}) {
    for (const char* const look :
         {"ld.volatile.shared.u32 %r8, [flag];", "atom.shared.add.u32 %r8, [flag], 0;",
          "ld.acquire.cta.shared.u32 %r8, [flag];"})
      EXPECT_EQ(found(set, look), (Found{})) << set << look;
  }
  for (const char* const set :
       {"st.volatile.global.u32 [%rd0+16000], 1;", "atom.global.exch.b32 %r11, [%rd0+16000], 1;",
        "red.global.or.b32 [%rd0+16000], 1;", "st.global.u32 [%rd0+16000], 1;"}) {
    for (const char* const look :
         {"ld.volatile.global.u32 %r8, [%rd0+16000];", "atom.global.add.u32 %r8, [%rd0+16000], 0;",
          "ld.acquire.gpu.global.u32 %r8, [%rd0+16000];"}) {
      Trial run = trial_of(by_flag(set, look));
      EXPECT_EQ(found_in(run.buffer(std::vector<int>(4096)).record()), (Found{})) << set << look;
    }
  }
  EXPECT_EQ(found("st.volatile.shared.u32 [flag], 1;", "mov.u32 %r8, 1;"), race(6, 4)) << "nobody waits";
}

TEST(WarpRaces, AtomicOnAnotherWordOrdersNothing) {
  const std::string shared = ".shared .align 4 .b32 next[2];\n";
  const auto found = [&](const std::string& take) {
    return found_by(kPlaces + "st.shared.u32 [next], 0; st.shared.u32 [next+4], 0; bar.sync 0;\n" + take +
                        kStoreOwn + kLoadOther,
                    {1}, {64}, shared);
  };
  // Each takes a place in a queue, and then does what only a barrier would order.
  EXPECT_EQ(found("atom.shared.add.u32 %r8, [next], 1; st.global.u32 [%rd8+8192], %r8;\n"),
            (Found{{FindingKind::race, 4, 6}, {FindingKind::race, 6, 4}}));
}

TEST(WarpRaces, LockOrdersWarps) {
  const std::string shared = ".shared .align 4 .b32 lock;\n";
  const auto guarded = [&](const std::string& take, const std::string& give) {
    return global_races_by(
        kPlaces +
            "st.shared.u32 [lock], 0;\nbar.sync 0;\nand.b32 %r5, %r1, 31; setp.ne.u32 %p1, "
            "%r5, 0; @%p1 bra END;\n" +
            take +
            ".loc 1 5 0\nld.global.u32 %r6, [%rd0]; add.u32 %r6, %r6, 1;\n.loc 1 6 0\n"
            "st.global.u32 [%rd0], %r6;\nmembar.cta;\n" +
            give + "\nEND:",
        {128}, shared);
  };
  const std::string take =
      "TAKE: atom.shared.cas.b32 %r7, [lock], 0, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra TAKE;\n";
  EXPECT_EQ(guarded(take, "atom.shared.exch.b32 %r8, [lock], 0;"), (Found{}));
  EXPECT_EQ(guarded(take, "st.volatile.shared.u32 [lock], 0;"), (Found{}));
  EXPECT_EQ(guarded(take, "st.shared.u32 [lock], 0;"), (Found{})) << "given back by a plain store";
  EXPECT_EQ(guarded("", ""),
            (Found{{FindingKind::race, 5, 6}, {FindingKind::race, 6, 5}, {FindingKind::race, 6, 6}}))
      << "count[x]++ by several warps";
}

TEST(WarpRaces, WaitAtAnMbarrierOrdersWarps) {
  const auto handed_over = [](const std::string& arrive, const std::string& wait) {
    return found_by(kPlaces + kFirstWarp +
                        "setp.eq.u32 %p3, %r1, 0;\n@%p3 mbarrier.init.shared.b64 [ready], 32;\n"
                        "bar.sync 0;\n@%p1 bra WAITS;\n" +
                        kStoreOwn + arrive + "\nbra END;\nWAITS:\n" + wait +
                        ".loc 1 6 0\nld.global.u32 %r9, [%rd9]; st.global.u32 [%rd8+4096], %r9;\nEND:",
                    {1}, {64}, ".shared .align 8 .b64 ready;\n");
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 %rd10, [ready];";
  EXPECT_EQ(handed_over(arrive, "mbarrier.test_wait.parity.shared.b64 %p2, [ready], 0; @!%p2 bra WAITS;\n"),
            (Found{}));
  EXPECT_EQ(handed_over(arrive, ""), race(6, 4));
}

TEST(WarpRaces, AsynchronousCopyReadsItsSource) {
  const auto copied = [](const std::string& between) {
    return found_by(kPlaces + "shl.b32 %r10, %r1, 2; mov.u32 %r11, tile; add.u32 %r10, %r10, %r11;\n" +
                        kStoreOwn + between +
                        ".loc 1 6 0\ncp.async.ca.shared.global [%r10], [%rd9], 4;\ncp.async.wait_all;\n"
                        "bar.sync 0;",
                    {1}, {64}, ".shared .align 4 .b32 tile[64];\n");
  };
  EXPECT_EQ(copied("bar.sync 0;\n"), (Found{}));
  EXPECT_EQ(copied(""), (Found{{FindingKind::race, 4, 6}, {FindingKind::race, 6, 4}}));
}

TEST(WarpRaces, VolatileLoadThatOnlyCopiesIsReported) {
  EXPECT_EQ(found_by(kPlaces + kStoreOwn +
                     ".loc 1 6 0\nld.volatile.global.u32 %r9, [%rd9]; st.global.u32 [%rd8+4096], %r9;"),
            (Found{{FindingKind::race, 4, 6}, {FindingKind::race, 6, 4}}));
}

TEST(WarpRaces, GridBarrierOrdersWarps) {
  const std::string wait = R"(
bar.sync 0;
setp.ne.u32 %p1, %r1, 0; @%p1 bra MET;
membar.gl; red.global.add.u32 [%rd0+16000], 1;
WAIT: ld.volatile.global.u32 %r5, [%rd0+16000]; setp.lt.u32 %p2, %r5, 4; @%p2 bra WAIT;
MET: bar.sync 0;
)";
  const auto found = [](const std::string& body) {
    Trial run = trial_of(body, {4});
    return found_in(run.buffer(std::vector<int>(4096)).record());
  };
  const std::string own = kPlaces +
                          "mul.wide.u32 %rd7, %r3, 256; add.s64 %rd8, %rd8, %rd7;\n"
                          "xor.b32 %r4, %r3, 1; mul.wide.u32 %rd7, %r4, 256; add.s64 %rd9, %rd9, %rd7;\n";
  EXPECT_EQ(found(own + kStoreOwn + wait + kLoadOther), (Found{}));
  // A counter, read plainly once all have added to it.
  EXPECT_EQ(
      found(kPlaces + "red.global.add.u32 [%rd0+8192], 1;\n" + wait +
            "ld.global.u32 %r9, [%rd0+8192]; setp.eq.u32 %p3, %r9, 256; @%p3 st.global.u32 [%rd0+12000], 1;"),
      (Found{}));
}

TEST(WarpRaces, DoNotDependOnOtherBlocks) {
  // Stores of warps of one block meet, loads there are none: found by bits first.
  for (const unsigned threads : {1u, 3u}) {
    Trial run = trial_of(kPlaces +
                             "mul.wide.u32 %rd7, %r3, 4; add.s64 %rd7, %rd0, %rd7;\n"
                             ".loc 1 4 0\nst.global.u32 [%rd7], %r2;",
                         {8});
    run.options.threads = threads;
    const Recording recording = run.buffer(std::vector<int>(4096)).record();
    EXPECT_EQ(found_in(recording), race(4, 4));
    EXPECT_EQ(recording.findings.at(0).count, 8u);
  }
}

TEST(WarpRaces, AreReportedInExtrapolatedGrids) {
  const auto obstacle = [](const std::string& between) {
    Trial run = trial_of(kPlaces +
                             "mul.wide.u32 %rd7, %r3, 256; add.s64 %rd8, %rd8, %rd7; add.s64 %rd9, %rd9, "
                             "%rd7;\n" +
                             kStoreOwn + between +
                             ".loc 1 6 0\nld.global.u32 %r9, [%rd9]; st.global.u32 [%rd8+16384], %r9;",
                         {40});
    const auto extrapolation = run.buffer(std::vector<int>(16384)).follow();
    return extrapolation.ok() ? extrapolation->obstacle : extrapolation.error().message();
  };
  EXPECT_EQ(obstacle("bar.sync 0;\n"), "");
  EXPECT_EQ(obstacle(""), "warps store to one place, or load what others store");
}

// ---- lost updates

/// %r8: what is loaded plainly from A[0], or more
const std::string kMaximum = kPlaces + R"(
and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;
mad.lo.u32 %r6, %r3, 64, %r1; add.u32 %r6, %r6, 10000000;
.loc 1 4 0
ld.global.u32 %r7, [%rd0];
max.u32 %r8, %r7, %r6;
.loc 1 5 0
)";

TEST(LostUpdates, ExchangeOfAValueThatFollowsFromAPlainLoadIsReported) {
  const std::string exchange = "atom.global.exch.b32 %r9, [%rd0], %r8;\nEND:";
  EXPECT_EQ(found_by(kMaximum + exchange, {4}, {32}), (Found{{FindingKind::block_race, 5, 5}}));
  EXPECT_EQ(found_by(kMaximum + exchange, {1}, {128}), race(5, 5));
  EXPECT_EQ(found_by(kMaximum + exchange, {1}, {32}), (Found{})) << "one thread";
  EXPECT_EQ(found_by(kMaximum + "st.volatile.global.u32 [%rd0], %r8;\nEND:", {4}, {32}),
            (Found{{FindingKind::block_race, 5, 5}}));
  Trial run = trial_of(kMaximum + exchange, {4}, {32});
  EXPECT_EQ(run.buffer(testing::numbers(4096)).record().findings.at(0).text,
            "reduction of 4 bytes at A[0] by block 1,0,0, thread 0, of a value that was computed from an "
            "earlier load of it: the atomic of line 5 by block 0,0,0, thread 0, is lost if it comes between "
            "the two");
}

TEST(LostUpdates, AdditionsBesideSuchAnExchangeMayBeLost) {
  const std::string one_overwrites = kMaximum +
                                     "setp.ne.u32 %p2, %r3, 0; @%p2 bra ADD;\n.loc 1 5 0\n"
                                     "atom.global.exch.b32 %r9, [%rd0], %r8; bra END;\nADD:\n.loc 1 6 0\n";
  EXPECT_EQ(found_by(one_overwrites + "red.global.add.u32 [%rd0], 1;\nEND:", {4}, {32}),
            (Found{{FindingKind::block_race, 6, 5}}));
  EXPECT_EQ(found_by(one_overwrites + "atom.global.add.u32 %r10, [%rd0], 0;\nEND:", {4}, {32}), (Found{}))
      << "they only read";
}

TEST(LostUpdates, VolatileCounterIsReported) {
  EXPECT_EQ(found_by(kPlaces + "and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;\n.loc 1 4 0\n"
                               "ld.volatile.global.u32 %r7, [%rd0]; add.u32 %r7, %r7, 1;\n.loc 1 5 0\n"
                               "st.volatile.global.u32 [%rd0], %r7;\nEND:"),
            race(5, 5));
}

TEST(LostUpdates, LoadThatOtherLanesRepeatStillCounts) {
  // Lanes 16 to 31 load a second time, lanes 0 to 15 store.
  EXPECT_EQ(found_by(kPlaces + R"(
and.b32 %r5, %r1, 31; mul.wide.u32 %rd7, %r5, 4; add.s64 %rd8, %rd0, %rd7;
mov.u32 %r6, 0; setp.gt.u32 %p2, %r5, 15;
AGAIN: ld.volatile.global.u32 %r7, [%rd8]; add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, 2; and.pred %p1, %p1, %p2; @%p1 bra AGAIN;
add.u32 %r7, %r7, 1; @%p2 bra END;
.loc 1 5 0
st.volatile.global.u32 [%rd8], %r7;
END:)"),
            race(5, 5));
}

TEST(LostUpdates, CompareAndSwapLosesNone) {
  const std::string loop =
      "AGAIN: max.u32 %r8, %r7, %r6;\natom.global.cas.b32 %r9, [%rd0], %r7, %r8;\n"
      "setp.eq.u32 %p2, %r9, %r7; mov.u32 %r7, %r9; @!%p2 bra AGAIN;\nEND:";
  EXPECT_EQ(found_by(kMaximum + loop, {4}, {32}), (Found{}));
  EXPECT_EQ(found_by(kMaximum + loop, {1}, {128}), (Found{}));
}

TEST(LostUpdates, AtomicsThatKeepWhatOthersAddedLoseNone) {
  for (const char* const operation : {"red.global.max.u32 [%rd0], %r8;", "red.global.add.u32 [%rd0], %r8;",
                                      "atom.global.exch.b32 %r9, [%rd0], 7;",
                                      "setp.gt.u32 %p2, %r6, %r7; @%p2 red.global.max.u32 [%rd0], %r6;"}) {
    EXPECT_EQ(found_by(kMaximum + operation + "\nEND:", {4}, {32}), (Found{})) << operation;
    EXPECT_EQ(found_by(kMaximum + operation + "\nEND:", {1}, {128}), (Found{})) << operation;
  }
}

TEST(LostUpdates, OrderKeepsUpdates) {
  // One warp after the other, a barrier between them.
  EXPECT_EQ(found_by(kPlaces + R"(
setp.ne.u32 %p1, %r2, 0; @%p1 bra SECOND;
ld.global.u32 %r7, [%rd0]; add.u32 %r7, %r7, 1; atom.global.exch.b32 %r9, [%rd0], %r7;
bar.sync 0; bra END;
SECOND: bar.sync 0;
ld.global.u32 %r7, [%rd0]; add.u32 %r7, %r7, 1; atom.global.exch.b32 %r9, [%rd0], %r7;
END:)"),
            (Found{}));
}

}  // namespace
}  // namespace warplens
