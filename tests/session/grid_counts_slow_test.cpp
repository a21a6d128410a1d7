// How often all blocks access each element: counted from a few of them, it is what the events of all of them
// say.
#include "app/session/grid_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "analysis/expect_history.h"
#include "app/kernel_file/kernel_file.h"
#include "app/session/word_history.h"
#include "kernels/catalog/catalog.h"
#include "session/exercises.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/grid_history.h"
#include "viz/analysis/history.h"
#include "viz/analysis/reuse.h"

namespace warplens::app {
namespace {

using analysis::ElementCounts;
using analysis::ElementTable;
using analysis::GridCounts;
using analysis::GridHistory;
using analysis::GridSectors;

/// Of the processor's: none pass while it stands still.
double seconds_of_this_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The cells of one buffer, by their definition.
GridCounts::Cells cells_of(const Buffer& buffer, const ElementTable& table) {
  GridCounts::Cells cells{
      .rows = std::min(buffer.rows, GridCounts::kMaxCells),
      .columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, GridCounts::kMaxCells)),
      .max = {},
      .max_of_all = table.max()};
  cells.even = cells.max_of_all == 0 || table.with(table.max()) == buffer.rows * buffer.pitch;
  cells.max.assign(std::size_t{cells.rows} * cells.columns, 0);
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    for (std::uint64_t column = 0; column < buffer.columns; ++column) {
      std::uint64_t& most =
          cells.max[row * cells.rows / buffer.rows * cells.columns + column * cells.columns / buffer.columns];
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
    for (const auto& [access, table] :
         {std::pair{GridCounts::Access::read, &one.reads}, {GridCounts::Access::write, &one.writes}}) {
      SCOPED_TRACE(testing::Message()
                   << buffer.name << (access == GridCounts::Access::read ? " read" : " written"));
      std::uint64_t wrong = 0;
      for (std::uint64_t element = 0; element < buffer.rows * buffer.pitch; ++element) {
        if (counts.count(one.buffer, access, element) != (*table)[element]) ++wrong;
      }
      EXPECT_EQ(wrong, 0u);
      const GridCounts::Cells expected = cells_of(buffer, *table), &cells = counts.cells(one.buffer, access);
      EXPECT_EQ(cells.rows, expected.rows);
      EXPECT_EQ(cells.columns, expected.columns);
      EXPECT_EQ(cells.max_of_all, expected.max_of_all);
      EXPECT_EQ(cells.even, expected.even);
      EXPECT_EQ(cells.max, expected.max);
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
            if (reads(site.op, site.space)) read.insert(sector);
            if (writes(site.op, site.space)) written.insert(sector);
          }
        }
      }
    }
    sum.read += read.size();
    sum.written += written.size();
    sum.only_read += static_cast<std::uint64_t>(
        std::ranges::count_if(read, [&](std::uint64_t sector) { return !written.contains(sector); }));
  }
  return sum;
}

void expect_sectors(const Recording& recording, const GridSectors& sectors) {
  ASSERT_TRUE(sectors.complete());
  for (const std::uint64_t blocks :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{7}, recording.blocks_total}) {
    SCOPED_TRACE(testing::Message() << blocks << " blocks at a time");
    const auto counted = sectors.once_each(blocks);
    const GridSectors::Sectors expected = once_each(recording, blocks);
    ASSERT_TRUE(counted.has_value());
    EXPECT_EQ(counted->read, expected.read);
    EXPECT_EQ(counted->written, expected.written);
    EXPECT_EQ(counted->only_read, expected.only_read);
  }
}

