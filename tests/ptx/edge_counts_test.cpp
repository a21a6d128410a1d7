#include "kernels/ptx/instrument/edge_counts.h"

#include <gtest/gtest.h>

#include "kernels/ptx/parser.h"

namespace warplens::ptx {
namespace {

Function function_of(const std::string& body) {
  const Result<Module> module = parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 "
      "%r<4>;\n" +
          body + "\n}\n",
      "k.ptx");
  EXPECT_TRUE(module.ok()) << (module.ok() ? std::string() : module.error().message());
  return *module->find_entry("k");
}

// A loop of five rounds by ten threads: the way into it is known, so the way back follows.
TEST(EdgeCounts, BackEdgeCountIsDerived) {
  const Function function =
      function_of("mov.u32 %r0, 0;\nL:\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 5;\n@%p0 bra L;\nret;");
  const ControlFlow flow = analyse_control_flow(function);
  EXPECT_TRUE(blocks_to_measure(function, flow).empty());
  EXPECT_EQ(takers(function, flow, {10, 50, 10}, {}), (std::vector<std::uint64_t>{0, 40, 0}));
}

TEST(EdgeCounts, SkippedBranchCountIsDerived) {
  const Function function =
      function_of("setp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;\nadd.u32 %r0, %r0, 1;\nL:\nret;");
  const ControlFlow flow = analyse_control_flow(function);
  EXPECT_TRUE(blocks_to_measure(function, flow).empty());
  EXPECT_EQ(takers(function, flow, {32, 7, 32}, {}), (std::vector<std::uint64_t>{25, 0, 0}));
}

TEST(EdgeCounts, ExitCountIsDerived) {
  const Function function = function_of("setp.eq.u32 %p0, %r0, 0;\n@%p0 ret;\nadd.u32 %r0, %r0, 1;\nret;");
  const ControlFlow flow = analyse_control_flow(function);
  EXPECT_TRUE(blocks_to_measure(function, flow).empty());
  EXPECT_EQ(takers(function, flow, {32, 20}, {})[0], 12u);
}

// To the next instruction either way: nobody can tell who took the branch.
TEST(EdgeCounts, BranchToFallThroughIsMeasured) {
  const Function function = function_of("setp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;\nL:\nret;");
  const ControlFlow flow = analyse_control_flow(function);
  ASSERT_EQ(blocks_to_measure(function, flow), std::vector<std::uint32_t>{0});
  EXPECT_EQ(takers(function, flow, {32, 32}, {5, 0})[0], 5u);
}

}  // namespace
}  // namespace warplens::ptx
