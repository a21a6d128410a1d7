// Arithmetic on registers in each form: uniform, along a line, lane by lane, and under part of the lanes.
// What single instructions compute is held to an H200's results in tests/h200; here the forms of one
// operation are held to each other, and to the host.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

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

/// Lane l of a source is base + l * stride. As a line it is made from %tid.x by a multiplication; lane by
/// lane it is loaded from memory. Both must give the same, also where values wrap around, and under a mask
/// that keeps the old value elsewhere.
std::vector<std::uint64_t> results(const Case& c, bool along_a_line, std::uint32_t lanes,
                                   const std::uint32_t (&base)[3], const std::uint32_t (&stride)[3]) {
  std::string body =
      "mov.u32 %r10, %tid.x;\nmul.wide.u32 %rd20, %r10, 8; add.s64 %rd21, %rd1, %rd20; mul.wide.u32 %rd22, "
      "%r10, 12; add.s64 %rd23, %rd0, %rd22;\n";
  std::vector<std::uint32_t> sources(96);
  for (int s = 0; s < 3; ++s) {
    const std::string n = std::to_string(s + 1);
    for (std::uint32_t l = 0; l < 32; ++l)
      sources[l * 3 + static_cast<unsigned>(s)] = base[s] + l * stride[s];
    if (along_a_line) {
      body += "mad.lo.s32 %r" + n + ", %r10, " + std::to_string(stride[s]) + ", " + std::to_string(base[s]) +
              ";\n";
    } else {
      body += "ld.global.u32 %r" + n + ", [%rd23+" + std::to_string(4 * s) + "];\n";
    }
    body += "cvt.s64.s32 %rd1" + n + ", %r" + n + "; mul.lo.s64 %rd1" + n + ", %rd1" + n + ", 0x100000001;\n";
  }
  body += "setp.lt.u32 %p1, %r10, 9;\nmov.u64 %rd5, 77; mov.u32 %r5, 77;\nsetp.lt.u32 %p2, %r10, " +
          std::to_string(lanes) + ";\n";
  body += std::string("@!%p2 bra DONE;\n") + c.instruction + "\nDONE:\n";
  if (!c.wide) body += "cvt.u64.u32 %rd5, %r5;\n";
  body += "st.global.u64 [%rd21], %rd5;";
  Trial run(kernel_of(body, 2), "k", {1}, {32});
  run.buffer(sources).buffer(std::vector<std::uint64_t>(32)).record();
  return run.contents<std::uint64_t>(1);
}

TEST(Arithmetic, AffineAndPerLaneOperandsAgree) {
  const std::uint32_t interesting[] = {0,           1,           4,        7,           31,   0x7ffffff0u,
                                       0xfffffff0u, 0x80000000u, 0x10000u, 0xfffffffcu, 12345};
  unsigned seed = 7;
  const auto pick = [&] {
    return interesting[(seed = seed * 1664525u + 1013904223u) / 1000 % std::size(interesting)];
  };
  for (const Case& c : kCases) {
    for (int round = 0; round < 12; ++round) {
      const std::uint32_t base[3] = {pick(), pick(), pick()},
                          stride[3] = {pick(), round % 3 == 0 ? 0 : pick(), round % 2 == 0 ? 0 : pick()};
      for (const std::uint32_t lanes : {32u, 20u}) {
        ASSERT_EQ(results(c, true, lanes, base, stride), results(c, false, lanes, base, stride))
            << c.instruction << " of " << base[0] << "+" << stride[0] << ", " << base[1] << "+" << stride[1]
            << ", " << base[2] << "+" << stride[2];
      }
    }
  }
}

