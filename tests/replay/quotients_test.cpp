// Divisions by constants that are done in one go leave what they leave instruction by instruction.
#include <utility>

#include "kernels/ptx/control_flow.h"
#include "kernels/replay/decode/quotients.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::Trial;

using Pair = std::pair<std::uint32_t, std::uint32_t>;
struct QuotientCase {
  const char* name;
  const char* body;  ///< %r2: the thread's own value, %r0: threadIdx.x, %r1: in the grid; leaves %r8 and %r9
  Pair (*of)(std::uint32_t value, std::uint32_t thread);  ///< What it leaves; `thread`: in the grid
  std::size_t plans = 1;
};

constexpr std::uint32_t kThreads = 50;  // Of a block: the last warp is not full

const char* const kReadyToDivide = R"(
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 50, %r0; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3]; mov.u32 %r8, 77; mov.u32 %r9, 78; and.b32 %r3, %r0, 3; setp.eq.u32 %p1, %r3, 1;
)";
const char* const kLeaveBoth =
    "add.u64 %rd4, %rd0, %rd2; st.global.u32 [%rd4], %r8; st.global.u32 [%rd4+600], %r9;";
#define WARPLENS_DIVIDE_BY_3(x) \
  "mul.wide.u32 %rd5, " x ", -1431655765; shr.u64 %rd6, %rd5, 33; cvt.u32.u64 %r8, %rd6; "

