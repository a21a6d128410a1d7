// Bulk copies: what they move and when, of memory in one piece and of boxes of tensors. PTX ISA,
// "cp.async.bulk", "cp.reduce.async.bulk", "cp.async.bulk.tensor".
#include <fmt/core.h>

#include <numeric>

#include "replay/run_kernel.h"

namespace warplens::bulk_copies {
namespace {

using testing::Trial;

constexpr std::uint32_t kWords = 1024;

/// A kernel of buffers A and B and a tensor map. %r1 the thread, %r2 the mbarrier, %r3 shared memory, %rd3
/// the map's address, %p7: it is thread 0.
std::string kernel_of(const std::string& body) {
  return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 B, .param .align 64 .b8 map[128])
{
.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .b16 %rs<4>;
.shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 bar;
ld.param.u64 %rd0, [A]; ld.param.u64 %rd1, [B]; mov.b64 %rd2, map; cvta.param.u64 %rd3, %rd2;
mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; setp.eq.u32 %p7, %r1, 0;
@%p7 mbarrier.init.shared::cta.b64 [%r2], 1;
fence.proxy.async.shared::cta;
bar.sync 0;
)" + body +
         "\nret;\n}\n.file 1 \"k.cu\"\n";
}

const std::string kLoad = R"(
.loc 1 2 0
@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 4096;
.loc 1 3 0
@%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], 4096, [%r2];
)";
const std::string kWait = R"(
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;
@!%p1 bra WAIT;
)";
/// Each of 32 threads stores the words of shared memory that it has to the second buffer.
const std::string kStoreWords = R"(
mov.u32 %r10, %r1;
AGAIN: shl.b32 %r11, %r10, 2; add.u32 %r12, %r3, %r11; cvt.u64.u32 %rd10, %r11; add.s64 %rd11, %rd1, %rd10;
.loc 1 5 0
ld.shared.u32 %r13, [%r12]; st.global.u32 [%rd11], %r13;
add.u32 %r10, %r10, 32; setp.lt.u32 %p2, %r10, 1024; @%p2 bra AGAIN;
)";
/// The other way round.
const std::string kLoadWords = R"(
mov.u32 %r10, %r1;
FILL: shl.b32 %r11, %r10, 2; add.u32 %r12, %r3, %r11; cvt.u64.u32 %rd10, %r11; add.s64 %rd11, %rd0, %rd10;
ld.global.u32 %r13, [%rd11]; st.shared.u32 [%r12], %r13;
add.u32 %r10, %r10, 32; setp.lt.u32 %p2, %r10, 1024; @%p2 bra FILL;
fence.proxy.async.shared::cta; bar.sync 0;
)";
const std::string kWaitForGroup = "@%p7 cp.async.bulk.commit_group; @%p7 cp.async.bulk.wait_group 0;";

struct Ran {
  Recording recording;
  std::vector<std::uint32_t> b;
};

