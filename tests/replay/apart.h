// What the replay does together leaves what it leaves one by one: in blocks whose events are kept, every
// access is done by itself.
#pragma once

#include <set>
#include <tuple>

#include "replay/run_kernel.h"

namespace warplens::testing {

using CountedPattern = std::tuple<std::uint32_t, std::uint32_t, Shape, std::uint64_t>;
/// By site; shapes are numbered otherwise where there are events.
inline std::vector<std::multiset<CountedPattern>> patterns_of(const Recording& recording) {
  std::vector<std::multiset<CountedPattern>> all;
  for (const SiteTotals& totals : recording.totals) {
    std::multiset<CountedPattern>& site = all.emplace_back();
    for (const PatternCount& p : totals.patterns)
      site.emplace(p.mask, p.alignment, recording.shapes[p.shape], p.count);
  }
  return all;
}

/// Of two trials of one launch of three blocks, whose first buffer is the result.
inline void expect_the_same_apart(Trial& together, Trial& apart) {
  apart.options.event_blocks = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const Recording a = together.record(), b = apart.record();
  EXPECT_EQ(together.contents<std::uint32_t>(0), apart.contents<std::uint32_t>(0));
  EXPECT_EQ(a.sites, b.sites);
  EXPECT_EQ(a.findings, b.findings);
  EXPECT_EQ(a.warp_instructions, b.warp_instructions);
  EXPECT_EQ(a.thread_instructions, b.thread_instructions);
  EXPECT_EQ(a.phases, b.phases);
  EXPECT_EQ(patterns_of(a), patterns_of(b));
  ASSERT_EQ(a.totals.size(), b.totals.size());
  for (std::size_t s = 0; s < a.totals.size(); ++s) {
    EXPECT_EQ(a.totals[s].requests, b.totals[s].requests) << s;
    EXPECT_EQ(a.totals[s].thread_accesses, b.totals[s].thread_accesses) << s;
    EXPECT_EQ(a.totals[s].divergent_requests, b.totals[s].divergent_requests) << s;
  }
  EXPECT_GT(b.events.size(), 0u);
}

}  // namespace warplens::testing
