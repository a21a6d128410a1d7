// The golden counts against counters of the same kernels on an H200, and against the textbook.
#include "analysis/golden_kernels.h"

#include <gtest/gtest.h>

#include "analysis/counter_tables.h"

namespace warplens::golden {
namespace {

TEST(Golden, EqualsTheLaddersCounters) {
  const std::vector<LadderRow> rows = ladder_counters();
  ASSERT_EQ(rows.size(), 84u);
  for (const LadderRow& row : rows) {
    const std::optional<Counts> counts = expected(row.kernel, row.shape, row.T);
    ASSERT_TRUE(counts.has_value()) << row.kernel;
    EXPECT_EQ(counts->load_requests, row.load_requests) << row.name();
    EXPECT_EQ(counts->load_sectors, row.load_sectors) << row.name();
    EXPECT_EQ(counts->store_requests, row.store_requests) << row.name();
    EXPECT_EQ(counts->store_sectors, row.store_sectors) << row.name();
    EXPECT_EQ(counts->shared_store_requests, row.shared_store_requests) << row.name();
    EXPECT_EQ(counts->shared_store_wavefronts, row.shared_store_wavefronts) << row.name();
  }
}

/// Kernels of the same idea, written and compiled independently.
TEST(Golden, EqualsTheCountersOfIndependentKernels) {
  std::size_t covered = 0;
  for (const LadderRow& row : independent_counters()) {
    const std::optional<Counts> counts = expected_of_kernel(row.kernel, row.shape, row.T);
    ASSERT_TRUE(counts.has_value()) << row.kernel;
    ++covered;
    EXPECT_EQ(counts->load_requests, row.load_requests) << row.name();
    EXPECT_EQ(counts->load_sectors, row.load_sectors) << row.name();
    EXPECT_EQ(counts->store_requests, row.store_requests) << row.name();
    EXPECT_EQ(counts->store_sectors, row.store_sectors) << row.name();
    EXPECT_EQ(counts->shared_store_requests, row.shared_store_requests) << row.name();
    EXPECT_EQ(counts->shared_store_wavefronts, row.shared_store_wavefronts) << row.name();
  }
  EXPECT_EQ(covered, 17u);
}

TEST(Golden, EqualsTheTextbook) {
  const Shape shape{256, 256, 256};
  const Count terms = shape.m * shape.n * shape.p;
  // Elements loaded: naive 2 m n p, tiled 2 m n p / T, at 32 lanes a request.
  EXPECT_EQ(naive(shape, 32).load_requests * 32, 2 * terms);
  for (const Count T : {8u, 16u, 32u}) EXPECT_EQ(tiled(shape, T).load_requests * 32, 2 * terms / T);
  EXPECT_EQ(tiled(shape, 32).shared_load_requests, 1048576u);
}

}  // namespace
}  // namespace warplens::golden
