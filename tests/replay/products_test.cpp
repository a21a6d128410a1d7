// mma, mma.sp, wmma.mma and movmatrix: that lanes' registers become matrices, products and registers again,
// by the rules of the chosen compute capability. Every form against a GPU:
// tests/h200/tensor_cores_slow_test.cpp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "kernels/arithmetic/half.h"
#include "kernels/tensor/mma_plan.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::Trial;

constexpr const char* kMma =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, "
    "%r6}, {%f1, "
    "%f2, %f3, %f4};\n";

std::uint32_t pair_of_halves(double low, double high) {
  const std::uint32_t upper = arithmetic::Float16::narrow(high);
  return upper << 16 | arithmetic::Float16::narrow(low);
}

/// Each lane loads eight words, runs `body` on %r1, .. %r8 and stores %f1, .. %f4.
Trial on_words(const std::string& body, const std::vector<std::uint32_t>& words) {
  Trial run(
      kernel_of(
          "mov.u32 %r20, %tid.x; mul.wide.u32 %rd2, %r20, 32; add.s64 %rd2, %rd2, %rd0;\n"
          "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd2]; ld.global.v4.b32 {%r5, %r6, %r7, %r8}, "
          "[%rd2+16];\nmov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n" +
              body +
              "mul.wide.u32 %rd3, %r20, 16; add.s64 %rd3, %rd3, %rd1; st.global.v4.f32 [%rd3], {%f1, %f2, "
              "%f3, %f4};",
          2),
      "k", {1}, {32});
  run.buffer(words).buffer(std::vector<float>(128));
  return run;
}

TEST(Products, ExecutionsAreCountedByInstruction) {
  const std::string loop = "mov.u32 %r21, 0;\nA:\n" + std::string(kMma) +
                           "add.u32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, 5;\n@%p1 bra A;\n" + kMma +
                           "setp.eq.u32 %p2, %r21, 0;\n@%p2 bra B;\nbra C;\nB:\n" + kMma + "C:\n";
  const Recording recording = on_words(loop, std::vector<std::uint32_t>(256)).go().value();
  ASSERT_EQ(recording.tensor.size(), 2u) << "the third is not executed";
  for (const TensorTotals& totals : recording.tensor) {
    EXPECT_EQ(totals.kind, "mma.m16n8k16.f32.f16.f16.f32");
    EXPECT_EQ(totals.operations, 2u * 16 * 8 * 16);
  }
  EXPECT_EQ(recording.tensor[0].instructions, 5u);
  EXPECT_EQ(recording.tensor[1].instructions, 1u);
  EXPECT_LT(recording.tensor[0].instruction, recording.tensor[1].instruction);
}

TEST(Products, OfSmallIntegersAreExact) {
  const auto a = [](int row, int k) { return (row * 3 + k * 5) % 7 - 3; };
  const auto b = [](int k, int column) { return (k * 2 + column * 11) % 9 - 4; };
  std::vector<std::uint32_t> words(256);
  for (int lane = 0; lane < 32; ++lane) {
    const int row = lane / 4, k = 2 * (lane % 4);
    for (int r = 0; r < 4; ++r) {
      const int i = row + 8 * (r % 2), j = k + 8 * (r / 2);
      words[8 * lane + r] = pair_of_halves(a(i, j), a(i, j + 1));
    }
    for (int r = 0; r < 2; ++r)
      words[8 * lane + 4 + r] = pair_of_halves(b(k + 8 * r, row), b(k + 8 * r + 1, row));
  }
  Trial run = on_words(kMma, words);
  EXPECT_TRUE(run.record().findings.empty());
  const auto d = run.contents<float>(1);
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      int sum = 0;
      for (int k = 0; k < 16; ++k) sum += a(row, k) * b(k, column);
      EXPECT_EQ(d[4 * (4 * (row % 8) + column / 2) + column % 2 + 2 * (row / 8)], static_cast<float>(sum))
          << row << " " << column;
    }
  }
}

