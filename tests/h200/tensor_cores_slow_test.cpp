// Every form of mma, mma.sp, wmma.mma and movmatrix of sm_90, on raw bits of every kind
// (tests/gpu/tensor_cores.py): the replay's results are an H200's, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "h200/measured.h"
#include "kernels/base/crc32.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/replay.h"
#include "kernels/tensor/fragments.h"

namespace warplens {
namespace {

struct ProductForm {
  std::string name, module;
  std::uint32_t warps = 0;
  std::size_t kept = 0;  ///< Bytes of results that are kept whole: those of the first warps
  std::size_t bytes = 0;
};

std::vector<ProductForm> product_forms() {
  std::vector<ProductForm> all;
  for (const auto& row : h200::rows_of(h200::read_text("tensor_cores/forms.csv"), ',')) {
    const std::size_t bytes = std::stoul(row[4]);
    all.push_back(
        {row[0], row[1], static_cast<std::uint32_t>(std::stoul(row[2])), std::stoul(row[3]) * bytes, bytes});
  }
  return all;
}

std::vector<std::byte> results_of(const ptx::Module& module, const ProductForm& form,
                                  const std::string& pool) {
  auto program = replay::Program::decode(module, form.name);
  EXPECT_TRUE(program) << program.error().message();
  if (!program) return {};
  replay::Memory memory;
  replay::Launch launch{.grid = {form.warps}, .block = {32}, .dynamic_shared_bytes = 0, .arguments = {}};
  launch.arguments.emplace_back(
      replay::BufferArgument{memory.add({.name = "pool"}, h200::bytes_of(pool, 0, pool.size()))});
  const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(form.warps * form.bytes));
  launch.arguments.emplace_back(replay::BufferArgument{out});
  auto recording = replay::run(*program, launch, memory, {.threads = 1});
  EXPECT_TRUE(recording) << form.name << ": " << recording.error().message();
  return recording ? memory.contents(out) : std::vector<std::byte>{};
}

TEST(H200TensorCores, EveryFormEqualsTheHardware) {
  const std::string pool = h200::read_compressed("tensor_cores/pool.bin.zst"),
                    kept = h200::read_compressed("tensor_cores/outputs.bin.zst"),
                    checks = h200::read_compressed("tensor_cores/checks.bin.zst");
  std::map<std::string, ptx::Module> modules;
  std::size_t kept_at = 0, check_at = 0;
  for (const ProductForm& form : product_forms()) {
    if (!modules.contains(form.module)) {
      auto module =
          ptx::parse(h200::read_compressed("tensor_cores/" + form.module + ".ptx.zst"), form.module);
      ASSERT_TRUE(module) << module.error().message();
      modules.emplace(form.module, std::move(*module));
    }
    const std::vector<std::byte> got = results_of(modules.at(form.module), form, pool);
    ASSERT_EQ(got.size(), form.warps * form.bytes) << form.name;
    int differing = 0;
    for (std::size_t at = 0; at < form.kept; at += 4) {
      std::uint32_t is = 0, should_be = 0;
      std::memcpy(&is, &got[at], 4);
      std::memcpy(&should_be, &kept[kept_at + at], 4);
      if (is != should_be && ++differing <= 3) {
        ADD_FAILURE() << form.name << ", warp " << at / form.bytes << ", word " << at % form.bytes / 128
                      << " of lane " << at / 4 % 32 << ": " << std::hex << is << ", the H200 gives "
                      << should_be;
      }
    }
    if (differing > 3) ADD_FAILURE() << form.name << ": " << differing << " words differ";
    int warps = 0;
    for (std::uint32_t warp = 0; warp < form.warps; ++warp) {
      std::uint32_t check = 0;
      std::memcpy(&check, &checks[check_at + 4 * warp], 4);
      warps += crc32(std::span(got).subspan(warp * form.bytes, form.bytes)) != check ? 1 : 0;
    }
    EXPECT_EQ(warps, 0) << form.name << ": warps whose results differ";
    kept_at += form.kept;
    check_at += 4 * form.warps;
  }
  EXPECT_EQ(kept_at, kept.size());
  EXPECT_EQ(check_at, checks.size());
}

/// Names of wmma.load and wmma.store in the list of fragments, such as load_a_row_m16n16k16_f16.
struct MeasuredFragment {
  bool is_load = false, by_columns = false;
  tensor::MatrixRole role = tensor::MatrixRole::a;
  ptx::Instruction product;  ///< A wmma.mma that has the matrix for an operand
  int registers = 0, bits = 0, passes = 0;
};

ptx::Type type_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ptx::Type::b1); ++i) {
    if (ptx::name_of(static_cast<ptx::Type>(i)) == name) return static_cast<ptx::Type>(i);
  }
  return ptx::Type::none;
}

