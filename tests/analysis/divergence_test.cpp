#include "viz/analysis/divergence.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <tuple>

#include "recording/sample.h"

namespace warplens::analysis {
namespace {

/// Warp by warp, phase by phase, event by event.
PhaseLanes counted_literally(const Recording& recording, const AccessLanes& access, std::uint32_t phase) {
  const std::set<std::uint32_t> sites(access.sites.begin(), access.sites.end());
  PhaseLanes counts;
  for (std::uint32_t block = 0; block < recording.event_blocks.size(); ++block) {
    for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
      bool makes = false, divergent = false;
      const EventRange range = events_of_phase(recording, block, warp, phase);
      for (std::size_t event = range.begin; event < range.end; ++event) {
        if (!sites.contains(recording.events.site[event])) continue;
        const auto lanes = static_cast<std::uint32_t>(std::popcount(recording.events.mask[event]));
        makes = true;
        divergent =
            divergent || lanes < static_cast<std::uint32_t>(std::popcount(launched_lanes(recording, warp)));
        ++counts.requests;
        counts.lanes += lanes;
      }
      counts.warps += makes ? 1 : 0;
      counts.divergent_warps += divergent ? 1 : 0;
    }
  }
  return counts;
}

void expect_literal(const Recording& recording) {
  const Divergence all = divergence(recording);
  for (const AccessLanes& access : all.accesses) {
    std::uint64_t phases = 0, making = 0, divergent = 0;
    for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
      const PhaseLanes expected = counted_literally(recording, access, phase);
      EXPECT_EQ(access.by_phase[phase], expected) << "site " << access.sites.front() << ", phase " << phase;
      phases += expected.requests > 0 ? 1 : 0;
      making += expected.warps;
      divergent += expected.divergent_warps;
    }
    EXPECT_EQ(access.phases, phases);
    EXPECT_EQ(access.making, making);
    EXPECT_EQ(access.divergent, divergent);
    EXPECT_EQ(access.warp_phases, recording.event_blocks.size() * recording.warps_per_block() * phases);
  }
}

TEST(Divergence, IsCountedWarpByWarpAndPhaseByPhase) {
  expect_literal(sample::make());
  expect_literal(sample::make({.tile = 8, .size = 24, .event_blocks = 9}));
  expect_literal(sample::make({.tile = 5,
                               .size = 20,
                               .event_blocks = 3,
                               .reads = 5}));  // 25 threads: the only warp is short, and whole
}

TEST(Divergence, NamesAccessesAsTheSourceDoes) {
  const Recording recording = sample::make();
  const Divergence all = divergence(recording);
  ASSERT_EQ(all.accesses.size(), recording.sites.size());
  EXPECT_EQ(all.accesses[0].of, "A");
  EXPECT_EQ(all.accesses[1].of, "as");
  EXPECT_EQ(all.accesses[5].of, "bs");
  EXPECT_EQ(all.access_or_first_load(recording, ~0u), 0u);
  EXPECT_EQ(all.access_or_first_load(recording, sample::kReadB), 5u);
  EXPECT_EQ(all.warps, 2u * 32);

  const AccessLanes& gather = all.accesses[all.access_or_first_load(recording, sample::kGather)];
  EXPECT_EQ(gather.requests, 4u * 32) << "of the whole grid";
  EXPECT_EQ(gather.divergent_requests, 4u * 32);
  EXPECT_DOUBLE_EQ(gather.mean_lanes(), 21);
  EXPECT_EQ(gather.warp_phases, 64u) << "of the two recorded blocks";
  EXPECT_EQ(gather.divergent, 64u);
  EXPECT_EQ(gather.divergent_phases, 1u);
}