TEST(Products, OfCompiledKernelAreExact) {
  std::vector<std::uint16_t> a(256), b(128);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = arithmetic::Float16::narrow(static_cast<double>(i * 7 % 11) - 5);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = arithmetic::Float16::narrow(static_cast<double>(i * 5 % 13) - 6);
  Trial run(testing::read_ptx("tensor.sm_100.ptx"), "matrix_product", {1}, {32});
  run.buffer(a).buffer(b).buffer(std::vector<float>(128)).record();
  const auto d = run.contents<float>(2);
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < 16; ++k)
        sum += arithmetic::Float16::widen(a[16 * row + k]) * arithmetic::Float16::widen(b[8 * k + column]);
      EXPECT_EQ(d[4 * (4 * (row % 8) + column / 2) + column % 2 + 2 * (row / 8)], static_cast<float>(sum));
    }
  }
}

/// 1, and so many products of 2^-12 and 2^exponent, in one sum.
float one_and_small(const std::string& cc, int exponent, int small) {
  std::vector<std::uint32_t> words(256);
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < 4; ++r) {
      const int k = 2 * (lane % 4) + 8 * (r / 2);
      const auto factor = [&](int at) { return at == 0 ? 1.0 : at <= small ? std::ldexp(1.0, -12) : 0.0; };
      words[8 * lane + r] = pair_of_halves(factor(k), factor(k + 1));
    }
    for (int r = 0; r < 2; ++r) {
      const double first = lane % 4 == 0 && r == 0 ? 1.0 : std::ldexp(1.0, exponent);
      words[8 * lane + 4 + r] = pair_of_halves(first, std::ldexp(1.0, exponent));
    }
  }
  Trial run = on_words(kMma, words);
  run.options.unkept_cc = cc;
  run.record();
  return run.contents<float>(1)[0];
}

TEST(Products, AreRoundedAsTheChosenComputeCapabilityDoes) {
  const float more = 1.0f + std::ldexp(1.0f, -23);
  EXPECT_EQ(one_and_small("9.0", -13, 4), more) << "25 bits are kept of each term";
  EXPECT_EQ(one_and_small("8.6", -13, 4), 1.0f) << "24 bits";
  EXPECT_EQ(one_and_small("8.6", -12, 2), more);
  EXPECT_EQ(one_and_small("7.0", -12, 2), 1.0f) << "23 bits";
  EXPECT_EQ(one_and_small("12.0", -13, 4), more);
}

TEST(Products, LanesThatDoNotComeAreReported) {
  const std::vector<std::uint32_t> words(256);
  const Recording parted =
      on_words("setp.lt.u32 %p1, %r20, 16; @!%p1 bra BEHIND;\n" + std::string(kMma) + "BEHIND:\n", words)
          .record();
  ASSERT_EQ(parted.findings.size(), 1u);
  EXPECT_EQ(parted.findings[0].kind, FindingKind::absent_lanes);
  EXPECT_NE(parted.findings[0].text.find("mma.sync"), std::string::npos) << parted.findings[0].text;
  const Recording exited =
      on_words("setp.eq.u32 %p1, %r20, 31; @%p1 exit;\n" + std::string(kMma), words).record();
  ASSERT_EQ(exited.findings.size(), 1u);
  EXPECT_EQ(exited.findings[0].kind, FindingKind::absent_lanes);
}

TEST(Products, ReadTheRegistersOfAllLanesAndWriteThoseOfActiveOnes) {
  std::vector<std::uint32_t> words(256, pair_of_halves(1, 1));
  Trial run =
      on_words("setp.lt.u32 %p1, %r20, 16; @!%p1 bra BEHIND;\n" + std::string(kMma) + "BEHIND:\n", words);
  run.record();
  const auto d = run.contents<float>(1);
  EXPECT_EQ(d[0], 16.0f);
  EXPECT_EQ(d[4 * 16], 0.0f);
}