TEST(Arithmetic, OnlyFmaIsFused) {
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

TEST(Arithmetic, CarriesPropagateThroughWideSums) {
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

TEST(Arithmetic, MovPacksAndUnpacksRegisters) {
  Trial run(kernel_of(R"(
ld.global.v2.u32 {%r1, %r2}, [%rd0];
mov.b64 %rd1, {%r2, %r1}; st.global.u64 [%rd0+8], %rd1;
mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r3, {%rs2, %rs1}; st.global.u32 [%rd0+16], %r3;
mov.b64 {_, %r4}, %rd1; st.global.u32 [%rd0+20], %r4;)"),
            "k", {1}, {32});
  run.buffer(std::vector<std::uint32_t>{0x11112222u, 0x33334444u, 0, 0, 0, 0}).record();
  EXPECT_EQ(run.contents<std::uint32_t>(0),
            (std::vector<std::uint32_t>{0x11112222u, 0x33334444u, 0x33334444u, 0x11112222u, 0x22221111u,
                                        0x11112222u}));
}

/// What a body makes of 64 bits in %rd4, which it leaves in %rd5; its low half in %r4, %f4 and, narrower
/// still, %rs4.
std::uint64_t of_bits(const std::string& body, std::uint64_t bits, const std::string& declarations = "") {
  Trial run(kernel_of("ld.global.u64 %rd4, [%rd0]; mov.b64 {%r4, %r5}, %rd4; mov.b32 %f4, %r4; mov.b32 "
                      "{%rs4, %rs5}, %r4;\n" +
                          body + "\nst.global.u64 [%rd0], %rd5;",
                      1, declarations),
            "k", {1}, {32});
  run.buffer(std::vector<std::uint64_t>{bits}).record();
  return run.contents<std::uint64_t>(0)[0];
}

// PTX ISA, "Operand Size Exceeding Instruction-Type Size": what is too much of a source is cut off, a result
// is extended.
TEST(Arithmetic, ConversionsOfRegistersWiderThanTheirTypes) {
  const std::uint64_t v = 0x123456789abcdef0u;
  EXPECT_EQ(of_bits("cvt.s64.s32 %rd5, %rd4;", v), 0xffffffff9abcdef0u);
  EXPECT_EQ(of_bits("cvt.u64.u32 %rd5, %rd4;", v), 0x9abcdef0u);
  EXPECT_EQ(of_bits("cvt.s64.s16 %rd5, %rd4;", v), 0xffffffffffffdef0u);
  EXPECT_EQ(of_bits("cvt.s64.s8 %rd5, %rd4;", v), 0xfffffffffffffff0u);
  EXPECT_EQ(of_bits("cvt.u64.u8 %rd5, %rd4;", v), 0xf0u);
  EXPECT_EQ(of_bits("cvt.s32.s8 %rd5, %rd4;", v), 0xfffffffffffffff0u) << "an s32 in 64 bits";
  EXPECT_EQ(of_bits("cvt.u32.s8 %rd5, %rd4;", v), 0xfffffff0u);
  EXPECT_EQ(of_bits("cvt.s8.s64 %rd5, %rd4;", v), 0xfffffffffffffff0u);
  EXPECT_EQ(of_bits("cvt.s16.s32 %rd5, %r4;", v), 0xffffffffffffdef0u);
  EXPECT_EQ(of_bits("cvt.sat.u8.s32 %rd5, %rd4;", v), 0u);
  EXPECT_EQ(of_bits("cvt.sat.s8.u32 %rd5, %rd4;", v), 0x7fu);
  EXPECT_EQ(of_bits("cvt.s8.s32 %rs6, %rd4; mov.b32 %r6, {%rs6, %rs6}; cvt.u64.u32 %rd5, %r6;", v),
            0xfff0fff0u);
  EXPECT_EQ(of_bits("cvt.rn.f32.s32 %f5, %rd4; mov.b32 %r6, %f5; cvt.u64.u32 %rd5, %r6;", 0x5fffffffeu),
            0xc0000000u)
      << "-2";
  EXPECT_EQ(of_bits("cvt.rn.f64.s16 %fd5, %rd4; mov.b64 %rd5, %fd5;", 0x1fffeu), 0xc000000000000000u) << "-2";
  EXPECT_EQ(of_bits("cvt.rzi.s32.f32 %rd5, %f4;", 0xc0200000u), 0xfffffffffffffffeu) << "-2.5";
  EXPECT_EQ(of_bits("cvt.rni.u32.f32 %rd5, %f4;", 0xc0200000u), 0u);
}

// Uniform, along a line and lane by lane; the masked lanes keep what they had.
TEST(Arithmetic, ConversionsOfWiderRegistersInEachForm) {
  for (const char* const lanes : {"32", "20"}) {
    Trial run(
        kernel_of(
            std::string("mov.u32 %r10, %tid.x; mul.wide.u32 %rd20, %r10, 16; add.s64 %rd21, %rd0, %rd20; "
                        "mov.u64 %rd5, 77; mov.u64 %rd6, 77;"
                        "setp.lt.u32 %p2, %r10, ") +
            lanes +
            ";\nmul.wide.u32 %rd7, %r10, 0x7ffffff0; @%p2 cvt.s64.s32 %rd5, %rd7;\n"
            "xor.b64 %rd8, %rd7, 0x5; @%p2 cvt.s64.s32 %rd6, %rd8;\nst.global.v2.u64 [%rd21], {%rd5, %rd6};"),
        "k", {1}, {32});
    run.buffer(std::vector<std::int64_t>(64)).record();
    const auto results = run.contents<std::int64_t>(0);
    for (std::uint32_t l = 0; l < 32; ++l) {
      const bool masked = l >= static_cast<unsigned>(std::atoi(lanes));
      const std::uint64_t value = std::uint64_t{l} * 0x7ffffff0u;
      EXPECT_EQ(results[2 * l], masked ? 77 : static_cast<std::int32_t>(value)) << l;
      EXPECT_EQ(results[2 * l + 1], masked ? 77 : static_cast<std::int32_t>(value ^ 5)) << l;
    }
  }
}

std::uint32_t of_floats(const std::string& instruction, float a, float b) {
  const std::uint64_t bits =
      std::uint64_t{std::bit_cast<std::uint32_t>(b)} << 32 | std::bit_cast<std::uint32_t>(a);
  return static_cast<std::uint32_t>(
      of_bits("mov.b32 %f5, %r5; " + instruction + " %rs6, %f4, %f5; cvt.u64.u16 %rd5, %rs6;", bits));
}

// PTX ISA, "cvt": the first source goes to the upper half.
TEST(Arithmetic, ConvertsToFp8) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  const std::string e4 = "cvt.rn.satfinite.e4m3x2.f32", e5 = "cvt.rn.satfinite.e5m2x2.f32";
  EXPECT_EQ(of_floats(e4, 1.0f, -2.0f), 0x38c0u);
  EXPECT_EQ(of_floats(e4, 448.0f, 1e9f), 0x7e7eu);
  EXPECT_EQ(of_floats(e4, -kInfinity, kNan), 0xfe7fu);
  EXPECT_EQ(of_floats(e4, 0x1p-9f, 0x1p-10f), 0x0100u)
      << "the smallest subnormal, and its half, which is even";
  EXPECT_EQ(of_floats(e4, 0x1.8p-9f, 0x1.cp-7f), 0x0207u) << "1.5 of it is rounded to even";
  EXPECT_EQ(of_floats(e4, 17.0f, 19.0f), 0x585au) << "to even both times";
  EXPECT_EQ(of_floats(e4, -0.0f, 0x1.fp-7f), 0x8008u) << "rounds up to the smallest normal";
  EXPECT_EQ(of_floats(e5, 1.0f, -2.0f), 0x3cc0u);
  EXPECT_EQ(of_floats(e5, 57344.0f, kInfinity), 0x7b7bu);
  EXPECT_EQ(of_floats("cvt.rn.satfinite.relu.e5m2x2.f32", -1.0f, kNan), 0x007fu);
  EXPECT_EQ(of_bits("cvt.rn.satfinite.e4m3x2.f16x2 %rs6, %r4; cvt.u64.u16 %rd5, %rs6;", 0x3c00c000u),
            0x38c0u);
  EXPECT_EQ(of_bits("cvt.rn.f16x2.e4m3x2 %r6, %rs4; cvt.u64.u32 %rd5, %r6;", 0x7e01u), 0x5f001800u)
      << "448 and 2^-9";
  EXPECT_EQ(of_bits("cvt.rn.f16x2.e4m3x2 %r6, %rs4; cvt.u64.u32 %rd5, %r6;", 0xff88u), 0x7fffa400u)
      << "NaN and -2^-6";
  EXPECT_EQ(of_bits("cvt.rn.f16x2.e5m2x2 %r6, %rs4; cvt.u64.u32 %rd5, %r6;", 0xfc7du), 0xfc007fffu)
      << "-infinity and NaN";
  EXPECT_EQ(of_bits("cvt.rn.relu.f16x2.e5m2x2 %r6, %rs4; cvt.u64.u32 %rd5, %r6;", 0xfc3cu), 0x00003c00u);
}

// There and back is the identity for all 256 but the NaNs.
TEST(Arithmetic, ConvertsFromFp8) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const std::uint64_t four = of_bits(
        "cvt.rn.f16x2.e4m3x2 %r6, %rs4; cvt.rn.satfinite.e4m3x2.f16x2 %rs6, %r6; cvt.u64.u16 %rd5, %rs6;",
        bits);
    EXPECT_EQ(four, (bits & 0x7f) == 0x7f ? 0x7fu : bits);
    const std::uint64_t five = of_bits(
        "cvt.rn.f16x2.e5m2x2 %r6, %rs4; cvt.rn.satfinite.e5m2x2.f16x2 %rs6, %r6; cvt.u64.u16 %rd5, %rs6;",
        bits);
    EXPECT_EQ(five, (bits & 0x7f) > 0x7c    ? 0x7fu
                    : (bits & 0x7f) == 0x7c ? bits - 1
                                            : bits)
        << "infinity is beyond the largest finite";
  }
}