/// Of some elements of each buffer, those at its borders among them.
void expect_history(const Recording& recording, const GridHistory& history) {
  constexpr std::uint64_t kElements = 40;
  EXPECT_EQ(history.blocks(), recording.blocks_total);
  for (std::uint32_t b = 0; b < recording.buffers.size(); ++b) {
    const Buffer& buffer = recording.buffers[b];
    const std::uint64_t last = buffer.rows * buffer.pitch - 1;
    for (std::uint64_t i = 0; i <= std::min(kElements, last); ++i) {
      const std::uint64_t element = last * i / std::min(kElements, std::max<std::uint64_t>(last, 1));
      for (const std::size_t limit : {analysis::kMaxTouches, std::size_t{7}}) {
        SCOPED_TRACE(testing::Message() << buffer.name << ", element " << element << ", at most " << limit);
        const analysis::WordHistory of_grid = history.of(b, element, limit),
                                    expected = analysis::element_history(recording, b, element, limit);
        analysis::expect_equal(of_grid, expected);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

class CountGrid : public testing::TestWithParam<std::string> {};

TEST_P(CountGrid, EqualsTheEventsOfAllBlocks) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  constexpr std::int64_t kShapes[][3] = {{33, 65, 129}, {1, 7, 300}, {100, 20, 100}, {70, 33, 1030}};
  for (const auto& [m, p, n] : kShapes) {
    LaunchRequest request = launch_of_kernel(kernel.id);
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
      ASSERT_NE((*counts)->divergence(), nullptr);
      EXPECT_EQ(*(*counts)->divergence(), analysis::divergence(*recording));
      ASSERT_NE((*counts)->history(), nullptr);
      expect_history(*recording, *(*counts)->history());
    }
  }
}

std::vector<std::string> every_kernel() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Ladder, CountGrid, testing::ValuesIn(every_kernel()),
                         [](const auto& kernel) { return kernel.param; });

TEST(GridCounts, OfTheLargestMatrices) {
  LaunchRequest request = launch_of_kernel("tiled");
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
  EXPECT_EQ(of_a.max_of_all, 512u);

  // A block's 32 rows of A and 32 columns of B, a sector for 8 elements; 264 blocks at a time lie in one row
  // of blocks or in two.
  constexpr std::uint64_t kMatrix = std::uint64_t{16384} * 16384 / 8, kBlocks = std::uint64_t{512} * 512;
  const GridSectors& sectors = *(*counts)->sectors();
  EXPECT_EQ(sectors.once_each(1), (GridSectors::Sectors{.read = kBlocks * 2 * 32 * 16384 / 8,
                                                        .written = kMatrix,
                                                        .only_read = kBlocks * 2 * 32 * 16384 / 8}));
  EXPECT_EQ(sectors.once_each(512), (GridSectors::Sectors{.read = 512 * (kMatrix + kMatrix / 512),
                                                          .written = kMatrix,
                                                          .only_read = 512 * (kMatrix + kMatrix / 512)}));
  EXPECT_EQ(sectors.once_each(kBlocks),
            (GridSectors::Sectors{.read = 2 * kMatrix, .written = kMatrix, .only_read = 2 * kMatrix}));
  EXPECT_TRUE(sectors.once_each(264).has_value());

  // A[3][17]: a row of blocks reads it, each by one warp; every block adds up 512 tiles.
  const GridHistory& history = *(*counts)->history();
  const double began = seconds_of_this_thread();
  const analysis::WordHistory of_a_element = history.of(0, 3 * 16384 + 17), of_b = history.of(1, kLast),
                              of_c = history.of(2, kLast / 3);
  const double took = seconds_of_this_thread() - began;
  EXPECT_LT(took, 0.2);
  RecordProperty("seconds_of_three_histories", std::to_string(took));
  for (const analysis::WordHistory* read : {&of_a_element, &of_b}) {
    EXPECT_EQ(read->blocks, 512u);
    EXPECT_EQ(read->warps, 512u);
    EXPECT_EQ(read->reads, 512u);
    EXPECT_EQ(read->touches.size(), 512u);
    EXPECT_EQ(read->of_blocks, kBlocks);
  }
  EXPECT_EQ(of_a_element.touches[5].block, (Dim3{5, 0, 0}));
  EXPECT_EQ(of_b.touches[5].block, (Dim3{511, 5, 0}));
  EXPECT_EQ(of_c.writes, 1u);
  const analysis::Divergence& divergence = *(*counts)->divergence();
  EXPECT_EQ(divergence.warps, kBlocks * 32);
  EXPECT_EQ(divergence.accesses[divergence.access_or_first_load(*recording, ~0u)].making, kBlocks * 32 * 512);
}

/// At sizes that no tile divides, where whole classes of blocks have idle lanes.
TEST(GridCounts, OfUnevenSizesAreThoseOfAllBlocks) {
  const std::pair<const char*, std::vector<std::int64_t>> launches[] = {{"naive", {70, 100}},
                                                                        {"tiled_guarded", {100, 201}},
                                                                        {"naive_uncoalesced", {70, 320}},
                                                                        {"register_tile", {201}}};
  for (const auto& [kernel, sizes] : launches) {
    for (const std::int64_t size : sizes) {
      SCOPED_TRACE(testing::Message() << kernel << " at " << size);
      LaunchRequest request = launch_of_kernel(kernel);
      for (const char* name : {"m", "p", "n"}) request.set(name, size);
      request.event_blocks = BlockChoice{};
      const Result<Recording> recording = record(request);
      ASSERT_TRUE(recording.ok()) << recording.error().message();
      const auto counts = count_grid(*recording);
      ASSERT_TRUE(counts.ok() && *counts && (*counts)->divergence() && (*counts)->history());
      EXPECT_EQ(*(*counts)->divergence(), analysis::divergence(*recording));
      expect_history(*recording, *(*counts)->history());
    }
  }
}

/// The grid is counted from other recordings than the one that is drawn: of one block, and of edges too.
TEST(GridCounts, OfALargeUnevenLaunchSayWhoAccessesWhat) {
  LaunchRequest request = launch_of_kernel("tiled_guarded");
  for (const char* name : {"m", "p", "n"}) request.set(name, 1021);
  request.event_blocks = BlockChoice{.all = false, .blocks = {{5, 6, 0}}};
  const Result<Recording> one = record(request);
  ASSERT_TRUE(one.ok()) << one.error().message();
  const auto counts = count_grid(*one);
  ASSERT_TRUE(counts.ok() && *counts && (*counts)->history());
  // The element's row and column of blocks, at the edge.
  const std::uint64_t pitch = one->buffers[0].pitch;
  std::vector<Dim3> row_of_blocks;
  for (std::uint32_t x = 0; x < one->grid.x; ++x) row_of_blocks.push_back({x, one->grid.y - 1, 0});
  request.event_blocks = BlockChoice{.all = false, .blocks = row_of_blocks};
  const Result<Recording> row = record(request);
  ASSERT_TRUE(row.ok()) << row.error().message();
  const analysis::WordHistory of_grid = (*counts)->history()->of(0, 1020 * pitch + 1020),
                              of_row = analysis::element_history(*row, 0, 1020 * pitch + 1020);
  EXPECT_EQ(of_grid.touches, of_row.touches);
  EXPECT_EQ(of_grid.reads, of_row.reads);
  EXPECT_EQ(of_grid.blocks, one->grid.x);
  const analysis::Divergence& divergence = *(*counts)->divergence();
  EXPECT_EQ(divergence.blocks, one->blocks_total);
  for (const analysis::AccessLanes& access : divergence.accesses) {
    std::uint64_t requests = 0, lanes = 0;
    for (const analysis::PhaseLanes& phase : access.by_phase)
      requests += phase.requests, lanes += phase.lanes;
    EXPECT_EQ(requests, access.requests) << access.sites.front();
    EXPECT_EQ(lanes, access.thread_accesses) << access.sites.front();
  }
}

/// Kernels of files, among them such as no block can stand for another in: what they access depends on what
/// they read.
TEST(GridCounts, OfExercisesSayWhoAccessesWhat) {
  if (compile::compilers().empty())
    GTEST_SKIP() << "skipped: there is neither NVRTC nor nvcc on this machine";
  std::uint64_t each_run = 0;
  for (const Exercise& exercise : kExercises) {
    SCOPED_TRACE(exercise.name);
    LaunchRequest request;
    FileKernel kernel{.file = file_of(exercise), .entry = exercise.kernel};
    kernel.cuda = text_of(exercise);
    request.origin = std::move(kernel);
    request.form = *parse_form("");
    request.event_blocks = BlockChoice{};
    const Result<Recording> all = record(request);
    ASSERT_TRUE(all.ok()) << all.error().message();
    request.event_blocks = BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
    const Result<Recording> one = record(request);
    ASSERT_TRUE(one.ok()) << one.error().message();
    const auto counts = count_grid(*one);
    ASSERT_TRUE(counts.ok() && *counts && (*counts)->history());
    expect_history(*all, *(*counts)->history());
    if (one->blocks_extrapolated == 0 && one->blocks_total > 1) ++each_run;
    const std::uint32_t last = static_cast<std::uint32_t>(one->buffers.size()) - 1;
    for (const std::uint64_t element : {std::uint64_t{0}, one->buffers[last].columns / 2}) {
      const auto by_replay = history_by_replay(*one, last, element);
      ASSERT_TRUE(by_replay.ok() && *by_replay);
      analysis::expect_equal((*by_replay)->history, analysis::element_history(*all, last, element));
    }
  }
  EXPECT_GE(each_run, 2u);
}

// What the list shows first is of the recorded blocks, and then of all.
TEST(GridCounts, LongHistoryIsRecomputed) {
  Result<Recording> recorded = record(launch_of_kernel("tiled", {{"m", 128}, {"p", 128}, {"n", 128}}));
  ASSERT_TRUE(recorded.ok()) << recorded.error().message();
  LaunchRequest request = launch_of(*recorded);
  request.event_blocks = BlockChoice{.all = false, .blocks = {{1, 1, 0}}};
  Result<Recording> one = record(request);
  request.event_blocks = BlockChoice{};
  const Result<Recording> all = record(request);
  ASSERT_TRUE(one.ok() && all.ok());
  const std::shared_ptr<const Loaded> loaded = make_loaded(*std::move(one), {9, 0});
  const auto counts = count_grid(*loaded->recording);
  ASSERT_TRUE(counts.ok() && *counts);
  auto without = std::make_shared<GridCounts>(**counts);
  without->keep((*counts)->divergence(), nullptr);
  const auto lacking = with_counts(*loaded, without);
  EXPECT_FALSE(lacks_history(*loaded)) << "nothing is counted yet";
  EXPECT_FALSE(lacks_history(*with_counts(*loaded, *counts)));
  ASSERT_TRUE(lacks_history(*lacking));

  const Selection selection{.element = ElementRef{.buffer = 0, .row = 3, .column = 17}};
  const analysis::WordHistory wanted = analysis::element_history(*all, 0, 3 * 128 + 17);
  HistoryFinder finder;
  std::atomic<int> woken{0};
  finder.follow(lacking, selection, [&] { ++woken; });
  EXPECT_TRUE(finder.wanted());
  while (!finder.found() || finder.found()->of_blocks != wanted.of_blocks) std::this_thread::yield();
  analysis::expect_equal(*finder.found(), wanted);
  EXPECT_FALSE(finder.failed());
  EXPECT_GE(woken, 2);
  const auto chosen = with_chosen_history(lacking, selection);
  ASSERT_TRUE(chosen.ok() && (*chosen)->chosen_history);
  analysis::expect_equal((*chosen)->chosen_history->history, wanted);
  const picture::Word word{.element = picture::ElementAt{0, 3, 17}, .shared_word = {}},
      other{.element = picture::ElementAt{0, 3, 18}, .shared_word = {}};
  EXPECT_EQ(picture::history_of(*lacking->recording, **chosen, word).of_blocks, wanted.of_blocks);
  EXPECT_EQ(picture::history_of(*lacking->recording, **chosen, other).of_blocks, 1u);
}

TEST(GridCounts, AreCancelled) {
  replay::Progress progress;
  progress.cancel = true;
  const Result<Recording> recording = record(launch_of_kernel("tiled"));
  ASSERT_TRUE(recording.ok());
  EXPECT_FALSE(count_grid(*recording, &progress).ok());
  EXPECT_FALSE(history_by_replay(*recording, 0, 0, &progress).ok());
}

}  // namespace
}  // namespace warplens::app
