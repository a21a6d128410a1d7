#include "viz/analysis/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "recording/sample.h"
#include "viz/analysis/reuse.h"

namespace warplens::analysis {
namespace {

/// Every lane of every event of a block, looked at by its address alone.
std::vector<WordTouch> touches_literally(const Recording& recording, std::uint32_t block,
                                         std::uint32_t word) {
  std::vector<WordTouch> touches;
  for (std::uint32_t phase = 0; phase < recording.phases.size(); ++phase) {
    for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
      const EventRange range = events_of_phase(recording, block, warp, phase);
      for (std::size_t event = range.begin; event < range.end; ++event) {
        const Site& site = recording.sites[recording.events.site[event]];
        std::uint32_t lanes = 0;
        for (int lane = 0; lane < 32; ++lane) {
          if (site.space != Space::shared || (recording.events.mask[event] >> lane & 1u) == 0) continue;
          const std::uint64_t address = lane_address(recording, event, lane);
          if (address < word * 4 + 4 && address + site.bytes > word * 4) lanes |= 1u << lane;
        }
        if (lanes != 0) touches.push_back(touch_of(recording, event, lanes));
      }
    }
  }
  return touches;
}

TEST(SharedWordHistory, IsEveryTouchOfTheBlockPhaseByPhase) {
  const Recording recording = sample::make({.tile = 8, .size = 24, .event_blocks = 3, .reads = 4});
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (std::uint32_t word = 0; word < recording.shared_bytes / 4; word += 3) {
      const WordHistory history = shared_word_history(recording, block, word);
      const std::vector<WordTouch> expected = touches_literally(recording, block, word);
      EXPECT_EQ(history.touches, expected) << "block " << block << ", word " << word;
      EXPECT_EQ(history.requests, expected.size());
      EXPECT_FALSE(history.cut());
    }
  }
}

TEST(SharedWordHistory, OfATileIsFilledOnceAndReadByARowOfThreads) {
  const Recording recording = sample::make();
  const WordHistory history = shared_word_history(
      recording, 1, 32 * 5 + 1);  // as[5][1], read in one of the sample's two steps of a compute phase
  EXPECT_EQ(history.write_requests, 2u) << "two fills";
  EXPECT_EQ(history.writes, 2u);
  EXPECT_EQ(history.read_requests, 2u);
  EXPECT_EQ(history.reads, 64u) << "a broadcast to the warp";
  EXPECT_EQ(history.warps, 1u);
  EXPECT_EQ(history.blocks, 1u);
  ASSERT_EQ(history.touches.size(), 4u);
  EXPECT_EQ(history.touches[0].lanes, 1u << 1);
  EXPECT_EQ(history.touches[1].lanes, ~0u);
  const WordHistory of_b =
      shared_word_history(recording, 1, 1024 + 7);  // bs[0][7]: read by all 32 warps, by one lane each
  EXPECT_EQ(of_b.warps, 32u);
  EXPECT_EQ(of_b.reads, of_b.read_requests);
  EXPECT_EQ(of_b.read_requests, 64u);
}

/// Lanes beyond the rows of a matrix instruction have addresses that are not looked at; an atomic reads and
/// writes; an asynchronous copy writes here.
TEST(SharedWordHistory, DistinguishesReadsAndWrites) {
  Recording recording;
  recording.block = {32, 1, 1};
  recording.shared_bytes = 1024;
  recording.phases.resize(1);
  recording.event_blocks = {{0, 0, 0}};
  const auto shared_site = [](AccessOp op, std::uint8_t bytes, std::uint8_t matrices = 0) {
    Site site;
    site.space = Space::shared;
    site.op = op;
    site.bytes = bytes;
    site.matrices = matrices;
    return site;
  };
  recording.sites = {shared_site(AccessOp::ldmatrix, 16, 1), shared_site(AccessOp::stmatrix, 16, 2),
                     shared_site(AccessOp::atomic, 4), shared_site(AccessOp::cp_async, 4),
                     shared_site(AccessOp::load, 8)};
  Shape by16{}, by4{};
  for (std::size_t lane = 0; lane < 32; ++lane)
    by16[lane] = static_cast<std::int64_t>(16 * lane), by4[lane] = static_cast<std::int64_t>(4 * lane);
  recording.shapes = {by16, by4, Shape{}};
  const auto event = [&](std::uint32_t site, std::uint32_t shape) {
    EventColumns& events = recording.events;
    events.order.push_back(static_cast<std::uint32_t>(events.size()));
    events.site.push_back(site);
    events.block.push_back(0);
    events.warp.push_back(0);
    events.phase.push_back(0);
    events.mask.push_back(~0u);
    events.base.push_back(0);
    events.shape.push_back(shape);
  };
  event(0, 0);  // Words 0 to 31 by lanes 0 to 7
  event(1, 0);  // Words 0 to 63 by lanes 0 to 15
  event(2, 2);  // Word 0 by all lanes
  event(3, 1);  // Words 0 to 31, a lane each
  event(4, 1);  // Words k and k + 1 by lane k

  const WordHistory of_0 = shared_word_history(recording, 0, 0),
                    of_33 = shared_word_history(recording, 0, 33);
  const auto touch = [&](std::size_t at, std::uint32_t lanes) { return touch_of(recording, at, lanes); };
  EXPECT_EQ(of_0.touches,
            (std::vector<WordTouch>{touch(0, 1u), touch(1, 1u), touch(2, ~0u), touch(3, 1u), touch(4, 1u)}));
  EXPECT_EQ(std::tuple(of_0.reads, of_0.read_requests), std::tuple(1u + 32 + 1, 3u));
  EXPECT_EQ(std::tuple(of_0.writes, of_0.write_requests), std::tuple(1u + 32 + 1, 3u));
  EXPECT_EQ(of_33.touches, (std::vector<WordTouch>{touch(1, 1u << 8)}));
  EXPECT_EQ(shared_word_history(recording, 0, 2).touches.back(), touch(4, 3u << 1));
}