const QuotientCase kQuotientCases[] = {
    {"Quotient", WARPLENS_DIVIDE_BY_3("%r2"), [](std::uint32_t x, std::uint32_t) { return Pair{x / 3, 78}; }},
    {"Both", WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r2, %r10;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x / 3, x % 3}; }},
    {"Remainder",
     "mul.wide.u32 %rd5, %r2, -858993459; shr.u64 %rd6, %rd5, 35; cvt.u32.u64 %r11, %rd6; mul.lo.u32 %r10, "
     "%r11, 10; sub.u32 %r9, %r2, %r10;",
     [](std::uint32_t x, std::uint32_t) { return Pair{77, x % 10}; }},
    {"InPlace",
     "mov.u32 %r9, %r2; mul.wide.u32 %rd5, %r9, -858993459; shr.u64 %rd6, %rd5, 35; cvt.u32.u64 %r8, %rd6; "
     "mul.lo.u32 %r10, %r8, 10; sub.u32 %r9, "
     "%r9, %r10;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x / 10, x % 10}; }},
    {"RemainderInPlaceOfTheQuotient",
     WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r8, %r2, %r10;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x % 3, 78}; }},
    {"LeastShift", "mul.wide.u32 %rd5, %r2, 613566757; shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r8, %rd6;",
     [](std::uint32_t x, std::uint32_t) {
       return Pair{static_cast<std::uint32_t>(std::uint64_t{x} * 613566757 >> 32), 78};
     }},
    {"MostShift", "mul.wide.u32 %rd5, %r2, -1; shr.u64 %rd6, %rd5, 63; cvt.u32.u64 %r8, %rd6;",
     [](std::uint32_t x, std::uint32_t) {
       return Pair{static_cast<std::uint32_t>(std::uint64_t{x} * 0xffffffffu >> 63), 78};
     }},
    {"OfALine",
     "add.u32 %r4, %r1, -20; " WARPLENS_DIVIDE_BY_3("%r4") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r4, %r10;",
     [](std::uint32_t, std::uint32_t thread) { return Pair{(thread - 20) / 3, (thread - 20) % 3}; }},
    {"OfOneValue",
     "mov.u32 %r4, 1000; " WARPLENS_DIVIDE_BY_3("%r4") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r4, %r10;",
     [](std::uint32_t, std::uint32_t) { return Pair{333, 1}; }},
    {"Diverged",
     "@%p1 bra SKIP; " WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r2, %r10; SKIP:",
     [](std::uint32_t x, std::uint32_t thread) {
       return thread % kThreads % 4 == 1 ? Pair{77, 78} : Pair{x / 3, x % 3};
     }},
    {"InALoop",
     "mov.u32 %r4, 0; mov.u32 %r5, 0; AGAIN: add.u32 %r6, %r2, %r4; " WARPLENS_DIVIDE_BY_3(
         "%r6") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r6, %r10; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, "
                "20; @%p2 bra AGAIN;",
     [](std::uint32_t x, std::uint32_t) { return Pair{(x + 19) / 3, (x + 19) % 3}; }},
    {"OfAnotherDividend", WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r1, %r10;",
     [](std::uint32_t x, std::uint32_t thread) { return Pair{x / 3, thread - x / 3 * 3}; }},
    {"IsAMultiple",
     WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r11, %r2, %r10; setp.eq.s32 %p2, %r11, "
                                 "0; selp.b32 %r9, 1, 0, %p2;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x / 3, x % 3 == 0 ? 1u : 0u}; }},
    {"LeavesNotTwo",
     "mul.wide.u32 %rd5, %r2, -1431655765; shr.u64 %rd6, %rd5, 33; cvt.u32.u64 %r12, %rd6; mul.lo.s32 %r10, "
     "%r12, 3; sub.s32 %r11, %r2, %r10; "
     "setp.ne.u32 %p2, %r11, 2; selp.b32 %r9, 1, 0, %p2;",
     [](std::uint32_t x, std::uint32_t) { return Pair{77, x % 3 != 2 ? 1u : 0u}; }},
    {"IsAMultipleWhereDiverged",
     "setp.ne.u32 %p2, %r8, 77; @%p1 bra SKIP; " WARPLENS_DIVIDE_BY_3(
         "%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r11, %r2, %r10; setp.eq.s32 %p2, %r11, 0; SKIP: selp.b32 "
                "%r9, 1, 0, %p2;",
     [](std::uint32_t x, std::uint32_t thread) {
       return thread % kThreads % 4 == 1 ? Pair{77, 0} : Pair{x / 3, x % 3 == 0 ? 1u : 0u};
     }},
    {"IsAMultipleOfALine",
     "add.u32 %r4, %r1, -20; " WARPLENS_DIVIDE_BY_3(
         "%r4") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r11, %r4, %r10; setp.eq.s32 %p2, %r11, 0; selp.b32 %r9, "
                "1, 0, %p2;",
     [](std::uint32_t, std::uint32_t thread) {
       return Pair{(thread - 20) / 3, (thread - 20) % 3 == 0 ? 1u : 0u};
     }},
    {"TestedRemainderIsReadAgain",
     WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r2, %r10; setp.eq.s32 %p2, %r9, 0; "
                                 "selp.b32 %r8, 1, 0, %p2;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x % 3 == 0 ? 1u : 0u, x % 3}; }},
    {"MultipleIsReadAgain",
     WARPLENS_DIVIDE_BY_3("%r2") "mul.lo.s32 %r10, %r8, 3; sub.s32 %r9, %r2, %r10; add.s32 %r9, %r9, %r10;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x / 3, x}; }},
    // What is no such division
    {"ProductIsReadAgain", WARPLENS_DIVIDE_BY_3("%r2") "cvt.u32.u64 %r9, %rd5;",
     [](std::uint32_t x, std::uint32_t) { return Pair{x / 3, x * 0xaaaaaaabu}; }, 0},
    {"Guarded",
     "mov.b64 %rd5, 0; mov.b64 %rd6, 0; @%p1 mul.wide.u32 %rd5, %r2, -1431655765; @%p1 shr.u64 %rd6, %rd5, "
     "33; @%p1 cvt.u32.u64 %r8, %rd6;",
     [](std::uint32_t x, std::uint32_t thread) { return Pair{thread % kThreads % 4 == 1 ? x / 3 : 77, 78}; },
     0},
    {"TooShort", "mul.wide.u32 %rd5, %r2, 5; shr.u64 %rd6, %rd5, 31; cvt.u32.u64 %r8, %rd6;",
     [](std::uint32_t x, std::uint32_t) {
       return Pair{static_cast<std::uint32_t>(std::uint64_t{x} * 5 >> 31), 78};
     },
     0},
};

class QuotientsOf : public ::testing::TestWithParam<QuotientCase> {
 protected:
  static std::string ptx() {
    return testing::kernel_of(std::string(kReadyToDivide) + GetParam().body + kLeaveBoth, 2);
  }
};

TEST_P(QuotientsOf, AreWhatDivisionGives) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t k = 0; k < 3 * kThreads; ++k)
    values.push_back(k < 40 ? k : k < 80 ? 0u - (k - 40) : k * 2654435761u);
  Trial run(ptx(), "k", {3}, {kThreads});
  run.buffer(std::vector<std::uint32_t>(2 * values.size())).buffer(values).record();
  const auto left = run.contents<std::uint32_t>(0);
  for (std::uint32_t k = 0; k < values.size(); ++k) {
    const Pair expected = GetParam().of(values[k], k);
    EXPECT_EQ(left[k], expected.first) << values[k];
    EXPECT_EQ(left[values.size() + k], expected.second) << values[k];
  }
}

TEST_P(QuotientsOf, AreFound) {
  const auto module = ptx::parse(ptx(), "test.ptx");
  ASSERT_TRUE(module) << module.error().message();
  const ptx::Function& function = *module->find_entry("k");
  EXPECT_EQ(replay::find_quotients(function, ptx::analyse_control_flow(function)).size(), GetParam().plans);
}

INSTANTIATE_TEST_SUITE_P(Kernels, QuotientsOf, ::testing::ValuesIn(kQuotientCases),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warplens
