#include "kernels/gpu/log_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

namespace warplens::gpu {
namespace {

using Log = std::vector<LogEntry>;

LogEntry parting(std::uint32_t mask, std::uint32_t taken) {
  LogEntry entry{.mask = mask, .parting = true, .taken = taken};
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
    entry.together[lane] = (taken >> lane & 1) != 0 ? taken : mask & ~taken;
  return entry;
}

LogEntry meeting(std::uint32_t mask, std::uint32_t awaited) {
  return {.mask = mask, .parting = true, .awaited = awaited};
}

/// What a program of nested branches and loops does, in the order of the replay. Here and there lanes leave
/// it.
class Program {
 public:
  explicit Program(std::uint32_t seed) : random_(seed) {}

  Log run(std::uint32_t mask) {
    go(mask, 0);
    return std::move(log_);
  }

 private:
  bool chance(int of_ten) { return static_cast<int>(random_() % 10) < of_ten; }

  /// Which of them are left.
  std::uint32_t go(std::uint32_t mask, int depth) {
    for (int i = 0; i < 4 && mask != 0; ++i) {
      if (chance(7)) log_.push_back({.mask = mask});
      if (depth < 4 && chance(4)) mask = branch(mask, depth);
      if (depth < 4 && chance(2)) mask = turn(mask, depth + 1);
      if (depth > 0 && random_() % 40 == 0) return 0;
    }
    return mask;
  }

  std::uint32_t branch(std::uint32_t mask, int depth) {
    const std::uint32_t taken = mask & static_cast<std::uint32_t>(random_());
    if (taken == 0 || taken == mask) return mask;
    log_.push_back(parting(mask, taken));
    std::uint32_t left = go(taken, depth + 1);
    left |=
        chance(6) ? go(mask & ~taken, depth + 1) : mask & ~taken;  // Or they wait where the others come to
    return meet(left, mask);
  }

  /// Some leave a loop earlier than others.
  std::uint32_t turn(std::uint32_t mask, int depth) {
    std::uint32_t out = 0;
    for (std::uint32_t left = mask; left != 0;) {
      left = go(left, depth + 1);
      std::uint32_t on = left & static_cast<std::uint32_t>(random_());
      if (on == left) on = 0;
      if (on != 0) log_.push_back(parting(left, on));
      out |= left & ~on;
      left = on;
    }
    return meet(out, mask);
  }

  std::uint32_t meet(std::uint32_t mask, std::uint32_t awaited) {
    if (mask != 0 && mask != awaited) log_.push_back(meeting(mask, awaited));
    return mask;
  }

  std::mt19937 random_;
  Log log_;
};

/// Another order in which every lane does what it did.
std::vector<std::uint32_t> shuffled(const Log& log, std::mt19937& random) {
  std::vector<std::uint32_t> order, left(log.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    std::vector<std::size_t> ready;
    std::uint32_t busy = 0;
    for (std::size_t k = 0; k < left.size() && busy != 0xffffffffu; ++k) {
      if ((log[left[k]].mask & busy) == 0) ready.push_back(k);
      busy |= log[left[k]].mask;
    }
    const std::size_t chosen = ready[random() % ready.size()];
    order.push_back(left[chosen]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return order;
}

TEST(LogOrder, IsTheReplaysWhateverTheGpuDid) {
  std::mt19937 random(7);
  std::size_t moved = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Log log = Program(seed).run(0xffffffffu);
    const std::vector<std::uint32_t> order = shuffled(log, random);
    Log seen;
    for (const std::uint32_t e : order) seen.push_back(log[e]);
    std::vector<std::uint32_t> restored, wanted;
    for (const std::uint32_t e : replay_order(seen)) restored.push_back(order[e]);
    for (std::uint32_t e = 0; e < log.size(); ++e) {
      if (!log[e].parting) wanted.push_back(e);
    }
    ASSERT_EQ(restored, wanted) << seed;
    moved += std::is_sorted(order.begin(), order.end()) ? 0 : 1;
  }
  EXPECT_GT(moved, 100u);
}

// Three ways: the replay goes first where the highest of the lowest lanes goes.
TEST(LogOrder, OfManyTargets) {
  LogEntry many{.mask = 0x3f, .parting = true};
  for (std::uint32_t lane = 0; lane < 6; ++lane) many.together[lane] = 0x9u << lane % 3;
  const Log log{many, {.mask = 0x9}, {.mask = 0x12}, {.mask = 0x24}, {.mask = 0x3f}};
  EXPECT_EQ(replay_order(log), (std::vector<std::uint32_t>{3, 2, 1, 4}));
}

TEST(LogOrder, LanesThatLeftAreNotWaitedFor) {
  const Log log{parting(0xff, 0x0f), {.mask = 0x03}, {.mask = 0xf0}, {.mask = 0xf3}};
  EXPECT_EQ(replay_order(log), (std::vector<std::uint32_t>{1, 2, 3}));
}

// All of one way leave, and they come first: those of the other way wait for them where both would have met.
TEST(LogOrder, LanesGoOnAloneWhenTheOthersHaveLeft) {
  const Log log{parting(0xff, 0x0f), {.mask = 0x0f}, {.mask = 0xf0}, meeting(0x0f, 0xff), {.mask = 0x0f}};
  EXPECT_EQ(replay_order(log), (std::vector<std::uint32_t>{1, 2, 4}));
  const Log before{parting(0xff, 0x0f),
                   {.mask = 0x0f},
                   meeting(0x0f, 0xff),
                   {.mask = 0x0f},
                   {.mask = 0xf0}};  // As a GPU may have it
  EXPECT_EQ(replay_order(before), (std::vector<std::uint32_t>{1, 4, 3}));
}

// What no recorder wrote does not hang the reader.
TEST(LogOrder, DamageEnds) {
  LogEntry odd{.mask = 0xff, .parting = true};
  EXPECT_EQ(replay_order(Log{odd, {.mask = 0x1}}).size(), 1u);
  EXPECT_TRUE(replay_order({}).empty());
}

}  // namespace
}  // namespace warplens::gpu
