// What each kernel is there to show, as figures: divergence, conflicts, spilling, and the two mistakes.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/golden_kernels.h"
#include "app/session/loaded.h"
#include "app/session/navigation.h"
#include "viz/analysis/reuse.h"

namespace warplens::app {
namespace {

Recording recorded(const LaunchRequest& request) {
  Result<Recording> recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? *std::move(recording) : Recording{};
}

analysis::Report report_of(const Recording& recording) {
  return analysis::report(recording, {9, 0});
}

/// The 1-based line of the source that holds a text.
std::uint32_t line_with(const Recording& recording, std::string_view text) {
  const std::string_view source = ladder_source(catalog().find(recording.kernel)->source_file);
  const std::size_t at = source.find(text);
  EXPECT_NE(at, std::string_view::npos) << text;
  return static_cast<std::uint32_t>(
      std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
}

/// The totals of the sites on a line, added up.
SiteTotals totals_on_line(const Recording& recording, std::uint32_t line, Space space) {
  SiteTotals sum;
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    if (recording.sites[site].line != line || recording.sites[site].space != space) continue;
    sum.requests += recording.totals[site].requests;
    sum.thread_accesses += recording.totals[site].thread_accesses;
    sum.divergent_requests += recording.totals[site].divergent_requests;
  }
  return sum;
}

/// Each warp at each step is a warp-phase. Blocks wholly inside in rows: 6 x 7 blocks x 8 warps x 7 phases,
/// divergent in the last phase, where 4 of 16 columns of A are left. The bottom row of blocks: 7 x 8 x 7, of
/// which 2 warps a block have rows at all.
TEST(Divergence, OfTiledGuardedAsTheLectureCountsIt) {
  LaunchRequest request = launch_of_kernel("tiled_guarded", {{"m", 100}, {"p", 100}, {"n", 100}});
  const Recording all = recorded(request);
  const std::uint32_t line = line_with(all, "as[y][x] = ");
  const SiteTotals loads = totals_on_line(all, line, Space::global);
  EXPECT_EQ(loads.divergent_requests, 350u);
  EXPECT_EQ(totals_on_line(all, line, Space::shared).requests, 2744u) << "every warp comes to every phase";

  request.replay_blocks = {.all = false, .blocks = {}};
  for (std::uint32_t x = 0; x < 7; ++x) request.replay_blocks.blocks.push_back({x, 6, 0});
  const Recording bottom = recorded(request);
  EXPECT_EQ(totals_on_line(bottom, line, Space::global).divergent_requests, 14u);
  EXPECT_EQ(totals_on_line(bottom, line, Space::shared).requests, 392u);
  EXPECT_EQ(350u - 14u, 336u);
  EXPECT_EQ(2744u - 392u, 2352u);
}

TEST(Divergence, OfVectorAddIsOneWarpOf32) {
  const Recording recording = recorded(launch_of_kernel("vector_add"));
  EXPECT_EQ(recording.n, 1000u);
  EXPECT_EQ(recording.m, 0u);
  const SiteTotals stores = totals_on_line(recording, line_with(recording, "c[i] = "), Space::global);
  EXPECT_EQ(recording.grid.x * recording.warps_per_block(), 32u);
  EXPECT_EQ(stores.requests, 3u * 32u) << "two loads and a store";
  EXPECT_EQ(stores.divergent_requests, 3u * 1u);
  EXPECT_EQ(recording.verified, true);
}

/// Operations for every byte that lanes ask of global memory to compute C ("compute to global memory
/// access"), the stores of C left out.
TEST(Textbook, OperationsForEveryByte) {
  static constexpr std::uint64_t kSize = 64, kOperations = 2 * kSize * kSize * kSize;
  const auto ratio = [](const char* kernel, std::int64_t T) {
    LaunchRequest request = launch_of_kernel(kernel, {{"m", kSize}, {"p", kSize}, {"n", kSize}});
    if (T != 0) request.set("T", T);
    return static_cast<double>(kOperations) /
           static_cast<double>(report_of(recorded(request)).global_load.requested_bytes);
  };
  EXPECT_DOUBLE_EQ(ratio("naive", 32), 0.25) << "a multiplication and an addition for 8 bytes";
  EXPECT_DOUBLE_EQ(ratio("naive_uncoalesced", 32), 0.25) << "what is asked for, not what is fetched";
  for (const std::int64_t T : {2, 8, 16, 32}) {
    EXPECT_DOUBLE_EQ(ratio("tiled", T), 0.25 * static_cast<double>(T)) << "2 m n p / T loads";
    EXPECT_DOUBLE_EQ(ratio("tiled_swapped", T), 0.25 * static_cast<double>(T));
  }
  EXPECT_DOUBLE_EQ(ratio("tiled_shared_a", 0), 0.5 / (1 + 1.0 / 16));
  EXPECT_DOUBLE_EQ(ratio("tiled_unroll4", 32), 8);
  EXPECT_DOUBLE_EQ(ratio("register_tile", 4), 1) << "T / 4 again, without shared memory";
  EXPECT_DOUBLE_EQ(ratio("volkov", 0), 0.5 / (1.0 / 16 + 1.0 / 64))
      << "a value of B serves 16 elements, one of A 64";
}

TEST(Gain, BufferingGainsAtMostTwo) {
  const auto loads = [](const char* kernel) {
    return report_of(recorded(launch_of_kernel(kernel, {{"m", 128}, {"p", 128}, {"n", 128}})))
        .global_load.requests;
  };
  const std::uint64_t naive = loads("naive"), row = loads("buffered_row"), column = loads("buffered_column");
  EXPECT_EQ(naive, 2u * 128 * 128 * 128 / 32);
  EXPECT_EQ(row, naive / 2 + 128u * 128 / 32) << "one of two loads per term, and the fill";
  EXPECT_EQ(column, row);
}

TEST(RegisterTile, SpillsFrom32On) {
  for (const std::int64_t T : {16, 32, 64}) {
    const Recording recording =
        recorded(launch_of_kernel("register_tile", {{"m", 64}, {"p", 3}, {"n", 64}, {"T", T}}));
    const analysis::Report report = report_of(recording);
    EXPECT_EQ(recording.verified, true);
    EXPECT_EQ(report.local_load.requests > 0, T >= 32) << T;
    EXPECT_EQ(report.local_store.requests > 0, T >= 32) << T;
  }
}

TEST(SharedA, DoublesNeedTwiceTheSectors) {
  LaunchRequest request = launch_of_kernel("tiled_shared_a", {{"m", 64}, {"p", 64}, {"n", 64}});
  const analysis::Report single = report_of(recorded(request));
  request.value_type = "f64";
  const Recording recording = recorded(request);
  const analysis::Report twice = report_of(recording);
  EXPECT_EQ(recording.verified, true);
  EXPECT_EQ(recording.buffers[2].type, ElementType::f64);
  EXPECT_EQ(recording.shared_arrays[0].element_bytes, 8u);
  EXPECT_EQ(twice.global_load.requests, single.global_load.requests);
  EXPECT_EQ(twice.global_load.cost.sectors, 2 * single.global_load.cost.sectors);
  EXPECT_EQ(twice.shared_store.cost.wavefronts, 2 * single.shared_store.cost.wavefronts)
      << "8-byte lanes go by half-warps";
}

TEST(CornerTurning, IsCoalescedAndPaddingRemovesConflicts) {
  for (const std::int64_t P : {0, 1}) {
    const Recording recording =
        recorded(launch_of_kernel("corner_turning", {{"m", 64}, {"p", 64}, {"n", 64}, {"P", P}}));
    const analysis::Report report = report_of(recording);
    EXPECT_EQ(recording.verified, true);
    EXPECT_EQ(report.global_load.cost.sectors, 4 * report.global_load.requests);
    EXPECT_EQ(report.shared_store.cost.wavefronts, report.shared_store.requests / 2 * (P == 0 ? 1 + 32 : 2));
    EXPECT_EQ(report.shared_load.cost.bank_conflicts, 0u);
  }
}

TEST(BoxBlur, LoadsEveryNeighbourOfEveryPixel) {
  for (const std::int64_t R : {1, 3}) {
    const Recording recording = recorded(launch_of_kernel("box_blur", {{"m", 20}, {"n", 33}, {"R", R}}));
    EXPECT_EQ(recording.verified, true);
    std::uint64_t loads = 0;
    for (std::int64_t row = 0; row < 20; ++row) {
      for (std::int64_t column = 0; column < 33; ++column) {
        const auto within = [R](std::int64_t at, std::int64_t extent) {
          return std::min(at + R, extent - 1) - std::max<std::int64_t>(at - R, 0) + 1;
        };
        loads += static_cast<std::uint64_t>(within(row, 20) * within(column, 33));
      }
    }
    EXPECT_EQ(report_of(recording).global_load.requested_bytes, loads * sizeof(float));
  }
}

TEST(BankStride, ConflictsFollowTheStride) {
  for (std::int64_t stride = 1; stride <= 33; ++stride) {
    for (const auto& [padding, swizzle] :
         {std::pair<std::int64_t, std::int64_t>{0, 0}, {1, 0}, {0, 1}, {3, 1}}) {
      const Recording recording = recorded(launch_of_kernel(
          "bank_stride", {{"n", 1}, {"stride", stride}, {"padding", padding}, {"swizzle", swizzle}}));
      EXPECT_EQ(recording.verified, true);
      golden::Count wavefronts = 0;
      for (std::int64_t i = 0; i < stride; ++i) {
        std::vector<golden::Count> words;
        for (std::int64_t lane = 0; lane < 32; ++lane) {
          const std::int64_t word = lane * stride + i, row = word / 32, column = word % 32;
          words.push_back(static_cast<golden::Count>(row * (32 + padding) +
                                                     (swizzle != 0 ? column ^ (row % 32) : column)));
        }
        wavefronts += golden::wavefronts(words);
      }
      const analysis::Report report = report_of(recording);
      EXPECT_EQ(report.shared_load.requests, static_cast<std::uint64_t>(stride));
      EXPECT_EQ(report.shared_load.cost.wavefronts, wavefronts) << stride << " " << padding << " " << swizzle;
      EXPECT_EQ(report.shared_store.cost.bank_conflicts, 0u);
    }
  }
}

TEST(Mistakes, DivergentBarrierNamesMissingLanes) {
  const Recording recording = recorded(launch_of_kernel("barrier_divergence"));
  ASSERT_EQ(recording.findings.size(), 1u);
  const Finding& finding = recording.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::barrier_divergence);
  EXPECT_EQ(finding.line, line_with(recording, "values[x] += ") + 1);
  EXPECT_EQ(finding.count, 4u) << "once a block";
  EXPECT_EQ(finding.warp, 0u);
  EXPECT_EQ(finding.lanes, 0xffff0000u) << finding.text;
  EXPECT_EQ(recording.verified, false) << "the blocks stop";
  EXPECT_FALSE(failed(recording)) << "on purpose";
}

TEST(Mistakes, MissingSyncthreadsIsReported) {
  const Recording recording = recorded(launch_of_kernel("missing_barrier"));
  ASSERT_EQ(recording.findings.size(), 2u);
  EXPECT_EQ(recording.findings[0].kind, FindingKind::race);
  EXPECT_EQ(recording.findings[1].kind, FindingKind::lane_race);
  const std::uint32_t line = line_with(recording, "values[x] += ");
  for (const Finding& finding : recording.findings) {
    EXPECT_EQ(finding.line, line);
    EXPECT_EQ(finding.other_line, line);
  }
}

TEST(Mistakes, OtherKernelsHaveNoFindings) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    const Recording recording = recorded(launch_of_kernel(kernel.id));
    EXPECT_EQ(recording.findings.empty(), !kernel.fault) << kernel.id;
    if (kernel.fault) {
      EXPECT_EQ(recording.findings[0].kind, *kernel.fault);
    } else {
      EXPECT_EQ(recording.verified, true) << kernel.id;
    }
  }
}

