#include "viz/analysis/reuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <tuple>

#include "kernels/recording/shape_table.h"
#include "recording/sample.h"

namespace warplens::analysis {
namespace {

/// Scattered accesses of all widths to buffers of all element types; some leave their buffer, or lie across
/// elements.
Recording random_recording(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  Recording recording;
  recording.grid = {4, 1, 1};
  recording.block = {32, 1, 1};
  std::uint64_t base = 0x1000;
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::u8}) {
    const std::uint64_t bytes = 8 * 40 * static_cast<std::uint64_t>(size_of(type));
    recording.buffers.push_back({"buffer", type, base, bytes, 8, 37, 40});
    base += 0x2000;
  }
  for (const AccessOp op :
       {AccessOp::load, AccessOp::store, AccessOp::atomic, AccessOp::reduction, AccessOp::cp_async}) {
    for (const int bytes : {1, 2, 4, 8, 16}) {
      Site site;
      site.op = op;
      site.bytes = static_cast<std::uint8_t>(bytes);
      recording.sites.push_back(site);
    }
  }
  recording.sites.push_back({.space = Space::shared, .bytes = 4});
  ShapeTable shapes;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::uint32_t site = pick(static_cast<std::uint32_t>(recording.sites.size())),
                        bytes = recording.sites[site].bytes, kind = pick(5);
    const Buffer& buffer = recording.buffers[pick(4)];
    const std::uint32_t mask = pick(2) == 0 ? 0xffffffffu : pick(~0u) | 1u;
    Shape shape{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t offset = kind == 0   ? 0
                                   : kind == 1 ? lane * bytes
                                   : kind == 2 ? lane / 8 * 16 * bytes
                                               : pick(64) * bytes;
      if ((mask >> lane & 1u) != 0) shape[lane] = static_cast<std::int64_t>(offset);
    }
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const std::int64_t shift = shape[first];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) != 0) shape[lane] -= shift;
    }
    EventColumns& events = recording.events;
    events.site.push_back(site);
    events.block.push_back(0);
    events.warp.push_back(0);
    events.phase.push_back(0);
    events.order.push_back(i);
    events.mask.push_back(mask);
    events.base.push_back(buffer.base + pick(static_cast<std::uint32_t>(buffer.bytes)) / bytes * bytes);
    events.shape.push_back(shapes.intern(shape));
  }
  recording.shapes = shapes.take();
  return recording;
}

struct LiteralCounts {
  std::uint32_t buffer = 0;
  std::vector<std::uint32_t> reads, writes;
};

std::vector<std::uint32_t> all_of(const ElementTable& table, std::size_t elements) {
  std::vector<std::uint32_t> all(elements);
  table.for_each([&](std::uint64_t element, std::uint32_t count) { all.at(element) = count; });
  for (std::size_t element = 0; element < elements; ++element) EXPECT_EQ(table[element], all[element]);
  return all;
}

/// Lane by lane, byte by byte.
std::vector<LiteralCounts> counted_literally(const Recording& recording) {
  std::vector<LiteralCounts> counts;
  for (const Buffer& buffer : recording.buffers) {
    const auto elements = static_cast<std::size_t>(buffer.rows * buffer.pitch);
    counts.push_back({static_cast<std::uint32_t>(counts.size()), std::vector<std::uint32_t>(elements),
                      std::vector<std::uint32_t>(elements)});
  }
  for (std::size_t event = 0; event < recording.events.size(); ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    if (site.space != Space::global) continue;
    for (int lane = 0; lane < 32; ++lane) {
      if ((recording.events.mask[event] >> lane & 1u) == 0) continue;
      const std::uint64_t begin = lane_address(recording, event, lane), end = begin + site.bytes;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const Buffer& buffer = recording.buffers[i];
        const auto size = static_cast<std::uint64_t>(size_of(buffer.type));
        for (std::size_t element = 0; element < counts[i].reads.size(); ++element) {
          const std::uint64_t at = buffer.base + element * size;
          if (at >= end || at + size <= begin) continue;
          counts[i].reads[element] += site.op != AccessOp::store;
          counts[i].writes[element] += site.op != AccessOp::load && site.op != AccessOp::cp_async;
        }
      }
    }
  }
  return counts;
}