TEST(Arithmetic, SaturatingHalfConversionsStayFinite) {
  const auto half = [](const std::string& instruction, float v) {
    return of_bits(instruction + " %rs6, %f4; cvt.u64.u16 %rd5, %rs6;", std::bit_cast<std::uint32_t>(v));
  };
  EXPECT_EQ(half("cvt.rn.satfinite.f16.f32", 1e9f), 0x7bffu);
  EXPECT_EQ(half("cvt.rn.satfinite.f16.f32", -1e9f), 0xfbffu);
  EXPECT_EQ(half("cvt.rn.satfinite.relu.f16.f32", -1e9f), 0u);
  EXPECT_EQ(half("cvt.rn.satfinite.bf16.f32", std::numeric_limits<float>::infinity()), 0x7f7fu);
  EXPECT_EQ(half("cvt.rn.f16.f32", 1e9f), 0x7c00u);
}

// PTX ISA, "setp": where an operand is no number, unordered comparisons hold and the others do not.
TEST(Arithmetic, ComparesAllLanesAtOnce) {
  using Holds = bool (*)(float, float);
  const std::pair<const char*, Holds> comparisons[] = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [](float a, float b) { return a < b || a > b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"equ", [](float a, float b) { return !(a < b || a > b); }},
      {"neu", [](float a, float b) { return a != b; }},
      {"ltu", [](float a, float b) { return !(a >= b); }},
      {"leu", [](float a, float b) { return !(a > b); }},
      {"gtu", [](float a, float b) { return !(a <= b); }},
      {"geu", [](float a, float b) { return !(a < b); }}};
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN(),
                  kSmall = std::numeric_limits<float>::denorm_min();
  const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, kNone, kSmall, std::numeric_limits<float>::infinity(), 2.0f};
  std::vector<float> operands;  // a and b of each lane
  for (const float a : odd) {
    for (const float b : odd) operands.insert(operands.end(), {a, b});
  }
  for (const auto& [name, holds] : comparisons) {
    for (const std::string type : {".f32", ".ftz.f32", ".f64"}) {
      const bool wide = type == ".f64", flushes = type == ".ftz.f32";
      const std::string of = wide ? "cvt.f64.f32 %fd1, %f1; cvt.f64.f32 %fd2, %f2; setp." +
                                        std::string(name) + ".f64 %p1, %fd1, %fd2;"
                                  : "setp." + std::string(name) + type + " %p1, %f1, %f2;";
      Trial run(kernel_of("mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 8; add.s64 %rd3, %rd0, %rd2; add.s64 "
                          "%rd4, %rd1, %rd2;"
                          "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4]; " +
                              of + " selp.u32 %r3, 1, 0, %p1; st.global.u32 [%rd4], %r3;",
                          2),
                "k", {1}, {64});
      run.buffer(operands).buffer(std::vector<std::uint32_t>(128)).record();
      const auto results = run.contents<std::uint32_t>(1);
      const auto flushed = [&](float x) {
        return flushes && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
      };
      for (std::size_t l = 0; l < 64; ++l) {
        EXPECT_EQ(results[2 * l], holds(flushed(operands[2 * l]), flushed(operands[2 * l + 1])) ? 1u : 0u)
            << name << type << " of " << operands[2 * l] << " and " << operands[2 * l + 1];
      }
    }
  }
}