TEST(Products, OfSparseMatricesTakeTheRowsThatTheMetadataNames) {
  // A stores ones; each pair stands for elements 1 and 3 of four. B has in row k the number k.
  std::vector<std::uint32_t> words(256);
  for (int lane = 0; lane < 32; ++lane) {
    words[8 * lane] = words[8 * lane + 1] = pair_of_halves(1, 1);
    const int k = 2 * (lane % 4);
    for (int r = 0; r < 2; ++r) words[8 * lane + 4 + r] = pair_of_halves(k + 8 * r, k + 8 * r + 1);
    words[8 * lane + 6] = lane % 4 == 2 ? 0xddddddddu : 0x44444444u;
  }
  Trial run = on_words(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, "
      "%r2}, {%r5, "
      "%r6}, {%f1, %f2, %f3, %f4}, %r7, 0x2;\n",
      words);
  run.record();
  EXPECT_EQ(run.contents<float>(1), std::vector<float>(128, 1 + 3 + 5 + 7 + 9 + 11 + 13 + 15));
}

TEST(Products, OfFragments) {
  Trial run(
      kernel_of(
          "mov.b32 %r1, 1006648320; mov.f32 %f1, 0f3f800000;\n"  // Halves of 1
          "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32 {%f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, "
          "{%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, {%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}, {%f1, %f1, "
          "%f1, %f1, %f1, %f1, %f1, %f1};\nmov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 4; add.s64 %rd1, "
          "%rd1, %rd0; st.global.f32 [%rd1], %f15;"),
      "k", {1}, {32});
  run.buffer(std::vector<float>(32)).record();
  EXPECT_EQ(run.contents<float>(0), std::vector<float>(32, 17.0f));
}

TEST(Products, MovmatrixTransposes) {
  Trial run(
      kernel_of("mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r1, 131074, 65536;\n"  // Halves 2 l and 2 l + 1
                "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2;\nmul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, "
                "%rd1, %rd0; st.global.b32 [%rd1], %r3;"),
      "k", {1}, {32});
  run.buffer(std::vector<std::uint32_t>(32)).record();
  const auto words = run.contents<std::uint32_t>(0);
  for (std::uint32_t l = 0; l < 32; ++l) {
    const std::uint32_t first = 8 * (2 * (l % 4)) + l / 4;
    EXPECT_EQ(words[l], first | (first + 8) << 16) << l;
  }
}

/// Blocks multiply tiles of 16 x 16 by tiles of 16 x 8, and store where `store` says.
std::string tiled_kernel(const std::string& store) {
  return kernel_of(
      "mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x; mov.u32 %r22, 0;\n"
      "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
      "mad.lo.u32 %r23, %r21, 128, %r20; mul.wide.u32 %rd3, %r23, 16; add.s64 %rd3, %rd3, %rd0;\n"
      "mul.wide.u32 %rd4, %r20, 8; add.s64 %rd4, %rd4, %rd1;\n"
      "LOOP: ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd3]; ld.global.v2.b32 {%r5, %r6}, [%rd4];\n" +
          std::string(kMma) +
          "add.s64 %rd3, %rd3, 512; add.s64 %rd4, %rd4, 256; add.u32 %r22, %r22, 1; setp.lt.u32 %p1, %r22, "
          "4; "
          "@%p1 bra LOOP;\n" +
          store,
      3);
}

TEST(Products, OrdinaryProductsAreFollowed) {
  Trial run(
      tiled_kernel("mad.lo.u32 %r24, %r21, 32, %r20; mul.wide.u32 %rd5, %r24, 16; add.s64 %rd5, %rd5, %rd2; "
                   "st.global.v4.f32 [%rd5], {%f1, %f2, %f3, %f4};"),
      "k", {64}, {32});
  run.buffer(std::vector<std::uint32_t>(64 * 512)).buffer(std::vector<std::uint32_t>(256));
  run.buffer(std::vector<float>(64 * 128));
  const auto followed = run.follow();
  ASSERT_TRUE(followed) << followed.error().message();
  ASSERT_TRUE(followed->recording) << followed->obstacle;
  EXPECT_LT(followed->run.size(), 16u);
}

