#include "kernels/replay/block_details.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/arithmetic/half.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;

/// Each lane loads six words as A and B, and multiplies twice.
const std::string kTwoProducts = kernel_of(
    "mov.u32 %r20, %tid.x; mul.wide.u32 %rd2, %r20, 32; add.s64 %rd2, %rd2, %rd0;\n"
    "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd2]; ld.global.v2.b32 {%r5, %r6}, [%rd2+16];\n"
    "mov.f32 %f1, 0f3f800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
    "%r6}, {%f1, %f2, %f3, %f4};\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
    "%r6}, {%f1, %f2, %f3, %f4};\n"
    "mul.wide.u32 %rd3, %r20, 16; add.s64 %rd3, %rd3, %rd1; st.global.v4.f32 [%rd3], {%f1, %f2, %f3, %f4};",
    2);

struct Prepared {
  Result<ptx::Module> module;
  std::optional<replay::Program> program;
  replay::Memory memory;
  replay::Launch launch{.grid = {1}, .block = {64}};
};
Prepared prepare() {
  Prepared prepared{.module = ptx::parse(kTwoProducts, "test"), .program = {}, .memory = {}};
  const auto program = replay::Program::decode(*prepared.module, "k");
  EXPECT_TRUE(program.ok());
  prepared.program = *program;
  const std::uint32_t two = arithmetic::Float16::narrow(2);
  const std::vector<std::uint32_t> words(512, two | two << 16);
  for (const auto& contents : {testing::bytes_of(words), testing::bytes_of(std::vector<float>(256))})
    prepared.launch.arguments.emplace_back(replay::BufferArgument{prepared.memory.add({}, contents)});
  return prepared;
}

float first_float(const MatrixExecution& execution, std::size_t registers_before) {
  float value = 0;
  std::memcpy(&value, execution.registers.data() + registers_before * 4 * kWarpSize, sizeof value);
  return value;
}

TEST(BlockDetails, EveryMmaOfTheWarpIsObserved) {
  Prepared prepared = prepare();
  const auto found =
      replay::details_of_block(*prepared.program, prepared.launch, prepared.memory, {}, {0, 0, 0}, 1);
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->executions.size(), 2u);
  EXPECT_FALSE(found->cut);
  const MatrixExecution &first = found->executions[0], &second = found->executions[1];
  EXPECT_EQ(first.order, 2u) << "two loads came before";
  EXPECT_EQ(first.unknown, 0u);
  EXPECT_EQ(first_float(first, 10), 1) << "C, before it is overwritten by D";
  EXPECT_EQ(first_float(first, 0), 65) << "D = 1 + 16 * 2 * 2";
  EXPECT_EQ(first_float(second, 10), 65);
  EXPECT_EQ(first_float(second, 0), 129);
}

TEST(BlockDetails, ObservingDoesNotChangeTheResult) {
  Prepared watched = prepare(), plain = prepare();
  ASSERT_TRUE(
      replay::details_of_block(*watched.program, watched.launch, watched.memory, {}, {0, 0, 0}, 0).ok());
  ASSERT_TRUE(replay::run(*plain.program, plain.launch, plain.memory, {}).ok());
  EXPECT_EQ(watched.memory.contents(1), plain.memory.contents(1));
}

// Of four blocks each arrives once at the mbarrier of the first.
TEST(BlockDetails, ArrivalsNameTheBlockTheyComeFrom) {
  const std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k() .reqnctapercluster 4, 1, 1
{
.reg .pred %p<2>; .reg .b32 %r<4>; .shared .align 8 .b64 bar;
mov.u32 %r1, bar; mbarrier.init.shared::cta.b64 [%r1], 4;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mapa.shared::cluster.u32 %r2, %r1, 0;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ret;
}
)";
  const Result<ptx::Module> module = ptx::parse(text, "test");
  ASSERT_TRUE(module.ok()) << module.error().message();
  const auto program = replay::Program::decode(*module, "k");
  ASSERT_TRUE(program.ok()) << program.error().message();
  replay::Memory memory;
  const auto found = replay::details_of_block(*program, {.grid = {4}, .block = {1}, .arguments = {}}, memory,
                                              {}, {0, 0, 0}, 0);
  ASSERT_TRUE(found.ok()) << found.error().message();
  std::vector<std::uint32_t> ranks;
  for (const Sync& sync : found->syncs) {
    if (sync.kind == SyncKind::arrive && sync.warp == kOtherBlock) ranks.push_back(sync.rank);
  }
  std::ranges::sort(ranks);  // Which of them comes first is up to the replay
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(BlockDetails, WarpOutsideTheBlockIsAnError) {
  Prepared prepared = prepare();
  const auto found =
      replay::details_of_block(*prepared.program, prepared.launch, prepared.memory, {}, {0, 0, 0}, 2);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().what, "there is no warp 2");
}

}  // namespace
}  // namespace warplens