// PTX ISA, "set" and "setp": 1.0 for floats, all ones for integers; of two halves each for itself.
TEST(Arithmetic, ComparesHalves) {
  const std::uint64_t ab = 0x3c00'7e00'3c00'4000u;  // a: 1.0, 2.0; b: 1.0, NaN
  const auto of = [&](const std::string& instruction) {
    return of_bits(instruction + " %r6, %r4, %r5; cvt.u64.u32 %rd5, %r6;", ab);
  };
  EXPECT_EQ(of("set.eq.f16x2.f16x2"), 0x3c000000u);
  EXPECT_EQ(of("set.neu.f16x2.f16x2"), 0x00003c00u);
  EXPECT_EQ(of("set.eq.u32.f16x2"), 0xffff0000u);
  EXPECT_EQ(of("set.nan.s32.f16x2"), 0x0000ffffu);
  EXPECT_EQ(of("set.eq.bf16x2.bf16x2"), 0x3f800000u);
  const auto one = [&](const std::string& instruction) {
    return of_bits("mov.b32 {%rs6, %rs7}, %r5; " + instruction + " %rs5, %rs7; cvt.u64.u32 %rd5, %r6;", ab);
  };
  EXPECT_EQ(one("mov.u32 %r6, 0; set.eq.u32.f16 %r6,"), 0xffffffffu);
  EXPECT_EQ(of_bits("set.le.f16.f16 %rs6, %rs4, %rs5; cvt.u64.u16 %rd5, %rs6;", 0x3c003c00u), 0x3c00u);
  EXPECT_EQ(of_bits("set.lt.u16.f16 %rs6, %rs4, %rs5; cvt.u64.u16 %rd5, %rs6;", 0x40003c00u), 0xffffu);
  EXPECT_EQ(of_bits("set.lt.bf16.bf16 %rs6, %rs4, %rs5; cvt.u64.u16 %rd5, %rs6;", 0x40003c00u), 0x3f80u);
  EXPECT_EQ(of_bits("set.lt.f16.s32 %rs6, %r4, %r5; cvt.u64.u16 %rd5, %rs6;", 0x200000001u), 0x3c00u);
  EXPECT_EQ(of_bits("set.eq.ftz.f16.f16 %rs6, %rs4, %rs5; cvt.u64.u16 %rd5, %rs6;", 0x80010000u), 0x3c00u)
      << "a subnormal is zero";
  EXPECT_EQ(of_bits("set.eq.f16.f16 %rs6, %rs4, %rs5; cvt.u64.u16 %rd5, %rs6;", 0x80010000u), 0u);
  EXPECT_EQ(
      of_bits("setp.ne.u32 %p3, %r4, %r4; set.eq.or.u32.f16x2 %r6, %r4, %r5, !%p3; cvt.u64.u32 %rd5, %r6;",
              ab),
      0xffffffffu);
  EXPECT_EQ(of_bits("setp.eq.f16x2 %p1|%p2, %r4, %r5; selp.u64 %rd5, 1, 0, %p1; selp.u64 %rd6, 2, 0, %p2; "
                    "or.b64 %rd5, %rd5, %rd6;",
                    ab),
            2u);
}