TEST(Products, AddressesOfProductsAreNotExtrapolated) {
  const std::string store =
      "cvt.rzi.u32.f32 %r24, %f1; mul.wide.u32 %rd5, %r24, 128; mad.wide.u32 %rd5, %r20, 4, %rd5; add.s64 "
      "%rd5, %rd5, "
      "%rd2; st.global.f32 [%rd5], %f2;";
  std::vector<std::uint32_t> a(64 * 512);
  for (std::size_t block = 0; block < 64; ++block) {
    for (std::size_t w = 0; w < 512; ++w)
      a[block * 512 + w] = w % 4 == 0 ? pair_of_halves(block % 5 == 3, 0) : 0;
  }
  Trial run(tiled_kernel(store), "k", {64}, {32});
  run.buffer(a)
      .buffer(std::vector<std::uint32_t>(256, pair_of_halves(1, 1)))
      .buffer(std::vector<float>(4096));
  const auto followed = run.follow();
  ASSERT_TRUE(followed) << followed.error().message();
  EXPECT_FALSE(followed->recording);
  EXPECT_NE(followed->obstacle.find("an address depends on"), std::string::npos) << followed->obstacle;
}

TEST(Products, FloatsOfEightBitsAreAddedWithFewBitsWhereTheyAreNative) {
  tensor::SumRule rule{.a = ptx::Type::e4m3,
                       .b = ptx::Type::e4m3,
                       .c = ptx::Type::f32,
                       .d = ptx::Type::f32,
                       .block = 16,
                       .fraction_bits = 13,
                       .result_bits = 13};
  const std::vector<std::uint64_t> a(16, 0x38), b(16, 0x38);  // 1
  EXPECT_EQ(dot_product(rule, a, b, 0), 0x41800000u);
  EXPECT_EQ(dot_product(rule, a, b, 0x38000000), 0x41800000u) << "2^-15 is lost beside 16";
}

/// A float as bits of a narrower type that can hold it.
std::uint64_t narrowed(ptx::Type type, std::uint32_t single) {
  const auto value = std::bit_cast<float>(single);
  if (type == ptx::Type::f16) return arithmetic::Float16::narrow(value);
  if (type == ptx::Type::bf16) return single >> 16;
  if (type == ptx::Type::tf32 || type == ptx::Type::f32) return single;
  const int fraction = type == ptx::Type::e4m3 ? 3 : 2, bias = type == ptx::Type::e4m3 ? 7 : 15;
  const std::uint64_t sign = std::uint64_t{single >> 31} << 7;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const auto units = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), fraction - exponent));
  const std::uint64_t kept = units & ((1u << fraction) - 1);
  return sign |
         (units >> fraction == 0 ? units : static_cast<std::uint64_t>(exponent + bias) << fraction | kept);
}

/// One element of D of an mma whose rows of A are all `a`, and whose columns of B are all `b`.
std::uint32_t product_element(const ptx::Instruction& mma, int compute_capability,
                              const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                              std::uint64_t c) {
  const auto form = tensor::MmaForm::of(mma, compute_capability);
  EXPECT_TRUE(form);
  if (!form) return 0;
  using Words = std::vector<std::uint32_t>;
  const auto put = [](Words& words, const tensor::Fragment& fragment, std::size_t at, std::uint64_t bits) {
    std::memcpy(reinterpret_cast<std::byte*>(words.data()) + fragment.places[at] * fragment.element_bits / 8,
                &bits, fragment.element_bits / 8);
  };
  Words of_a(256), of_b(256), of_c(256), of_d(256);
  const tensor::Fragment fa = fragment_of(mma, tensor::MatrixRole::a),
                         fb = fragment_of(mma, tensor::MatrixRole::b),
                         fc = fragment_of(mma, tensor::MatrixRole::c);
  for (std::size_t at = 0; at < fa.places.size(); ++at) put(of_a, fa, at, a[at % fa.columns]);
  for (std::size_t at = 0; at < fb.places.size(); ++at) put(of_b, fb, at, b[at / fb.columns % fb.rows]);
  for (std::size_t at = 0; at < fc.places.size(); ++at) put(of_c, fc, at, c);
  multiply_by_element(form->plan(), of_a.data(), of_b.data(), of_c.data(), nullptr, of_d.data());
  return mma.type == ptx::Type::f16 ? of_d[0] & 0xffffu : of_d[0];
}

