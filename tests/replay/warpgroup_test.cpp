// wgmma.mma_async: every layout of its matrices in shared memory, and every type. PTX ISA, "Asynchronous
// Warpgroup Level Matrix Multiply-Accumulate Operation". Integers make all results exact.
#include <fmt/core.h>

#include <functional>

#include "kernels/arithmetic/half.h"
#include "kernels/tensor/shared_matrix.h"
#include "replay/run_kernel.h"

namespace warplens::warpgroup_products {
namespace {

using testing::Trial;

constexpr int kRows = 64, kThreads = 128;
constexpr std::uint32_t kSharedBytes = 65536, kPlaceOfB = 32768;

/// How a matrix lies in shared memory.
struct Layout {
  int swizzle_bytes = 0;  ///< 0, 32, 64 or 128
  bool is_mn_major = false;
  std::uint32_t leading = 0, stride = 0;  ///< In bytes

  [[nodiscard]] std::uint64_t descriptor(std::uint32_t start_offset) const {
    const std::uint64_t mode = swizzle_bytes == 0     ? 0
                               : swizzle_bytes == 128 ? 1
                               : swizzle_bytes == 64  ? 2
                                                      : 3;
    return start_offset / 16 | std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 |
           mode << 62;
  }
  /// Of element (mn, k), with so many elements in 16 bytes: the canonical layouts, written as the PTX ISA has
  /// them.
  [[nodiscard]] std::uint32_t offset(int mn, int k, int t) const {
    const int bytes = 16 / t;
    int at = 0;
    if (!is_mn_major && swizzle_bytes == 0) {
      at =
          mn % 8 * 16 + mn / 8 * static_cast<int>(stride) + k % t * bytes + k / t * static_cast<int>(leading);
    } else if (!is_mn_major) {
      at = mn % 8 * swizzle_bytes + mn / 8 * static_cast<int>(stride) + k * bytes;
    } else if (swizzle_bytes == 0) {
      at =
          mn % t * bytes + mn / t * static_cast<int>(stride) + k % 8 * 16 + k / 8 * static_cast<int>(leading);
    } else {
      const int chunk = swizzle_bytes / bytes;
      at = mn % chunk * bytes + mn / chunk * static_cast<int>(leading) + k % 8 * swizzle_bytes +
           k / 8 * static_cast<int>(stride);
    }
    const int row = at / 128 % 8, piece = at / 16 % 8, mask = swizzle_bytes / 16 - 1;
    return static_cast<std::uint32_t>(at / 128 * 128 +
                                      (swizzle_bytes == 0 ? piece : piece ^ (row & mask)) * 16 + at % 16);
  }
};

struct Form {
  std::string d, a, b;
  int n = 8, k = 16, bits = 16;
  Layout of_a, of_b;
  bool a_in_registers = false;
  int scale_d = 1, scale_a = 1, scale_b = 1;
  std::string modifiers;  ///< Behind the types: ".satfinite"
};

using Matrix = std::function<int(int row, int column)>;

std::uint32_t bits_of(const std::string& type, int value) {
  const auto v = static_cast<double>(value);
  if (type == "f16") return arithmetic::Float16::narrow(v);
  if (type == "bf16") return arithmetic::Bfloat16::narrow(v);
  if (type == "tf32") {
    const auto single = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &single, sizeof bits);
    return bits;
  }
  if (type == "e5m2") return arithmetic::Float16::narrow(v) >> 8;
  if (type == "e4m3") {  // Whole numbers of up to 3 bits behind the first
    const std::uint32_t half = arithmetic::Float16::narrow(v), exponent = half >> 10 & 31;
    return value == 0 ? 0 : (half >> 8 & 0x80) | (exponent - 8) << 3 | (half >> 7 & 7);
  }
  return static_cast<std::uint32_t>(value) & 0xffu;
}

std::uint32_t bits_at(const std::vector<std::byte>& bytes, std::size_t at, int bits) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, static_cast<std::size_t>(bits) / 8);
  return value;
}