TEST(Arithmetic, EnvironmentRegistersAreZero) {
  EXPECT_EQ(of_bits("mov.u32 %r6, %envreg3; cvt.u64.u32 %rd5, %r6;", 7), 0u);
}

// PTX ISA, "atom" and "red": .noftz, each half for itself, to nearest even.
TEST(Arithmetic, AtomicAddsHalves) {
  Trial run(kernel_of(R"(
mov.u32 %r1, 0x3c004000; red.global.add.noftz.f16x2 [%rd0], %r1;
mov.b32 %r2, 0x3f804000; atom.global.add.noftz.bf16x2 %r3, [%rd0+4], %r2;
mov.b32 {%rs1, %rs2}, 0x3c000001; atom.global.gpu.relaxed.add.noftz.f16 %rs3, [%rd0+8], %rs1; red.global.add.noftz.bf16 [%rd0+10], %rs2;
mov.u32 %r4, %tid.x; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd0, %rd2; st.global.u32 [%rd3+12], %r3;)"),
            "k", {1}, {32});
  run.buffer(std::vector<std::uint32_t>(3 + 32)).record();
  const auto c = run.contents<std::uint32_t>(0);
  EXPECT_EQ(c[0], 0x50005400u) << "32 and 64";
  EXPECT_EQ(c[1], 0x42004280u) << "bf16: 32 and 64";
  EXPECT_EQ(c[2] & 0xffff, 32u) << "32 times the smallest subnormal";
  EXPECT_EQ(c[3], 0u);
  EXPECT_EQ(c[4], 0x3f804000u) << "the lanes one after the other";
}

