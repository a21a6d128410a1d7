// What the ladder's kernels pay beyond the ideal; and mends against the kernels that have them in their
// source.
#include "viz/analysis/costs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/launch/launch.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

using analysis::Fix;
using analysis::LineCost;

constexpr analysis::ComputeCapability kHopper{9, 0};

Recording recorded(const std::string& kernel, std::int64_t size,
                   const std::vector<std::pair<std::string, std::int64_t>>& parameters = {},
                   bool with_events = false) {
  LaunchRequest request = launch_of_kernel(kernel);
  for (const char* extent : {"m", "p", "n"}) request.set(extent, size);
  for (const auto& [name, value] : parameters) request.set(name, value);
  if (with_events) request.event_blocks = BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
  Result<Recording> recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? *std::move(recording) : Recording{};
}

std::vector<LineCost> costs_of(const Recording& recording, analysis::ComputeCapability cc = kHopper) {
  return analysis::costs(recording, analysis::report(recording, cc));
}

TEST(LadderCosts, SwappedTileReadsRankFirst) {
  const Recording recording = recorded("tiled_swapped", 256, {{"T", 32}}, true);
  const std::vector<LineCost> costs = costs_of(recording);
  ASSERT_EQ(costs.size(), 6u);
  const LineCost& first = costs.front();
  EXPECT_EQ(first.figures.line, 24u);
  EXPECT_EQ(first.figures.op, AccessOp::load);
  EXPECT_EQ(first.figures.totals.cost.bank_conflicts, 16'252'928u);
  EXPECT_EQ(first.excess(), 16'252'928u);
  EXPECT_NEAR(first.share, 16'252'928.0 / (16'252'928 + 2 * 16384 * 31), 1e-12);
  ASSERT_TRUE(first.fix);
  EXPECT_EQ(first.fix->change, Fix::Change::padded_rows);
  EXPECT_EQ(first.fix->row_words, 33u);
  EXPECT_EQ(first.fix->padded, (std::vector<std::uint32_t>{0})) << "as";
  EXPECT_EQ(first.fix->cost, first.figures.totals.requests) << "a wavefront per request";
  EXPECT_FALSE(first.fix->worse);
  ASSERT_TRUE(first.event);
  EXPECT_EQ(recording.sites[recording.events.site[*first.event]].line, 24u);

  const std::vector<LineCost> of_totals =
      analysis::costs_of_totals(recording, analysis::report(recording, kHopper));
  ASSERT_EQ(of_totals.size(), costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    EXPECT_EQ(of_totals[i].excess(), costs[i].excess());
    EXPECT_FALSE(of_totals[i].event);
    ASSERT_EQ(of_totals[i].fix.has_value(), costs[i].fix.has_value());
    EXPECT_EQ(of_totals[i].fix->cost, costs[i].fix->cost);
  }
  EXPECT_EQ(of_totals.front().fix->padded.size(), 2u) << "totals do not say which of both";
}

TEST(LadderCosts, TiledIsAtTheIdeal) {
  EXPECT_TRUE(costs_of(recorded("tiled", 256, {{"T", 32}})).empty());
}

TEST(LadderCosts, PaddingSavesWhatThePaddedKernelSaves) {
  const std::vector<LineCost> costs = costs_of(recorded("volkov_transposed", 256));
  ASSERT_EQ(costs.size(), 1u);
  ASSERT_TRUE(costs[0].fix);
  EXPECT_EQ(costs[0].fix->row_words, 17u);
  EXPECT_FALSE(costs[0].fix->worse);
  const Recording padded = recorded("volkov_padded", 256);
  EXPECT_EQ(costs[0].fix->cost, analysis::report(padded, kHopper).shared_store.cost.wavefronts);
  EXPECT_TRUE(costs_of(padded).empty());
}

TEST(LadderCosts, CoalescedNaiveCostsAsPredicted) {
  const std::vector<LineCost> costs = costs_of(recorded("naive_uncoalesced", 256));
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].figures.line, 12u);
  EXPECT_EQ(costs[0].excess(), 524'288u * 28);
  EXPECT_EQ(costs[1].excess(), 2'048u * 28);
  const analysis::Report other = analysis::report(recorded("naive", 256), kHopper);
  ASSERT_TRUE(costs[0].fix && costs[1].fix);
  EXPECT_EQ(costs[0].fix->change, Fix::Change::neighbours_from_line);
  EXPECT_EQ(costs[0].fix->cost + 524'288u, other.global_load.cost.sectors)
      << "and a sector for each broadcast";
  EXPECT_EQ(costs[1].fix->cost, other.global_store.cost.sectors);
}

}  // namespace
}  // namespace warplens::app
