// Forms of PTX that nvcc does not write, as they run.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

TEST(LegalForms, VectorRegistersHoldTheirComponents) {
  Trial run(kernel_of("ld.global.v4.u32 v, [%rd0]; add.u32 v.y, v.x, v.w; mov.v4.u32 w, v; mov.v4.u32 {%r1, "
                      "%r2, %r3, %r4}, w;\n"
                      "mov.v2.u64 d, {%rd0, 5}; st.global.u64 [%rd0+32], d.y; st.global.v4.u32 [%rd0+16], "
                      "{%r1, %r2, %r3, 1 << 4};",
                      1, ".reg .v4 .u32 v, w; .reg .v2 .u64 d;"),
            "k", {1}, {1});
  run.buffer(std::vector<std::uint32_t>{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}).record();
  EXPECT_EQ(run.contents<std::uint32_t>(0),
            (std::vector<std::uint32_t>{1, 2, 3, 4, 1, 5, 3, 16, 5, 0, 0, 0}));
}

TEST(LegalForms, VectorsOfOneRegisterAreLoadedAndStored) {
  Trial run(kernel_of("mov.u32 %r1, 0; mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, "
                      "%rd1; setp.lt.u32 %p1, %r2, 20;\n"
                      "@%p1 ld.global.b32 { %r1 }, [ %rd1 + 0 ]; add.u32 %r1, %r1, 7; @%p1 st.global.b32 [ "
                      "%rd1 + 0 ], { %r1 };"),
            "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(32, 1)).record();
  const auto left = run.contents<std::uint32_t>(0);
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(left[l], l < 20 ? 8u : 1u);
  EXPECT_EQ(recording.sites.size(), 2u);
}

TEST(LegalForms, HiddenParametersAreZeroAndDependenciesOfALaunchAloneAreMet) {
  std::string text = kernel_of(
      "griddepcontrol.wait; ld.param.u32 %r1, [more+4]; add.u32 %r1, %r1, 3; st.global.u32 [%rd0], %r1; "
      "griddepcontrol.launch_dependents;");
  text.insert(text.find(".param .u64 p0") + 14, ", .hidden .param .align 8 .b8 more[8]");
  Trial run(text, "k", {1}, {1});
  run.buffer(std::vector<std::uint32_t>{9}).record();
  EXPECT_EQ(run.contents<std::uint32_t>(0)[0], 3u);
}

TEST(LegalForms, PrefetchesDoNothing) {
  Trial run(
      kernel_of("mov.u32 %r1, 7; prefetch.global.L2 [%rd0]; prefetchu.L1 [%rd0]; prefetch.tensormap [%rd0];\n"
                "prefetch.const.tensormap [%rd0]; prefetch.param.tensormap [%rd0];\n"
                "cp.async.bulk.prefetch.L2.global [%rd0], 16;\n"
                "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd0, {%r1, %r1}];\n"
                "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd0, {%r1, %r1, %r1}], {%rs1};\n"
                "fence.proxy.tensormap::generic.release.gpu; "
                "fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;\n"
                "st.global.u32 [%rd0], %r1;"),
      "k", {1}, {1});
  EXPECT_TRUE(run.buffer(std::vector<std::uint32_t>(4)).record().findings.empty());
  EXPECT_EQ(run.contents<std::uint32_t>(0)[0], 7u);
}

TEST(LegalForms, FencesOfOtherProxiesOnlyOrder) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1;\n"
                      "fence.mbarrier_init.release.cluster; fence.proxy.alias; fence.proxy.async; "
                      "fence.proxy.async.global; fence.proxy.async.shared::cta;\n"
                      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
                      "membar.proxy.alias; griddepcontrol.wait; st.global.u32 [%rd1], %r1; "
                      "griddepcontrol.launch_dependents;"),
            "k", {1}, {4});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(4)).record();
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_EQ(run.contents<std::uint32_t>(0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

/// Each lane allocates as many words as its number says, sixteen times, and gives them back.
TEST(LegalForms, StacksOfThreadsAreAllocatedAndRestored) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, 0; mov.u32 %r7, 0;\n"
                      "alloca.u64 %rd4, 4; st.local.u32 [%rd4], %r1;\n"
                      "LOOP: stacksave.u64 %rd2; alloca.u64 %rd3, %r2, 16; and.b64 %rd5, %rd3, 15;\n"
                      "cvt.u32.u64 %r8, %rd5; add.u32 %r7, %r7, %r8;\n"
                      "setp.gt.u32 %p1, %r1, 0; @%p1 st.local.u32 [%rd3], %r3;\n"
                      "stackrestore.u64 %rd2; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 16; @%p2 bra LOOP;\n"
                      "setp.ge.u32 %p1, %r1, 2; @%p1 alloca.u64 %rd3, 8; @%p1 st.local.u32 [%rd3], 77;\n"
                      "stacksave.u32 %r5; ld.local.u32 %r4, [%rd4]; mad.lo.u32 %r4, %r4, 1000, %r5;\n"
                      "mad.lo.u32 %r4, %r7, 100000, %r4;\n"
                      "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r4;"),
            "k", {1}, {4});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(4)).record();
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_EQ(run.contents<std::uint32_t>(0), (std::vector<std::uint32_t>{4, 1004, 2016, 3016}));
}