TEST(Arithmetic, AtomicsTakeVectorsAndCachePolicies) {
  Trial run(kernel_of(R"(
createpolicy.fractional.L2::evict_last.b64 %rd9, 0.5;
setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 232;
mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
red.global.add.v2.f32 [%rd0], {%f1, %f2};
mov.u32 %r1, 0x3c004000;
atom.global.v4.f16x2.max.noftz {%r5, %r6, _, %r5}, [%rd0+16], {%r1, %r1, %r1, %r1};
mov.u32 %r2, 3; atom.global.add.L2::cache_hint.u32 %r7, [%rd0+8], %r2, %rd9;
atom.global.cas.L2::cache_hint.b32 %r8, [%rd0+12], 7, 9, %rd9;
red.global.min.noftz.bf16x2 [%rd0+32], %r1;
st.global.u32 [%rd0+36], %r8; st.global.v2.u32 [%rd0+40], {%r5, %r6}; st.global.u64 [%rd0+48], %rd9;)"),
            "k", {1}, {1});
  std::vector<std::uint32_t> before(14);
  before[3] = 7;
  before[5] = 0x48004800;
  before[7] = 0x3c013c01;
  before[8] = 0x3c004200;
  before[12] = 5;
  run.buffer(before).record();
  const auto c = run.contents<std::uint32_t>(0);
  EXPECT_EQ(c[0], 0x3f800000u);
  EXPECT_EQ(c[1], 0x40000000u);
  EXPECT_EQ(c[2], 3u) << "the policy is no operand of the sum";
  EXPECT_EQ(c[3], 9u);
  EXPECT_EQ(c[9], 7u);
  EXPECT_EQ(c[4], 0x3c004000u);
  EXPECT_EQ(c[5], 0x48004800u) << "what is there is larger";
  EXPECT_EQ(c[7], 0x3c014000u);
  EXPECT_EQ(c[8], 0x3c004000u);
  EXPECT_EQ(c[10], 0x3c013c01u) << "the last of two results that go to one register";
  EXPECT_EQ(c[11], 0x48004800u);
  EXPECT_EQ(c[12], 0u) << "policies are opaque";
}

TEST(Arithmetic, Handles128BitAccesses) {
  Trial run(kernel_of(R"(
.reg .b128 %q<4>;
mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; mov.u64 %rd2, 100;
mov.b128 %q0, {%rd1, %rd2};
@%p0 bra NEVER;
atom.global.exch.b128 %q1, [%rd0], %q0;
mov.b128 {%rd3, %rd4}, %q1;
mov.b128 %q2, %q1;
mul.wide.u32 %rd5, %r1, 16; add.s64 %rd6, %rd0, %rd5;
st.global.b128 [%rd6+32], %q2;
NEVER:
mov.u64 %rd7, 31; mov.b128 %q1, {%rd7, %rd2}; mov.u64 %rd8, 5; mov.b128 %q3, {%rd8, %rd8};
atom.global.cas.b128 %q2, [%rd0], %q1, %q3;
ld.global.b128 %q0, [%rd0]; st.global.b128 [%rd0+16], %q0;)"),
            "k", {1}, {32});
  const Recording recording = [&] {
    run.buffer(std::vector<std::uint64_t>(4 + 64, 9));
    return run.record();
  }();
  const auto c = run.contents<std::uint64_t>(0);
  EXPECT_EQ(c[0], 5u) << "the lanes exchange one after the other, and the first that compares finds the last";
  EXPECT_EQ(c[1], 5u);
  EXPECT_EQ(c[2], 5u);
  EXPECT_EQ(c[4], 9u);
  EXPECT_EQ(c[5], 9u);
  for (std::uint64_t l = 1; l < 32; ++l) {
    EXPECT_EQ(c[4 + 2 * l], l - 1);
    EXPECT_EQ(c[5 + 2 * l], 100u);
  }
  for (const Site& site : recording.sites) EXPECT_EQ(site.bytes, 16) << site.text;
  EXPECT_EQ(recording.sites.size(), 5u);
}

