// Sums of products that are added up in one go are what they are addition by addition.
#include <cmath>
#include <limits>

#include "kernels/ptx/control_flow.h"
#include "kernels/replay/decode/product_sums.h"
#include "replay/apart.h"

namespace warplens {
namespace {

using testing::Trial;

struct SumCase {
  const char* name;
  const char* body;  ///< %rd0: the result, %rd1: 4096 floats, %r0: threadIdx.x, %r1: all of them in shared
                     ///< memory, 1 KiB; leaves %f10
  std::size_t products = 3;  ///< That are added up in one go; 0: none
  std::uint32_t threads = 64;
  float special = 0;  ///< Among the values
};

// %r3 and %rd3: the thread's own value; %r4: its row's of 16, %r5: its column's.
const char* const kReady = R"(
mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd1, %rd2; mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
ld.global.f32 %f0, [%rd3]; st.shared.f32 [%r3], %f0; st.shared.f32 [%r3+256], %f0; st.shared.f32 [%r3+512], %f0; st.shared.f32 [%r3+768], %f0;
and.b32 %r6, %r0, 15; shl.b32 %r6, %r6, 2; add.u32 %r5, %r1, %r6; and.b32 %r7, %r0, 48; add.u32 %r4, %r1, %r7;
mov.f32 %f10, 0f3FC00000; cvt.rn.f32.u32 %f11, %r0; bar.sync 0;
)";
const char* const kLeave = "add.u64 %rd4, %rd0, %rd2; st.global.f32 [%rd4], %f10;";
/// Of what stands at two addresses and behind them.
#define WARPLENS_SUM(x, y)                                                               \
  "ld.shared.f32 %f1, [" x "]; ld.shared.f32 %f2, [" y                                   \
  "]; fma.rn.f32 %f3, %f1, %f2, %f11; ld.shared.f32 %f4, [" x                            \
  "+4]; "                                                                                \
  "ld.shared.f32 %f5, [" y "+64]; fma.rn.f32 %f6, %f4, %f5, %f3; ld.shared.f32 %f7, [" x \
  "+8]; ld.shared.f32 %f8, [" y                                                          \
  "+128]; "                                                                              \
  "fma.rn.f32 %f10, %f7, %f8, %f6;"

const SumCase kSumCases[] = {
    {"OneAddressAndNeighbours", WARPLENS_SUM("%r1", "%r3")},
    {"NeighboursAndOneAddress", WARPLENS_SUM("%r3", "%r1")},
    {"NeighboursBoth", "add.u32 %r8, %r3, 256;" WARPLENS_SUM("%r3", "%r8")},
    {"OneAddressBoth", "add.u32 %r8, %r1, 256;" WARPLENS_SUM("%r1", "%r8")},
    {"TilesOf16", WARPLENS_SUM("%r4", "%r5")},
    {"RowsOf16Alone", WARPLENS_SUM("%r4", "%r1")},
    {"TilesOf8",
     "and.b32 %r8, %r0, 7; shl.b32 %r8, %r8, 2; add.u32 %r9, %r1, %r8; and.b32 %r8, %r0, 56; add.u32 %r10, "
     "%r1, %r8;" WARPLENS_SUM("%r9", "%r10")},
    {"TilesOf4",
     "and.b32 %r8, %r0, 3; shl.b32 %r8, %r8, 2; add.u32 %r9, %r1, %r8; and.b32 %r8, %r0, 60; add.u32 %r10, "
     "%r1, %r8;" WARPLENS_SUM("%r9", "%r10")},
    {"Strided", "and.b32 %r8, %r0, 31; mad.lo.u32 %r9, %r8, 12, %r1;" WARPLENS_SUM("%r9", "%r3")},
    {"Backwards",
     "and.b32 %r8, %r0, 31; shl.b32 %r8, %r8, 3; sub.u32 %r9, %r1, %r8; add.u32 %r9, %r9, 512;" WARPLENS_SUM(
         "%r1", "%r9")},
    {"Scattered",
     "xor.b32 %r8, %r0, 5; and.b32 %r8, %r8, 63; shl.b32 %r8, %r8, 2; add.u32 %r9, %r1, %r8;" WARPLENS_SUM(
         "%r9", "%r4")},
    {"PartOfAWarp", WARPLENS_SUM("%r1", "%r3"), 3, 50},
    {"Diverged",
     "and.b32 %r8, %r0, 3; setp.eq.u32 %p1, %r8, 0; @%p1 bra SKIP;" WARPLENS_SUM("%r1", "%r3") "SKIP:"},
    {"InPlace",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rn.f32 %f10, %f1, %f2, %f10; ld.shared.f32 "
     "%f3, [%r1+4]; ld.shared.f32 %f4, "
     "[%r3+128]; fma.rn.f32 %f10, %f4, %f3, %f10;",
     2},
    {"LoadsFirst",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; ld.shared.f32 %f3, [%r1+4]; ld.shared.f32 %f4, "
     "[%r3+128]; fma.rn.f32 %f5, %f3, %f2, %f11; "
     "fma.rn.f32 %f10, %f1, %f4, %f5;",
     2},
    {"FromGlobalMemory",
     "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd3]; fma.rn.f32 %f3, %f1, %f2, %f11; ld.global.f32 "
     "%f4, [%rd1+64]; ld.global.f32 %f5, "
     "[%rd3+4000]; fma.rn.f32 %f10, %f4, %f5, %f3;",
     2},
    {"FromAConstant",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rn.f32 %f3, %f1, %f2, 0f40490FDB; "
     "ld.shared.f32 %f4, [%r1+4]; ld.shared.f32 %f5, "
     "[%r3+4]; fma.rn.f32 %f10, %f4, %f5, %f3;",
     2},
    {"InALoop",
     "mov.u32 %r8, 0; AGAIN: ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rn.f32 %f3, %f1, %f2, "
     "%f10; ld.shared.f32 %f4, [%r1+4]; "
     "ld.shared.f32 %f5, [%r3+4]; fma.rn.f32 %f10, %f4, %f5, %f3; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, "
     "50; @%p1 bra AGAIN;",
     2},
    {"OutOfBounds", "add.u32 %r8, %r3, 832;" WARPLENS_SUM("%r1", "%r8")},
    {"Race",
     "xor.b32 %r8, %r2, 128; add.u32 %r8, %r1, %r8; st.shared.f32 [%r3], %f11;" WARPLENS_SUM("%r1", "%r8")},
    {"Doubles",
     "shl.b32 %r8, %r0, 3; and.b32 %r8, %r8, 255; add.u32 %r8, %r1, %r8; cvt.f64.f32 %fd0, %f11; "
     "ld.shared.f64 %fd1, [%r1]; ld.shared.f64 %fd2, "
     "[%r8]; fma.rn.f64 %fd3, %fd1, %fd2, %fd0; ld.shared.f64 %fd4, [%r1+8]; ld.shared.f64 %fd5, [%r8+512]; "
     "fma.rn.f64 %fd6, %fd4, %fd5, %fd3; "
     "cvt.rn.f32.f64 %f10, %fd6;",
     2},
    {"NoNumbers", WARPLENS_SUM("%r1", "%r3"), 3, 64, std::numeric_limits<float>::quiet_NaN()},
    {"Infinities", WARPLENS_SUM("%r4", "%r5"), 3, 64, std::numeric_limits<float>::infinity()},
    {"Subnormals", WARPLENS_SUM("%r4", "%r5"), 3, 64, 3e-42f},
    // What is no such sum, or ends early
    {"AFactorOfTwoProducts",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rn.f32 %f3, %f1, %f2, %f11; ld.shared.f32 %f4, "
     "[%r3+4]; fma.rn.f32 %f10, %f1, %f4, "
     "%f3; ld.shared.f32 %f5, [%r1+4]; add.f32 %f10, %f10, %f5;",
     0},
    {"ASumThatIsReadOnTheWay", WARPLENS_SUM("%r1", "%r3") "add.f32 %f10, %f10, %f6;", 2},
    {"ALoadOfAnother",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rn.f32 %f3, %f1, %f2, %f11; ld.shared.f32 %f4, "
     "[%r1+4]; ld.shared.f32 %f5, [%r3+4]; "
     "fma.rn.f32 %f6, %f4, %f5, %f3; ld.shared.f32 %f7, [%r1+8]; ld.shared.f32 %f8, [%r3+8]; ld.shared.f32 "
     "%f9, [%r3+12]; fma.rn.f32 %f10, %f7, %f8, "
     "%f6; add.f32 %f10, %f10, %f9;",
     2},
    {"AStoreBetween",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rn.f32 %f3, %f1, %f2, %f11; st.shared.f32 "
     "[%r3+512], %f11; ld.shared.f32 %f4, "
     "[%r1+4]; ld.shared.f32 %f5, [%r3+512]; fma.rn.f32 %f10, %f4, %f5, %f3;",
     0},
    {"AnotherRounding",
     "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r3]; fma.rz.f32 %f3, %f1, %f2, %f11; ld.shared.f32 %f4, "
     "[%r1+4]; ld.shared.f32 %f5, [%r3+4]; "
     "fma.rz.f32 %f10, %f4, %f5, %f3;",
     0},
};

class ProductSumsOf : public ::testing::TestWithParam<SumCase> {
 protected:
  static std::string ptx() {
    return testing::kernel_of(std::string(kReady) + GetParam().body + kLeave, 2,
                              ".shared .align 16 .b8 s[1024];");
  }
};

TEST_P(ProductSumsOf, EqualSingleInstructions) {
  const auto make = [] {
    Trial trial(ptx(), "k", {3}, {GetParam().threads});
    trial.buffer(std::vector<float>(64));
    std::vector<float> values(4096);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = std::ldexp(static_cast<float>(k % 997), static_cast<int>(k % 23) - 40);
    if (GetParam().special != 0) values[2] = values[17] = GetParam().special;
    trial.buffer(values);
    return trial;
  };
  Trial together = make(), apart = make();
  testing::expect_the_same_apart(together, apart);
}

TEST_P(ProductSumsOf, AreFound) {
  const auto module = ptx::parse(ptx(), "test.ptx");
  ASSERT_TRUE(module) << module.error().message();
  const ptx::Function& function = *module->find_entry("k");
  const ptx::ControlFlow flow = ptx::analyse_control_flow(function);
  const auto sums = replay::find_product_sums(function, flow, replay::find_load_groups(function, flow));
  ASSERT_EQ(sums.size(), GetParam().products > 0 ? 1u : 0u);
  if (!sums.empty()) {
    EXPECT_EQ(sums[0].products.size(), GetParam().products);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ProductSumsOf, ::testing::ValuesIn(kSumCases),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warplens
