// What is paid beyond the ideal, and mends held against the model run by hand on changed addresses. Kernels:
// tests/session/costs_test.cpp.
#include "viz/analysis/costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "analysis/accesses.h"
#include "recording/sample.h"

namespace warplens::analysis {
namespace {

using Address = std::function<std::uint64_t(std::uint64_t lane)>;

/// Accesses of 32 lanes or fewer, a site each, on lines 1, 2, ..; each made `count` times. As totals alone.
class Accesses {
 public:
  Accesses& add(Space space, AccessOp op, const Address& address, std::uint64_t count = 1, int bytes = 4,
                std::uint32_t mask = ~0u) {
    Site site{.line = static_cast<std::uint32_t>(recording_.sites.size() + 1),
              .space = space,
              .op = op,
              .bytes = static_cast<std::uint8_t>(bytes)};
    const auto first = static_cast<std::uint64_t>(std::countr_zero(mask));
    const std::uint64_t base = address(first);
    Shape shape{};
    for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) {
      if ((mask >> lane & 1u) != 0) shape[lane] = static_cast<std::int64_t>(address(lane) - base);
    }
    SiteTotals totals;
    totals.requests = count;
    totals.thread_accesses = count * static_cast<std::uint64_t>(std::popcount(mask));
    totals.patterns = {{static_cast<std::uint32_t>(recording_.shapes.size()), mask,
                        static_cast<std::uint32_t>(base % kPatternAlignment), count}};
    recording_.sites.push_back(site);
    recording_.shapes.push_back(shape);
    recording_.totals.push_back(totals);
    return *this;
  }
  Accesses& array(const char* name, std::uint32_t offset, std::uint32_t rows, std::uint32_t pitch,
                  std::uint32_t element_bytes = 4) {
    recording_.shared_arrays.push_back(
        {name, offset, rows * pitch * element_bytes, element_bytes, rows, pitch});
    return *this;
  }
  /// One event of each site, at its own address.
  Accesses& recorded(const std::vector<std::uint64_t>& bases) {
    EventColumns& events = recording_.events;
    recording_.event_blocks = {{0, 0, 0}};
    for (std::uint32_t site = 0; site < bases.size(); ++site) {
      events.site.push_back(site);
      events.block.push_back(0);
      events.warp.push_back(0);
      events.phase.push_back(0);
      events.order.push_back(site);
      events.mask.push_back(recording_.totals[site].patterns[0].mask);
      events.base.push_back(bases[site]);
      events.shape.push_back(recording_.totals[site].patterns[0].shape);
    }
    return *this;
  }
  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] std::vector<LineCost> costs(ComputeCapability cc = kHopper) const {
    return analysis::costs(recording_, report(recording_, cc));
  }

 private:
  Recording recording_ = [] {
    Recording recording;
    recording.unkept_cc = "9.0";
    return recording;
  }();
};

std::uint64_t cost_of(Space space, AccessOp op, const Address& address, ComputeCapability cc = kHopper,
                      int bytes = 4, std::uint32_t mask = ~0u) {
  WarpAccess access{.space = space, .op = op, .bytes = bytes, .mask = mask};
  for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) access.address[lane] = address(lane);
  const AccessCost cost = access_cost(access, cc);
  return space == Space::shared ? cost.wavefronts : cost.sectors;
}

TEST(Costs, AtTheIdealThereAreNone) {
  EXPECT_TRUE(Accesses().costs().empty());
  Accesses accesses;
  accesses.add(Space::global, AccessOp::load, [](std::uint64_t lane) { return 4096 + lane * 4; });
  accesses.add(Space::shared, AccessOp::load, [](std::uint64_t) { return 12; });
  EXPECT_TRUE(accesses.costs().empty());
}

TEST(Costs, RankedByExcessWithSharesOfTheUnit) {
  Accesses accesses;
  accesses.add(
      Space::global, AccessOp::load, [](std::uint64_t lane) { return lane * 128; },
      10);  // 28 of 32 sectors each
  accesses.add(
      Space::shared, AccessOp::load, [](std::uint64_t lane) { return lane * 128; },
      100);  // 31 of 32 wavefronts each
  accesses.add(Space::global, AccessOp::store, [](std::uint64_t lane) { return lane * 8; }, 10);  // 4 of 8
  accesses.add(Space::shared, AccessOp::store, [](std::uint64_t lane) { return lane * 4; }, 999);
  const auto rows = accesses.costs();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].figures.line, 2u);
  EXPECT_EQ(rows[0].excess(), 3100u);
  EXPECT_EQ(rows[0].share, 1.0);
  EXPECT_EQ(rows[1].figures.line, 1u);
  EXPECT_EQ(rows[1].excess(), 280u);
  EXPECT_EQ(rows[1].share, 0.875);
  EXPECT_EQ(rows[2].excess(), 40u);
  EXPECT_EQ(rows[2].share, 0.125);
  for (const LineCost& row : rows) EXPECT_FALSE(row.event);
}