TEST(Arithmetic, ReduxReducesFloats) {
  const auto reduced = [](const std::string& form, std::uint32_t first) {
    Trial run(kernel_of("mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; "
                        "ld.global.f32 %f1, [%rd2]; redux.sync." +
                        form + ".f32 %f2, %f1, -1; st.global.f32 [%rd2], %f2;"),
              "k", {1}, {32});
    std::vector<float> values(32, 1.0f);
    values[0] = std::bit_cast<float>(first);
    values[7] = -3.0f;
    run.buffer(values).record();
    return run.contents<std::uint32_t>(0)[31];
  };
  EXPECT_EQ(reduced("min", 0x40000000), 0xc0400000u);
  EXPECT_EQ(reduced("max", 0x40000000), 0x40000000u);
  EXPECT_EQ(reduced("max.abs", 0x40000000), 0x40400000u);
  EXPECT_EQ(reduced("min", 0x7fc00000), 0xc0400000u) << "NaNs are left out";
  EXPECT_EQ(reduced("min.NaN", 0x7fc00000), 0x7fffffffu);
}

/// What an instruction makes of three words.
std::uint32_t of_words(const std::string& instruction, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Trial run(kernel_of("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];\n" + instruction +
                      " %r5, %r1, %r2, %r3;\nst.global.u32 [%rd0], %r5;"),
            "k", {1}, {32});
  run.buffer(std::vector<std::uint32_t>{a, b, c, 0}).record();
  return run.contents<std::uint32_t>(0)[0];
}

