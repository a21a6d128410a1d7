// wgmma.mma_async.sp: which columns the metadata choose, of A in shared memory and in registers. PTX ISA,
// "Sparse matrix storage". Integers make all results exact.
#include <fmt/core.h>

#include "kernels/arithmetic/half.h"
#include "replay/run_kernel.h"

namespace warplens::sparse_products {
namespace {

using testing::Trial;

constexpr int kRows = 64, kStored = 16, kDepth = 32, kColumns = 8;
constexpr std::uint32_t kPlaceOfB = 2048;

int a(int row, int stored) {
  return row % 5 + 3 * (stored % 4) - 4;
}
int b(int k, int column) {
  return k % 7 - 2 * column + 3;
}

/// A and B as they lie in shared memory: K-major, without a swizzle.
std::vector<std::uint16_t> shared_memory() {
  std::vector<std::uint16_t> halves(2048);
  const auto set = [&](std::uint32_t byte, int value) {
    halves[byte / 2] = static_cast<std::uint16_t>(arithmetic::Float16::narrow(value));
  };
  const auto place = [](int mn, int k, int stride) {
    return static_cast<std::uint32_t>(mn % 8 * 16 + mn / 8 * stride + k / 8 * 128 + k % 8 * 2);
  };
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < kStored; ++k) set(place(row, k, 256), a(row, k));
  }
  for (int column = 0; column < kColumns; ++column) {
    for (int k = 0; k < kDepth; ++k) set(kPlaceOfB + place(column, k, 512), b(k, column));
  }
  return halves;
}

/// Lanes of a group of four whose metadata do not count have others.
std::vector<float> product(const std::string& metadata, int selector, bool a_in_registers) {
  std::string text = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 D)
{
.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<4>; .reg .b16 %h<8>;
.shared .align 1024 .b8 s[4096];
ld.param.u64 %rd0, [A]; ld.param.u64 %rd1, [D];
mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, %r1;
FILL: mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r4, [%rd3];
shl.b32 %r5, %r3, 2; add.u32 %r5, %r5, %r2; st.shared.u32 [%r5], %r4;
add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, 1024; @%p1 bra FILL;
fence.proxy.async.shared::cta; bar.sync 0;
and.b32 %r6, %r1, 31; and.b32 %r7, %r6, 3;
)" + metadata + R"(
// The same elements of A: of row l / 4 and eight rows below, stored columns 2 (l % 4) and eight behind
shr.u32 %r9, %r1, 5; shl.b32 %r9, %r9, 9; shr.u32 %r10, %r6, 2; mad.lo.u32 %r9, %r10, 16, %r9;
mad.lo.u32 %r9, %r7, 4, %r9; add.u32 %r9, %r9, %r2;
ld.shared.u32 %r20, [%r9]; ld.shared.u32 %r21, [%r9+256]; ld.shared.u32 %r22, [%r9+128];
ld.shared.u32 %r23, [%r9+384];
shr.u32 %r11, %r2, 4; cvt.u64.u32 %rd4, %r11; or.b64 %rd5, %rd4, )" +
                     fmt::format("{}", std::uint64_t{128 / 16} << 16 | std::uint64_t{256 / 16} << 32) +
                     "; add.s64 %rd6, %rd4, 128; or.b64 %rd6, %rd6, " +
                     fmt::format("{}", std::uint64_t{128 / 16} << 16 | std::uint64_t{512 / 16} << 32) + R"(;
mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F800000;
setp.eq.u32 %p2, 0, 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, )" +
                     (a_in_registers ? "{%r20, %r21, %r22, %r23}" : "%rd5") +
                     fmt::format(", %rd6, %r8, {}, %p2, 1, 1{};\n", selector,
                                 a_in_registers ? ", 0" : ", 0, 0") +
                     R"(wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
mul.wide.u32 %rd7, %r1, 16; add.s64 %rd8, %rd1, %rd7; st.global.v4.f32 [%rd8], {%f0, %f1, %f2, %f3};
ret;
}
)";
  Trial trial(text, "k", {1}, {128});
  trial.buffer(shared_memory()).buffer(std::vector<float>(512));
  EXPECT_EQ(trial.record().findings.size(), 0u);
  return trial.contents<float>(1);
}

/// `first`: of the columns that are chosen in each four, by row of eight.
void expect_product(const std::vector<float>& d, const std::function<int(int row)>& first) {
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      int sum = 1;
      for (int stored = 0; stored < kStored; ++stored)
        sum += a(row, stored) * b(stored / 2 * 4 + first(row) + stored % 2, column);
      const int lane = row % 8 * 4 + column / 2, thread = row / 16 * 32 + lane;
      const int reg = row % 16 / 8 * 2 + column % 2;
      EXPECT_EQ(d[static_cast<std::size_t>(thread * 4 + reg)], static_cast<float>(sum))
          << row << " " << column;
    }
  }
}

// 0100: columns 0 and 1 of each four; 1110: 2 and 3.
TEST(SparseWarpgroup, MetadataSelectTheColumnsOfA) {
  for (const bool in_registers : {false, true}) {
    const std::string metadata =  // Lower half: the rows l / 4, upper half: eight below
        "setp.lt.u32 %p3, %r7, 2; selp.b32 %r8, 0xEEEE4444, 0x99999999, %p3;\n";
    expect_product(product(metadata, 0, in_registers), [](int row) { return row % 16 < 8 ? 0 : 2; });
  }
}

TEST(SparseWarpgroup, SelectorSelectsTheLanesWithMetadata) {
  const std::string metadata = "setp.lt.u32 %p3, %r7, 2; selp.b32 %r8, 0x99999999, 0x4444EEEE, %p3;\n";
  expect_product(product(metadata, 1, false), [](int row) { return row % 16 < 8 ? 2 : 0; });
}

}  // namespace
}  // namespace warplens::sparse_products
