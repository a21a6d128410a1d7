// How often all blocks access each element: counted from a few of them, it is what the events of all of them say.
#include "app/session/grid_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "viz/analysis/reuse.h"

namespace warplens::app {
namespace {

using analysis::ElementCounts;
using analysis::ElementTable;
using analysis::GridCounts;
using analysis::GridSectors;

/// The cells of one buffer, by their definition.
GridCounts::Cells cells_of(const Buffer& buffer, const ElementTable& table) {
  GridCounts::Cells cells{.rows = std::min(buffer.rows, GridCounts::kMostCells),
                          .columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, GridCounts::kMostCells)),
                          .most = {},
                          .most_of_all = table.most()};
  cells.even = cells.most_of_all == 0 || table.with(table.most()) == buffer.rows * buffer.pitch;
  cells.most.assign(std::size_t{cells.rows} * cells.columns, 0);
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    for (std::uint64_t column = 0; column < buffer.columns; ++column) {
      std::uint64_t& most = cells.most[row * cells.rows / buffer.rows * cells.columns + column * cells.columns / buffer.columns];
      most = std::max<std::uint64_t>(most, table[row * buffer.pitch + column]);
    }
  }
  return cells;
}

void expect_counts(const Recording& recording, const GridCounts& counts) {
  ASSERT_EQ(recording.event_blocks.size(), recording.blocks_total);
  for (const ElementCounts& one : analysis::element_counts(recording)) {
    ASSERT_TRUE(one.complete);
    const Buffer& buffer = recording.buffers[one.buffer];
    for (const auto& [access, table] : {std::pair{GridCounts::Access::read, &one.reads}, {GridCounts::Access::write, &one.writes}}) {
      SCOPED_TRACE(testing::Message() << buffer.name << (access == GridCounts::Access::read ? " read" : " written"));
      std::uint64_t wrong = 0;
      for (std::uint64_t element = 0; element < buffer.rows * buffer.pitch; ++element) {
        if (counts.count(one.buffer, access, element) != (*table)[element]) ++wrong;
      }
      EXPECT_EQ(wrong, 0u);
      const GridCounts::Cells expected = cells_of(buffer, *table), &cells = counts.cells(one.buffer, access);
      EXPECT_EQ(cells.rows, expected.rows);
      EXPECT_EQ(cells.columns, expected.columns);
      EXPECT_EQ(cells.most_of_all, expected.most_of_all);
      EXPECT_EQ(cells.even, expected.even);
      EXPECT_EQ(cells.most, expected.most);
    }
  }
}

/// By their definition: every sector of every lane's bytes, in a set for each group of blocks.
GridSectors::Sectors once_each(const Recording& recording, std::uint64_t blocks) {
  GridSectors::Sectors sum;
  for (std::uint64_t first = 0; first < recording.blocks_total; first += blocks) {
    std::unordered_set<std::uint64_t> read, written;
    for (std::uint64_t block = first; block < std::min(first + blocks, recording.blocks_total); ++block) {
      const EventRange range = events_of_block(recording, static_cast<std::uint32_t>(block));
      for (std::size_t event = range.begin; event < range.end; ++event) {
        const Site& site = recording.sites[recording.events.site[event]];
        if (site.space != Space::global) continue;
        for (int lane = 0; lane < kWarpSize; ++lane) {
          if ((recording.events.mask[event] >> lane & 1) == 0) continue;
          const std::uint64_t address = lane_address(recording, event, lane);
          for (std::uint64_t sector = address / 32; sector <= (address + site.bytes - 1) / 32; ++sector) {
            if (site.op != AccessOp::store) read.insert(sector);
            if (site.op != AccessOp::load && site.op != AccessOp::cp_async) written.insert(sector);
          }
        }
      }
    }
    sum.read += read.size();
    sum.written += written.size();
    sum.only_read += static_cast<std::uint64_t>(std::ranges::count_if(read, [&](std::uint64_t sector) { return !written.contains(sector); }));
  }
  return sum;
}

void expect_sectors(const Recording& recording, const GridSectors& sectors) {
  ASSERT_TRUE(sectors.complete());
  for (const std::uint64_t blocks : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{7}, recording.blocks_total}) {
    SCOPED_TRACE(testing::Message() << blocks << " blocks at a time");
    const auto counted = sectors.once_each(blocks);
    const GridSectors::Sectors expected = once_each(recording, blocks);
    ASSERT_TRUE(counted.has_value());
    EXPECT_EQ(counted->read, expected.read);
    EXPECT_EQ(counted->written, expected.written);
    EXPECT_EQ(counted->only_read, expected.only_read);
  }
}

