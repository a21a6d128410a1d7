// Unfoldings and transactions tell the same story as the counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/accesses.h"

namespace warplens::analysis {
namespace {

/// What one bank gives in one wavefront, counted in pieces that have to be one: a word; two on CC 3.x.
std::uint64_t row_of(std::uint64_t word, const WarpAccess& access, ComputeCapability cc) {
  return cc.major != 3 ? word : access.eight_byte_banks ? word / 2 : word / 64;
}
int bank_of_word(std::uint64_t word, const WarpAccess& access, ComputeCapability cc) {
  const int banks = cc.major == 1 ? 16 : 32;
  return static_cast<int>((cc.major == 3 && access.eight_byte_banks ? word / 2 : word) %
                          static_cast<std::uint64_t>(banks));
}

void check_unfolding(const WarpAccess& access, ComputeCapability cc) {
  const AccessCost cost = access_cost(access, cc);
  const Unfolding unfolding = unfold(access, cc);
  ASSERT_EQ(unfolding.wavefronts.size(), cost.wavefronts);
  ASSERT_EQ(static_cast<std::uint64_t>(unfolding.ideal), cost.ideal_wavefronts);
  ASSERT_EQ(static_cast<std::uint64_t>(unfolding.conflicts), cost.bank_conflicts);

  std::map<int, std::set<std::uint64_t>> served;  // By lane: words
  std::map<int, int> times, last;
  for (std::size_t when = 0; when < unfolding.wavefronts.size(); ++when) {
    std::map<int, std::set<std::uint64_t>> rows;  // By bank
    std::set<std::uint64_t> seen;
    for (const LaneService& service : unfolding.wavefronts[when]) {
      ++times[service.lane];
      last[service.lane] = static_cast<int>(when);
      EXPECT_EQ(service.bank, bank_of_word(service.word, access, cc));
      EXPECT_EQ(service.broadcast, !seen.insert(service.word).second);
      for (int i = 0; i < service.words; ++i) {
        const std::uint64_t word = service.word + static_cast<std::uint64_t>(i);
        EXPECT_TRUE(served[service.lane].insert(word).second)
            << "lane " << service.lane << " gets a word twice";
        rows[bank_of_word(word, access, cc)].insert(row_of(word, access, cc));
      }
    }
    for (const auto& [bank, of_bank] : rows)
      EXPECT_EQ(of_bank.size(), 1u) << "bank " << bank << " gives more than it can";
  }
  int groups_end = 0;
  for (const WavefrontGroup& group : unfolding.groups) {
    EXPECT_EQ(group.first, groups_end);
    EXPECT_NE(group.lanes, 0u);
    groups_end += group.count;
    for (int i = group.first; i < groups_end; ++i) {
      for (const LaneService& service : unfolding.wavefronts[static_cast<std::size_t>(i)]) {
        EXPECT_NE(group.lanes >> service.lane & 1u, 0u)
            << "lane " << service.lane << " is served with another group";
      }
    }
  }
  EXPECT_EQ(groups_end, static_cast<int>(unfolding.wavefronts.size()));
  EXPECT_EQ(unfolding.conflicts, groups_end - static_cast<int>(unfolding.groups.size()));
  const int counted = access.matrices > 0 ? 8 * access.matrices : 32;
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    const bool active = (access.mask >> lane & 1u) != 0 && lane < counted;
    const bool passes = active && cost.wavefronts > 0;
    const int words =
        passes
            ? static_cast<int>((address + static_cast<std::uint64_t>(access.bytes) - 1) / 4 - address / 4) + 1
            : 0;
    EXPECT_EQ(served[lane].size(), static_cast<std::size_t>(words)) << "lane " << lane;
    if (cc.major > 1 && address % static_cast<std::uint64_t>(access.bytes) == 0) {
      EXPECT_EQ(times[lane], passes ? 1 : 0) << "lane " << lane;
    }
    EXPECT_EQ(unfolding.waits[static_cast<std::size_t>(lane)], active ? last[lane] : -1) << "lane " << lane;
  }
}

TEST(Unfolding, ServesEveryLaneInAsManyWavefrontsAsAreCounted) {
  RandomAccesses accesses(3);
  for (std::size_t i = 0; i < 30000 && !::testing::Test::HasFailure(); ++i) {
    WarpAccess access = accesses.next();
    access.space = Space::shared;
    if (access.op == AccessOp::reduction) access.op = AccessOp::atomic;
    if ((access.op == AccessOp::ldmatrix || access.op == AccessOp::stmatrix) && access.matrices == 0)
      continue;
    check_unfolding(access, device_models()[i % device_models().size()].cc);
  }
}

TEST(Unfolding, MisalignedLanesAreServedWordByWord) {
  check_unfolding(shared_load(8, [](int k) { return 4 + 8 * k; }), {9, 0});
}

TEST(Unfolding, LanesOfOneBankAreServedInOrder) {
  const Unfolding unfolding = unfold(shared_load(4, [](int k) { return 128 * k + 48; }), {9, 0});
  ASSERT_EQ(unfolding.wavefronts.size(), 32u);
  for (int lane = 0; lane < 32; ++lane) {
    const auto& wavefront = unfolding.wavefronts[static_cast<std::size_t>(lane)];
    ASSERT_EQ(wavefront.size(), 1u);
    EXPECT_EQ(wavefront[0].lane, lane);
    EXPECT_EQ(wavefront[0].bank, 12);
    EXPECT_EQ(unfolding.waits[static_cast<std::size_t>(lane)], lane);
  }
  EXPECT_EQ(unfolding.conflicts, 31);
}

TEST(Unfolding, ABroadcastIsFreeForAllButTheFirst) {
  const Unfolding unfolding = unfold(shared_load(4, [](int) { return 48; }), {9, 0});
  ASSERT_EQ(unfolding.wavefronts.size(), 1u);
  ASSERT_EQ(unfolding.wavefronts[0].size(), 32u);
  for (const LaneService& service : unfolding.wavefronts[0]) EXPECT_EQ(service.broadcast, service.lane > 0);
}

TEST(Coalescing, AddsUpToTheCounts) {
  RandomAccesses accesses(4);
  for (std::size_t i = 0; i < 30000 && !::testing::Test::HasFailure(); ++i) {
    const WarpAccess access = accesses.next();
    if (access.space == Space::shared) continue;
    const ComputeCapability cc = device_models()[i % device_models().size()].cc;
    const AccessCost cost = access_cost(access, cc);
    const Coalescing coalescing = coalesce(access, cc);
    EXPECT_EQ(coalescing.transactions.size(), cost.sectors);
    EXPECT_EQ(coalescing.lines.size(), cost.lines);
    EXPECT_EQ(coalescing.ideal, cost.ideal_sectors);
    EXPECT_EQ(coalescing.requested_bytes,
              static_cast<std::uint64_t>(__builtin_popcount(access.mask) * access.bytes));
    EXPECT_LE(coalescing.useful_bytes, coalescing.requested_bytes);
    EXPECT_LE(coalescing.useful_bytes, coalescing.fetched_bytes);

    std::uint64_t fetched = 0, useful = 0, before = 0;
    std::uint32_t lanes = 0;
    for (const Transaction& transaction : coalescing.transactions) {
      EXPECT_EQ(transaction.address % transaction.bytes, 0u);
      EXPECT_LE(before, transaction.address);
      EXPECT_LE(transaction.useful_bytes, transaction.bytes);
      before = transaction.address;
      fetched += transaction.bytes;
      useful += transaction.useful_bytes;
      lanes |= transaction.lanes;
    }
    EXPECT_EQ(fetched, coalescing.fetched_bytes);
    EXPECT_GE(useful, coalescing.useful_bytes);
    EXPECT_EQ(lanes, access.mask);
    const bool atomic = access.op == AccessOp::atomic || access.op == AccessOp::reduction;
    if (cc.major >= 5 && !atomic) {
      EXPECT_EQ(useful, coalescing.useful_bytes) << "no sector comes twice";
    }
  }
}

TEST(LaneParts, AddUpToTheAccess) {
  RandomAccesses accesses(5);
  for (std::size_t i = 0; i < 30000 && !::testing::Test::HasFailure(); ++i) {
    const WarpAccess access = accesses.next();
    if (access.space == Space::shared) continue;
    const ComputeCapability cc = device_models()[i % device_models().size()].cc;
    const bool atomic = access.op == AccessOp::atomic || access.op == AccessOp::reduction;
    std::uint64_t transactions = 0;
    std::uint32_t lanes = 0;
    int next = 0;
    for (const LanePart& part : lane_parts(access, cc)) {
      EXPECT_EQ(part.first, next);
      next += part.count;
      EXPECT_EQ(lanes & part.lanes, 0u);
      lanes |= part.lanes;
      WarpAccess alone = access;
      alone.mask = part.lanes;
      const std::uint64_t cost = access_cost(alone, cc).sectors;
      transactions += cost;
      const int width = access.space == Space::local ? std::min(access.bytes, 4) : access.bytes;
      const int wanted = cc.major >= 5 || atomic ? 32
                         : cc.major == 1         ? 16
                         : width == 16           ? 8
                         : width == 8            ? 16
                                                 : 32;
      EXPECT_EQ(part.count, wanted) << cc.name();
      if (part.apart != LanePart::Apart::no) {
        EXPECT_TRUE(cc.major == 1 && cc.minor < 2 && !atomic);
        if (access.space == Space::global) {
          EXPECT_EQ(cost, static_cast<std::uint64_t>(__builtin_popcount(part.lanes)));
        }
      } else if (cc.major == 1 && cc.minor < 2 && !atomic && part.lanes != 0 &&
                 access.space == Space::global) {
        EXPECT_EQ(cost, access.bytes == 16 ? 2u : 1u) << "lanes that join";
      }
    }
    EXPECT_EQ(next, 32);
    EXPECT_EQ(lanes, access.mask);
    EXPECT_EQ(transactions, access_cost(access, cc).sectors) << cc.name() << ", " << access.bytes << " bytes";
  }
}

TEST(Coalescing, ShowsWhoUsesWhat) {
  const Coalescing coalescing = coalesce(global_load(4, [](int k) { return 1024 * k + 4; }), {9, 0});
  ASSERT_EQ(coalescing.transactions.size(), 32u);
  EXPECT_EQ(coalescing.fetched_bytes, 1024u);
  EXPECT_EQ(coalescing.useful_bytes, 128u);
  EXPECT_EQ(coalescing.transactions[3].address, 3072u);
  EXPECT_EQ(coalescing.transactions[3].lanes, 8u);
  EXPECT_EQ(coalescing.transactions[3].useful_bytes, 4u);
}

}  // namespace
}  // namespace warplens::analysis
