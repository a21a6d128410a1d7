#include "app/session/loaded.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/launch/launch_menus.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

/// The launch of which the window draws one block.
LaunchRequest drawn_launch(const std::string& kernel, std::int64_t size) {
  LaunchRequest request = launch_of_kernel(kernel, {{"m", size}, {"p", size}, {"n", size}});
  request.cc = {9, 0};
  const auto grid = grid_of(request);
  EXPECT_TRUE(grid.ok());
  if (grid.ok()) request.event_blocks = BlockChoice{.all = false, .blocks = {middle_of(*grid)}};
  return request;
}

std::vector<std::uint64_t> counts_of(const analysis::ElementTable& table) {
  std::vector<std::uint64_t> counts;
  table.for_each([&](std::uint64_t element, std::uint32_t count) {
    counts.push_back(element);
    counts.push_back(count);
  });
  return counts;
}

TEST(RecordLoaded, EqualsRecordThenVerify) {
  const LaunchRequest request = drawn_launch("tiled", 2048);
  auto recording = record(request);
  const auto together = record_loaded(request);
  ASSERT_TRUE(recording.ok() && together.ok());
  EXPECT_LT(recording->blocks_replayed(), recording->blocks_total) << "it is large";
  EXPECT_EQ((*together)->recording->verified, true);
  EXPECT_EQ(recording->verified, true);
  EXPECT_EQ((*together)->recording->totals, recording->totals);
  const auto loaded = make_loaded(*std::move(recording), request.cc);
  ASSERT_EQ((*together)->facts->element_counts.size(), loaded->facts->element_counts.size());
  for (std::size_t i = 0; i < loaded->facts->element_counts.size(); ++i) {
    const analysis::ElementCounts &a = (*together)->facts->element_counts[i],
                                  &b = loaded->facts->element_counts[i];
    EXPECT_FALSE(counts_of(a.reads).empty() && counts_of(a.writes).empty());
    EXPECT_EQ(counts_of(a.reads), counts_of(b.reads));
    EXPECT_EQ(counts_of(a.writes), counts_of(b.writes));
  }
  EXPECT_EQ((*together)->facts->phase_kinds, loaded->facts->phase_kinds);
  EXPECT_EQ((*together)->facts->source_file, loaded->facts->source_file);
}

TEST(RecordLoaded, IsShownBeforeItIsVerified) {
  const LaunchRequest request = drawn_launch("tiled", 2048);
  std::shared_ptr<const Loaded> shown;
  const EarlyPicture at_once{std::chrono::milliseconds(0),
                             [&](std::shared_ptr<const Loaded> loaded) { shown = std::move(loaded); }};
  const auto loaded = record_loaded(request, nullptr, MachineCode::at_hand, at_once);
  ASSERT_TRUE(loaded.ok() && shown != nullptr);
  EXPECT_EQ(shown->verifying, Verifying::going_on);
  EXPECT_EQ(shown->verified, std::nullopt);
  EXPECT_EQ((*loaded)->recording, shown->recording);
  EXPECT_EQ((*loaded)->verifying, Verifying::done);
  EXPECT_EQ((*loaded)->verified, true);
  EXPECT_EQ(with_rules(**loaded, {7, 0})->verified, true);

  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "shown_before_it_is_verified.wlr";
  ASSERT_TRUE(save(**loaded, file).ok());
  const auto saved = warplens::load(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(saved->verified, true);

  const EarlyPicture in_an_hour{std::chrono::hours(1), [&](const std::shared_ptr<const Loaded>&) {
                                  FAIL() << "it is verified by then";
                                }};
  const auto verified = record_loaded(request, nullptr, MachineCode::at_hand, in_an_hour);
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ((*verified)->verified, true);
  EXPECT_EQ((*verified)->recording->verified, true);
}

TEST(RecordLoaded, IsCancelledWhileItIsVerified) {
  replay::Progress progress;
  const EarlyPicture at_once{std::chrono::milliseconds(0),
                             [&](const std::shared_ptr<const Loaded>&) { progress.cancel = true; }};
  const auto loaded =
      record_loaded(drawn_launch("buffered_row", 4096), &progress, MachineCode::at_hand, at_once);
  EXPECT_TRUE(!loaded.ok() || (*loaded)->verified == true) << "where it was done by then";
}

TEST(RecordLoaded, DefersSlowResults) {
  const LaunchRequest request = drawn_launch("buffered_row", 4096);  // Five million warp instructions a block
  const auto at_first = record_loaded(request, nullptr, MachineCode::at_hand);
  ASSERT_TRUE(at_first.ok());
  EXPECT_TRUE(left_for_later(**at_first));
  EXPECT_TRUE((*at_first)->compiled.has_listing());
  EXPECT_EQ((*at_first)->compiled.why_not(), "it is being followed");
  const auto at_last = with_rules(**at_first, request.cc, nullptr, MachineCode::made);
  EXPECT_FALSE(left_for_later(*at_last));
  EXPECT_TRUE(at_last->compiled.has_counts());
  EXPECT_EQ(at_last->recording, (*at_first)->recording);

  LaunchRequest next = request;
  next.event_blocks = BlockChoice{.all = false, .blocks = {{7, 0, 0}}};
  const auto walked = record_loaded(next, nullptr, MachineCode::at_hand);
  ASSERT_TRUE(walked.ok());
  EXPECT_TRUE(left_for_later(**walked));
  const auto with = with_machine_code_of(*walked, *at_last);
  EXPECT_FALSE(left_for_later(*with));
  EXPECT_EQ(with->recording, (*walked)->recording);
  EXPECT_EQ(with->compiled.executed, as_compiled(*(*walked)->recording, request.cc).executed);
  EXPECT_EQ(with_machine_code_of(*walked, **at_first), *walked) << "there is nothing to take";
}

TEST(RecordLoaded, DefersLocalAccessesOfVariants) {
  const LaunchRequest request = drawn_launch("register_tile", 256);
  const auto at_first = record_loaded(request, nullptr, MachineCode::at_hand);
  ASSERT_TRUE(at_first.ok());
  EXPECT_TRUE(left_for_later(**at_first));
  const auto at_last = with_rules(**at_first, request.cc, nullptr, MachineCode::made);
  EXPECT_FALSE(left_for_later(*at_last));
  std::uint64_t accesses = 0;
  for (const analysis::CompiledResources& resources : at_last->occupancy.compiled) {
    for (const analysis::CompiledVariant& variant : resources.variants)
      accesses += variant.local_loads.value_or(0);
  }
  EXPECT_GT(accesses, 0u);
}

}  // namespace
}  // namespace warplens::app