std::vector<std::uint32_t> numbers_from(std::uint32_t first) {
  std::vector<std::uint32_t> values(kWords);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// `map_of`: of A, or of B.
Ran run(const std::string& body, const TensorMap& map = {.box = {4, 1, 1, 1, 1}}, std::uint32_t map_of = 0) {
  Trial trial(kernel_of(body), "k", {1}, {32});
  trial.buffer(numbers_from(5000)).buffer(std::vector<std::uint32_t>(kWords, 7)).tensor_map(map, map_of);
  trial.options.event_blocks = {{0, 0, 0}};
  Ran ran;
  ran.recording = trial.record();
  ran.b = trial.contents<std::uint32_t>(1);
  return ran;
}

std::vector<std::string> findings_of(const Ran& ran) {
  std::vector<std::string> found;
  for (const Finding& finding : ran.recording.findings)
    found.push_back(fmt::format("{} {}", name_of(finding.kind), finding.line));
  return found;
}
using Found = std::vector<std::string>;

TEST(BulkCopies, LoadIsVisibleAfterTheMbarrierWait) {
  const Ran ran = run(kLoad + kWait + kStoreWords);
  EXPECT_EQ(ran.b, numbers_from(5000));
  EXPECT_EQ(findings_of(ran), Found{});
}

TEST(BulkCopies, AreRecordedInPiecesOf16Bytes) {
  const Recording recording = run(kLoad + kWait).recording;
  ASSERT_EQ(recording.sites.size(), 2u);
  const Site &from = recording.sites[0], &to = recording.sites[1];
  EXPECT_EQ(from.space, Space::global);
  EXPECT_EQ(to.space, Space::shared);
  EXPECT_EQ(from.op, AccessOp::bulk_load);
  EXPECT_EQ(to.value_from, 0);
  EXPECT_EQ(recording.totals[0].requests, 8u) << "4096 bytes are 8 times 32 pieces";
  EXPECT_EQ(recording.totals[1].thread_accesses * to.bytes, 4096u);
  ASSERT_EQ(recording.events.size(), 16u);
  EXPECT_EQ(recording.events.base[2] - recording.events.base[0], 512u);
  EXPECT_EQ(recording.landings.size(), 8u);
}

TEST(BulkCopies, ReadingTheDestinationBeforeTheWaitIsReported) {
  EXPECT_EQ(findings_of(run(kLoad + kStoreWords)), Found{"async_copy 5"});
}

TEST(BulkCopies, StoreIsVisibleAfterTheGroupWait) {
  const std::string store =
      ".loc 1 4 0\n@%p7 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 4096;\n";
  const Ran ran = run(kLoadWords + store + kWaitForGroup);
  EXPECT_EQ(ran.b, numbers_from(5000));
  EXPECT_EQ(findings_of(ran), Found{});
  EXPECT_EQ(run(kLoadWords + store).b, numbers_from(5000)) << "at the exit";
  EXPECT_EQ(findings_of(run(kLoadWords + store + "@%p7 st.shared.u32 [%r3], %r1;" + kWaitForGroup)),
            Found{"async_copy 4"});
}

TEST(BulkCopies, ReductionsAreAddedToWhatIsThere) {
  const auto reduced = [](const std::string& op) {
    return run(kLoadWords + "@%p7 cp.reduce.async.bulk.global.shared::cta.bulk_group." + op +
               " [%rd1], [%r3], 4096;" + kWaitForGroup)
        .b;
  };
  EXPECT_EQ(reduced("add.u32"), numbers_from(5007));
  EXPECT_EQ(reduced("min.s32"), std::vector<std::uint32_t>(kWords, 7));
  EXPECT_EQ(reduced("xor.b32")[1], 5001u ^ 7u);
  EXPECT_EQ(reduced("inc.u32"), std::vector<std::uint32_t>(kWords, 8));
}

TEST(BulkCopies, WrongSizesAndPlacesAreReported) {
  const auto found = [](const std::string& to, const std::string& from, int bytes) {
    return findings_of(
        run(fmt::format("@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;\n.loc 1 3 0\n"
                        "@%p7 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                        "[{}], [{}], {}, [%r2];\n",
                        to, from, bytes)));
  };
  EXPECT_EQ(found("%r3", "%rd0", 16), Found{});
  EXPECT_EQ(found("%r3+4", "%rd0", 16), Found{"async_copy 3"});
  EXPECT_EQ(found("%r3", "%rd0+8", 16), Found{"async_copy 3"});
  EXPECT_EQ(found("%r3", "%rd0", 24), Found{"async_copy 3"});
  EXPECT_EQ(found("%r3+4080", "%rd0", 1024), Found{"out_of_bounds 3"});
  EXPECT_EQ(found("%r3", "%rd0+4080", 32), Found{"out_of_bounds 3"});
}

/// A of 32 columns and 32 rows.
TensorMap matrix(std::uint32_t columns, std::uint32_t rows, TensorSwizzle swizzle) {
  return {.element = TensorElement::u32,
          .rank = 2,
          .extents = {32, 32, 1, 1, 1},
          .strides = {4, 128},
          .box = {columns, rows, 1, 1, 1},
          .swizzle = swizzle};
}

std::string load_box(int x, int y, std::uint64_t bytes) {
  return fmt::format(
      "@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {};\nmov.u32 %r20, {}; mov.u32 %r21, {};\n"
      ".loc 1 3 0\n"
      "@%p7 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], "
      "[%rd3, {{%r20, %r21}}], [%r2];\n",
      bytes, x, y);
}

/// What lies at a byte offset of shared memory, word by word.
TEST(BulkCopies, BoxLiesRowByRow) {
  const TensorMap map = matrix(8, 16, TensorSwizzle::none);
  const Ran ran = run(load_box(4, 3, map.box_bytes()) + kWait + kStoreWords, map);
  EXPECT_EQ(ran.b[0], 5000u + 3 * 32 + 4);
  EXPECT_EQ(ran.b[7], 5000u + 3 * 32 + 11);
  EXPECT_EQ(ran.b[8], 5000u + 4 * 32 + 4);
  EXPECT_EQ(ran.b[127], 5000u + 18 * 32 + 11);
}

TEST(BulkCopies, BoxesOfABlockAreNoted) {
  const TensorMap map = matrix(8, 16, TensorSwizzle::none);
  Trial trial(kernel_of(load_box(4, 3, map.box_bytes()) + kWait + kStoreWords), "k", {1}, {32});
  trial.buffer(numbers_from(5000)).buffer(std::vector<std::uint32_t>(kWords, 7)).tensor_map(map, 0);
  const Result<BlockDetails> details = trial.details({0, 0, 0}, 0);
  ASSERT_TRUE(details.ok());
  ASSERT_EQ(details->copies.size(), 1u);
  const TensorCopy& copy = details->copies[0];
  EXPECT_EQ(copy.map.box, map.box);
  EXPECT_EQ(copy.start, (std::array<std::int32_t, kMaxTensorRank>{4, 3}));
  EXPECT_EQ(copy.order, 0u) << "mbarriers are no accesses";
  EXPECT_EQ(copy.shared, trial.options.shared_base);
  EXPECT_EQ(copy.ranks, 0u);
}

TEST(BulkCopies, OrderOfABlockIsNoted) {
  Trial trial(kernel_of(kLoad + kWait + kStoreWords), "k", {1}, {32});
  trial.buffer(numbers_from(5000)).buffer(std::vector<std::uint32_t>(kWords, 7));
  trial.tensor_map({.box = {4, 1, 1, 1, 1}}, 0);
  const Result<BlockDetails> details = trial.details({0, 0, 0}, 0);
  ASSERT_TRUE(details.ok());
  std::vector<SyncKind> kinds;
  for (const Sync& sync : details->syncs) kinds.push_back(sync.kind);
  using enum SyncKind;
  EXPECT_EQ(kinds,
            (std::vector{barrier_arrive, barrier_wait, expect, arrive, issue, complete, phase_end, wait}));
  EXPECT_EQ(details->syncs[2].count, 4096u);
  EXPECT_EQ(details->syncs[5].count, 4096u);
  EXPECT_EQ(details->syncs.back().phase, 0u);
  EXPECT_EQ(details->syncs.back().object, details->syncs[2].object);
}

TEST(BulkCopies, SwizzleMovesPiecesWithinTheirRow) {
  const TensorMap map = matrix(32, 32, TensorSwizzle::bytes128);
  const Ran ran = run(load_box(0, 0, map.box_bytes()) + kWait + kStoreWords, map);
  EXPECT_EQ(findings_of(ran), Found{});
  for (std::uint32_t row = 0; row < 32; ++row) {
    for (std::uint32_t column = 0; column < 32; ++column) {
      const std::uint32_t piece = column / 4 ^ row % 8;
      EXPECT_EQ(ran.b[row * 32 + piece * 4 + column % 4], 5000 + row * 32 + column);
    }
  }
}

TEST(BulkCopies, OutsideTheTensorABoxIsFilled) {
  TensorMap map = matrix(8, 4, TensorSwizzle::none);
  const Ran ran = run(load_box(28, -1, map.box_bytes()) + kWait + kStoreWords, map);
  EXPECT_EQ(findings_of(ran), Found{"uninitialised 5"}) << "behind the box";
  EXPECT_EQ(ran.b[0], 0u) << "above";
  EXPECT_EQ(ran.b[8], 5028u);
  EXPECT_EQ(ran.b[11], 5031u);
  EXPECT_EQ(ran.b[12], 0u) << "to the right";
  map.fills_with_nan = true;
  EXPECT_EQ(run(load_box(28, -1, map.box_bytes()) + kWait + kStoreWords, map).b[0], 0x7ff77ff7u);
  EXPECT_EQ(findings_of(run(load_box(27, 0, map.box_bytes()), map)), Found{"async_copy 3"});
}

TEST(BulkCopies, ElementStridesSkipRows) {
  TensorMap map = matrix(8, 16, TensorSwizzle::none);
  map.element_strides[1] = 3;
  EXPECT_EQ(map.box_bytes(), 6u * 32);
  const Ran ran = run(load_box(0, 1, map.box_bytes()) + kWait + kStoreWords, map);
  EXPECT_EQ(ran.b[8], 5000u + 4 * 32);
  EXPECT_EQ(ran.b[5 * 8], 5000u + 16 * 32);
}

TEST(BulkCopies, StoredBoxIsClippedToTheTensor) {
  const TensorMap map = matrix(8, 16, TensorSwizzle::none);
  const std::string store =
      "mov.u32 %r20, 28; mov.u32 %r21, 30;\n.loc 1 3 0\n"
      "@%p7 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd3, {%r20, %r21}], [%r3];";
  const Ran ran = run(kLoadWords + store + kWaitForGroup, map, 1);
  EXPECT_EQ(findings_of(ran), Found{});
  EXPECT_EQ(ran.b[30 * 32 + 27], 7u);
  EXPECT_EQ(ran.b[30 * 32 + 28], 5000u);
  EXPECT_EQ(ran.b[31 * 32 + 31], 5000u + 8 + 3);
  const Ran added = run(kLoadWords +
                            "mov.u32 %r20, 0; mov.u32 %r21, 0;\n"
                            "@%p7 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
                            "[%rd3, {%r20, %r21}], [%r3];" +
                            kWaitForGroup,
                        map, 1);
  EXPECT_EQ(added.b[32 + 1], 5000u + 8 + 1 + 7);
}

TEST(BulkCopies, SourceThatWasStoredWithoutAFenceIsReported) {
  const auto found = [](const std::string& between) {
    std::string fill = kLoadWords;
    fill.erase(fill.find("fence.proxy.async"));
    return findings_of(
        run(fill + between +
            "\n.loc 1 4 0\n@%p7 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 4096;" +
            kWaitForGroup));
  };
  EXPECT_EQ(found("bar.sync 0;"), Found{"async_copy 4"});
  EXPECT_EQ(found("fence.proxy.async.shared::cta; bar.sync 0;"), Found{});
  EXPECT_EQ(found("fence.proxy.async; bar.sync 0;"), Found{});
  EXPECT_EQ(found("fence.proxy.async.shared::cta; st.shared.u32 [%r3], 1; bar.sync 0;"), Found{})
      << "stored again: a false negative";
}

TEST(BulkCopies, MissingTensorMapIsReported) {
  EXPECT_EQ(findings_of(run(load_box(0, 0, 16))), Found{"async_copy 3"}) << "of one dimension";
  EXPECT_EQ(findings_of(run("mov.b64 %rd3, %rd0;" + load_box(0, 0, 16))), Found{"async_copy 3"});
}

TEST(Clusters, SingleBlockHasRankZero) {
  const Ran ran = run(R"(
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
mapa.shared::cluster.u32 %r20, %r3, 0; st.shared::cluster.u32 [%r20], %r1;
mov.u32 %r21, %cluster_ctarank; mov.u32 %r22, %cluster_nctarank; getctarank.shared::cluster.u32 %r23, %r20;
@%p7 st.global.u32 [%rd1], %r21; @%p7 st.global.u32 [%rd1+4], %r22; @%p7 st.global.u32 [%rd1+8], %r23;
barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;
)");
  EXPECT_EQ(ran.b[0], 0u);
  EXPECT_EQ(ran.b[1], 1u);
  EXPECT_EQ(ran.b[2], 0u);
}

/// Four blocks in clusters of two.
Trial trial_of_clusters(const std::string& body) {
  std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 B) .reqnctapercluster 2, 1, 1
{
.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .b16 %rs<4>;
.shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar;
ld.param.u64 %rd0, [A]; ld.param.u64 %rd1, [B];
mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; setp.eq.u32 %p7, %r1, 0;
mov.u32 %r4, %ctaid.x; mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1; mov.u32 %r7, %clusterid.x;
mad.lo.u32 %r8, %r4, 32, %r1; mul.wide.u32 %rd4, %r8, 4; add.s64 %rd5, %rd1, %rd4; shl.b32 %r9, %r1, 2;
add.u32 %r9, %r9, %r3;
)" + body + "\nret;\n}\n.file 1 \"k.cu\"\n";
  Trial trial(text, "k", {4}, {32});
  trial.buffer(numbers_from(5000)).buffer(std::vector<std::uint32_t>(128));
  return trial;
}