TEST(Divergence, UnrolledCopiesAreOneAccess) {
  Recording recording = sample::make();
  recording.sites[sample::kReadB].line = recording.sites[sample::kReadA].line;
  recording.shared_arrays = {{"both", 0, 8192, 4, 1, 0}};
  const Divergence all = divergence(recording);
  const AccessLanes& reads = all.accesses[all.access_or_first_load(recording, sample::kReadA)];
  EXPECT_EQ(reads.sites, (std::vector<std::uint32_t>{sample::kReadA, sample::kReadB}));
  EXPECT_EQ(reads.of, "both");
  expect_literal(recording);

  for (std::uint32_t site = 0; site < recording.sites.size(); ++site)
    recording.sites[site].line = 0, recording.sites[site].instruction = site;
  EXPECT_EQ(divergence(recording).accesses.size(), recording.sites.size())
      << "without lines each instruction is one";
}

/// The recording with the events of one block alone.
Recording with_block(const Recording& all, std::uint32_t block) {
  Recording one = all;
  one.event_blocks = {all.event_blocks[block]};
  one.events = {};
  const EventRange range = events_of_block(all, block);
  for (std::size_t event = range.begin; event < range.end; ++event) {
    one.events.site.push_back(all.events.site[event]);
    one.events.block.push_back(0);
    one.events.warp.push_back(all.events.warp[event]);
    one.events.phase.push_back(all.events.phase[event]);
    one.events.order.push_back(all.events.order[event]);
    one.events.mask.push_back(all.events.mask[event]);
    one.events.base.push_back(all.events.base[event]);
    one.events.shape.push_back(all.events.shape[event]);
  }
  return one;
}

TEST(LaneTotals, SumOfBlocksEqualsTheGrid) {
  const Recording all = sample::make({.tile = 8, .size = 24, .event_blocks = 9});
  LaneTotals totals(all);
  for (std::uint32_t block = 0; block < 9; ++block) {
    const Divergence so_far = totals.counted();
    EXPECT_EQ(so_far.blocks, block);
    EXPECT_EQ(so_far.warps, 2 * block);
    totals.add(with_block(all, block));
  }
  EXPECT_EQ(totals.counted(), divergence(all));
}

TEST(LaneTotals, EquivalentBlocksAreMultiplied) {
  const Recording all = sample::make({.tile = 8, .size = 24, .event_blocks = 9});
  LaneTotals totals(all);
  totals.add(with_block(all, 0), 0, 4);
  totals.add(all, 7, 5);
  EXPECT_EQ(totals.counted(), divergence(all));
}

/// A generic access has a site only for the spaces that were met.
TEST(LaneTotals, KnowASiteByItsInstruction) {
  const Recording all = sample::make({.tile = 8, .size = 24, .event_blocks = 9});
  Recording other = all;
  std::swap(other.sites[0], other.sites[3]);
  for (std::uint32_t& site : other.events.site) site = site == 0 ? 3 : site == 3 ? 0 : site;
  LaneTotals totals(all);
  totals.add(other);
  EXPECT_EQ(totals.counted(), divergence(all));
}

TEST(Divergence, OfOneWarpAddsUpToThatOfAll) {
  const Recording recording = sample::make({.tile = 8, .size = 24, .event_blocks = 9});
  const Divergence all = divergence(recording);
  std::vector<std::vector<PhaseLanes>> sum(all.accesses.size(),
                                           std::vector<PhaseLanes>(recording.phases.size()));
  for (std::uint32_t block = 0; block < recording.event_blocks.size(); ++block) {
    for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
      const auto lanes = lanes_of_warp(recording, all, block, warp);
      for (std::size_t access = 0; access < sum.size(); ++access) {
        for (std::size_t phase = 0; phase < sum[access].size(); ++phase) {
          sum[access][phase].requests += lanes[access][phase].requests;
          sum[access][phase].lanes += lanes[access][phase].lanes;
          sum[access][phase].warps += lanes[access][phase].warps;
          sum[access][phase].divergent_warps += lanes[access][phase].divergent_warps;
        }
      }
    }
  }
  for (std::size_t access = 0; access < sum.size(); ++access)
    EXPECT_EQ(sum[access], all.accesses[access].by_phase);
}

}  // namespace
}  // namespace warplens::analysis
