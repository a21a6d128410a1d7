// Loads that are checked and counted together leave what they leave one by one: in blocks whose events are
// kept, each is done by itself.
#include "kernels/replay/decode/load_groups.h"
#include "kernels/ptx/control_flow.h"
#include "replay/apart.h"

namespace warplens {
namespace {

using testing::Trial;

struct GroupCase {
  const char* name;
  const char* declarations;
  const char* body;  ///< %rd0: the result, %rd1: 4096 floats
  std::uint32_t threads = 64;
  std::size_t groups = 1;
};

// What the cases begin with: %r0 threadIdx.x, %rd2 .. its bytes; all of shared memory written where a case
// has one.
const char* const kBegin = R"(
mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd1, %rd2;
)";
const char* const kFill = R"(
mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
st.shared.u32 [%r3], %r0; st.shared.u32 [%r3+256], %r0; st.shared.u32 [%r3+512], %r0; st.shared.u32 [%r3+768], %r0;
bar.sync 0;
)";
const char* const kSum = R"(
add.f32 %f0, %f0, %f1; add.f32 %f0, %f0, %f2; add.u64 %rd4, %rd0, %rd2; st.global.f32 [%rd4], %f0;
)";
const char* const kShared = ".shared .align 16 .b8 s[1024];";

const GroupCase kGroupCases[] = {
    {"Neighbours", "",
     "ld.global.f32 %f0, [%rd3]; ld.global.f32 %f1, [%rd3+128]; ld.global.f32 %f2, [%rd3+4];"},
    {"BelowTheRegister", "",
     "add.u64 %rd3, %rd3, 512; ld.global.f32 %f0, [%rd3-256]; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, "
     "[%rd3-4];"},
    {"OneAddress", kShared,
     "ld.shared.f32 %f0, [%r1]; ld.shared.f32 %f1, [%r1+4]; ld.shared.f32 %f2, [%r1+1020];"},
    {"Lines", kShared,
     "ld.shared.f32 %f0, [%r3]; ld.shared.f32 %f1, [%r3+128]; ld.shared.f32 %f2, [%r3+768];"},
    {"Strided", kShared,
     "and.b32 %r4, %r0, 31; mad.lo.u32 %r5, %r4, 20, %r1; ld.shared.f32 %f0, [%r5]; ld.shared.f32 %f1, "
     "[%r5+8]; ld.shared.f32 %f2, [%r5+16];"},
    {"Backwards", kShared,
     "and.b32 %r4, %r0, 31; mul.lo.u32 %r4, %r4, 8; sub.u32 %r5, %r1, %r4; ld.shared.f32 %f0, [%r5+248]; "
     "ld.shared.f32 %f1, [%r5+500]; ld.shared.f32 "
     "%f2, [%r5+260];"},
    {"Irregular", kShared,
     "xor.b32 %r4, %r0, 5; and.b32 %r4, %r4, 63; shl.b32 %r4, %r4, 2; add.u32 %r5, %r1, %r4; ld.shared.f32 "
     "%f0, [%r5]; ld.shared.f32 %f1, [%r5+256]; "
     "ld.shared.f32 %f2, [%r5+60];"},
    {"IrregularGlobal", "",
     "xor.b32 %r4, %r0, 9; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd3, %rd1, %rd5; ld.global.f32 %f0, [%rd3+4]; "
     "ld.global.f32 %f1, [%rd3]; "
     "ld.global.f32 "
     "%f2, [%rd3+1024];"},
    {"PartOfAWarp", kShared,
     "ld.shared.f32 %f0, [%r3]; ld.shared.f32 %f1, [%r3+4]; ld.shared.f32 %f2, [%r3+512];", 50},
    {"Diverged", kShared,
     "mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; and.b32 %r4, %r0, 3; setp.eq.u32 %p1, "
     "%r4, 0; @%p1 bra SKIP; ld.shared.f32 %f0, "
     "[%r3]; ld.shared.f32 %f1, [%r3+256]; ld.shared.f32 %f2, [%r3+512]; SKIP:"},
    {"Pairs", kShared,
     "and.b32 %r4, %r2, 120; add.u32 %r5, %r1, %r4; ld.shared.v2.f32 {%f0, %f1}, [%r5]; ld.shared.v2.f32 "
     "{%f2, %f3}, [%r5+256];"},
    {"Quads", "",
     "mul.wide.u32 %rd5, %r0, 16; add.u64 %rd3, %rd1, %rd5; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd3]; "
     "ld.global.v4.f32 {%f4, %f5, %f6, %f7}, "
     "[%rd3+1024]; add.f32 %f0, %f0, %f7;"},
    {"TheLastOverwritesTheAddress", kShared,
     "ld.shared.f32 %f0, [%r3]; ld.shared.f32 %f1, [%r3+4]; ld.shared.b32 %r3, [%r3+8]; mov.b32 %f2, %r3;"},
    {"AStoreBetween", kShared,
     "bar.sync 0; ld.shared.f32 %f0, [%r3]; mov.f32 %f4, 0f40000000; st.shared.f32 [%r3+256], %f4; "
     "ld.shared.f32 %f1, [%r3+256]; ld.shared.f32 %f2, "
     "[%r3+512];"},
    {"TheLastIsOutOfBounds", kShared,
     "ld.shared.f32 %f0, [%r3]; ld.shared.f32 %f1, [%r3+256]; ld.shared.f32 %f2, [%r3+896];"},
    {"TheLastIsOutOfTheBuffer", "",
     "ld.global.f32 %f0, [%rd3]; ld.global.f32 %f1, [%rd3+4096]; ld.global.f32 %f2, [%rd3+16256];"},
    {"Misaligned", kShared,
     "add.u32 %r5, %r3, 2; ld.shared.f32 %f0, [%r5]; ld.shared.f32 %f1, [%r5+4]; mov.f32 %f2, %f1;"},
    {"Race", kShared,
     "xor.b32 %r4, %r2, 128; add.u32 %r5, %r1, %r4; ld.shared.f32 %f0, [%r5+256]; ld.shared.f32 %f1, [%r5]; "
     "st.shared.f32 [%r3], %f1; mov.f32 %f2, "
     "%f1;"},
    {"OtherOffsetsThanWholeLoads", kShared,
     "add.u32 %r5, %r3, 2; ld.shared.f32 %f0, [%r3]; ld.shared.f32 %f1, [%r5+2]; ld.shared.f32 %f2, [%r5+6]; "
     "ld.shared.f32 %f4, [%r3+4]; add.f32 "
     "%f0, "
     "%f0, %f4;",
     64, 2},
    {"InALoop", kShared,
     "mov.u32 %r6, 0; mov.f32 %f0, 0f00000000; mov.u32 %r5, %r1; AGAIN: ld.shared.f32 %f1, [%r5]; "
     "ld.shared.f32 %f2, [%r5+4]; add.f32 %f0, %f0, %f1; "
     "add.f32 %f0, %f0, %f2; add.u32 %r5, %r5, 8; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 100; @%p1 bra "
     "AGAIN;"},
};