/// What each thread of a block stores to B, word `linear thread`.
std::vector<std::uint32_t> words_of_clusters(const std::string& body,
                                             std::vector<std::string>* found = nullptr) {
  Trial trial = trial_of_clusters(body);
  const Recording recording = trial.record();
  for (const Finding& finding : recording.findings) {
    if (found != nullptr) found->push_back(fmt::format("{} {}", name_of(finding.kind), finding.line));
  }
  return trial.contents<std::uint32_t>(1);
}

const std::string kMeet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

TEST(Clusters, BlocksReadEachOthersSharedMemory) {
  std::vector<std::string> found;
  const std::vector<std::uint32_t> words =
      words_of_clusters("mad.lo.u32 %r10, %r4, 100, %r1; st.shared.u32 [%r9], %r10;\n" + kMeet +
                            "mapa.shared::cluster.u32 %r11, %r9, %r6; ld.shared::cluster.u32 %r12, [%r11];\n"
                            "st.global.u32 [%rd5], %r12;\n" +
                            kMeet,
                        &found);
  EXPECT_EQ(found, Found{});
  for (std::uint32_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], (k / 32 ^ 1) * 100 + k % 32);
}

TEST(Clusters, ChosenBlocksAreReplayedWithTheOthersOfTheirClusters) {
  Trial trial =
      trial_of_clusters("st.shared.u32 [%r9], %r8;\n" + kMeet +
                        "mapa.shared::cluster.u32 %r11, %r9, %r6; ld.shared::cluster.u32 %r12, [%r11];\n"
                        "st.global.u32 [%rd5], %r12;\n" +
                        kMeet);
  trial.options.replay_blocks = {{{3, 0, 0}}};
  EXPECT_EQ(trial.record().blocks_counted, 2u);
  const auto words = trial.contents<std::uint32_t>(1);
  for (std::uint32_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], k < 64 ? 0 : k ^ 32);
  trial.options.replay_blocks = {{{1, 0, 0}, {2, 0, 0}}};
  EXPECT_EQ(trial.record().blocks_counted, 4u) << "half of each of two clusters";
}

