// PTX that Triton made (tests/data/triton): one register in braces, masks as guards, reductions by shuffles
// and shared memory.
#include <algorithm>
#include <cmath>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::Trial;

constexpr std::uint64_t kNoScratch = 0;  // Of the last two parameters, which no kernel here uses

TEST(Triton, AddsVectors) {
  constexpr int kElements = 600;
  std::vector<float> x, y;
  for (int i = 0; i < kElements; ++i) {
    x.push_back(static_cast<float>(i));
    y.push_back(0.5f * static_cast<float>(i % 7));
  }
  Trial run(testing::read_ptx("../triton/vector_add.ptx"), "add", {3}, {128});
  const Recording recording = run.buffer(x)
                                  .buffer(y)
                                  .buffer(std::vector<float>(kElements))
                                  .scalar(kElements)
                                  .scalar(kNoScratch)
                                  .scalar(kNoScratch)
                                  .record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  const auto sums = run.contents<float>(2);
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], x[i] + y[i]) << i;
}

void expect_softmax(const std::string& file, std::uint32_t threads, std::uint32_t shared_bytes) {
  constexpr int kRows = 5, kColumns = 200;
  std::vector<float> x;
  for (int i = 0; i < kRows * kColumns; ++i) x.push_back(static_cast<float>(i * 37 % 101) / 25.0f);
  Trial run(testing::read_ptx("../triton/" + file), "softmax_rows", {2}, {threads});
  run.dynamic_shared_bytes(shared_bytes);
  const Recording recording = run.buffer(std::vector<float>(x.size()))
                                  .buffer(x)
                                  .scalar(kColumns)
                                  .scalar(kColumns)
                                  .scalar(kRows)
                                  .scalar(kColumns)
                                  .scalar(kNoScratch)
                                  .scalar(kNoScratch)
                                  .record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  const auto result = run.contents<float>(0);
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (std::size_t c = 0; c < kColumns; ++c) sum += std::exp(static_cast<double>(x[row * kColumns + c]));
    for (std::size_t c = 0; c < kColumns; ++c) {
      const double wanted = std::exp(static_cast<double>(x[row * kColumns + c])) / sum;
      EXPECT_NEAR(result[row * kColumns + c], wanted, 1e-6) << row << " " << c;
    }
  }
}

TEST(Triton, ComputesSoftmaxOfRows) {
  expect_softmax("softmax.ptx", 128, 16);
}

TEST(Triton, SoftmaxWithAsynchronousCopies) {
  expect_softmax("softmax_pipelined.ptx", 64, 1032);
}

TEST(Triton, MultipliesByTensorCores) {
  constexpr std::uint32_t kSize = 64;
  std::vector<std::uint16_t> a, b;  // 1 or 2 in f16
  for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
    a.push_back(i % 3 == 0 ? 0x4000 : 0x3c00);
    b.push_back(i % 5 == 0 ? 0x4000 : 0x3c00);
  }
  const auto value = [](std::uint16_t half) { return half == 0x4000 ? 2.0f : 1.0f; };
  Trial run(testing::read_ptx("../triton/product.ptx"), "product", {2, 2}, {32});
  run.dynamic_shared_bytes(4096);
  const Recording recording = run.buffer(a)
                                  .buffer(b)
                                  .buffer(std::vector<float>(kSize * kSize))
                                  .scalar(kSize)
                                  .scalar(kSize)
                                  .scalar(kNoScratch)
                                  .scalar(kNoScratch)
                                  .record();
  EXPECT_TRUE(recording.findings.empty()) << recording.findings[0].text;
  const auto product = run.contents<float>(2);
  for (std::uint32_t row = 0; row < kSize; ++row) {
    for (std::uint32_t column = 0; column < kSize; ++column) {
      float wanted = 0;
      for (std::uint32_t k = 0; k < kSize; ++k)
        wanted += value(a[row * kSize + k]) * value(b[k * kSize + column]);
      EXPECT_EQ(product[row * kSize + column], wanted) << row << " " << column;
    }
  }
}

}  // namespace
}  // namespace warplens
