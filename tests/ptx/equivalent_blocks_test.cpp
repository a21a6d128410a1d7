#include "kernels/ptx/equivalent_blocks.h"

#include <gtest/gtest.h>

#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

using Blocks = std::vector<std::uint32_t>;

Blocks first_of(const std::string& body) {
  return find_equivalent_blocks(analyse_control_flow(parse_body(body)));
}

TEST(EquivalentBlocks, BlocksBeforeAndBehindABranchAreEquivalent) {
  // 0 -> 1 | 2; 1 -> 3; 2 -> 3
  EXPECT_EQ(
      first_of("@%p1 bra ELSE; mov.u32 %r1, 1; bra.uni END; ELSE: mov.u32 %r1, 2; END: mov.u32 %r2, 1; ret;"),
      (Blocks{0, 1, 2, 0}));
}

TEST(EquivalentBlocks, BareExitIsNoReconvergencePoint) {
  EXPECT_EQ(first_of("@%p1 bra END; mov.u32 %r1, 1; END: ret;"), (Blocks{0, 1, 2}));
}

TEST(EquivalentBlocks, ExitedLanesBreakEquivalence) {
  // 0 leaves or goes on to 1
  EXPECT_EQ(first_of("@%p1 exit; mov.u32 %r1, 1; ret;"), (Blocks{0, 1}));
}

TEST(EquivalentBlocks, BlocksOfOneLoopAreEquivalent) {
  // 0 -> 1; 1 outer header; 2 inner, to itself; 3 -> 1 | 4
  EXPECT_EQ(first_of("mov.u32 %r1, 1; OUTER: mov.u32 %r2, 1; INNER: mov.u32 %r3, 1; @%p1 bra INNER; @%p2 bra "
                     "OUTER; mov.u32 %r4, 1; ret;"),
            (Blocks{0, 1, 2, 1, 0}));
}

TEST(EquivalentBlocks, BreakPreventsEquivalence) {
  // 0; 1 header -> 2 | 3; 2 -> 1 | 3; 3
  EXPECT_EQ(first_of("mov.u32 %r1, 1; LOOP: mov.u32 %r2, 1; @%p1 bra DONE; mov.u32 %r3, 1; @%p2 bra LOOP; "
                     "DONE: mov.u32 %r4, 1; ret;"),
            (Blocks{0, 1, 2, 0}));
}

TEST(EquivalentBlocks, ContinuePreventsEquivalence) {
  // 0; 1 header -> 1 | 2; 2 -> 1 | 3; 3
  EXPECT_EQ(first_of("mov.u32 %r1, 1; LOOP: mov.u32 %r2, 1; @%p2 bra LOOP; mov.u32 %r3, 1; @%p1 bra LOOP; "
                     "mov.u32 %r4, 1; ret;"),
            (Blocks{0, 1, 2, 0}));
}

TEST(EquivalentBlocks, DivergedLanesPreventEquivalence) {
  // 0; 1 header -> 2 | 3; 2 -> 3; 3 leaves or goes on to 4; 4 -> 1
  EXPECT_EQ(first_of("mov.u32 %r9, 1; LOOP: @%p2 bra SKIP; mov.u32 %r1, 1; SKIP: mov.u32 %r2, 1; @%p1 ret; "
                     "mov.u32 %r3, 1; bra LOOP;"),
            (Blocks{0, 1, 2, 3, 4}));
}

TEST(EquivalentBlocks, IrreducibleFunctionHasNone) {
  // 0 -> 1 | 2; 1 -> 2; 2 -> 1 | 3
  EXPECT_EQ(first_of("@%p1 bra B; A: mov.u32 %r1, 1; B: mov.u32 %r2, 1; @%p2 bra A; mov.u32 %r3, 1; ret;"),
            (Blocks{0, 1, 2, 3}));
}

// None of 200,000 blocks goes with one of those above it, which are all looked at.
TEST(EquivalentBlocks, EndsHoweverManyThereAre) {
  std::string body;
  for (int i = 0; i < 200'000; ++i) body += "@%p1 bra END;\nadd.u32 %r1, %r1, 1;\n";
  EXPECT_EQ(first_of(body + "END: add.u32 %r2, %r2, 1;\nret;").size(), 200'002u);
}

}  // namespace
}  // namespace warplens::ptx