/// What is kept of the third warp: A and B row by row, where the layout as the PTX ISA writes it has them.
void expect_operands(const Form& form, const MatrixExecution& kept, std::uint32_t base, const Matrix& a,
                     const Matrix& b) {
  constexpr std::uint32_t kA = 1, kB = 2;
  constexpr int kFirstRow = 32, kRowsOfWarp = 16;
  const int bytes = form.bits / 8, t = 128 / form.bits;
  const std::size_t of_d = static_cast<std::size_t>(form.n) * (form.d == "f16" ? 32 : 64),
                    of_a = std::size_t{kRowsOfWarp} * 32, of_b = static_cast<std::size_t>(form.n) * 32;
  ASSERT_EQ(kept.registers.size(), 2 * of_d + of_a + of_b);
  EXPECT_EQ(kept.unknown, 0u);
  const auto element = [&](std::size_t matrix, int at) {
    return bits_at(kept.registers, matrix + static_cast<std::size_t>(at * bytes), form.bits);
  };
  const auto matrix_of = [&](std::uint32_t k, const Layout& layout) {
    return tensor::SharedMatrix::of(kept.descriptors.at(k), layout.is_mn_major);
  };
  const auto address = [&](std::uint32_t k, const Layout& layout, int mn, int depth) {
    return matrix_of(k, layout).address_of_element(
        static_cast<std::uint32_t>(mn), static_cast<std::uint32_t>(depth), static_cast<std::uint32_t>(bytes));
  };
  for (int k = 0; k < form.k; ++k) {
    for (int column = 0; column < form.n; ++column) {
      ASSERT_EQ(element(of_d + of_a, k * form.n + column), bits_of(form.b, b(k, column)));
      ASSERT_EQ(address(kB, form.of_b, column, k), base + kPlaceOfB + form.of_b.offset(column, k, t));
    }
    for (int row = kFirstRow; row < kFirstRow + kRowsOfWarp && !form.a_in_registers; ++row) {
      ASSERT_EQ(element(of_d, (row - kFirstRow) * form.k + k), bits_of(form.a, a(row, k)));
      ASSERT_EQ(address(kA, form.of_a, row, k), base + form.of_a.offset(row, k, t));
    }
  }
  EXPECT_EQ(bits_at(kept.registers, of_d + of_a + of_b, 32) != 0, form.scale_d != 0)
      << "C is zero where it does not count";
}