/// Where the kernel's recording opens, every access of all blocks kept.
struct Opened {
  std::shared_ptr<const Loaded> loaded;
  Selection selection;
  [[nodiscard]] const Recording& recording() const { return *loaded->recording; }
  [[nodiscard]] std::size_t event() const { return current_event(recording(), selection).value(); }
  [[nodiscard]] const Site& site() const { return recording().sites[recording().events.site[event()]]; }
};
Opened opened(const std::string& kernel) {
  Opened result;
  LaunchRequest request = launch_of_kernel(kernel);
  request.event_blocks = BlockChoice{};
  result.loaded = make_loaded(recorded(request), {9, 0}, {}, nullptr, MachineCode::made);
  result.selection = opening_selection(*result.loaded);
  return result;
}

TEST(Opening, BankConflictOpensAtItsStore) {
  const Opened at = opened("volkov_transposed");
  EXPECT_EQ(at.site().op, AccessOp::store);
  EXPECT_EQ(at.site().space, Space::shared);
  EXPECT_EQ(at.site().line, line_with(at.recording(), "as[x % K]"));
}

TEST(Opening, DivergenceOpensAtThePartialWarp) {
  const Opened sum = opened("vector_add");
  EXPECT_EQ(sum.selection.warp, 7u);
  EXPECT_EQ(sum.recording().events.mask[sum.event()], 0xffu);
  const Opened tile = opened("tiled_guarded");
  EXPECT_EQ(tile.recording().event_blocks[tile.selection.event_block], (Dim3{6, 6, 0}));
  EXPECT_EQ(tile.recording().events.mask[tile.event()], 0x000f000fu);
}

TEST(Opening, FaultOpensAtItsLine) {
  const Opened barrier = opened("barrier_divergence");
  EXPECT_EQ(barrier.selection.line, barrier.recording().findings[0].line);
  EXPECT_EQ(barrier.recording().events.mask[barrier.event()], 0xffffu)
      << "the lanes that came to the barrier";
  const Opened race = opened("missing_barrier");
  EXPECT_EQ(race.site().line, race.recording().findings[0].line);
}

/// In the last fill of the last block 4 x 4 elements of either tile come from a matrix, and the others are
/// zeros, not what was there before.
TEST(SharedContents, GuardedTilesDistinguishLoadedFromZero) {
  const Opened at = opened("tiled_guarded");
  const auto words =
      analysis::shared_contents(at.recording(), at.selection.event_block, at.selection.phase, true);
  ASSERT_EQ(words.size(), 2u * 16 * 16);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t y = i % 256 / 16, x = i % 16;
    ASSERT_TRUE(words[i].written);
    ASSERT_EQ(words[i].from_global, y < 4 && x < 4) << i;
    ASSERT_TRUE(!words[i].from_global || words[i].source.row == 96 + y) << i;
  }
}

}  // namespace
}  // namespace warplens::app