TEST(Costs, AddUpToTheReportsExcessUnderAllRules) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  for (const DeviceModel& model : device_models()) {
    SCOPED_TRACE(model.cc.name());
    const Report counted = report(recording, model.cc);
    std::uint64_t sectors = 0, wavefronts = 0, before = ~std::uint64_t{0};
    for (const LineCost& row : costs(recording, counted)) {
      EXPECT_GT(row.excess(), 0u);
      EXPECT_LE(row.excess(), before);
      before = row.excess();
      (row.figures.space == Space::shared ? wavefronts : sectors) += row.excess();
      ASSERT_TRUE(row.event);
      EXPECT_NE(std::ranges::find(row.figures.sites, recording.events.site[*row.event]),
                row.figures.sites.end());
      ASSERT_TRUE(row.dearest);
      const AccessCost cost = access_cost(*row.dearest, model.cc);
      EXPECT_GT(cost.sectors + cost.wavefronts, cost.ideal_sectors + cost.ideal_wavefronts);
      if (row.fix) {
        EXPECT_LT(row.fix->cost, row.figures.cost());
      }
    }
    std::uint64_t all_sectors = 0, all_wavefronts = 0;
    for (const Totals& totals : counted.by_site) {
      all_sectors += totals.cost.sectors - totals.cost.ideal_sectors;
      all_wavefronts += totals.cost.wavefronts - totals.cost.ideal_wavefronts;
    }
    EXPECT_EQ(sectors, all_sectors);
    EXPECT_EQ(wavefronts, all_wavefronts);
  }
}

TEST(Costs, CostliestRequestIsFound) {
  Recording recording = Accesses()
                            .add(Space::shared, AccessOp::load, [](std::uint64_t lane) { return lane * 8; })
                            .add(Space::shared, AccessOp::load, [](std::uint64_t lane) { return lane * 64; })
                            .recorded({
                                0,
                                0,
                            })
                            .recording();
  recording.totals[0].patterns.push_back({1, ~0u, 0, 1});
  recording.totals[0].requests = 2;
  EventColumns& events = recording.events;
  events.site = {0, 0};
  events.shape = {0, 1};
  recording.totals[1] = {};
  const auto rows = costs(recording, report(recording, kHopper));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].excess(), 1u + 15u);
  EXPECT_EQ(rows[0].event, 1u);
  EXPECT_EQ(access_cost(*rows[0].dearest, kHopper).wavefronts, 16u);
}

TEST(Fixes, ColumnReadsSuggestPaddedRows) {
  const Address column = [](std::uint64_t lane) { return 20 + lane * 128; };
  const auto rows = Accesses().array("as", 0, 32, 32).add(Space::shared, AccessOp::load, column, 7).costs();
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].fix);
  EXPECT_EQ(rows[0].fix->change, Fix::Change::padded_rows);
  EXPECT_EQ(rows[0].fix->row_words, 33u);
  EXPECT_EQ(rows[0].fix->padded, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(rows[0].fix->cost,
            7 * cost_of(Space::shared, AccessOp::load, [](std::uint64_t lane) { return 20 + lane * 132; }));
  EXPECT_EQ(rows[0].fix->cost, 7u);
  EXPECT_FALSE(rows[0].fix->worse);
}

TEST(Fixes, LanesInPartsOfRowsStayInTheirColumns) {
  // Rows of 16 words: 8 lanes on each of 4 rows, two words apart, from column 1 of an array that begins past
  // a boundary.
  const Address address = [](std::uint64_t lane) { return 1216 + (lane / 8 + lane % 8 * 4) * 64 + 4; };
  const auto rows = Accesses().array("t", 1216, 32, 16).add(Space::shared, AccessOp::store, address).costs();
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].fix);
  std::uint64_t min = rows[0].figures.cost();
  for (const std::uint64_t words : {17, 18, 20}) {
    min = std::min(min, cost_of(Space::shared, AccessOp::store, [&](std::uint64_t lane) {
                     return 1216 + (lane / 8 + lane % 8 * 4) * words * 4 + 4;
                   }));
  }
  EXPECT_EQ(rows[0].fix->cost, min);
}