/// D, from what each thread has stored of its registers: of C = 3 everywhere.
std::vector<float> run(const Form& form, const Matrix& a, const Matrix& b) {
  const bool halves = form.d == "f16";
  const int registers = form.n / (halves ? 4 : 2), t = 128 / form.bits;
  std::vector<std::byte> image(kSharedBytes);
  const auto put = [&](std::uint32_t at, const std::string& type, int value) {
    const std::uint32_t bits = bits_of(type, value);
    std::memcpy(image.data() + at, &bits, static_cast<std::size_t>(form.bits) / 8);
  };
  for (int k = 0; k < form.k; ++k) {
    for (int row = 0; row < kRows; ++row) put(form.of_a.offset(row, k, t), form.a, a(row, k));
    for (int column = 0; column < form.n; ++column)
      put(kPlaceOfB + form.of_b.offset(column, k, t), form.b, b(k, column));
  }
  std::string text = fmt::format(R"(.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u64 A, .param .u64 B)
{{
.reg .pred %p<4>; .reg .b32 %r<32>, %d<{}>; .reg .b64 %rd<32>;
ld.param.u64 %rd0, [A]; ld.param.u64 %rd1, [B];
mov.u32 %r1, %tid.x; mov.u32 %r3, s; mov.u32 %r10, %r1;
FILL: shl.b32 %r11, %r10, 2; add.u32 %r12, %r3, %r11; cvt.u64.u32 %rd10, %r11; add.s64 %rd11, %rd0, %rd10;
ld.global.u32 %r13, [%rd11]; st.shared.u32 [%r12], %r13;
add.u32 %r10, %r10, {}; setp.lt.u32 %p2, %r10, {}; @%p2 bra FILL;
fence.proxy.async.shared::cta; bar.sync 0;
shr.u32 %r14, %r3, 4; cvt.u64.u32 %rd4, %r14;
)",
                                 registers, kThreads, kSharedBytes / 4);
  text += fmt::format("or.b64 %rd5, %rd4, {}; add.u64 %rd6, %rd4, {}; or.b64 %rd6, %rd6, {};\n",
                      form.of_a.descriptor(0), kPlaceOfB / 16, form.of_b.descriptor(0));
  const char* const three = halves ? "0x42004200" : form.d == "s32" ? "3" : "0x40400000";
  std::string list;
  for (int r = 0; r < registers; ++r) {
    text += fmt::format("mov.b32 %d{}, {};\n", r, three);
    list += fmt::format("{}%d{}", r == 0 ? "" : ", ", r);
  }
  std::string of_a = "%rd5";
  if (form.a_in_registers) {  // Of a K-major matrix without swizzle, loaded as the fragment lies
    of_a = "{%r20, %r21, %r22, %r23}";
    text += "shr.u32 %r15, %r1, 5; and.b32 %r16, %r1, 31; shr.u32 %r17, %r16, 2; and.b32 %r18, %r16, 3;\n";
    for (int r = 0; r < 4; ++r) {
      // Row 16 w + l/4 + 8 (r % 2), bytes 4 (l % 4) + 16 (r / 2) of 32
      text += fmt::format(
          "mad.lo.u32 %r19, %r15, {}, {}; mad.lo.u32 %r19, %r17, 16, %r19; mad.lo.u32 %r19, %r18, 4, %r19;\n"
          "add.u32 %r19, %r19, %r3; ld.shared.u32 %r{}, [%r19];\n",
          2 * form.of_a.stride, r % 2 * form.of_a.stride + r / 2 * form.of_a.leading, 20 + r);
    }
  }
  const bool is_float = form.d != "s32", is_half = form.a == "f16" || form.a == "bf16";
  std::string tail = is_float ? fmt::format(", {}, {}", form.scale_a, form.scale_b) : "";
  if (is_half && !form.a_in_registers) tail += form.of_a.is_mn_major ? ", 1" : ", 0";
  if (is_half) tail += form.of_b.is_mn_major ? ", 1" : ", 0";
  text += fmt::format(
      "setp.ne.s32 %p1, {}, 0;\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{}{} {{{}}}, {}, %rd6, %p1{};\n"
      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n",
      form.scale_d, form.n, form.k, form.d, form.a, form.b, form.modifiers, list, of_a, tail);
  text += fmt::format("mul.wide.u32 %rd12, %r1, {}; add.s64 %rd13, %rd1, %rd12;\n", registers * 4);
  for (int r = 0; r < registers; ++r) text += fmt::format("st.global.b32 [%rd13+{}], %d{};\n", 4 * r, r);
  text += "ret;\n}\n";

  Trial trial(text, "k", {1}, {kThreads});
  std::vector<std::uint32_t> words(kSharedBytes / 4);
  std::memcpy(words.data(), image.data(), kSharedBytes);
  trial.buffer(words).buffer(std::vector<std::uint32_t>(static_cast<std::size_t>(kThreads * registers)));
  trial.dynamic_shared_bytes(kSharedBytes);
  const Recording recording = trial.record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings.front().text;
  EXPECT_EQ(recording.tensor.size(), 1u);
  if (!recording.tensor.empty()) {
    const TensorTotals& totals = recording.tensor.front();
    EXPECT_EQ(totals.kind,
              fmt::format("wgmma.m64n{}k{}.{}.{}.{}.{}", form.n, form.k, form.d, form.a, form.b, form.d));
    EXPECT_EQ(totals.instructions, 4u) << "by warps";
    EXPECT_EQ(totals.instructions * totals.operations, 2u * 64 * static_cast<unsigned>(form.n * form.k));
  }
  const auto stored = trial.contents<std::uint32_t>(1);
  const Result<BlockDetails> matrices = trial.details({0, 0, 0}, 2);
  EXPECT_TRUE(matrices.ok());
  if (matrices.ok()) {
    EXPECT_EQ(matrices->executions.size(), 1u);
    if (!matrices->executions.empty())
      expect_operands(form, matrices->executions.front(), recording.shared_base, a, b);
  }
  std::vector<float> d(static_cast<std::size_t>(kRows * form.n));
  for (int thread = 0; thread < kThreads; ++thread) {
    const int lane = thread % 32, warp = thread / 32;
    for (int value = 0; value < form.n / 2; ++value) {
      const int row = 16 * warp + lane / 4 + 8 * (value / 2 % 2),
                column = 8 * (value / 4) + 2 * (lane % 4) + value % 2;
      const std::uint32_t word =
          stored.at(static_cast<std::size_t>(thread * registers + (halves ? value / 2 : value)));
      float number = 0;
      if (halves) {
        number = static_cast<float>(
            arithmetic::Float16::widen(static_cast<std::uint16_t>(word >> 16 * (value % 2))));
      } else if (form.d == "s32") {
        number = static_cast<float>(static_cast<std::int32_t>(word));
      } else {
        std::memcpy(&number, &word, sizeof number);
      }
      d.at(static_cast<std::size_t>(row * form.n + column)) = number;
    }
  }
  return d;
}

void expect_product(const Form& form) {
  const Matrix a = [](int row, int k) { return (row * 5 + k * 3) % 8; };
  const Matrix b = [](int k, int column) { return (k * 7 + column * 2) % 8; };
  const std::vector<float> d = run(form, a, b);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < form.n; ++column) {
      int sum = 0;
      for (int k = 0; k < form.k; ++k) sum += a(row, k) * b(k, column);
      sum = sum * form.scale_a * form.scale_b + (form.scale_d != 0 ? 3 : 0);
      ASSERT_EQ(d[static_cast<std::size_t>(row * form.n + column)], static_cast<float>(sum))
          << form.d << " " << form.a << " n" << form.n << ", " << row << ", " << column;
    }
  }
}

