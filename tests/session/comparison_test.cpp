#include "app/session/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "app/launch/launch.h"

namespace warplens::app {
namespace {

using Loading = std::shared_ptr<const Loaded>;

Loading side_of(const std::string& kernel, std::int64_t size, std::vector<NamedValue> values = {},
                analysis::ComputeCapability cc = {9, 0}) {
  for (const char* const extent : {"m", "p", "n"}) values.push_back({extent, size});
  LaunchRequest request = launch_of_kernel(kernel, std::move(values));
  request.cc = cc;
  Result<Recording> recording = record(request);
  return recording.ok() ? make_loaded(*std::move(recording), cc, {}, nullptr, MachineCode::made) : nullptr;
}

const ComparedFigure& figure(const Comparison& comparison, std::string_view id) {
  const auto found = std::ranges::find(comparison.figures, id, &ComparedFigure::id);
  if (found == comparison.figures.end()) throw std::runtime_error("no figure " + std::string(id));
  return *found;
}

std::uint64_t count(const std::optional<Amount>& amount) {
  return std::get<std::uint64_t>(amount.value());
}

// The picture of UI.md: each column of as, stored by 32 lanes, lies in two banks.
TEST(Comparison, PaddingRemovesConflicts) {
  const Loading a = side_of("volkov_transposed", 256), b = side_of("volkov_padded", 256);
  const Comparison comparison = compare({*a, {}}, {*b, {}});
  EXPECT_EQ(comparison.why_not_judged, "");
  const ComparedFigure& stores = figure(comparison, "as_written.shared_store.wavefronts");
  EXPECT_EQ(count(stores.a), a->report.shared_store.cost.wavefronts);
  EXPECT_EQ(count(stores.b), b->report.shared_store.cost.wavefronts);
  EXPECT_EQ(count(stores.a), 16 * count(stores.b));
  EXPECT_EQ(change_in_words(stores), "-122,880 (-94 %)");
  EXPECT_EQ(comparison.verdict(stores), Verdict::better);
  const ComparedFigure& loads = figure(comparison, "as_written.global_load.sectors");
  EXPECT_EQ(change_in_words(loads), "=");
  EXPECT_EQ(comparison.verdict(loads), Verdict::same);
  const ComparedFigure& shared = figure(comparison, "shared_bytes_a_block");
  EXPECT_EQ(count(shared.b), b->recording->shared_bytes);
  EXPECT_EQ(comparison.verdict(shared), Verdict::none) << "more or less of it is neither good nor bad";
  const Comparison back = compare({*b, {}}, {*a, {}});
  EXPECT_EQ(change_in_words(figure(back, "as_written.shared_store.wavefronts")), "+122,880 (16 times A)");
  EXPECT_EQ(back.verdict(figure(back, "as_written.shared_store.wavefronts")), Verdict::worse);
}

TEST(Comparison, AsCompiledEqualsTheReport) {
  const Loading a = side_of("tiled", 128, {{"T", 16}}), b = side_of("tiled", 128, {{"T", 32}});
  ASSERT_TRUE(a->compiled.has_counts()) << a->compiled.why_not();
  const Comparison comparison = compare({*a, {}}, {*b, {}});
  const ComparedFigure& loads = figure(comparison, "as_compiled.shared_load.wavefronts");
  EXPECT_EQ(count(loads.a), a->compiled.report.shared_load.cost.wavefronts);
  EXPECT_EQ(count(loads.b), b->compiled.report.shared_load.cost.wavefronts);
  EXPECT_EQ(count(figure(comparison, "registers_a_thread").a), a->occupancy.needs_for({9, 0}).registers);
  EXPECT_TRUE(comparison.a_not_compiled.empty());
}

TEST(Comparison, DifferentWorkHasNoVerdict) {
  const Loading a = side_of("tiled", 64), b = side_of("tiled", 128);
  const Comparison comparison = compare({*a, {}}, {*b, {}});
  EXPECT_NE(comparison.why_not_judged, "");
  const ComparedFigure& loads = figure(comparison, "as_written.global_load.requests");
  EXPECT_EQ(comparison.verdict(loads), Verdict::none);
  EXPECT_EQ(change_in_words(loads), "+3,584 (8 times A)") << "the figures are still there";
}

TEST(Comparison, SectorsAndTransactionsAreNotCompared) {
  const Loading a = side_of("tiled", 64, {}, {1, 0}), b = side_of("tiled", 64);
  const Comparison comparison = compare({*a, {}}, {*b, {}});
  const ComparedFigure& loads = figure(comparison, "as_written.global_load.sectors");
  EXPECT_EQ(change_in_words(loads), "");
  EXPECT_EQ(comparison.verdict(loads), Verdict::none);
  EXPECT_EQ(change_in_words(figure(comparison, "as_written.global_load.requests")), "=");
  EXPECT_NE(comparison.why_not_judged, "");
}

TEST(Comparison, TimesOfDifferentDevicesAreNotCompared) {
  const Loading a = side_of("naive", 32);
  const MeasuredTime slow{"H100", 20, 0.0187, 0.0185, 0.0190, 100},
      fast{"H100", 20, 0.0161, 0.0160, 0.0163, 116}, elsewhere{"H200", 20, 0.0161, 0.0160, 0.0163, 116},
      nearly{"H100", 20, 0.0162, 0.0161, 0.0164, 115};
  const Comparison comparison = compare({*a, slow}, {*a, fast});
  EXPECT_EQ(change_in_words(figure(comparison, "measured.median_ms")), "1.16 times as fast");
  EXPECT_EQ(comparison.verdict(figure(comparison, "measured.median_ms")), Verdict::better);
  EXPECT_EQ(comparison.verdict(figure(comparison, "measured.gflops")), Verdict::better);
  EXPECT_EQ(change_in_words(figure(compare({*a, fast}, {*a, slow}), "measured.median_ms")),
            "1.16 times as long");
  EXPECT_EQ(change_in_words(figure(compare({*a, slow}, {*a, elsewhere}), "measured.median_ms")), "");
  EXPECT_EQ(in_words(figure(compare({*a, {}}, {*a, fast}), "measured.median_ms").a), "-");
  const Comparison close = compare({*a, fast}, {*a, nearly});
  EXPECT_EQ(change_in_words(figure(close, "measured.median_ms")), "no difference")
      << "half of the launches of one take as long as half of the other's";
  EXPECT_EQ(close.verdict(figure(close, "measured.gflops")), Verdict::same);
}

TEST(Comparison, SmallChangesAreNotRoundedToZeroOrAll) {
  const auto change = [](std::uint64_t a, std::uint64_t b) { return change_in_words({.a = a, .b = b}); };
  EXPECT_EQ(change(1'000'000, 1), "-999,999 (-99.99 %)");
  EXPECT_EQ(change(1'000'000, 0), "-1,000,000 (-100 %)");
  EXPECT_EQ(change(0, 7), "+7");
  EXPECT_EQ(change(1000, 1001), "+1 (+0.10 %)");
  EXPECT_EQ(change(100, 150), "+50 (+50 %)");
}

}  // namespace
}  // namespace warplens::app