TEST(Fixes, WideLanesStayAligned) {
  // 16 bytes a lane down a column of rows of 32 words: one word would tear them, four do not.
  const Address column = [](std::uint64_t lane) { return lane * 128; };
  const auto rows =
      Accesses().array("as", 0, 32, 32).add(Space::shared, AccessOp::load, column, 1, 16).costs();
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].fix);
  EXPECT_EQ(rows[0].fix->row_words, 36u);
  EXPECT_EQ(
      rows[0].fix->cost,
      cost_of(Space::shared, AccessOp::load, [](std::uint64_t lane) { return lane * 144; }, kHopper, 16));
  EXPECT_EQ(rows[0].fix->cost, 4u);
}

TEST(Fixes, RowLengthMinimizesTheSumOverTheArrayAndNamesLinesThatGetWorse) {
  // Rows of 16 words. A: lanes down a column, 16 wavefronts. B: two half-warps on rows 0 and 2, whose banks a
  // padding makes overlap: a word costs every other access the row.
  const Address column = [](std::uint64_t lane) { return lane * 64; };
  const Address halves = [](std::uint64_t lane) { return lane % 16 * 4 + lane / 16 * 3 * 64; };
  Accesses accesses;
  accesses.array("t", 0, 32, 16)
      .add(Space::shared, AccessOp::store, column, 10)
      .add(Space::shared, AccessOp::load, halves, 10);
  const auto rows = accesses.costs();
  ASSERT_EQ(rows.size(), 1u) << "rows 0 and 3 lie in different halves of the banks";
  ASSERT_TRUE(rows[0].fix);
  std::uint64_t min = ~std::uint64_t{0}, words = 0, of_halves = 0;
  for (const std::uint64_t padding : {1, 2, 4}) {
    const std::uint64_t bytes = (16 + padding) * 4;
    const std::uint64_t of_column =
        cost_of(Space::shared, AccessOp::store, [&](std::uint64_t lane) { return lane * bytes; });
    const std::uint64_t other = cost_of(Space::shared, AccessOp::load, [&](std::uint64_t lane) {
      return lane % 16 * 4 + lane / 16 * 3 * bytes;
    });
    if (of_column + other >= min) continue;
    min = of_column + other;
    words = 16 + padding;
    of_halves = other;
  }
  EXPECT_EQ(rows[0].fix->row_words, words);
  ASSERT_EQ(of_halves, 2u);
  ASSERT_TRUE(rows[0].fix->worse);
  EXPECT_EQ(rows[0].fix->worse->figures.line, 2u);
  EXPECT_EQ(rows[0].fix->worse->figures.cost(), 10u);
  EXPECT_EQ(rows[0].fix->worse->cost, 20u);
}

TEST(Fixes, ArraysThatAnAccessMayLieInArePaddedTogether) {
  const Address column = [](std::uint64_t lane) { return 4096 + lane * 128; };
  Accesses accesses;
  accesses.array("as", 0, 32, 32).array("bs", 4096, 32, 32).add(Space::shared, AccessOp::load, column);
  EXPECT_EQ(accesses.costs()[0].fix->padded, (std::vector<std::uint32_t>{0, 1}))
      << "without a recorded access, each may be it";
  accesses.recorded({4096});
  EXPECT_EQ(accesses.costs()[0].fix->padded, (std::vector<std::uint32_t>{1}));
}

TEST(Fixes, NoPaddingWhereRowsAreNotKnown) {
  const Address column = [](std::uint64_t lane) { return lane * 128; };
  const auto change_of = [](const Accesses& accesses) { return accesses.costs()[0].fix->change; };
  EXPECT_EQ(change_of(Accesses().add(Space::shared, AccessOp::load, column)), Fix::Change::neighbours)
      << "no array";
  EXPECT_EQ(change_of(Accesses().array("s", 0, 1, 1024).add(Space::shared, AccessOp::load, column)),
            Fix::Change::neighbours)
      << "one row";
  EXPECT_EQ(change_of(Accesses()
                          .array("a", 0, 32, 32)
                          .array("b", 4096, 32, 33)
                          .add(Space::shared, AccessOp::load, column)),
            Fix::Change::neighbours)
      << "rows of two lengths, and either may be meant";
  EXPECT_EQ(change_of(Accesses()
                          .array("a", 0, 32, 96)
                          .add(Space::shared, AccessOp::load, [](std::uint64_t lane) { return lane * 64; })),
            Fix::Change::neighbours)
      << "384 bytes a row: the pattern does not say where a row ends";
  EXPECT_EQ(change_of(Accesses()
                          .array("a", 0, 32, 96)
                          .add(Space::shared, AccessOp::load, [](std::uint64_t lane) { return lane * 384; })),
            Fix::Change::padded_rows)
      << "one column, whatever it is";
}