TEST(ElementHistory, GathersTheLanesOfARequest) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  for (const std::uint64_t element : {0u, 1u, 65u, 64u * 40 + 9}) {
    const WordHistory requests = element_history(recording, 0, element);
    std::set<std::pair<std::size_t, int>> expected, gathered;
    for (const Touch& touch : history(recording, 0, element)) expected.insert({touch.event, touch.lane});
    for (const WordTouch& touch : requests.touches) {
      for (int lane = 0; lane < 32; ++lane) {
        if ((touch.lanes >> lane & 1u) != 0) gathered.insert({*event_of(recording, touch), lane});
      }
    }
    EXPECT_EQ(gathered, expected) << element;
    EXPECT_EQ(requests.reads, expected.size());
    EXPECT_EQ(requests.read_requests, requests.requests);
    EXPECT_EQ(requests.fetched_again(), requests.requests - 1);
  }
}

TEST(ElementHistory, FetchesAgainOnceForEveryFurtherBlock) {
  const Recording recording = sample::make({.tile = 8, .size = 64, .event_blocks = 64});
  const WordHistory of_a = element_history(recording, 0, 3 * 64 + 17),
                    of_c = element_history(recording, 2, 70);
  EXPECT_EQ(of_a.reads, 8u) << "n / T blocks of its row";
  EXPECT_EQ(of_a.blocks, 8u);
  EXPECT_EQ(of_a.warps, 8u);
  EXPECT_EQ(of_a.fetched_again(), 7u);
  EXPECT_EQ(of_a.of_blocks, 64u);
  EXPECT_EQ(of_c.writes, 1u);
  EXPECT_EQ(of_c.fetched_again(), 0u);
}

TEST(ElementHistory, ATouchIsFoundAgainWhereItsBlockIsRecorded) {
  const Recording all = sample::make({.tile = 8, .size = 24, .event_blocks = 9}),
                  some = sample::make({.tile = 8, .size = 24, .event_blocks = 3});
  for (std::size_t event = 0; event < all.events.size(); event += 7) {
    const WordTouch touch = touch_of(all, event, 1);
    EXPECT_EQ(event_of(all, touch), event);
    EXPECT_EQ(event_of(some, touch), all.events.block[event] < 3 ? std::optional(event) : std::nullopt);
  }
}

TEST(ElementHistory, CountsAllAndKeepsTheFirst) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  const WordHistory all = element_history(recording, 0, 1);
  ASSERT_GT(all.touches.size(), 40u);
  const auto time = [&](const WordTouch& touch) {
    const std::size_t event = *event_of(recording, touch);
    return std::tuple(recording.events.block[event], touch.phase, touch.warp, recording.events.order[event]);
  };
  EXPECT_TRUE(std::ranges::is_sorted(all.touches, {}, time));
  for (const std::size_t limit : {0u, 1u, 3u, 40u}) {
    const WordHistory some = element_history(recording, 0, 1, limit);
    EXPECT_TRUE(some.cut());
    EXPECT_EQ(some.requests, all.requests);
    EXPECT_EQ(some.warps, all.warps);
    EXPECT_EQ(some.reads, all.reads);
    EXPECT_EQ(some.touches,
              std::vector(all.touches.begin(), all.touches.begin() + static_cast<std::ptrdiff_t>(limit)));
  }
}

TEST(ElementHistory, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(element_history(sample::make(), 0, 1, 10, stop.get_token()).requests, 0u);
}

}  // namespace
}  // namespace warplens::analysis