class CountGrid : public testing::TestWithParam<std::string> {};

TEST_P(CountGrid, EqualsTheEventsOfAllBlocks) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  constexpr std::int64_t kShapes[][3] = {{33, 65, 129}, {1, 7, 300}, {100, 20, 100}, {70, 33, 1030}};
  for (const auto& [m, p, n] : kShapes) {
    LaunchRequest request = launch_of_rung(kernel.id);
    for (const auto& [name, extent] : {std::pair{"m", m}, {"p", p}, {"n", n}}) {
      if (kernel.has_extent(name[0])) request.set(name, extent);
    }
    for (const std::string& type : kernel.value_types) {
      SCOPED_TRACE(testing::Message() << m << " x " << p << " x " << n << " of " << type);
      request.value_type = type;
      request.event_blocks = BlockChoice{};
      const Result<Recording> recording = record(request);
      ASSERT_TRUE(recording.ok()) << recording.error().message();
      const auto counts = count_grid(*recording);
      ASSERT_TRUE(counts.ok()) << counts.error().message();
      ASSERT_NE(*counts, nullptr);
      EXPECT_EQ((*counts)->blocks(), recording->blocks_total);
      expect_counts(*recording, **counts);
      ASSERT_NE((*counts)->sectors(), nullptr);
      expect_sectors(*recording, *(*counts)->sectors());
      GridSectors of_events(recording->grid, recording->buffers);
      ASSERT_TRUE(of_events.add(*recording));
      expect_sectors(*recording, of_events);
    }
  }
}

std::vector<std::string> every_kernel() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Ladder, CountGrid, testing::ValuesIn(every_kernel()), [](const auto& kernel) { return kernel.param; });

TEST(GridCounts, OfTheLargestMatrices) {
  LaunchRequest request = launch_of_rung("tiled");
  for (const char* name : {"m", "p", "n"}) request.set(name, 16384);
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  ASSERT_TRUE(lacks_events(*recording));
  const auto counts = count_grid(*recording);
  ASSERT_TRUE(counts.ok()) << counts.error().message();
  ASSERT_NE(*counts, nullptr);
  constexpr std::uint64_t kLast = std::uint64_t{16384} * 16384 - 1;
  for (const std::uint64_t element : {std::uint64_t{0}, kLast / 3, kLast}) {
    EXPECT_EQ((*counts)->count(0, GridCounts::Access::read, element), 512u);
    EXPECT_EQ((*counts)->count(1, GridCounts::Access::read, element), 512u);
    EXPECT_EQ((*counts)->count(2, GridCounts::Access::write, element), 1u);
  }
  const GridCounts::Cells& of_a = (*counts)->cells(0, GridCounts::Access::read);
  EXPECT_EQ(of_a.rows, 512u);
  EXPECT_TRUE(of_a.even);
  EXPECT_EQ(of_a.most_of_all, 512u);

  // A block's 32 rows of A and 32 columns of B, a sector for 8 elements; 264 blocks at a time lie in one row of blocks or in two.
  constexpr std::uint64_t kMatrix = std::uint64_t{16384} * 16384 / 8, kBlocks = std::uint64_t{512} * 512;
  const GridSectors& sectors = *(*counts)->sectors();
  EXPECT_EQ(sectors.once_each(1),
            (GridSectors::Sectors{.read = kBlocks * 2 * 32 * 16384 / 8, .written = kMatrix, .only_read = kBlocks * 2 * 32 * 16384 / 8}));
  EXPECT_EQ(sectors.once_each(512),
            (GridSectors::Sectors{.read = 512 * (kMatrix + kMatrix / 512), .written = kMatrix, .only_read = 512 * (kMatrix + kMatrix / 512)}));
  EXPECT_EQ(sectors.once_each(kBlocks), (GridSectors::Sectors{.read = 2 * kMatrix, .written = kMatrix, .only_read = 2 * kMatrix}));
  EXPECT_TRUE(sectors.once_each(264).has_value());
}

TEST(GridCounts, AreCancelled) {
  replay::Progress progress;
  progress.cancel = true;
  const Result<Recording> recording = record(launch_of_rung("tiled"));
  ASSERT_TRUE(recording.ok());
  EXPECT_FALSE(count_grid(*recording, &progress).ok());
}

}  // namespace
}  // namespace warplens::app