TEST(ElementTable, AddsUpSeries) {
  constexpr std::size_t kElements = 2000;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    ElementTable table, other;
    std::vector<std::uint32_t> expected(kElements);
    std::uint64_t pages = 100;
    for (int i = 0; i < 300; ++i) {
      const ElementSeries series{.first = pick(500),
                                 .length = pick(3) == 0 ? 1 + pick(40) : 1,
                                 .touches = pick(20) == 0 ? 1 + pick(1000) : 1 + pick(3),
                                 .step = pick(4) == 0 ? 0 : pick(35),
                                 .times = 1 + pick(40)};
      EXPECT_TRUE((pick(2) == 0 ? table : other).add(series, pages));
      for (std::uint64_t time = 0; time < series.times; ++time) {
        for (std::uint64_t at = 0; at < series.length; ++at)
          expected.at(series.first + time * series.step + at) += series.touches;
      }
    }
    EXPECT_TRUE(table.add(other, pages));
    EXPECT_EQ(all_of(table, kElements), expected);
    const std::uint32_t max = *std::ranges::max_element(expected);
    EXPECT_EQ(table.max(), max);
    for (const std::uint32_t count : {1u, 5u, max}) {
      EXPECT_EQ(table.with(count), static_cast<std::uint64_t>(std::ranges::count(expected, count)));
    }
  }
}

TEST(ElementCounts, CellsAreAsHotAsTheHottestOfTheirElements) {
  Recording recording;
  recording.grid = {1, 1, 1};
  recording.block = {32, 1, 1};
  recording.event_blocks = {{0, 0, 0}};
  recording.buffers = {{"large", ElementType::f32, 0x1000, 700 * 1000 * 4, 700, 990, 1000},
                       {"small", ElementType::f32, 0x1000000, 64, 4, 4, 4}};
  std::vector<ElementCounts> counts(2);
  counts[1].buffer = 1;
  std::mt19937 random(1);
  std::uint64_t pages = 1 << 20;
  std::vector<std::uint64_t> expected(std::size_t{512} * 512);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t first = random() % 699'000, length = 1 + random() % 900;
    ASSERT_TRUE(
        counts[0].reads.add({.first = first,
                             .length = length,
                             .touches = 1 + static_cast<std::uint32_t>(i % 7 == 0 ? random() % 90 : 0)},
                            pages));
  }
  counts[0].reads.for_each([&](std::uint64_t element, std::uint32_t count) {
    const std::uint64_t row = element / 1000, column = element % 1000;
    if (column >= 990) return;
    std::uint64_t& cell = expected.at(row * 512 / 700 * 512 + column * 512 / 990);
    cell = std::max<std::uint64_t>(cell, count);
  });
  counts[0].max_reads = counts[0].reads.max();
  make_cells(recording, counts);
  ASSERT_TRUE(counts[0].read_cells && counts[0].written_cells);
  EXPECT_EQ(counts[0].read_cells->max, expected);
  EXPECT_EQ(counts[0].read_cells->max_of_all, counts[0].max_reads);
  EXPECT_FALSE(counts[0].read_cells->even);
  EXPECT_TRUE(counts[0].written_cells->even) << "none of it";
  EXPECT_FALSE(counts[1].read_cells) << "it is drawn element by element";
}

TEST(ElementTable, LimitsItsPages) {
  ElementTable table;
  std::uint64_t pages = 2;
  EXPECT_TRUE(table.add({.first = 0, .length = 1, .touches = 1, .step = 10, .times = 50}, pages))
      << "two pages";
  EXPECT_TRUE(table.add({.first = 3}, pages)) << "which are there";
  EXPECT_FALSE(table.add({.first = 600}, pages));
}

TEST(ElementCounts, AreThoseOfEveryLane) {
  std::uint32_t max = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Recording recording = random_recording(seed);
    const std::vector<LiteralCounts> expected = counted_literally(recording);
    const std::vector<ElementCounts> counts = element_counts(recording);
    ASSERT_EQ(counts.size(), expected.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      EXPECT_EQ(counts[i].buffer, i);
      EXPECT_TRUE(counts[i].complete);
      EXPECT_EQ(all_of(counts[i].reads, expected[i].reads.size()), expected[i].reads);
      EXPECT_EQ(all_of(counts[i].writes, expected[i].writes.size()), expected[i].writes);
      EXPECT_EQ(counts[i].max_reads, *std::max_element(expected[i].reads.begin(), expected[i].reads.end()));
      EXPECT_EQ(counts[i].max_writes,
                *std::max_element(expected[i].writes.begin(), expected[i].writes.end()));
      max = std::max(max, counts[i].max_reads);
    }
  }
  EXPECT_GE(max, 32u) << "the test should meet broadcasts";
}

