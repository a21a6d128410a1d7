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

TEST(Triton, ComputesSoftmaxOfRows) {
  constexpr int kRows = 5, kColumns = 200;
  std::vector<float> x;
  for (int i = 0; i < kRows * kColumns; ++i) x.push_back(static_cast<float>(i * 37 % 101) / 25.0f);
  Trial run(testing::read_ptx("../triton/softmax.ptx"), "softmax_rows", {2}, {128});
  run.dynamic_shared_bytes(16);
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

}  // namespace
}  // namespace warplens
