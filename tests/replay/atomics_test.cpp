// Atomics whose lanes collide, are off, or lie outside: all lanes are looked at together where nothing is
// wrong, and one by one where something is.
#include <array>
#include <bit>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

// Lane l adds to the word l & 5. Lanes from 4 on take part; those of the last two words of the grid's last
// warp may lie outside.
const std::string kAddToWords = R"(
mov.u32 %r1, %tid.x; mov.u32 %r4, word; shl.b32 %r2, %r1, 2; add.u32 %r3, %r4, %r2; st.shared.u32 [%r3], 100;
bar.sync 0;
and.b32 %r5, %r1, 5; shl.b32 %r6, %r5, 2; add.u32 %r7, %r4, %r6; setp.gt.u32 %p1, %r1, 3;
@%p1 atom.shared.add.u32 %r8, [%r7], %r1;
bar.sync 0;
ld.shared.u32 %r9, [%r3]; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r9; st.global.u32 [%rd2+128], %r8;
mul.wide.u32 %rd3, %r5, 8; add.s64 %rd4, %rd0, %rd3; cvt.u64.u32 %rd5, %r1;
setp.eq.u32 %p2, %r1, 31; @%p2 add.s64 %rd4, %rd4, 4096;
@%p1 red.global.add.u64 [%rd4+256], %rd5;)";

TEST(Atomics, CollidingInactiveAndOutOfBoundsLanesAreHandled) {
  for (const bool events : {false, true}) {
    Trial run(kernel_of(kAddToWords, 1, ".shared .align 4 .b8 word[128];"), "k", {1}, {32});
    if (events) run.options.event_blocks = {{0, 0, 0}};
    const Recording recording = run.buffer(std::vector<std::uint32_t>(96)).record();
    std::array<std::uint32_t, 32> words, before{};
    std::array<std::uint64_t, 8> sums{};
    words.fill(100);
    for (std::uint32_t l = 4; l < 32; ++l) {
      before[l] = words[l & 5];
      words[l & 5] += l;
      if (l < 31) sums[l & 5] += l;
    }
    const auto out = run.contents<std::uint32_t>(0);
    for (std::uint32_t l = 0; l < 32; ++l) {
      EXPECT_EQ(out[l], words[l]) << l;
      EXPECT_EQ(out[32 + l], before[l]) << l;
      EXPECT_EQ(out[64 + l], l < 16 ? static_cast<std::uint32_t>(sums[l / 2] >> 32 * (l % 2)) : 0u) << l;
    }
    ASSERT_EQ(recording.findings.size(), 1u);
    EXPECT_EQ(recording.findings[0].kind, FindingKind::out_of_bounds);
    EXPECT_EQ(recording.findings[0].lanes, 1u << 31);
    std::vector<std::uint32_t> masks;
    for (std::size_t site = 0; site < recording.sites.size(); ++site) {
      const AccessOp op = recording.sites[site].op;
      if (op != AccessOp::atomic && op != AccessOp::reduction) continue;
      ASSERT_EQ(recording.totals[site].patterns.size(), 1u);
      masks.push_back(recording.totals[site].patterns[0].mask);
      EXPECT_EQ(recording.totals[site].divergent_requests, 1u);
    }
    EXPECT_EQ(masks, (std::vector<std::uint32_t>{0xfffffff0u, 0x7ffffff0u}));
  }
}

// Each of many scattered atomics is a pattern of its own: they are counted whether a runner has reported them
// or still keeps them.
TEST(Atomics, ManyPatternsAreAllCounted) {
  const std::string scatter = R"(
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 32, %r1; mov.u32 %r9, 0;
AGAIN: mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 20; mul.wide.u32 %rd1, %r4, 4; add.s64 %rd2, %rd0, %rd1;
red.global.add.u32 [%rd2], 1; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 100; @%p1 bra AGAIN;)";
  std::vector<Recording> all;
  for (const unsigned threads : {1u, 3u}) {
    Trial run(kernel_of(scatter), "k", {40}, {32});
    run.options.threads = threads;
    all.push_back(run.buffer(std::vector<std::uint32_t>(4096)).record());
    all.back().seconds = 0;
    std::uint64_t sum = 0;
    for (const std::uint32_t count : run.contents<std::uint32_t>(0)) sum += count;
    EXPECT_EQ(sum, 40u * 32u * 100u);
    std::uint64_t counted = 0, lanes = 0;
    for (const PatternCount& pattern : all.back().totals.at(0).patterns) {
      counted += pattern.count;
      lanes += pattern.count * static_cast<std::uint64_t>(std::popcount(pattern.mask));
    }
    EXPECT_EQ(counted, 4000u);
    EXPECT_EQ(lanes, all.back().totals[0].thread_accesses);
    EXPECT_GT(all.back().totals[0].patterns.size(), 3000u);
    EXPECT_TRUE(all.back().findings.empty());
  }
  EXPECT_TRUE(all[0] == all[1]);
}

}  // namespace
}  // namespace warplens