TEST(Clusters, GenericAddressesReachOtherBlocks) {
  const std::vector<std::uint32_t> words = words_of_clusters(
      "cvt.u64.u32 %rd6, %r9; cvta.shared.u64 %rd7, %rd6; mapa.u64 %rd8, %rd7, %r6;\n" + kMeet +
      "st.u32 [%rd8], %r8;\n" + kMeet + "ld.shared.u32 %r12, [%r9]; st.global.u32 [%rd5], %r12;\n");
  for (std::uint32_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], (k / 32 ^ 1) * 32 + k % 32);
}

TEST(Clusters, MbarrierOfAnotherBlockIsArrivedAt) {
  // Each block waits until the other has arrived.
  const std::vector<std::uint32_t> words = words_of_clusters(
      "@%p7 mbarrier.init.shared::cta.b64 [%r2], 32; fence.mbarrier_init.release.cluster;\n" + kMeet +
      "mapa.shared::cluster.u32 %r10, %r2, %r6;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra W;\n"
      "st.global.u32 [%rd5], %r7;\n" +
      kMeet);
  for (std::uint32_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], k / 64);
}

TEST(Clusters, MulticastReachesAllBlocks) {
  const std::vector<std::uint32_t> words = words_of_clusters(
      "@%p7 mbarrier.init.shared::cta.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\n" + kMeet +
      "@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128; mov.u16 %rs0, 3;\n"
      "setp.eq.and.u32 %p2, %r5, 1, %p7; mul.wide.u32 %rd6, %r7, 128; add.s64 %rd6, %rd0, %rd6;\n"
      "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], "
      "[%rd6], "
      "128, [%r2], %rs0;\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra W;\n"
      "ld.shared.u32 %r12, [%r9]; st.global.u32 [%rd5], %r12;\n" +
      kMeet);
  for (std::uint32_t k = 0; k < words.size(); ++k) EXPECT_EQ(words[k], 5000 + k / 64 * 32 + k % 32);
}

