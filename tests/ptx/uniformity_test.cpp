#include "kernels/ptx/uniformity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/ptx/parser.h"
#include "ptx/snippet.h"

namespace warplens::ptx {
namespace {

std::vector<bool> partings_of(const Function& function) {
  return find_partings(function, analyse_control_flow(function));
}
std::vector<bool> partings(const std::string& body) {
  return partings_of(parse_body(body));
}

TEST(Uniformity, TheBlockAndTheLaunchAreTheSameForAllLanes) {
  EXPECT_EQ(partings("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.y; setp.lt.u32 %p1, %r1, %r2; @%p1 bra END; "
                     "mov.u32 %r3, 1; END: ret;"),
            (std::vector<bool>{false, false, false}));
}

TEST(Uniformity, ThreadIndexIsDivergent) {
  EXPECT_EQ(partings("mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 5; setp.lt.u32 %p1, %r2, 9; @%p1 bra END; "
                     "mov.u32 %r3, 1; END: ret;"),
            (std::vector<bool>{true, false, false}));
}

TEST(Uniformity, LoadedValuesAreDivergent) {
  EXPECT_EQ(
      partings("ld.global.u32 %r1, [%rd1]; setp.lt.u32 %p1, %r1, 9; @%p1 bra END; mov.u32 %r3, 1; END: ret;"),
      (std::vector<bool>{true, false, false}));
}

TEST(Uniformity, PartialExitMakesDivergent) {
  EXPECT_EQ(partings("mov.u32 %r1, %laneid; setp.lt.u32 %p1, %r1, 9; @%p1 exit; mov.u32 %r3, 1; ret;"),
            (std::vector<bool>{true, false}));
}

// What is assigned on one of two ways differs behind them, and decides there who goes on.
TEST(Uniformity, PartialAssignmentMakesDivergent) {
  const std::string parted =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 9; @%p1 bra MEET; mov.u32 %r2, 1; MEET: ";
  EXPECT_EQ(partings(parted + "setp.eq.u32 %p2, %r2, 0; @%p2 bra END; mov.u32 %r3, 1; END: ret;"),
            (std::vector<bool>{true, false, true, false, false}));
  EXPECT_EQ(partings(parted + "setp.eq.u32 %p2, %r4, 0; @%p2 bra END; mov.u32 %r3, 1; END: ret;"),
            (std::vector<bool>{true, false, false, false, false}));
}

// Those that are in the loop go round together; how often differs, and so does what they counted.
TEST(Uniformity, GuardedLoopStaysUniform) {
  EXPECT_EQ(partings("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra END; mov.u32 %r2, 0; LOOP: "
                     "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 7; "
                     "@%p2 bra LOOP; END: ret;"),
            (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(partings("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, "
                     "%r1; @%p2 bra LOOP; "
                     "setp.lt.u32 %p3, %r2, 5; @%p3 bra END; mov.u32 %r3, 1; END: ret;"),
            (std::vector<bool>{false, true, true, false, false}));
}

// Carried from one turn of a loop to the next, through where lanes meet.
TEST(Uniformity, ValueCarriedThroughReconvergenceIsDivergent) {
  EXPECT_EQ(partings("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r5, 0; LOOP: setp.lt.u32 %p1, %r1, %r5; "
                     "@%p1 bra NEXT; "
                     "setp.gt.u32 %p2, %r2, 3; @%p2 bra NEXT; add.u32 %r2, %r2, 1; NEXT: add.u32 %r5, %r5, "
                     "1; setp.lt.u32 %p3, %r5, 8; @%p3 bra LOOP; ret;"),
            (std::vector<bool>{false, true, true, false, false, false}));
}

// The carry flag is in no register.
TEST(Uniformity, CarryIsDivergent) {
  EXPECT_EQ(partings("mov.u32 %r1, %tid.x; add.cc.u32 %r2, %r1, -9; addc.u32 %r3, 0, 0; setp.ne.u32 %p1, "
                     "%r3, 0; @%p1 bra END; mov.u32 %r4, 1; END: ret;"),
            (std::vector<bool>{true, false, false}));
}

bool is_launch_constant(const std::string& body, const std::string& name) {
  const Function function = parse_body(body);
  const std::vector<bool> constant = find_launch_constants(function, analyse_control_flow(function));
  for (std::size_t r = 0; r < constant.size(); ++r) {
    if (function.registers[r].name == name) return constant[r];
  }
  ADD_FAILURE() << name;
  return false;
}

// Warps come from two ways to X, before the way that leaves: which way they took differs there, though no
// lanes of a warp meet.
TEST(LaunchConstants, PhisOfPathsAreNotConstant) {
  const std::string body =
      "mov.u32 %r1, %tid.x; mov.u32 %r7, 5; setp.lt.u32 %p1, %r1, 9; @!%p1 bra OTHER; mov.u32 %r2, 1; "
      "bra.uni X; OTHER: setp.lt.u32 %p2, %r1, 20; "
      "@!%p2 bra LEAVE; mov.u32 %r2, 2; bra.uni X; LEAVE: mov.u32 %r3, 1; bra.uni END; X: add.u32 %r4, %r2, "
      "1; END: ret;";
  EXPECT_FALSE(is_launch_constant(body, "%r2"));
  EXPECT_TRUE(is_launch_constant(body, "%r7"));
}

TEST(LaunchConstants, BlockIndexIsNotConstant) {
  EXPECT_FALSE(is_launch_constant("mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, 1; ret;", "%r2"));
  EXPECT_TRUE(is_launch_constant("mov.u32 %r1, %ntid.x; add.u32 %r2, %r1, 1; ret;", "%r2"));
}

// The textbook kernel has no branch at which lanes part; the guarded one has.
TEST(Uniformity, OfTheLadder) {
  const auto any_in = [](const std::string& file, const std::string& entry) {
    std::ostringstream text;
    text << std::ifstream(WARPLENS_TEST_DATA "/../../assets/ptx/" + file).rdbuf();
    const Result<Module> module = parse(text.str(), file);
    const std::vector<bool> found = partings_of(*module->find_entry(entry));
    return std::find(found.begin(), found.end(), true) != found.end();
  };
  EXPECT_FALSE(any_in("tiled.ptx", "tiled<32>"));
  EXPECT_FALSE(any_in("volkov.ptx", "volkov"));
  EXPECT_FALSE(any_in("register_tile.ptx", "register_tile<4, float>"));
  EXPECT_TRUE(any_in("naive.ptx", "naive"));
  EXPECT_TRUE(any_in("tiled_guarded.ptx", "tiled_guarded"));
}

}  // namespace
}  // namespace warplens::ptx