/// K-major, each row of 32 bytes wholly in the swizzle's width.
Layout k_major(int swizzle) {
  if (swizzle == 0) return {.leading = 128, .stride = 256};
  return {.swizzle_bytes = swizzle, .stride = 8u * static_cast<unsigned>(swizzle)};
}
/// MN-major halves.
Layout mn_major(int swizzle) {
  if (swizzle == 0) return {.is_mn_major = true, .leading = 128, .stride = 256};
  const unsigned chunk = 8u * static_cast<unsigned>(swizzle);
  return {.swizzle_bytes = swizzle, .is_mn_major = true, .leading = 2 * chunk, .stride = chunk};
}

TEST(WarpgroupProducts, EveryLayoutOfHalvesIsExact) {
  for (const int swizzle : {0, 32, 64, 128}) {
    expect_product(
        {.d = "f32", .a = "bf16", .b = "bf16", .n = 64, .of_a = k_major(swizzle), .of_b = k_major(swizzle)});
    expect_product(
        {.d = "f32", .a = "f16", .b = "f16", .n = 128, .of_a = mn_major(swizzle), .of_b = mn_major(swizzle)});
    expect_product(
        {.d = "f32", .a = "f16", .b = "f16", .n = 64, .of_a = k_major(128), .of_b = mn_major(swizzle)});
  }
}

TEST(WarpgroupProducts, EveryWidthOfNIsExact) {
  for (int n = 8; n <= 256; n += 8)
    expect_product(
        {.d = "f32", .a = "bf16", .b = "bf16", .n = n, .of_a = k_major(128), .of_b = k_major(128)});
}

TEST(WarpgroupProducts, EveryTypeIsExact) {
  const auto form = [](const char* d, const char* a, const char* b, int k, int bits) {
    return Form{
        .d = d, .a = a, .b = b, .n = 32, .k = k, .bits = bits, .of_a = k_major(64), .of_b = k_major(128)};
  };
  expect_product(form("f16", "f16", "f16", 16, 16));
  expect_product(form("f32", "tf32", "tf32", 8, 32));
  expect_product(form("f32", "e4m3", "e4m3", 32, 8));  // Of sums, 13 bits are kept: these have fewer
  for (const char* const a : {"s8", "u8"}) {
    for (const char* const b : {"s8", "u8"}) expect_product(form("s32", a, b, 32, 8));
  }
}

TEST(WarpgroupProducts, NegatedOperandsAreExact) {
  Form form{.d = "f32", .a = "f16", .b = "f16", .n = 16, .of_a = k_major(32), .of_b = k_major(32)};
  form.scale_d = 0;
  expect_product(form);
  form.scale_a = -1;
  expect_product(form);
  form.scale_d = 1;
  form.scale_b = -1;
  expect_product(form);
}

TEST(WarpgroupProducts, AFromRegistersIsExact) {
  for (const char* const type : {"f16", "bf16"}) {
    Form form{.d = "f32", .a = type, .b = type, .n = 24, .of_a = k_major(0), .of_b = k_major(128)};
    form.a_in_registers = true;
    expect_product(form);
    form.scale_a = -1;
    expect_product(form);
  }
  Form bytes{
      .d = "s32", .a = "u8", .b = "s8", .n = 8, .k = 32, .bits = 8, .of_a = k_major(0), .of_b = k_major(64)};
  bytes.a_in_registers = true;
  expect_product(bytes);
}

}  // namespace
}  // namespace warplens::warpgroup_products