TEST(Clusters, MissingArrivalIsReportedAsADeadlock) {
  std::vector<std::string> found;
  static_cast<void>(
      words_of_clusters("@%p7 mbarrier.init.shared::cta.b64 [%r2], 2;\n" + kMeet +
                            "mapa.shared::cluster.u32 %r10, %r2, %r6;\n"
                            "@%p7 mbarrier.arrive.shared::cluster.b64 _, [%r10];\n.loc 1 9 0\n"
                            "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra W;\n",
                        &found));
  EXPECT_EQ(found, Found{"deadlock 9"});
}

/// Runs clusters whose blocks execute `access` on each other's memory and then `end`. Returns the findings.
Found found_in_clusters(const std::string& access, const std::string& end) {
  std::vector<std::string> found;
  static_cast<void>(words_of_clusters(
      "@%p7 mbarrier.init.shared::cta.b64 [%r2], 32; fence.mbarrier_init.release.cluster;\n" + kMeet +
          "mapa.shared::cluster.u32 %r10, %r9, %r6; mapa.shared::cluster.u32 %r11, %r2, %r6;\n.loc 1 9 0\n" +
          access + "\n.loc 1 10 0\n" + end,
      &found));
  return found;
}

TEST(Clusters, AccessToAnExitedBlockIsReported) {
  // Whichever block exits first, the other accesses its memory later.
  const Found reported{"exited_block 9"};
  const std::string store = "st.shared::cluster.u32 [%r10], %r1;",
                    arrive = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];";
  EXPECT_EQ(found_in_clusters(store, ""), reported);
  EXPECT_EQ(found_in_clusters(arrive, ""), reported);
  EXPECT_EQ(found_in_clusters(store, kMeet), Found{});
  EXPECT_EQ(found_in_clusters(arrive, kMeet), Found{});
}