MeasuredFragment measured_fragment(const std::vector<std::string>& row) {
  const auto words = h200::rows_of(row[0], '_')[0];
  MeasuredFragment fragment{.is_load = words[0] == "load",
                            .by_columns = words[2] == "col",
                            .role = words[1] == "a"   ? tensor::MatrixRole::a
                                    : words[1] == "b" ? tensor::MatrixRole::b
                                                      : tensor::MatrixRole::c,
                            .product = {},
                            .registers = std::stoi(row[1]),
                            .bits = std::stoi(row[2]),
                            .passes = std::stoi(row[3])};
  ptx::Instruction& product = fragment.product;
  product.opcode = ptx::Opcode::wmma_mma;
  int m = 0, n = 0, k = 0;
  EXPECT_EQ(std::sscanf(words[3].c_str(), "m%dn%dk%d", &m, &n, &k), 3);
  product.m = static_cast<std::uint16_t>(m);
  product.n = static_cast<std::uint16_t>(n);
  product.k = static_cast<std::uint16_t>(k);
  product.type = product.source_type = product.b_type = product.c_type = type_named(words[4]);
  return fragment;
}

TEST(H200TensorCores, FragmentsOfWmmaEqualTheHardware) {
  const std::string data = h200::read_compressed("tensor_cores/fragments.bin.zst");
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text("tensor_cores/fragments.csv"), ',')) {
    SCOPED_TRACE(row[0]);
    const MeasuredFragment measured = measured_fragment(row);
    const tensor::Fragment fragment = tensor::fragment_of(measured.product, measured.role);
    EXPECT_EQ(tensor::registers_of(measured.product, measured.role), measured.registers);
    const std::uint64_t all =
        measured.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << measured.bits) - 1;
    const auto bits_at = [&](std::size_t begin, std::size_t element) {
      std::uint64_t word = 0;
      std::memcpy(&word, &data[begin + element * static_cast<std::size_t>(measured.bits) / 8],
                  static_cast<std::size_t>(std::max(measured.bits / 8, 1)));
      return word >> (element * static_cast<std::size_t>(measured.bits) % 8) & all;
    };
    const bool of_words = measured.bits == 1;
    const std::size_t words_bytes =
                          static_cast<std::size_t>(measured.registers) * 32 * (measured.bits == 64 ? 8 : 4),
                      elements = fragment.places.size() * (of_words ? 32 : 1);
    const std::size_t columns = fragment.columns;
    // Of words of bits, the bits lie along the rows of A and the columns of B.
    const auto place_of = [&](std::size_t e) {
      if (!of_words) return std::size_t{fragment.places[e]};
      const bool of_a = measured.role == tensor::MatrixRole::a;
      const std::size_t word = of_a ? e / 32 : e / columns / 32 * columns + e % columns;
      return fragment.places[word] * std::size_t{32} + (of_a ? e : e / columns) % 32;
    };
    int wrong = 0;
    for (std::size_t e = 0; e < elements; ++e) {
      const std::size_t place = place_of(e);
      std::uint64_t found = 0;
      if (measured.is_load) {  // Elements hold their numbers, narrow ones a part of it in each pass
        for (int pass = 0; pass < measured.passes; ++pass)
          found |= bits_at(at + static_cast<std::size_t>(pass) * words_bytes, place)
                   << (pass * measured.bits);
        wrong += found != e ? 1 : 0;
      } else {  // Registers hold 64 times the lane, and their number, or of halves twice the number and which
                // it is
        const std::size_t width = measured.bits == 16 ? 2 : 1, in_register = place % width,
                          lane = place / width % 32, reg = place / width / 32;
        const std::size_t in_memory = measured.by_columns ? e % columns * fragment.rows + e / columns : e;
        wrong += bits_at(at, in_memory) != 64 * lane + reg * width + in_register ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0) << "elements that are elsewhere";
    at += measured.is_load ? words_bytes * static_cast<std::size_t>(measured.passes)
                           : elements * static_cast<std::size_t>(measured.bits) / 8;
  }
  constexpr std::size_t kTransposedBytes = 128;
  EXPECT_EQ(at + kTransposedBytes, data.size());
}