class LoadGroupsOf : public ::testing::TestWithParam<GroupCase> {
 protected:
  static std::string ptx() {
    const GroupCase& c = GetParam();
    const bool in_shared = *c.declarations != '\0';
    return testing::kernel_of(std::string(kBegin) + (in_shared ? kFill : "") + c.body + kSum, 2,
                              c.declarations);
  }
};

TEST_P(LoadGroupsOf, EqualSingleLoads) {
  const auto make = [] {
    Trial trial(ptx(), "k", {3}, {GetParam().threads});
    trial.buffer(std::vector<float>(64));
    std::vector<float> values(4096);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k % 1000);
    trial.buffer(values);
    return trial;
  };
  Trial together = make(), apart = make();
  testing::expect_the_same_apart(together, apart);
}

TEST_P(LoadGroupsOf, AreFound) {
  const auto module = ptx::parse(ptx(), "test.ptx");
  ASSERT_TRUE(module) << module.error().message();
  const ptx::Function* function = module->find_entry("k");
  EXPECT_EQ(replay::find_load_groups(*function, ptx::analyse_control_flow(*function)).size(),
            GetParam().groups);
}

INSTANTIATE_TEST_SUITE_P(Kernels, LoadGroupsOf, ::testing::ValuesIn(kGroupCases),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace warplens
