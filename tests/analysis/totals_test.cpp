#include "viz/analysis/totals.h"

#include <gtest/gtest.h>

#include <bit>

#include "recording/sample.h"

namespace warplens::analysis {
namespace {

Recording all_blocks_as_events() {
  return sample::make({.tile = 32, .size = 64, .event_blocks = 4, .reads = 3});
}

/// A recording of nothing but one site's totals.
Recording with_site(Site site, SiteTotals totals, const Shape& shape = {}) {
  Recording recording;
  recording.sites.push_back(std::move(site));
  recording.totals.push_back(std::move(totals));
  recording.shapes.push_back(shape);
  recording.unkept_cc = "9.0";
  return recording;
}
Site site_of(Space space, AccessOp op, int bytes = 4, int matrices = 0) {
  Site site;
  site.space = space;
  site.op = op;
  site.bytes = static_cast<std::uint8_t>(bytes);
  site.matrices = static_cast<std::uint8_t>(matrices);
  return site;
}
SiteTotals one_request(std::uint32_t mask = 0xffffffffu) {
  SiteTotals totals;
  totals.requests = 1;
  totals.thread_accesses = static_cast<std::uint64_t>(std::popcount(mask));
  totals.patterns = {{0, mask, 0, 1}};
  return totals;
}

TEST(Report, IsTheSumOverTheEvents) {
  const Recording recording = all_blocks_as_events();
  for (const DeviceModel& model : device_models()) {
    std::vector<Totals> expected(recording.sites.size());
    for (std::size_t event = 0; event < recording.events.size(); ++event) {
      const std::uint32_t site = recording.events.site[event], mask = recording.events.mask[event];
      Totals& totals = expected[site];
      ++totals.requests;
      totals.requested_bytes += static_cast<std::uint64_t>(std::popcount(mask)) * recording.sites[site].bytes;
      totals.divergent_requests += mask != 0xffffffffu;
      totals.cost +=
          access_cost(make_access(recording.sites[site], recording.shapes[recording.events.shape[event]],
                                  mask, recording.events.base[event]),
                      model.cc);
    }
    const Report result = report(recording, model.cc);
    ASSERT_EQ(result.by_site.size(), expected.size());
    for (std::size_t site = 0; site < expected.size(); ++site) {
      EXPECT_EQ(result.by_site[site].requests, expected[site].requests);
      EXPECT_EQ(result.by_site[site].requested_bytes, expected[site].requested_bytes);
      EXPECT_EQ(result.by_site[site].divergent_requests, expected[site].divergent_requests);
      EXPECT_EQ(result.by_site[site].cost, expected[site].cost) << model.cc.name() << ", site " << site;
    }
  }
}

TEST(Report, EqualsCountsByHand) {
  const Report result = report(all_blocks_as_events(), {9, 0});
  // 4 blocks of 32 warps, 2 steps of two fills and three reads of each tile.
  EXPECT_EQ(result.by_site[sample::kLoadA].requests, 4u * 32 * 2);
  EXPECT_EQ(result.by_site[sample::kLoadA].cost.sectors, 4u * 32 * 2 * 4);
  EXPECT_EQ(result.by_site[sample::kReadB].cost.wavefronts, 4u * 32 * 2 * 3);
  EXPECT_EQ(result.shared_store.requests, 2u * 4 * 32 * 2);
  EXPECT_EQ(result.shared_store.cost.bank_conflicts, 0u);
  EXPECT_EQ(result.shared_load.requests, 2u * 4 * 32 * 2 * 3);
  EXPECT_EQ(result.global_store.requests, 4u * 32);
  EXPECT_EQ(result.global_load.requests, 2u * 4 * 32 * 2 + 4 * 32);  // And the gather
  EXPECT_EQ(result.by_site[sample::kGather].divergent_requests, 4u * 32);
  EXPECT_EQ(result.by_site[sample::kGather].requested_bytes, 4u * 32 * 21 * 4);
}

TEST(Report, ListsSitesByLine) {
  const Report result = report(sample::make(), {9, 0});
  EXPECT_EQ(result.sites_by_line.at({0, 6}), (std::vector<std::uint32_t>{sample::kLoadA, sample::kFillA}));
  EXPECT_EQ(result.sites_by_line.at({0, 13}), (std::vector<std::uint32_t>{sample::kGather}));
}

TEST(Report, AddsUpByKindOfAccess) {
  struct Case {
    Site site;
    Totals Report::* total;
  };
  const Case cases[] = {
      {site_of(Space::global, AccessOp::load), &Report::global_load},
      {site_of(Space::global, AccessOp::store), &Report::global_store},
      {site_of(Space::global, AccessOp::atomic), &Report::global_atomic},
      {site_of(Space::global, AccessOp::reduction), &Report::global_reduction},
      {site_of(Space::global, AccessOp::cp_async), &Report::async_copy_global},
      {site_of(Space::shared, AccessOp::cp_async), &Report::async_copy_shared},
      {site_of(Space::shared, AccessOp::load), &Report::shared_load},
      {site_of(Space::shared, AccessOp::store), &Report::shared_store},
      {site_of(Space::shared, AccessOp::atomic), &Report::shared_atomic},
      {site_of(Space::shared, AccessOp::reduction), &Report::shared_atomic},
      {site_of(Space::shared, AccessOp::ldmatrix, 16, 1), &Report::matrix_load},
      {site_of(Space::shared, AccessOp::stmatrix, 16, 1), &Report::matrix_store},
      {site_of(Space::global, AccessOp::bulk_load, 16), &Report::bulk_load_global},
      {site_of(Space::shared, AccessOp::bulk_load, 16), &Report::bulk_load_shared},
      {site_of(Space::global, AccessOp::bulk_store, 16), &Report::bulk_store_global},
      {site_of(Space::shared, AccessOp::bulk_store, 16), &Report::bulk_store_shared},
      {site_of(Space::global, AccessOp::bulk_reduction, 16), &Report::bulk_store_global},
      {site_of(Space::shared, AccessOp::wgmma, 16), &Report::warpgroup_load},
      {site_of(Space::local, AccessOp::load), &Report::local_load},
      {site_of(Space::local, AccessOp::store), &Report::local_store},
  };
  for (const Case& one : cases) {
    const Report result = report(with_site(one.site, one_request()), {9, 0});
    EXPECT_EQ((result.*one.total).requests, 1u) << name_of(one.site.space) << " " << name_of(one.site.op);
    std::uint64_t requests = 0;
    for (const TotalsKind& kind : totals_kinds()) requests += (result.*kind.totals).requests;
    EXPECT_EQ(requests, 1u);
  }
}

TEST(Report, MatricesMove128BytesEach) {
  EXPECT_EQ(report(with_site(site_of(Space::shared, AccessOp::ldmatrix, 16, 2), one_request()), {9, 0})
                .matrix_load.requested_bytes,
            256u);
}

TEST(Report, NamesSitesThatWereJudgedUnderOtherRules) {
  SiteTotals totals = one_request();
  totals.requests = 8;
  totals.thread_accesses = 8 * 32;
  totals.unkept_requests = 7;
  totals.unkept_cost.sectors = 70;
  const Recording recording = with_site(site_of(Space::global, AccessOp::load), totals);
  EXPECT_EQ(report(recording, {9, 0}).global_load.cost.sectors, 71u);
  EXPECT_TRUE(report(recording, {9, 0}).sites_with_other_rules.empty());
  EXPECT_EQ(report(recording, {2, 0}).sites_with_other_rules, std::vector<std::uint32_t>{0});
}

TEST(PhaseKinds, OfATiledProduct) {
  Recording recording = sample::make();
  recording.phases.back().global_loads = 0;  // The sample's last phase gathers too
  const std::vector<PhaseKind> kinds = phase_kinds(recording);
  EXPECT_EQ(kinds, (std::vector{PhaseKind::fill, PhaseKind::compute, PhaseKind::fill, PhaseKind::compute,
                                PhaseKind::write}));
}

TEST(PhaseKinds, ByWhatAPhaseDoes) {
  const auto kind = [](PhaseTotals totals, bool barriers = true) {
    Recording recording;
    recording.phases = {totals};
    recording.phases_are_barriers = barriers;
    return phase_kinds(recording).at(0);
  };
  EXPECT_EQ(kind({.global_loads = 2}, false), PhaseKind::step);
  EXPECT_EQ(kind({.global_stores = 2}, false), PhaseKind::write);
  EXPECT_EQ(kind({.global_loads = 2, .shared_stores = 2}), PhaseKind::fill)
      << "guarded: a load or a zero is stored";
  EXPECT_EQ(kind({.global_loads = 2, .shared_loads = 64, .shared_stores = 2, .fills = 2}),
            PhaseKind::compute_and_fill)
      << "double buffering";
  EXPECT_EQ(kind({.global_loads = 64, .shared_loads = 32}), PhaseKind::compute) << "B straight to registers";
  EXPECT_EQ(kind({.shared_stores = 4}), PhaseKind::other);
  EXPECT_EQ(kind({}), PhaseKind::other);
  EXPECT_STREQ(name_of(PhaseKind::fill), "fill");
}

TEST(PhaseKinds, TilesOfAPipelineAreThoseThatAreComputed) {
  const std::vector<PhaseKind> kinds{
      PhaseKind::fill,    PhaseKind::compute_and_fill, PhaseKind::compute_and_fill,
      PhaseKind::compute, PhaseKind::compute,          PhaseKind::write};
  EXPECT_EQ(count_tiles(kinds), 4u);
  EXPECT_EQ(tile_of(kinds, 0), std::nullopt);
  EXPECT_EQ(tile_of(kinds, 1), 1u);
  EXPECT_EQ(tile_of(kinds, 4), 4u);
  EXPECT_EQ(tile_of(kinds, 5), std::nullopt);
  EXPECT_EQ(phase_in_words(kinds, 0), "phase 1 of 6, fill");
  EXPECT_EQ(phase_in_words(kinds, 2), "tile 2 of 4, compute + fill");
}

}  // namespace
}  // namespace warplens::analysis
