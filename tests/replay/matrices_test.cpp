// ldmatrix and stmatrix: rows of 16 bytes that lanes name, and values that they share. PTX ISA, "ldmatrix",
// "stmatrix".
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

/// Shared memory holds halves 0, 1, 2, ..; lane l names row `l` of 16 bytes; what the lanes get of matrix k
/// goes to words 32 k + l.
std::vector<std::uint32_t> loaded(const std::string& load, int matrices) {
  std::string body =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, 0;\n"
      "FILL: shl.b32 %r4, %r1, 2; shl.b32 %r5, %r3, 7; add.u32 %r4, %r4, %r5; shr.u32 %r6, %r4, 1; add.u32 "
      "%r7, %r6, 1; shl.b32 %r7, %r7, 16;\n"
      "or.b32 %r7, %r7, %r6; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4], %r7; add.u32 %r3, %r3, 1; "
      "setp.lt.u32 %p1, %r3, 4; @%p1 bra FILL;\n"
      "bar.sync 0; shl.b32 %r8, %r1, 4; add.u32 %r8, %r8, %r2; cvt.u64.u32 %rd3, %r8; cvta.shared.u64 %rd3, "
      "%rd3;\n" +
      load + "\nmul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1;\n";
  for (int k = 0; k < matrices; ++k)
    body += "st.global.u32 [%rd1+" + std::to_string(128 * k) + "], %r" + std::to_string(10 + k) + ";\n";
  Trial run(kernel_of(body, 1, ".shared .align 16 .b8 s[512];"), "k", {1}, {32});
  const Recording recording = run.buffer(std::vector<std::uint32_t>(128)).record();
  EXPECT_TRUE(recording.findings.empty()) << load << ": " << recording.findings[0].text;
  for (std::size_t s = 0; s < recording.sites.size(); ++s) {
    if (recording.sites[s].op != AccessOp::ldmatrix || recording.totals[s].requests == 0) continue;
    EXPECT_EQ(recording.sites[s].bytes, 16);
    EXPECT_EQ(recording.totals[s].patterns.at(0).mask,
              matrices == 4 ? 0xffffffffu : (1u << (8 * matrices)) - 1);
  }
  return run.contents<std::uint32_t>(0);
}

TEST(Matrices, AreLoadedByRows) {
  const std::pair<const char*, int> kForms[] = {
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r8];", 1},
      {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r8];", 2},
      {"ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%r10, %r11, %r12, %r13}, [%r8];", 4},
      {"ldmatrix.sync.aligned.m8n8.x4.b16 {%r10, %r11, %r12, %r13}, [%rd3];", 4}};
  for (const auto& [load, matrices] : kForms) {
    const auto words = loaded(load, matrices);
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(matrices); ++k) {
      for (std::uint32_t l = 0; l < 32; ++l) {
        const std::uint32_t first = 64 * k + 8 * (l / 4) + 2 * (l % 4);
        EXPECT_EQ(words[32 * k + l], first | (first + 1) << 16) << load << " " << k << " " << l;
      }
    }
  }
}

TEST(Matrices, AreTransposed) {
  const auto words =
      loaded("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];", 4);
  for (std::uint32_t k = 0; k < 4; ++k) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      const std::uint32_t first = 64 * k + 8 * (2 * (l % 4)) + l / 4;
      EXPECT_EQ(words[32 * k + l], first | (first + 8) << 16) << k << " " << l;
    }
  }
}

TEST(Matrices, StoredMatricesAreLoadedAgain) {
  for (const std::string trans : {"", ".trans"}) {
    const auto words = loaded(
        "mul.lo.u32 %r20, %r1, 3; add.u32 %r21, %r20, 1000; xor.b32 %r22, %r21, 0x5500aa; not.b32 %r23, "
        "%r20; bar.sync 0;\n"
        "stmatrix.sync.aligned.m8n8.x4" +
            trans +
            ".shared.b16 [%r8], {%r20, %r21, %r22, %r23};\nbar.sync 0;\n"
            "ldmatrix.sync.aligned.m8n8.x4" +
            trans + ".shared.b16 {%r10, %r11, %r12, %r13}, [%r8];",
        4);
    for (std::uint32_t l = 0; l < 32; ++l) {
      EXPECT_EQ(words[l], 3 * l);
      EXPECT_EQ(words[32 + l], 3 * l + 1000);
      EXPECT_EQ(words[64 + l], (3 * l + 1000) ^ 0x5500aau);
      EXPECT_EQ(words[96 + l], ~(3 * l));
    }
  }
}

TEST(Matrices, RowsAreBoundsChecked) {
  const auto findings = [](const std::string& body, Dim3 block) {
    Trial run(kernel_of("mov.u32 %r1, %tid.x; mov.u32 %r2, s; and.b32 %r3, %r1, 31; shl.b32 %r8, %r3, 4; "
                        "add.u32 %r8, %r8, %r2;\n" +
                            body,
                        1, ".shared .align 16 .b8 s[512];"),
              "k", {1}, block);
    std::vector<FindingKind> kinds;
    for (const Finding& finding : run.buffer(std::vector<int>(1)).record().findings)
      kinds.push_back(finding.kind);
    return kinds;
  };
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];";
  const std::string store = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r8], {%r1, %r1, %r1, %r1};";
  EXPECT_EQ(findings(load, {32}), std::vector{FindingKind::uninitialised});
  EXPECT_EQ(findings(store + "bar.sync 0;" + load, {32}), std::vector<FindingKind>{});
  EXPECT_EQ(findings("add.u32 %r8, %r8, 16;" + store, {32}), std::vector{FindingKind::out_of_bounds});
  EXPECT_EQ(findings("add.u32 %r8, %r8, 8;" + store, {32})[0], FindingKind::misaligned);
  EXPECT_EQ(
      findings("setp.ge.u32 %p1, %r1, 32; @%p1 bra L;" + store + "bra M; L:" + load + "M:", {64}).back(),
      FindingKind::race);
}

}  // namespace
}  // namespace warplens