TEST(ElementCounts, OfATiledProduct) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  const std::vector<ElementCounts> counts = element_counts(recording);
  // Two blocks of columns read each element of A once; the gather reads A[x * x] besides, for 21 values of x,
  // once a warp: 4 blocks x 32 warps.
  EXPECT_EQ(counts[0].reads[0], 2u);
  EXPECT_EQ(counts[0].reads[1], 2u + 128);
  EXPECT_EQ(all_of(counts[1].reads, 64 * 64), std::vector<std::uint32_t>(64 * 64, 2));
  EXPECT_EQ(all_of(counts[2].writes, 64 * 64), std::vector<std::uint32_t>(64 * 64, 1));
  EXPECT_EQ(counts[1].reads.with(2), 64 * 64);
  EXPECT_EQ(counts[0].max_reads, 130u);
  EXPECT_EQ(counts[2].max_reads, 0u);
}

TEST(ElementCounts, OfAllBlocksAreThoseOfEachAddedUp) {
  const Recording recording = sample::make({.tile = 32, .size = 64, .event_blocks = 4});
  ElementSums sums(recording);
  for (std::uint32_t block = 0; block < recording.event_blocks.size(); ++block) {
    sums.add(element_counts(recording, block, std::vector<bool>(recording.sites.size(), true)));
  }
  const std::vector<ElementCounts> expected = element_counts(recording), counts = sums.take();
  ASSERT_EQ(counts.size(), expected.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i].buffer, i);
    EXPECT_TRUE(counts[i].complete);
    EXPECT_EQ(all_of(counts[i].reads, 64 * 64), all_of(expected[i].reads, 64 * 64));
    EXPECT_EQ(all_of(counts[i].writes, 64 * 64), all_of(expected[i].writes, 64 * 64));
    EXPECT_EQ(counts[i].max_reads, expected[i].max_reads);
    EXPECT_EQ(counts[i].max_writes, expected[i].max_writes);
  }
}

TEST(ElementCounts, MemoryGrowsWithTouchedElements) {
  Recording recording = sample::make();
  recording.buffers[2].bytes = std::uint64_t{1} << 40;
  recording.buffers[2].pitch = std::uint64_t{1} << 31;
  const std::vector<ElementCounts> counts = element_counts(recording);
  EXPECT_TRUE(counts[2].complete);
  EXPECT_EQ(counts[2].writes.with(1), 64u * 32) << "two blocks of the four";
}

TEST(ElementCounts, EndWhereTheAccessesAreScatteredTooWidely) {
  Recording recording = sample::make();
  recording.buffers[0].bytes = std::uint64_t{1} << 39;
  recording.buffers[0].base = std::uint64_t{1} << 41;
  EventColumns& events = recording.events;
  recording.shapes.emplace_back();
  for (std::int64_t lane = 0; lane < kWarpSize; ++lane)
    recording.shapes.back()[static_cast<std::size_t>(lane)] = lane << 24;
  events = {};
  for (std::uint32_t event = 0; event < 8192; ++event) {
    events.site.push_back(sample::kLoadA);
    events.mask.push_back(0xffffffff);
    events.base.push_back(recording.buffers[0].base + std::uint64_t{event} * 2048);
    events.shape.push_back(static_cast<std::uint32_t>(recording.shapes.size() - 1));
  }
  for (auto* column : {&events.block, &events.warp, &events.phase, &events.order})
    column->resize(events.size());
  recording.buffers[0].pitch = std::uint64_t{1} << 31;
  const std::vector<ElementCounts> scattered = element_counts(recording);
  for (const ElementCounts& counts : scattered) EXPECT_FALSE(counts.complete);
  ElementSums sums(recording);
  sums.add(scattered);
  for (const ElementCounts& counts : sums.take()) EXPECT_FALSE(counts.complete);
}

TEST(History, ListsEveryTouchInOrder) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Recording recording = random_recording(seed);
    const std::vector<ElementCounts> counts = element_counts(recording);
    for (const ElementCounts& of_buffer : counts) {
      const Buffer& buffer = recording.buffers[of_buffer.buffer];
      for (std::uint64_t element = 0; element < buffer.rows * buffer.pitch; element += 7) {
        std::uint32_t reads = 0, writes = 0;
        std::size_t before = 0;
        for (const Touch& touch : history(recording, of_buffer.buffer, element)) {
          EXPECT_LE(before, touch.event);
          before = touch.event;
          const Site& site = recording.sites[recording.events.site[touch.event]];
          reads += site.op != AccessOp::store;
          writes += site.op != AccessOp::load && site.op != AccessOp::cp_async;
        }
        EXPECT_EQ(reads, of_buffer.reads[element]);
        EXPECT_EQ(writes, of_buffer.writes[element]);
      }
    }
  }
  EXPECT_EQ(history(sample::make(), 0, 1, 10).size(), 10u) << "the limit";
}

