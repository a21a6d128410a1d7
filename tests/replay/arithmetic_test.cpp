// Arithmetic on registers in each form: uniform, along a line, lane by lane, and under part of the lanes. What single instructions compute is held to
// an H200's results in tests/h200; here the forms of one operation are held to each other, and to the host.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::numbers;
using testing::Trial;

struct Case {
  const char* instruction;  ///< Of %r5 from %r1, %r2, %r3; or of %rd5 from %rd11, %rd12, %rd13 where wide
  bool wide;
};
const Case kCases[] = {
    {"add.s32 %r5, %r1, %r2;", false},
    {"sub.s32 %r5, %r1, %r2;", false},
    {"mul.lo.s32 %r5, %r1, %r2;", false},
    {"mad.lo.s32 %r5, %r1, %r2, %r3;", false},
    {"shl.b32 %r5, %r1, %r2;", false},
    {"mul.hi.s32 %r5, %r1, %r2;", false},
    {"mul.wide.s32 %rd5, %r1, %r2;", true},
    {"mul.wide.u32 %rd5, %r1, %r2;", true},
    {"mad.wide.s32 %rd5, %r1, %r2, %rd13;", true},
    {"cvt.s64.s32 %rd5, %r1;", true},
    {"cvt.u64.u32 %rd5, %r1;", true},
    {"cvt.u32.u64 %r5, %rd11;", false},
    {"add.s64 %rd5, %rd11, %rd12;", true},
    {"mul.lo.s64 %rd5, %rd11, %rd12;", true},
    {"mad.lo.s64 %rd5, %rd11, %rd12, %rd13;", true},
    {"sub.s64 %rd5, %rd11, %rd12;", true},
    {"shl.b64 %rd5, %rd11, %r2;", true},
    {"shr.s32 %r5, %r1, %r2;", false},
    {"and.b32 %r5, %r1, %r2;", false},
    {"min.s32 %r5, %r1, %r2;", false},
    {"bfe.s32 %r5, %r1, %r2, %r3;", false},
    {"lop3.b32 %r5, %r1, %r2, %r3, 0x6a;", false},
    {"prmt.b32 %r5, %r1, %r2, %r3;", false},
    {"selp.b32 %r5, %r1, %r2, %p1;", false},
    {"div.s32 %r5, %r1, %r2;", false},
    {"rem.u32 %r5, %r1, %r2;", false},
    {"shf.l.wrap.b32 %r5, %r1, %r2, %r3;", false},
};

/// Lane l of a source is base + l * stride. As a line it is made from %tid.x by a multiplication; lane by lane it is loaded from memory. Both must
/// give the same, also where values wrap around, and under a mask that keeps the old value elsewhere.
std::vector<std::uint64_t> results(const Case& c, bool along_a_line, std::uint32_t lanes, const std::uint32_t (&base)[3],
                                   const std::uint32_t (&stride)[3]) {
  std::string body =
      "mov.u32 %r10, %tid.x;\nmul.wide.u32 %rd20, %r10, 8; add.s64 %rd21, %rd1, %rd20; mul.wide.u32 %rd22, %r10, 12; add.s64 %rd23, %rd0, %rd22;\n";
  std::vector<std::uint32_t> sources(96);
  for (int s = 0; s < 3; ++s) {
    const std::string n = std::to_string(s + 1);
    for (std::uint32_t l = 0; l < 32; ++l) sources[l * 3 + static_cast<unsigned>(s)] = base[s] + l * stride[s];
    if (along_a_line) {
      body += "mad.lo.s32 %r" + n + ", %r10, " + std::to_string(stride[s]) + ", " + std::to_string(base[s]) + ";\n";
    } else {
      body += "ld.global.u32 %r" + n + ", [%rd23+" + std::to_string(4 * s) + "];\n";
    }
    body += "cvt.s64.s32 %rd1" + n + ", %r" + n + "; mul.lo.s64 %rd1" + n + ", %rd1" + n + ", 0x100000001;\n";
  }
  body += "setp.lt.u32 %p1, %r10, 9;\nmov.u64 %rd5, 77; mov.u32 %r5, 77;\nsetp.lt.u32 %p2, %r10, " + std::to_string(lanes) + ";\n";
  body += std::string("@!%p2 bra DONE;\n") + c.instruction + "\nDONE:\n";
  if (!c.wide) body += "cvt.u64.u32 %rd5, %r5;\n";
  body += "st.global.u64 [%rd21], %rd5;";
  Trial run(kernel_of(body, 2), "k", {1}, {32});
  run.buffer(sources).buffer(std::vector<std::uint64_t>(32)).record();
  return run.contents<std::uint64_t>(1);
}

TEST(Arithmetic, LinesGiveWhatLanesGive) {
  const std::uint32_t interesting[] = {0, 1, 4, 7, 31, 0x7ffffff0u, 0xfffffff0u, 0x80000000u, 0x10000u, 0xfffffffcu, 12345};
  unsigned seed = 7;
  const auto pick = [&] { return interesting[(seed = seed * 1664525u + 1013904223u) / 1000 % std::size(interesting)]; };
  for (const Case& c : kCases) {
    for (int round = 0; round < 12; ++round) {
      const std::uint32_t base[3] = {pick(), pick(), pick()}, stride[3] = {pick(), round % 3 == 0 ? 0 : pick(), round % 2 == 0 ? 0 : pick()};
      for (const std::uint32_t lanes : {32u, 20u}) {
        ASSERT_EQ(results(c, true, lanes, base, stride), results(c, false, lanes, base, stride))
            << c.instruction << " of " << base[0] << "+" << stride[0] << ", " << base[1] << "+" << stride[1] << ", " << base[2] << "+" << stride[2];
      }
    }
  }
}