TEST(Fixes, GlobalCandidatesAreJudged) {
  using Change = Fix::Change;
  const auto fix_of = [](const Address& address, ComputeCapability cc = kHopper, int bytes = 4,
                         std::uint32_t mask = ~0u) {
    const auto rows = Accesses().add(Space::global, AccessOp::load, address, 3, bytes, mask).costs(cc);
    return rows.empty() ? std::nullopt : rows[0].fix;
  };
  const auto shifted = fix_of([](std::uint64_t lane) { return 20 + lane * 4; });
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->change, Change::aligned_start);
  EXPECT_EQ(shifted->cost, 3 * 4u);

  const auto strided = fix_of([](std::uint64_t lane) { return lane * 1024; });
  ASSERT_TRUE(strided);
  EXPECT_EQ(strided->change, Change::neighbours);
  EXPECT_EQ(strided->cost, 3 * 4u);

  const auto both = fix_of([](std::uint64_t lane) { return 20 + lane * 1024; });
  ASSERT_TRUE(both);
  EXPECT_EQ(both->change, Change::neighbours_from_line) << "5 sectors without the line";

  // Lanes in pairs on one word: 16 words, which are 2 sectors.
  const auto pairs = fix_of([](std::uint64_t lane) { return lane / 2 * 64; });
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->cost, 3 * 2u);

  // The first devices join lanes that are in place only.
  const ComputeCapability tesla{1, 0};
  const auto first = fix_of([](std::uint64_t lane) { return 4 + lane * 4; }, tesla);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->change, Change::aligned_start);
  EXPECT_EQ(first->cost,
            3 * cost_of(Space::global, AccessOp::load, [](std::uint64_t lane) { return lane * 4; }, tesla));
  const auto masked = fix_of([](std::uint64_t lane) { return 4 + lane * 256; }, tesla, 4, 0xfffffff0u);
  ASSERT_TRUE(masked);
  EXPECT_EQ(masked->change, Change::neighbours_from_line);
  EXPECT_EQ(masked->cost, 3 * cost_of(
                                  Space::global, AccessOp::load, [](std::uint64_t lane) { return lane * 4; },
                                  tesla, 4, 0xfffffff0u));
  EXPECT_FALSE(fix_of([](std::uint64_t lane) { return lane; }, tesla, 1))
      << "bytes never join, wherever they lie";
}

TEST(Fixes, EightByteBanksCountTheDearestPlace) {
  const ComputeCapability kepler{3, 5};
  const Address column = [](std::uint64_t lane) { return lane * 256; };
  const auto rows =
      Accesses().array("as", 0, 32, 64).add(Space::shared, AccessOp::load, column).costs(kepler);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].fix);
  std::uint64_t dearest = 0;
  const std::uint64_t padding = rows[0].fix->row_words * 4 - 256;
  for (std::uint64_t row = 0; row < 64; ++row) {
    dearest = std::max(
        dearest, cost_of(
                     Space::shared, AccessOp::load,
                     [&](std::uint64_t lane) { return row * padding + lane * (256 + padding); }, kepler));
  }
  EXPECT_EQ(rows[0].fix->cost, dearest);
}

TEST(Fixes, LocalMemoryHasNone) {
  Accesses accesses;
  accesses.add(Space::local, AccessOp::load, [](std::uint64_t lane) { return lane * 128; });
  for (const LineCost& row : accesses.costs()) EXPECT_FALSE(row.fix);
  Recording recording = Accesses()
                            .add(Space::global, AccessOp::load, [](std::uint64_t lane) { return lane * 128; })
                            .recording();
  recording.totals[0].unkept_requests = 5;
  recording.totals[0].unkept_cost.sectors = 100;
  recording.totals[0].unkept_cost.ideal_sectors = 20;
  const auto rows = costs(recording, report(recording, kHopper));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].excess(), 28u + 80u);
  EXPECT_FALSE(rows[0].fix);
}

}  // namespace
}  // namespace warplens::analysis
