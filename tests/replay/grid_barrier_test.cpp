// Blocks that wait for the whole grid, by cooperative groups as nvcc compiles them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/ptx/grid_barrier.h"
#include "replay/run_kernel.h"

namespace warplens::testing {
namespace {

class GridBarrier : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] Trial trial(const std::string& entry, Dim3 grid, Dim3 block) const {
    return {read_ptx(GetParam()), entry, grid, block};
  }
};

constexpr Dim3 kGrids[] = {{1}, {7}, {3, 2}, {2, 2, 3}, {64}};

TEST_P(GridBarrier, ReducesInTwoPhases) {
  for (const Dim3 grid : kGrids) {
    SCOPED_TRACE(std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " + std::to_string(grid.z));
    const std::vector<int> in = numbers(5000);
    Trial run = trial("reduce", grid, {16, 8});
    const Recording recording = run.buffer(in)
                                    .buffer(std::vector<int>(grid.count(), -1))
                                    .buffer(std::vector<int>{-1})
                                    .scalar(static_cast<int>(in.size()))
                                    .record();
    EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
    const std::vector<int> partial = run.contents<int>(1);
    EXPECT_EQ(std::accumulate(partial.begin(), partial.end(), 0), std::accumulate(in.begin(), in.end(), 0));
    EXPECT_EQ(run.contents<int>(2)[0], std::accumulate(in.begin(), in.end(), 0));
    EXPECT_EQ(recording.blocks_counted, grid.count());
  }
}

// How the blocks meet is no access of the kernel's own memory.
TEST_P(GridBarrier, OnlyTheKernelsOwnAccessesAreRecorded) {
  Trial run = trial("reduce", {4}, {128});
  run.options.event_blocks = {{0, 0, 0}, {3, 0, 0}};
  const Recording recording =
      run.buffer(numbers(512)).buffer(std::vector<int>(4)).buffer(std::vector<int>{0}).scalar(512).record();
  EXPECT_EQ(recording.buffers.size(), 3u);
  std::uint64_t loads = 0, stores = 0;
  for (std::size_t s = 0; s < recording.sites.size(); ++s) {
    EXPECT_NE(recording.sites[s].op, AccessOp::atomic) << recording.sites[s].line;
    EXPECT_NE(recording.sites[s].op, AccessOp::reduction) << recording.sites[s].line;
    if (recording.sites[s].space != Space::global) continue;
    (recording.sites[s].op == AccessOp::load ? loads : stores) += recording.totals[s].requests;
  }
  EXPECT_EQ(loads, 4u * 4 + 4) << "a warp loads its elements once, and one thread the sums of four blocks";
  EXPECT_EQ(stores, 4u + 1);
  for (std::size_t event = 0; event < recording.events.size(); ++event)
    EXPECT_LT(recording.events.base[event], std::uint64_t{1} << 40);
}

TEST_P(GridBarrier, ManyStepsOfTheWholeGrid) {
  const std::size_t n = std::size_t{6} * 64;
  std::vector<int> now = numbers(n), next(n);
  for (int& value : now) value %= 100;
  Trial run = trial("diffuse", {6}, {64});
  const Recording recording = run.buffer(now).buffer(next).scalar(9).record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  for (int step = 0; step < 9; ++step) {
    for (std::size_t i = 0; i < n; ++i) next[i] = now[(i + n - 1) % n] + 2 * now[i] + now[(i + 1) % n];
    std::swap(now, next);
  }
  EXPECT_EQ(run.contents<int>(1), now) << "after an odd number of steps";
  EXPECT_EQ(run.contents<int>(0), next);
}

TEST_P(GridBarrier, ArriveAndWaitMayBeSeparate) {
  Trial run = trial("arrive_and_wait", {5}, {96});
  const Recording recording = run.buffer(std::vector<int>(10)).scalar(0).record();
  ASSERT_FALSE(
      recording.findings.empty());  // What is stored behind the arrival is not there for all who waited
  EXPECT_EQ(recording.findings[0].kind, FindingKind::block_race);
  EXPECT_EQ(run.contents<int>(0), std::vector<int>(10, 1));
}

TEST_P(GridBarrier, MissingBlockIsADeadlock) {
  Trial run = trial("arrive_and_wait", {5}, {32});
  const Recording recording = run.buffer(std::vector<int>(10)).scalar(1).record();
  ASSERT_FALSE(recording.findings.empty());
  EXPECT_EQ(recording.findings[0].kind, FindingKind::deadlock);
}

// Of a launch only some blocks are run where its buffers are guessed: the others are taken to come.
TEST_P(GridBarrier, ChosenBlocksPassTheBarrier) {
  for (const std::vector<Dim3>& blocks : {std::vector<Dim3>{{0, 0, 0}, {7, 0, 0}},
                                          std::vector<Dim3>{{7, 0, 0}}, std::vector<Dim3>{{0, 0, 0}}}) {
    Trial run = trial("diffuse", {8}, {32});
    run.options.replay_blocks = blocks;
    const Recording recording =
        run.buffer(std::vector<int>(256, 1)).buffer(std::vector<int>(256)).scalar(5).record();
    EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
    EXPECT_EQ(recording.blocks_counted, blocks.size());
    std::uint64_t stores = 0;
    for (std::size_t s = 0; s < recording.sites.size(); ++s)
      stores += recording.sites[s].op == AccessOp::store ? recording.totals[s].requests : 0;
    EXPECT_EQ(stores, 5 * blocks.size());
  }
}

TEST_P(GridBarrier, PlainKernelsHaveNone) {
  const auto module = ptx::parse(read_ptx(GetParam()), GetParam());
  ASSERT_TRUE(module.ok());
  for (const ptx::Function& function : module->functions)
    EXPECT_TRUE(ptx::waits_for_grid(*module, function)) << function.name;
  const auto plain = ptx::parse(kernel_of("mov.u32 %r1, %envreg0;", 0), "plain.ptx");
  EXPECT_FALSE(ptx::waits_for_grid(*plain, plain->functions.front()));
}

INSTANTIATE_TEST_SUITE_P(AsCompiled, GridBarrier,
                         ::testing::Values("grid_sync.sm_75.ptx", "grid_sync.sm_100.ptx"),
                         [](const auto& tested) {
                           return std::string(tested.param).substr(10, std::string(tested.param).size() - 14);
                         });

// A function that is called asks for the workspace, and the kernel waits in it.
TEST(GridBarrierOfFunctions, IsFoundThroughCalls) {
  const std::string text = R"(.version 9.0
.target sm_90
.address_size 64
.func meet() { .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<3>;
mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; selp.b32 %r4, 0x7fffffff, 1, %p1;
atom.add.release.gpu.u32 %r3, [%rd1+4], %r4;
W: ld.acquire.gpu.u32 %r4, [%rd1+4]; xor.b32 %r4, %r4, %r3; setp.ge.s32 %p1, %r4, 0; @%p1 bra W;
ret; }
.visible .entry k(.param .u64 p0) { .reg .b32 %r<6>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], 7;
call meet;
xor.b32 %r1, %r1, 1; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+8], %r2;
ret; }
)";
  const auto module = ptx::parse(text, "k.ptx");
  ASSERT_TRUE(module.ok()) << module.error().message();
  EXPECT_TRUE(ptx::waits_for_grid(*module, *module->find_entry("k")));
  Trial run(text, "k", {3}, {1});
  EXPECT_FALSE(run.buffer(std::vector<int>(8)).record().findings.empty()) << "it counts to two blocks";
  Trial two(text, "k", {2}, {1});
  const Recording recording = two.buffer(std::vector<int>(8)).record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  EXPECT_EQ(two.contents<int>(0), (std::vector<int>{7, 7, 7, 7, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace warplens::testing