TEST(Locate, FindsTheElement) {
  const Recording recording = sample::make();
  ElementPlace place;
  ASSERT_TRUE(locate(recording, sample::kBaseB + (5 * 64 + 7) * 4 + 3, place));
  EXPECT_EQ(place.buffer, 1u);
  EXPECT_EQ(place.row, 5u);
  EXPECT_EQ(place.column, 7u);
  EXPECT_FALSE(locate(recording, sample::kBaseB - 1, place));
  EXPECT_FALSE(locate(recording, sample::kBaseB + 64 * 64 * 4, place));
}

TEST(SharedContents, AreTheTilesThatWereFilled) {
  const Recording recording = sample::make();
  const std::uint32_t block = 1;  // Column 1 of the grid
  for (const SharedWord& word : shared_contents(recording, block, 0, false)) EXPECT_FALSE(word.written);
  for (const std::uint32_t phase : {0u, 1u, 2u, 3u}) {
    const std::vector<SharedWord> words = shared_contents(recording, block, phase, true);
    ASSERT_EQ(words.size(), 2048u);
    const std::uint32_t step = phase / 2;
    for (std::uint32_t y = 0; y < 32; ++y) {
      for (std::uint32_t x = 0; x < 32; ++x) {
        const SharedWord &a = words[y * 32 + x], &b = words[1024 + y * 32 + x];
        ASSERT_TRUE(a.written && a.from_global && b.written && b.from_global);
        EXPECT_EQ(std::tuple(a.source.buffer, a.source.row, a.source.column),
                  std::tuple(0u, y, step * 32 + x));
        EXPECT_EQ(std::tuple(b.source.buffer, b.source.row, b.source.column),
                  std::tuple(1u, step * 32 + y, 32 + x));
        EXPECT_EQ(std::tuple(a.warp, a.lane, a.phase), std::tuple(y, x, step * 2));
      }
    }
  }
}

/// One warp, whose lanes 0-15 and 16-31 load in two events, store wide values, and copy asynchronously.
TEST(SharedContents, FollowDivergedWideAndAsynchronousCopies) {
  Recording recording;
  recording.block = {32, 1, 1};
  recording.shared_bytes = 1024;
  recording.buffers = {{"A", ElementType::f32, 0x1000, 4096, 1, 1024, 1024}};
  recording.event_blocks = {{0, 0, 0}};
  Site load{.instruction = 1, .space = Space::global, .op = AccessOp::load, .bytes = 8};
  Site store{.instruction = 2, .space = Space::shared, .op = AccessOp::store, .bytes = 8, .value_from = 0};
  Site copy_from{.instruction = 3, .space = Space::global, .op = AccessOp::cp_async, .bytes = 4};
  Site copy_to{.instruction = 3, .space = Space::shared, .op = AccessOp::cp_async, .bytes = 4};
  Site atomic{.instruction = 4, .space = Space::shared, .op = AccessOp::atomic, .bytes = 4};
  recording.sites = {load, store, copy_from, copy_to, atomic};
  Shape by8{}, by4{};
  for (std::size_t lane = 0; lane < 32; ++lane)
    by8[lane] = static_cast<std::int64_t>(8 * lane), by4[lane] = static_cast<std::int64_t>(4 * lane);
  Shape upper{};
  for (std::size_t lane = 16; lane < 32; ++lane) upper[lane] = static_cast<std::int64_t>(8 * (lane - 16));
  recording.shapes = {by8, by4, upper};
  const auto event = [&](std::uint32_t site, std::uint32_t mask, std::uint64_t base, std::uint32_t shape) {
    EventColumns& events = recording.events;
    events.order.push_back(static_cast<std::uint32_t>(events.size()));
    events.site.push_back(site);
    events.block.push_back(0);
    events.warp.push_back(0);
    events.phase.push_back(0);
    events.mask.push_back(mask);
    events.base.push_back(base);
    events.shape.push_back(shape);
  };
  event(0, 0x0000ffffu, 0x1000, 0);
  event(0, 0xffff0000u, 0x1800, 2);
  event(1, 0xffffffffu, 0, 0);
  event(2, 0x000000ffu, 0x1400, 1);
  event(3, 0x000000ffu, 256, 1);
  event(4, 0x1u, 256, 1);

  const std::vector<SharedWord> words = shared_contents(recording, 0, 0, true);
  EXPECT_EQ(words[5].source.column, 5u);               // Lane 2, second word
  EXPECT_EQ(words[33].source.column, 0x800u / 4 + 1);  // Lane 16, second word
  EXPECT_FALSE(words[64].from_global);                 // Overwritten by the atomic
  EXPECT_TRUE(words[64].written);
  EXPECT_TRUE(words[65].from_global);
  EXPECT_EQ(words[65].source.column, 0x400u / 4 + 1);
  EXPECT_FALSE(words[72].written);
}

}  // namespace
}  // namespace warplens::analysis