TEST(LegalForms, AFunctionGivesItsStackBack) {
  std::string text = kernel_of(
      "mov.u32 %r1, 0; LOOP: call f; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra LOOP;\n"
      "alloca.u32 %r2, 16; stacksave.u64 %rd1; st.global.u64 [%rd0], %rd1;");
  text.insert(text.find(".visible .entry"),
              ".func f() { .reg .u64 a; .reg .u32 b; alloca.u64 a, 100; st.local.u32 [a], 1; "
              "stacksave.u32 b; ret; }\n");
  Trial run(text, "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<std::uint64_t>(1)).record();
  for (const Finding& finding : recording.findings) EXPECT_NE(finding.kind, FindingKind::out_of_bounds);
  EXPECT_EQ(run.contents<std::uint64_t>(0)[0], 16u);
}

TEST(LegalForms, AStackThatIsTooSmallIsAnAccessOutOfBounds) {
  Trial run(kernel_of("mov.u32 %r1, 8000; alloca.u64 %rd1, %r1; st.local.u32 [%rd1+7996], %r1; "
                      "st.global.u32 [%rd0], %r1;"),
            "k", {1}, {1});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(1)).record();
  ASSERT_EQ(recording.findings.size(), 1u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::out_of_bounds);
}

TEST(LegalForms, VariablesAreIndexedByRegisters) {
  Trial run(kernel_of("mov.u32 %r1, %tid.x; st.shared.u32 w[%r1+2], %r1; bar.sync 0; add.u32 %r2, %r1, 1; "
                      "ld.const.u32 %r3, c[%r2+-1]; ld.shared.u32 %r5, w[%r2+1]; mov.u32 %r6, w[%r1]; "
                      "mov.u32 %r7, w; sub.u32 %r6, %r6, %r7;\n"
                      "mad.lo.u32 %r3, %r5, 100, %r3; mad.lo.u32 %r3, %r6, 1000, %r3; "
                      "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r3;",
                      1, ".shared .u32 w[8]; .const .v2 .u32 c[2] = {{1, 2}, {3, 4}};"),
            "k", {1}, {4});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(4)).record();
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_EQ(run.contents<std::uint32_t>(0), (std::vector<std::uint32_t>{1, 4102, 8203, 12304}));
}

TEST(LegalForms, CallsPassAndReturnVectorRegisters) {
  std::string text = kernel_of(
      "mov.v4.u32 v, %ntid; mov.b64 {w.x, w.y}, 0x200000001; call (w), swap, (w);\n"
      "st.global.v2.u32 [%rd0], w; st.global.u32 [%rd0+8], v.y;",
      1, ".reg .v4 .u32 v; .reg .v2 .u32 w;");
  text.insert(
      text.find(".visible .entry"),
      ".func (.reg .v2 .u32 o) swap (.reg .v2 .u32 i) { mov.u32 o.x, i.y; mov.u32 o.y, i.x; ret; }\n");
  Trial run(text, "k", {1}, {1, 3});
  run.buffer(std::vector<std::uint32_t>(3)).record();
  EXPECT_EQ(run.contents<std::uint32_t>(0), (std::vector<std::uint32_t>{2, 1, 3}));
}

}  // namespace
}  // namespace warplens
