// Code of tensor cores and asynchronous copies as ptxas 13.0 made it: tests/data/sass/matrices.cu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/sass/symbolic_execution.h"

namespace warplens::sass {
namespace {

constexpr std::uint64_t kIn = 0x10000, kOut = 0x20000, kSize = 0x4000;

class Matrices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::filesystem::path file = std::filesystem::path(WARPLENS_TEST_DATA) / "sass" /
                                       (std::string("matrices_") + GetParam() + ".sass");
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    Result<Listing> listing = parse_listing(text, file.string());
    ASSERT_TRUE(listing.ok()) << listing.error().message();
    listing_ = *std::move(listing);
  }

  /// With pointers to what is read and to what is written, and a number; on one block.
  [[nodiscard]] Result<SymbolicExecution> execute(const char* kernel, std::uint32_t threads,
                                                  std::vector<std::uint64_t> parameters,
                                                  bool with_memory = false) {
    Launch launch{.grid = {1, 1, 1},
                  .block = {threads, 1, 1},
                  .parameters = std::vector<std::byte>(8 * parameters.size()),
                  .blocks = {},
                  .threads = 1};
    std::memcpy(launch.parameters.data(), parameters.data(), launch.parameters.size());
    if (with_memory) launch.memory = {{{.base = kIn, .bytes = in_}, {.base = kOut, .bytes = out_}}};
    const Function* const function = listing_.find(kernel);
    EXPECT_NE(function, nullptr) << kernel;
    return function == nullptr ? Result<SymbolicExecution>(Error{})
                               : execute_symbolically(listing_, *function, launch);
  }

  /// Requests of an operation in a space.
  static std::uint64_t requests(const SymbolicExecution& execution, Space space, AccessOp op) {
    std::uint64_t sum = 0;
    for (std::size_t site = 0; site < execution.sites.size(); ++site) {
      if (execution.sites[site].space == space && execution.sites[site].op == op)
        sum += execution.totals[site].requests;
    }
    return sum;
  }
  static std::uint32_t word(const std::vector<std::byte>& bytes, std::size_t index) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  }

  Listing listing_;
  std::vector<std::byte> in_ = std::vector<std::byte>(kSize), out_ = std::vector<std::byte>(kSize);
};

TEST_P(Matrices, KernelsAreFollowed) {
  const auto ldm = execute("ldm", 32, {kIn, kOut});
  ASSERT_TRUE(ldm.ok()) << ldm.error().message();
  EXPECT_EQ(requests(*ldm, Space::shared, AccessOp::ldmatrix), 5u);
  EXPECT_EQ(requests(*ldm, Space::global, AccessOp::store), 6u);
  const auto copies = execute("cpa", 64, {kIn, kOut, 40});
  ASSERT_TRUE(copies.ok()) << copies.error().message();
  EXPECT_EQ(requests(*copies, Space::shared, AccessOp::cp_async), 10u) << "two warps, one copy is left out";
  EXPECT_EQ(requests(*copies, Space::global, AccessOp::cp_async), 10u);
  const auto wmma = execute("wm", 32, {kIn, kIn + 512, kOut, kOut + 1024});
  ASSERT_TRUE(wmma.ok()) << wmma.error().message();
  EXPECT_GT(requests(*wmma, Space::global, AccessOp::store), 0u);
  const auto products = execute("mmas", 32, {kIn, kOut, kOut + 1024});
  ASSERT_TRUE(products.ok()) << products.error().message();
  EXPECT_EQ(requests(*products, Space::global, AccessOp::store), 3u);
}

TEST_P(Matrices, CopiesOfLanesThatFillZerosReadNothing) {
  const auto copies = execute("cpa", 64, {kIn, kOut, 40});
  ASSERT_TRUE(copies.ok()) << copies.error().message();
  std::uint64_t read = 0, written = 0;
  for (std::size_t site = 0; site < copies->sites.size(); ++site) {
    if (copies->sites[site].op != AccessOp::cp_async ||
        copies->sites[site].text.find("!P") == std::string::npos)
      continue;
    (copies->sites[site].space == Space::global ? read : written) += copies->totals[site].thread_accesses;
  }
  EXPECT_EQ(read, 40u);
  EXPECT_EQ(written, 64u);
}

TEST_P(Matrices, ValuesGoThroughSharedMemory) {
  for (std::size_t i = 0; i < kSize / 2; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    std::memcpy(in_.data() + 2 * i, &half, 2);
  }
  const auto ldm = execute("ldm", 32, {kIn, kOut}, true);
  ASSERT_TRUE(ldm.ok()) << ldm.error().message();
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(word(out_, lane), word(in_, lane)) << lane;
  const auto copies = execute("cpa", 64, {kIn, kOut, 40}, true);
  ASSERT_TRUE(copies.ok()) << copies.error().message();
  EXPECT_FALSE(copies->stored_unknown);
  for (std::size_t lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(word(out_, lane), word(in_, lane));
    EXPECT_EQ(word(out_, 64 + lane), word(in_, lane)) << "of the first 40 lanes' 16 bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Matrices, testing::Values("sm_80", "sm_90"));

}  // namespace
}  // namespace warplens::sass
