// Recordings of the ladder against the golden counts, which equal an H200's counters.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/counter_tables.h"
#include "analysis/golden_kernels.h"
#include "app/session/loaded.h"

namespace warplens::app {
namespace {

using golden::Counts;
using golden::Shape;

bool has_tile(const std::string& kernel) {
  const auto& parameters = catalog().find(kernel)->parameters;
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const ParameterInfo& parameter) { return parameter.name == "T"; });
}

Result<Recording> recorded(const std::string& kernel, const Shape& shape, golden::Count T) {
  LaunchRequest request = launch_of_kernel(kernel);
  request.set("m", static_cast<std::int64_t>(shape.m));
  request.set("p", static_cast<std::int64_t>(shape.p));
  request.set("n", static_cast<std::int64_t>(shape.n));
  if (T != 0 && has_tile(kernel)) request.set("T", static_cast<std::int64_t>(T));
  return record(request);
}

/// The figures of a whole recording, after the checks that hold for every kernel.
Counts counted(const Recording& recording) {
  const analysis::Report report = analysis::report(recording, {9, 0});
  EXPECT_EQ(recording.verified, true);
  EXPECT_TRUE(recording.findings.empty());
  EXPECT_EQ(report.shared_atomic.requests, 0u);
  // Asynchronous copies load and store too.
  const analysis::Totals loads = analysis::totals_that_read(report, Space::global),
                         stores = analysis::totals_that_write(report, Space::global),
                         shared_loads = analysis::totals_that_read(report, Space::shared),
                         shared_stores = analysis::totals_that_write(report, Space::shared);
  for (const analysis::Totals& shared : {shared_loads, shared_stores})
    EXPECT_EQ(shared.cost.bank_conflicts, shared.cost.wavefronts - shared.cost.ideal_wavefronts);
  return {loads.requests,         loads.cost.sectors,           stores.requests,
          stores.cost.sectors,    shared_loads.requests,        shared_loads.cost.wavefronts,
          shared_stores.requests, shared_stores.cost.wavefronts};
}

void expect_golden(const std::string& kernel, const Shape& shape, golden::Count T) {
  SCOPED_TRACE(testing::Message() << kernel << " T=" << T << " " << shape.m << " x " << shape.p << " x "
                                  << shape.n);
  const Result<Recording> recording = recorded(kernel, shape, T);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const auto golden_counts = golden::expected_of_kernel(kernel, shape, T);
  ASSERT_TRUE(golden_counts.has_value()) << "tests/analysis/golden_rungs.h does not say what it must count";
  const Counts counts = counted(*recording), expected = *golden_counts;
  EXPECT_EQ(counts.load_requests, expected.load_requests);
  EXPECT_EQ(counts.load_sectors, expected.load_sectors);
  EXPECT_EQ(counts.store_requests, expected.store_requests);
  EXPECT_EQ(counts.store_sectors, expected.store_sectors);
  EXPECT_EQ(counts.shared_load_requests, expected.shared_load_requests);
  EXPECT_EQ(counts.shared_load_wavefronts, expected.shared_load_wavefronts);
  EXPECT_EQ(counts.shared_store_requests, expected.shared_store_requests);
  EXPECT_EQ(counts.shared_store_wavefronts, expected.shared_store_wavefronts);
}

std::vector<golden::Count> tiles_of(const std::string& kernel) {
  if (kernel == "naive" || kernel == "naive_uncoalesced") return {8, 16, 32};
  if (kernel == "tiled_unroll4") return {4, 8, 16, 32};
  if (kernel == "corner_turning") return {8, 16, 32};
  if (kernel == "register_tile") return {1, 2, 4, 8, 16};
  return has_tile(kernel) ? std::vector<golden::Count>{1, 2, 4, 8, 16, 32} : std::vector<golden::Count>{0};
}

class LadderCounts : public testing::TestWithParam<std::string> {};

TEST_P(LadderCounts, EqualGoldenAtEveryShape) {
  constexpr Shape kShapes[] = {{1, 1, 1},       {64, 64, 64}, {33, 65, 129}, {1, 7, 300},
                               {100, 100, 100}, {511, 3, 65}, {8, 31, 9},    {65, 128, 32}};
  for (const Shape& shape : kShapes) {
    for (const golden::Count T : tiles_of(GetParam())) expect_golden(GetParam(), shape, T);
  }
}

/// The larger tile sizes only: those that a lecture shows, and that make few enough accesses for a test.
TEST_P(LadderCounts, EqualGoldenAt256) {
  const std::vector<golden::Count> tiles = tiles_of(GetParam());
  expect_golden(GetParam(), {256, 256, 256}, tiles.back());
}

std::vector<golden::LadderRow> counters_of_an_h200() {
  std::vector<golden::LadderRow> rows = golden::ladder_counters();
  const std::vector<golden::LadderRow> more = golden::independent_counters();
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

TEST_P(LadderCounts, EqualCountersOfAnH200) {
  for (const golden::LadderRow& row : counters_of_an_h200()) {
    if (row.kernel != GetParam() ||
        (row.kernel == "tiled" && row.T < 8 && row.shape.m * row.shape.n * row.shape.p > 1000000))
      continue;
    SCOPED_TRACE(row.name());
    const Result<Recording> recording = recorded(row.kernel, row.shape, row.T);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    const Counts counts = counted(*recording);
    EXPECT_EQ(counts.load_requests, row.load_requests);
    EXPECT_EQ(counts.load_sectors, row.load_sectors);
    EXPECT_EQ(counts.store_requests, row.store_requests);
    EXPECT_EQ(counts.store_sectors, row.store_sectors);
    EXPECT_EQ(counts.shared_store_requests, row.shared_store_requests);
    EXPECT_EQ(counts.shared_store_wavefronts, row.shared_store_wavefronts);
  }
}

std::vector<std::string> products() {
  std::vector<std::string> ids{"corner_turning"};
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder) ids.push_back(kernel.id);
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, LadderCounts, testing::ValuesIn(products()),
                         [](const auto& kernel) { return kernel.param; });

TEST(TiledCounts, SharedLoadsAsWritten) {
  const Result<Recording> recording = recorded("tiled", {256, 256, 256}, 32);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(counted(*recording).shared_load_requests, 1048576u);
}

}  // namespace
}  // namespace warplens::app
