// How many bytes each level of memory hands on: what is claimed to be the least and the most is held against
// the counters of an H100 (tests/data/levels_h100.csv: ncu 2025.3.1, caches emptied before each launch,
// 2026-11-25; the counters' names are in docs/memory_levels.md).
#include "viz/analysis/levels.h"

#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/session/grid_counts.h"
#include "app/session/loaded.h"
#include "viz/analysis/occupancy.h"

namespace warplens::app {
namespace {

using analysis::LevelBand;
using analysis::Levels;

struct Counted {
  std::string kernel;
  std::uint64_t size = 0, from_l2 = 0, to_l2 = 0, dram_read = 0, dram_written = 0;
};

std::vector<Counted> counted() {
  std::ifstream file(WARPLENS_TEST_DATA "/levels_h100.csv");
  std::vector<Counted> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Counted one;
    std::getline(fields, one.kernel, ',');
    char comma = 0;
    fields >> one.size >> comma >> one.from_l2 >> comma >> one.to_l2 >> comma >> one.dram_read >> comma >>
        one.dram_written;
    all.push_back(one);
  }
  return all;
}

std::shared_ptr<const Loaded> loaded_of(const std::string& kernel, std::int64_t size) {
  LaunchRequest request = launch_of_kernel(kernel);
  for (const char* extent : {"m", "p", "n"}) request.set(extent, size);
  Result<Recording> recording = record(request);
  if (!recording.ok()) return nullptr;
  const auto loaded = with_grid_counts(make_loaded(*std::move(recording), {9, 0}));
  return loaded.ok() ? *loaded : nullptr;
}

Levels levels_of(const Loaded& loaded) {
  return analysis::levels_of(loaded.report, loaded.sectors(),
                             loaded.occupancy.occupancy_on({9, 0}).blocks_a_wave);
}

TEST(Levels, BoundTheCountersOfAnH100) {
  const std::vector<Counted> all = counted();
  ASSERT_EQ(all.size(), 45u);
  for (const Counted& gpu : all) {
    SCOPED_TRACE(testing::Message() << gpu.kernel << ' ' << gpu.size);
    const auto loaded = loaded_of(gpu.kernel, static_cast<std::int64_t>(gpu.size));
    ASSERT_NE(loaded, nullptr);
    const Levels levels = levels_of(*loaded);
    ASSERT_TRUE(levels.l2_up && levels.l2_down && levels.dram_up && levels.dram_down);
    EXPECT_GE(gpu.from_l2 * 32, levels.l2_up->min);
    EXPECT_LE(gpu.from_l2 * 32, levels.l2_up->max);
    EXPECT_GE(gpu.to_l2 * 32, levels.l2_down->min);
    EXPECT_LE(gpu.to_l2 * 32, levels.l2_down->max);
    EXPECT_GE(gpu.dram_read, levels.dram_up->min);
    EXPECT_LE(gpu.dram_read, levels.dram_up->max);
    // Up to 3.3 % of the stores are written beyond them at 4096 (docs/memory_levels.md).
    EXPECT_LE(static_cast<double>(gpu.dram_written), static_cast<double>(levels.dram_down->max) * 1.05 + 1e5);
    ASSERT_TRUE(levels.l2_up->once_a_block && levels.dram_up->once_a_wave);
    EXPECT_LE(levels.l2_up->min, *levels.l2_up->once_a_block);
    EXPECT_LE(*levels.dram_up->once_a_wave, *levels.l2_up->once_a_block);
  }
}

TEST(Levels, OneBlockPerMultiprocessorFetchesItsOwn) {
  // 64 blocks of 1,024 threads on 132 multiprocessors: each has an L1 to itself, and what it fetches is
  // counted exactly.
  for (const Counted& gpu : counted()) {
    if (gpu.size != 256 || (gpu.kernel != "naive" && gpu.kernel != "naive_uncoalesced" &&
                            gpu.kernel != "tiled" && gpu.kernel != "tiled_swapped"))
      continue;
    const auto loaded = loaded_of(gpu.kernel, 256);
    ASSERT_NE(loaded, nullptr);
    EXPECT_EQ(levels_of(*loaded).l2_up->once_a_block, gpu.from_l2 * 32) << gpu.kernel;
  }
}

TEST(Levels, OfTiledByHand) {
  const auto loaded = loaded_of("tiled", 256);
  ASSERT_NE(loaded, nullptr);
  const Levels levels = levels_of(*loaded);
  constexpr std::uint64_t kMatrix = 256 * 256 * 4, kTerms = std::uint64_t{256} * 256 * 256;
  EXPECT_EQ(levels.lanes_up, 2 * kMatrix * 8);  // 8 tiles along each edge
  EXPECT_EQ(levels.lanes_down, kMatrix);
  EXPECT_EQ(levels.shared_up, kTerms * 2 * 4);
  EXPECT_EQ(levels.shared_down, 2 * kMatrix * 8);
  EXPECT_EQ(levels.l1_up, 2 * kMatrix * 8);
  EXPECT_EQ(levels.l1_down, kMatrix);
  EXPECT_EQ(levels.l2_up, (LevelBand{.min = 2 * kMatrix,
                                     .max = 2 * kMatrix * 8,
                                     .once_a_block = 2 * kMatrix * 8,
                                     .once_a_wave = std::nullopt}));
  EXPECT_EQ(levels.l2_down, (LevelBand{.min = kMatrix, .max = kMatrix}));
  EXPECT_EQ(levels.dram_up, (LevelBand{.min = 2 * kMatrix,
                                       .max = 2 * 2 * kMatrix * 8,
                                       .once_a_block = std::nullopt,
                                       .once_a_wave = 2 * kMatrix}));
  EXPECT_EQ(levels.dram_down, (LevelBand{.min = 0, .max = kMatrix}));
}

TEST(Levels, OfAPhase) {
  LaunchRequest request = launch_of_kernel("tiled");
  request.event_blocks = BlockChoice{};
  Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok());
  const auto loaded = make_loaded(*std::move(recording), {9, 0});
  const Levels fill = *analysis::levels_of_phase(*loaded->recording, 0, 0, {9, 0});
  constexpr std::uint64_t kTile = 32 * 32 * 4;
  EXPECT_EQ(fill.lanes_up, 2 * kTile);
  EXPECT_EQ(fill.shared_down, 2 * kTile);
  EXPECT_EQ(fill.l1_up, 2 * kTile);
  EXPECT_EQ(fill.l2_up, (LevelBand{.min = 2 * kTile, .max = 2 * kTile}));
  EXPECT_FALSE(fill.dram_up.has_value());
  // The phases of a block add up to what it asks for.
  Levels sum;
  for (std::uint32_t phase = 0; phase < loaded->recording->phases.size(); ++phase) {
    const Levels one = *analysis::levels_of_phase(*loaded->recording, 0, phase, {9, 0});
    sum.shared_up += one.shared_up;
    sum.l1_up += one.l1_up;
    sum.l1_down += one.l1_down;
  }
  const Levels all = levels_of(*loaded);
  EXPECT_EQ(sum.shared_up * 64, all.shared_up);
  EXPECT_EQ(sum.l1_up * 64, all.l1_up);
  EXPECT_EQ(sum.l1_down * 64, all.l1_down);
}

TEST(Levels, AtomicsGoToL2) {
  analysis::Report report;
  report.global_atomic = {
      .requests = 1, .requested_bytes = 128, .divergent_requests = 0, .cost = {.sectors = 4}};
  analysis::GridSectors none({1, 1, 1}, {});
  const Levels levels = analysis::levels_of(report, &none, 1);
  EXPECT_EQ(levels.l1_up, 128u);
  EXPECT_EQ(levels.l2_up, (LevelBand{.min = 0, .max = 128}));
  EXPECT_EQ(levels.dram_up->min, 0u);
}

}  // namespace
}  // namespace warplens::app