TEST(Refusals, StateTheReason) {
  const auto reason = [](const std::string& instruction) {
    const auto module = ptx::parse(kernel_of(instruction), "test.ptx");
    const auto program = replay::Program::decode(*module, "k");
    return program->unsupported().size() == 1 ? program->unsupported()[0].reason : "none or several";
  };
  EXPECT_EQ(reason("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];"),
            "the replay does not run this instruction of tensor cores");
  EXPECT_EQ(reason("tcgen05.fence::before_thread_sync;"),
            "the replay does not run this instruction of tensor cores");
  for (const char* product :
       {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, "
        "%r3, %r4}, "
        "{%r5, %r6}, {%f1, %f2, %f3, %f4};",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, "
        "%f4}, {%r1, "
        "%r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r7, {2, 1}, %r8, {2, 3};",
        "mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r6, %r7};",
        "mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r3, %r4}, {%r5}, {%f1, "
        "%f2, %f3, "
        "%f4};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, "
        "%f2, %f3, "
        "%f4};",
        "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, "
        "{%r1, %r2, "
        "%r3, %r4}, %r9, 2;",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.s32 {%f1}, {%r1}, {%r2}, {%r3};"})
    EXPECT_EQ(reason(product), "the replay does not run this form of the instruction") << product;
  EXPECT_EQ(reason("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], "
                   "[%rd0, {%r2, %r3, %r4}], [%r5], {%rs1, %rs2};"),
            "the replay does not run this kind of asynchronous copy");
  for (const char* of_blackwell :
       {"st.async.release.sys.global.u32 [%rd0], %r1;", "red.async.release.sys.global.add.u32 [%rd0], %r1;",
        "st.bulk.weak.shared::cta [%r1], %rd0, 0;",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], [%r1], 16, %rs1;"})
    EXPECT_EQ(reason(of_blackwell), "the replay does not run this kind of asynchronous copy") << of_blackwell;
  for (const char* multimem :
       {"multimem.ld_reduce.weak.global.add.u32 %r1, [%rd0];", "multimem.st.weak.global.u32 [%rd0], %r1;",
        "multimem.red.release.sys.global.add.s32 [%rd0], %r1;"})
    EXPECT_EQ(reason(multimem), "the replay runs on one device") << multimem;
  EXPECT_EQ(reason("cp.async.cg.shared.global [%r1], [%rd0], %r2;"),
            "the replay does not run this kind of asynchronous copy");
  EXPECT_EQ(
      reason("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], "
             "[%r2];"),
      "the replay does not run this instruction of clusters");
  EXPECT_EQ(reason("mbarrier.init.global.b64 [%rd0], 32;"),
            "the replay does not run this form of the instruction");
  EXPECT_EQ(reason("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"),
            "its texture or surface is not itself a parameter of the kernel");
  EXPECT_EQ(reason("tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}], {%f6}, {%f7};"),
            "the replay does not run this form of texture or surface access");
  EXPECT_EQ(reason("add.u32 %r1, %r2.b0, %r3;"), "the replay does not run this form of the instruction");
  EXPECT_EQ(reason("fma.rn.oob.f16 %rs1, %rs2, %rs3, %rs4;"),
            "the replay does not run this form of the instruction");
  for (const char* video :
       {"vadd.u32.u32.u32 %r1, %r2, %r3;", "vmad.s32.s32.s32 %r1, %r2, %r3, %r4;",
        "vset4.u32.u32.lt %r1, %r2, %r3, %r4;", "vabsdiff4.u32.u32.u32 %r1.b0, %r2, %r3, %r4;"}) {
    EXPECT_EQ(reason(video), "the replay does not run this form of the instruction") << video;
  }
  EXPECT_EQ(reason("multimem.red.global.add.u32 [%rd0], %r1;"), "the replay runs on one device");
  EXPECT_EQ(reason("cvt.f32.f32 %f1, %rd0;"), "the replay does not run this form of the instruction");
  EXPECT_EQ(reason("frobnicate.b32 %r1, %r2;"), "the replay does not know this instruction");
}

TEST(Arithmetic, Vabsdiff4AccumulatesByteDifferences) {
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.u32", 0xff008001u, 0x00ff7f02u, 99), 0xffff0101u);
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.u32.add", 0xff008001u, 0x00ff7f02u, 1000), 1000u + 255 + 255 + 1 + 1);
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.u32.add", 0xff000000u, 0, 0xffffffffu), 254u) << "wraps around";
  EXPECT_EQ(of_words("vabsdiff4.s32.s32.s32", 0xff008001u, 0x00ff7f02u, 0), 0x0101ff01u)
      << "-128 and 127 are 255 apart";
  EXPECT_EQ(of_words("vabsdiff4.s32.s32.s32.sat", 0xff008001u, 0x00ff7f02u, 0), 0x01017f01u);
  EXPECT_EQ(of_words("vabsdiff4.u32.s32.s32.sat", 0xff008001u, 0x00ff7f02u, 0), 0x0101ff01u);
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.s32", 0x000000ffu, 0x00000080u, 0), 0x7fu)
      << "255 and -128 are 383 apart, of which 8 bits are kept";
  EXPECT_EQ(of_words("vabsdiff4.u32.u32.s32.sat", 0x000000ffu, 0x00000080u, 0), 0xffu);
  EXPECT_EQ(of_words("vabsdiff4.u32.s32.u32.add", 0x00000080u, 0x000000ffu, 0), 383u);
  EXPECT_EQ(of_words("vabsdiff2.u32.u32.u32", 0xffff8000u, 0x00007fffu, 7), 0xffff0001u);
  EXPECT_EQ(of_words("vabsdiff2.s32.s32.s32", 0xffff8000u, 0x00007fffu, 7), 0x0001ffffu);
  EXPECT_EQ(of_words("vabsdiff2.s32.s32.s32.sat", 0xffff8000u, 0x00007fffu, 7), 0x00017fffu);
  EXPECT_EQ(of_words("vabsdiff2.u32.u32.u32.add", 0xffff8000u, 0x00007fffu, 7), 7u + 65535 + 1);
}

}  // namespace
}  // namespace warplens