/// The matrix in memory: element (row, column) is its number, row * columns + column, or a part of that.
std::vector<std::byte> matrix_of_numbers(const MeasuredFragment& measured, int part) {
  const ptx::Instruction& product = measured.product;
  const bool of_a = measured.role == tensor::MatrixRole::a, of_b = measured.role == tensor::MatrixRole::b;
  const std::size_t rows = of_b ? product.k : product.m, columns = of_a ? product.k : product.n,
                    bits = static_cast<std::size_t>(measured.bits);
  std::vector<std::byte> memory(rows * columns * bits / 8);
  for (std::size_t e = 0; e < rows * columns; ++e) {
    const std::size_t place = measured.by_columns ? e % columns * rows + e / columns : e;
    const std::uint64_t number = e >> (static_cast<std::size_t>(part) * bits);
    for (std::size_t bit = 0; bit < bits; ++bit) {
      const std::size_t at = place * bits + bit;
      if ((number >> bit & 1) != 0) memory[at / 8] |= std::byte{1} << (at % 8);
    }
  }
  return memory;
}

TEST(H200TensorCores, WmmaLoadsAndStoresEqualTheHardware) {
  const std::string data = h200::read_compressed("tensor_cores/fragments.bin.zst");
  auto module = ptx::parse(h200::read_compressed("tensor_cores/fragments.ptx.zst"), "fragments.ptx");
  ASSERT_TRUE(module) << module.error().message();
  std::size_t at = 0;
  for (const auto& row : h200::rows_of(h200::read_text("tensor_cores/fragments.csv"), ',')) {
    SCOPED_TRACE(row[0]);
    const MeasuredFragment measured = measured_fragment(row);
    auto program = replay::Program::decode(*module, row[0]);
    ASSERT_TRUE(program) << program.error().message();
    const std::size_t bytes =
        static_cast<std::size_t>(measured.registers) * 32 * (measured.bits == 64 ? 8 : 4);
    for (int pass = 0; pass < measured.passes; ++pass) {
      replay::Memory memory;
      replay::Launch launch{.grid = {1}, .block = {32}, .dynamic_shared_bytes = 0, .arguments = {}};
      std::vector<std::byte> matrix = matrix_of_numbers(measured, pass);
      const std::size_t matrix_bytes = matrix.size();
      if (!measured.is_load) matrix.assign(matrix_bytes, {});
      const std::uint32_t in_memory = memory.add({.name = "matrix"}, std::move(matrix)),
                          out = memory.add({.name = "out"}, std::vector<std::byte>(bytes));
      launch.arguments.emplace_back(replay::BufferArgument{in_memory});
      launch.arguments.emplace_back(replay::BufferArgument{out});
      const Result<Recording> ran = replay::run(*program, launch, memory, {.threads = 1});
      ASSERT_TRUE(ran) << ran.error().message();
      EXPECT_TRUE(ran->findings.empty()) << ran->findings[0].text;
      const std::size_t size = measured.is_load ? bytes : matrix_bytes;
      EXPECT_TRUE(memory.contents(measured.is_load ? out : in_memory) == h200::bytes_of(data, at, size));
      at += size;
    }
  }
}

TEST(H200TensorCores, MovmatrixEqualsTheHardware) {
  const std::string data = h200::read_compressed("tensor_cores/fragments.bin.zst");
  auto module = ptx::parse(h200::read_compressed("tensor_cores/fragments.ptx.zst"), "fragments.ptx");
  ASSERT_TRUE(module) << module.error().message();
  auto program = replay::Program::decode(*module, "movmatrix_b16");
  ASSERT_TRUE(program) << program.error().message();
  replay::Memory memory;
  replay::Launch launch{.grid = {1}, .block = {32}, .dynamic_shared_bytes = 0, .arguments = {}};
  const std::uint32_t out = memory.add({.name = "out"}, std::vector<std::byte>(128));
  launch.arguments.emplace_back(replay::BufferArgument{out});
  ASSERT_TRUE(replay::run(*program, launch, memory, {.threads = 1}));
  EXPECT_EQ(memory.contents(out), h200::bytes_of(data, data.size() - 128, 128));
}

}  // namespace
}  // namespace warplens