TEST(Arithmetic, MultiplyAddIsFusedAndTheRestIsNot) {
  const float a = 1.0f + 0x1p-12f, b = a, c = -(1.0f + 0x1p-11f);
  Trial run(kernel_of(R"(
ld.global.f32 %f1, [%rd0]; ld.global.f32 %f2, [%rd0+4]; ld.global.f32 %f3, [%rd0+8];
fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd0+12], %f4;
mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.global.f32 [%rd0+16], %f6;)"),
            "k", {1}, {32});
  run.buffer(std::vector<float>{a, b, c, 0, 0}).record();
  EXPECT_EQ(run.contents<float>(0)[3], 0x1p-24f);
  EXPECT_EQ(run.contents<float>(0)[4], 0.0f);
}

TEST(Arithmetic, CarriesRunThroughWideSums) {
  Trial run(kernel_of(R"(
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];
add.cc.u32 %r5, %r1, %r3; addc.u32 %r6, %r2, %r4; st.global.v2.u32 [%rd0+16], {%r5, %r6};
sub.cc.u32 %r7, %r1, %r3; subc.u32 %r8, %r2, %r4; st.global.v2.u32 [%rd0+24], {%r7, %r8};
mad.lo.cc.u32 %r9, %r1, %r3, %r1; madc.hi.u32 %r10, %r1, %r3, 0; st.global.v2.u32 [%rd0+32], {%r9, %r10};)"),
            "k", {1}, {32});
  const std::uint64_t x = 0x00000001fffffff0u, y = 0x00000003000000ffu;
  run.buffer(std::vector<std::uint64_t>{x, y, 0, 0, 0}).record();
  const auto c = run.contents<std::uint64_t>(0);
  EXPECT_EQ(c[2], x + y);
  EXPECT_EQ(c[3], x - y);
  EXPECT_EQ(c[4], (x & 0xffffffffu) * (y & 0xffffffffu) + (x & 0xffffffffu));
}

TEST(Arithmetic, RegistersArePackedAndTakenApart) {
  Trial run(kernel_of(R"(
ld.global.v2.u32 {%r1, %r2}, [%rd0];
mov.b64 %rd1, {%r2, %r1}; st.global.u64 [%rd0+8], %rd1;
mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r3, {%rs2, %rs1}; st.global.u32 [%rd0+16], %r3;
mov.b64 {_, %r4}, %rd1; st.global.u32 [%rd0+20], %r4;)"),
            "k", {1}, {32});
  run.buffer(std::vector<std::uint32_t>{0x11112222u, 0x33334444u, 0, 0, 0, 0}).record();
  EXPECT_EQ(run.contents<std::uint32_t>(0),
            (std::vector<std::uint32_t>{0x11112222u, 0x33334444u, 0x33334444u, 0x11112222u, 0x22221111u, 0x11112222u}));
}

/// What an instruction makes of three words.
std::uint32_t of_words(const std::string& instruction, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Trial run(kernel_of("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];\n" + instruction + " %r5, %r1, %r2, %r3;\nst.global.u32 [%rd0], %r5;"), "k",
            {1}, {32});
  run.buffer(std::vector<std::uint32_t>{a, b, c, 0}).record();
  return run.contents<std::uint32_t>(0)[0];
}

TEST(Arithmetic, DifferencesOfPartsOfAWord) {
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.u32", 0xff008001u, 0x00ff7f02u, 99), 0xffff0101u);
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.u32.add", 0xff008001u, 0x00ff7f02u, 1000), 1000u + 255 + 255 + 1 + 1);
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.u32.add", 0xff000000u, 0, 0xffffffffu), 254u) << "wraps around";
  EXPECT_EQ(of_words("vabsdiff4.s32.s32.s32", 0xff008001u, 0x00ff7f02u, 0), 0x0101ff01u) << "-128 and 127 are 255 apart";
  EXPECT_EQ(of_words("vabsdiff4.s32.s32.s32.sat", 0xff008001u, 0x00ff7f02u, 0), 0x01017f01u);
  EXPECT_EQ(of_words("vabsdiff4.u32.s32.s32.sat", 0xff008001u, 0x00ff7f02u, 0), 0x0101ff01u);
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.s32", 0x000000ffu, 0x00000080u, 0), 0x7fu) << "255 and -128 are 383 apart, of which 8 bits are kept";
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.s32.sat", 0x000000ffu, 0x00000080u, 0), 0xffu);
  EXPECT_EQ(of_words("vabsdiff4.u32.s32.u32.add", 0x00000080u, 0x000000ffu, 0), 383u);
  EXPECT_EQ(of_words("vabsdiff2.u32.u32.u32", 0xffff8000u, 0x00007fffu, 7), 0xffff0001u);
  EXPECT_EQ(of_words("vabsdiff2.s32.s32.s32", 0xffff8000u, 0x00007fffu, 7), 0x0001ffffu);
  EXPECT_EQ(of_words("vabsdiff2.s32.s32.s32.sat", 0xffff8000u, 0x00007fffu, 7), 0x00017fffu);
  EXPECT_EQ(of_words("vabsdiff2.u32.u32.u32.add", 0xffff8000u, 0x00007fffu, 7), 7u + 65535 + 1);
}

}  // namespace
}  // namespace warplens