/// Of a table such as H100_fp16.csv.
struct MeasuredTable {
  ptx::Type type = ptx::Type::f16;
  int compute_capability = 0;
  bool has_wgmma = false;  ///< Of floats of 8 bits, results in f32
};
std::optional<MeasuredTable> table_named(const std::string& name) {
  constexpr std::pair<const char*, int> kCards[] = {{"V100", 70}, {"A100", 80}, {"A2", 86},   {"Ada", 89},
                                                    {"L40S", 89}, {"H100", 90}, {"H200", 90}, {"B200", 100}};
  constexpr std::pair<const char*, ptx::Type> kTypes[] = {{"fp16", ptx::Type::f16},
                                                          {"bf16", ptx::Type::bf16},
                                                          {"tf32", ptx::Type::tf32},
                                                          {"E4M3", ptx::Type::e4m3},
                                                          {"E5M2", ptx::Type::e5m2}};
  for (const auto& [card, capability] : kCards) {
    for (const auto& [type_name, type] : kTypes) {
      if (name == std::string(card) + "_" + type_name)
        return MeasuredTable{type, capability, capability == 90 && ptx::size_of(type) == 1};
    }
  }
  return std::nullopt;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

// Dot products that other GPUs gave (F. A. Khattak and M. Mikaitis, MATLAB-tensor-core), where they are at
// hand: WARPLENS_DOT_PRODUCTS names a folder of tables such as H100_fp16.csv: a, b, c, d_f32, d_f16, as bits
// of f32.
TEST(Products, EqualDotProductsOfOtherGpus) {
  const char* const folder = std::getenv("WARPLENS_DOT_PRODUCTS");
  if (folder == nullptr)
    GTEST_SKIP() << "skipped: WARPLENS_DOT_PRODUCTS names no folder of measured dot products";
  int rows = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::optional<MeasuredTable> table = table_named(entry.path().stem().string());
    if (!table) continue;
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    int wrong = 0;
    for (; std::getline(file, line); ++rows) {
      std::vector<std::string> cells = split(line, ',');
      cells.resize(5);
      const auto elements = [&](const std::string& cell) {
        std::vector<std::uint64_t> bits;
        for (const std::string& word : split(cell, ' '))
          bits.push_back(narrowed(table->type, static_cast<std::uint32_t>(std::stoul(word, nullptr, 16))));
        return bits;
      };
      const auto a = elements(cells[0]), b = elements(cells[1]);
      ptx::Instruction mma;
      mma.opcode = ptx::Opcode::mma;
      mma.m = a.size() == 4 && table->type == ptx::Type::f16 ? 8 : 16;
      mma.n = 8;
      mma.k = static_cast<std::uint16_t>(a.size());
      mma.layouts = mma.by_columns = 2;
      mma.source_type = mma.b_type = table->type;
      for (const std::size_t column : {3, 4}) {
        if (cells[column].empty() || (column == 3 && table->has_wgmma)) continue;
        mma.type = mma.c_type = column == 3 ? ptx::Type::f32 : ptx::Type::f16;
        const auto c = static_cast<std::uint32_t>(std::stoul(cells[2], nullptr, 16)),
                   d = static_cast<std::uint32_t>(std::stoul(cells[column], nullptr, 16));
        wrong += product_element(mma, table->compute_capability, a, b, narrowed(mma.c_type, c)) !=
                         narrowed(mma.type, d)
                     ? 1
                     : 0;
      }
    }
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_GT(rows, 0);
}

}  // namespace
}  // namespace warplens