TEST(Clusters, LaunchSetsTheClusterSize) {
  const std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 A)
{
.reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [A]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;
mul.wide.u32 %rd1, %r0, 8; add.s64 %rd1, %rd0, %rd1; st.global.v2.u32 [%rd1], {%r1, %r2};
ret;
}
)";
  const auto ranks_of = [&](Dim3 cluster) {
    Trial trial(text, "k", {4}, {1});
    trial.buffer(std::vector<std::uint32_t>(8)).cluster(cluster);
    const Recording recording = trial.record();
    EXPECT_EQ(recording.cluster, cluster);
    return trial.contents<std::uint32_t>(0);
  };
  EXPECT_EQ(ranks_of({1, 1, 1}), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(ranks_of({2, 1, 1}), (std::vector<std::uint32_t>{0, 2, 1, 2, 0, 2, 1, 2}));
}

TEST(Clusters, GridThatIsNoMultipleOfTheClusterIsRefused) {
  Trial trial(
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() .reqnctapercluster 2, 1, 1\n{ ret; "
      "}",
      "k", {3}, {32});
  const Result<Recording> recording = trial.go();
  ASSERT_FALSE(recording.ok());
  EXPECT_EQ(recording.error().what, "a grid of 3 x 1 x 1 blocks does not divide into clusters of 2 x 1 x 1");
}

}  // namespace
}  // namespace warplens::bulk_copies
