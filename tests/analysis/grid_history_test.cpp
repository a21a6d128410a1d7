#include "viz/analysis/grid_history.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/expect_history.h"
#include "recording/sample.h"

namespace warplens::analysis {
namespace {

constexpr std::int64_t kTile = 8, kSize = 64;
constexpr Shift kDown{0, kTile* kSize * 4, 0}, kAcross{kTile * 4, 0, 0},
    kBoth{kTile * 4, kTile* kSize * 4, 0};

Recording sample_of_all() {
  return sample::make({.tile = 8, .size = 64, .event_blocks = 64});
}

/// By site of the sample: A's rows, B's columns, C's tiles, and what every block gathers.
std::vector<Shift> shifts() {
  std::vector<Shift> shifts(8);
  shifts[sample::kLoadA] = kDown;
  shifts[sample::kLoadB] = kAcross;
  shifts[sample::kStoreC] = kBoth;
  return shifts;
}

void expect_history_of_all(const GridHistory& grid, const Recording& all) {
  EXPECT_EQ(grid.blocks(), 64u);
  for (std::uint32_t buffer = 0; buffer < 3; ++buffer) {
    for (std::uint64_t element = 0; element < kSize * kSize; element += 5) {
      SCOPED_TRACE(testing::Message() << all.buffers[buffer].name << ", element " << element);
      for (const std::size_t limit : {kMaxTouches, std::size_t{3}, std::size_t{0}})
        expect_equal(grid.of(buffer, element, limit), element_history(all, buffer, element, limit));
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::vector<BlockRun> rows(std::uint32_t first, std::uint32_t end) {
  std::vector<BlockRun> runs;
  for (std::uint32_t y = first; y < end; ++y) runs.push_back({.first = 0, .end = 8, .y = y});
  return runs;
}

TEST(GridHistory, FollowsFromOneBlock) {
  const Recording all = sample_of_all();
  for (const std::uint32_t like : {0u, 19u, 63u}) {
    GridHistory grid(all.grid);
    ASSERT_TRUE(grid.add(all, like, {.like = all.event_blocks[like], .runs = rows(0, 8)}, shifts()));
    expect_history_of_all(grid, all);
  }
}

TEST(GridHistory, PutsTheBlocksOfSeveralClassesInTheirOrder) {
  const Recording all = sample_of_all();
  BlockClass left{.like = {1, 0, 0}, .runs = {}}, right{.like = {7, 3, 0}, .runs = {}},
      bottom{.like = {0, 7, 0}, .runs = rows(7, 8)};
  for (std::uint32_t y = 0; y < 7; ++y) {
    left.runs.push_back({.first = 0, .end = 5, .y = y});
    right.runs.push_back({.first = 5, .end = 8, .y = y});
  }
  GridHistory grid(all.grid);
  for (const BlockClass& alike : {bottom, right, left}) {
    const auto event_block = static_cast<std::uint32_t>(linear_index(all.grid, alike.like));
    ASSERT_TRUE(grid.add(all, event_block, alike, shifts()));
  }
  expect_history_of_all(grid, all);
}

/// Lanes a row apart, in blocks an element apart: most blocks' accesses lie between those of two lanes.
TEST(GridHistory, LooksBetweenLanesThatLieFarApart) {
  Recording all = sample_of_all();
  for (std::size_t event = 0; event < all.events.size(); ++event) {
    if (all.events.site[event] != sample::kLoadB) continue;
    Shape& down = all.shapes[all.events.shape[event]];
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      down[lane] = static_cast<std::int64_t>(lane) * kSize * 4;
  }
  std::vector<Shift> moved(8);
  moved[sample::kLoadB] = {4, 0, 0};
  GridHistory grid({64, 1, 1});
  ASSERT_TRUE(grid.add(all, 0, {.like = {0, 0, 0}, .runs = {{.first = 0, .end = 64}}}, moved));
  const WordHistory history = grid.of(1, 40);
  std::uint64_t expected = 0;
  const EventRange range = events_of_block(all, 0);
  for (std::size_t event = range.begin; event < range.end; ++event) {
    if (all.events.site[event] != sample::kLoadB) continue;
    for (std::int64_t block = 0; block < 64; ++block) {
      for (int lane = 0; lane < kWarpSize; ++lane) {
        const bool active = (all.events.mask[event] >> lane & 1) != 0;
        if (active &&
            lane_address(all, event, lane) + static_cast<std::uint64_t>(4 * block) == sample::kBaseB + 40 * 4)
          ++expected;
      }
    }
  }
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(history.reads, expected);
}

TEST(GridHistory, CanBeCancelled) {
  const Recording all = sample_of_all();
  GridHistory grid(all.grid);
  ASSERT_TRUE(grid.add(all, 0, {.like = {0, 0, 0}, .runs = rows(0, 8)}, shifts()));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(grid.of(0, 1, 10, stop.get_token()).requests, 0u);
}

}  // namespace
}  // namespace warplens::analysis
