// What the playground replays of a kernel is what a recording of the whole launch has there.
#include "app/session/kernel_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "app/launch/launch_menus.h"
#include "app/session/navigation.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::app {
namespace {

/// At the smallest of its sizes: whole launches are recorded beside it.
KernelTrial small_trial(const KernelDescriptor& kernel) {
  KernelTrial trial = trial_of(kernel, {9, 0});
  for (const ExtentInfo& extent : kernel.extents) {
    std::ranges::find(trial.values, std::string(1, extent.name), &NamedValue::name)->value =
        trial_sizes(kernel).front();
  }
  return trial;
}

void set(KernelTrial& trial, const std::string& name, std::int64_t value) {
  std::ranges::find(trial.values, name, &NamedValue::name)->value = value;
}

using Access = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t,
                          std::uint64_t>;  // Line, warp, mask, the lowest lane's address

std::multiset<Access> accesses_of(const Recording& recording, std::uint32_t block) {
  std::multiset<Access> accesses;
  for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
    const EventRange events = events_of_warp(recording, block, warp);
    for (std::size_t event = events.begin; event < events.end; ++event) {
      accesses.insert({recording.sites[recording.events.site[event]].line, warp, recording.events.mask[event],
                       recording.events.base[event]});
    }
  }
  return accesses;
}

std::uint64_t wavefronts_at(const Loaded& loaded, const Selection& selection) {
  const Recording& recording = *loaded.recording;
  const auto event = current_event(recording, selection);
  if (!event) return 0;
  const Site& site = recording.sites[recording.events.site[*event]];
  return access_cost(analysis::make_access(site, recording.shapes[recording.events.shape[*event]],
                                           recording.events.mask[*event], recording.events.base[*event]),
                     loaded.cc)
      .wavefronts;
}

TEST(KernelTrial, OffersEveryKernelWithParametersThatIsRight) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    const bool offered = std::ranges::find(tried_kernels(), &kernel) != tried_kernels().end();
    EXPECT_EQ(offered, !kernel.parameters.empty() && !kernel.fault) << kernel.id;
  }
}

TEST(KernelTrial, BlockEqualsTheWholeLaunch) {
  for (const KernelDescriptor* const kernel : tried_kernels()) {
    const KernelTrial trial = small_trial(*kernel);
    const auto loaded = recorded(trial);
    ASSERT_TRUE(loaded.ok()) << kernel->id << ": " << loaded.error().message();
    const Recording& alone = *(*loaded)->recording;
    ASSERT_EQ(alone.event_blocks.size(), 1u) << kernel->id;
    EXPECT_EQ(alone.verified, true) << kernel->id;
    LaunchRequest whole = launch_of_kernel(kernel->id, trial.values);
    whole.event_blocks = BlockChoice{.all = false, .blocks = {alone.event_blocks.front()}};
    const Result<Recording> recording = record(whole);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    EXPECT_EQ(accesses_of(alone, 0), accesses_of(*recording, 0)) << kernel->id;
  }
}

TEST(KernelTrial, ParametersMoveTheConflicts) {
  const SourceAccess read{25, "shared load of words"};
  const auto wavefronts = [&](std::int64_t stride, std::int64_t padding, std::int64_t swizzle) {
    KernelTrial trial = small_trial(*catalog().find("bank_stride"));
    set(trial, "stride", stride);
    set(trial, "padding", padding);
    set(trial, "swizzle", swizzle);
    const auto loaded = recorded(trial);
    EXPECT_TRUE(loaded.ok());
    const auto accesses = source_accesses(*(*loaded)->recording);
    EXPECT_NE(std::ranges::find(accesses, read), accesses.end())
        << accesses.back().line << " " << accesses.back().words;
    return wavefronts_at(**loaded, at_access(**loaded, read));
  };
  EXPECT_EQ(wavefronts(1, 0, 0), 1u);
  EXPECT_EQ(wavefronts(2, 0, 0), 2u);
  EXPECT_EQ(wavefronts(32, 0, 0), 32u);
  EXPECT_EQ(wavefronts(33, 0, 0), 1u);
  EXPECT_EQ(wavefronts(32, 1, 0), 1u);
  EXPECT_EQ(wavefronts(32, 0, 1), 1u);
}

TEST(KernelTrial, AnAccessThatIsNotMadeLeavesTheOpening) {
  const auto loaded = recorded(small_trial(*catalog().find("tiled")));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(at_access(**loaded, SourceAccess{1, "shared load of nothing"}),
            at_access(**loaded, std::nullopt));
}

TEST(KernelTrial, RemembersItsRuns) {
  KernelTrial trial = trial_of(*catalog().find("tiled"), {9, 0});
  set(trial, "T", 16);
  const Result<LaunchRequest> launch = launch_of(trial);
  ASSERT_TRUE(launch.ok());
  const Result<gpu::RunRequest> request = run_request_of(*launch);
  ASSERT_TRUE(request.ok()) << request.error().message();
  gpu::RunResult run;
  run.kernel = request->kernel;
  run.m = run.p = run.n = 1024;
  run.parameters = request->parameters;
  run.value_type = request->value_type;
  const std::vector<gpu::RunResult> runs{run};
  EXPECT_EQ(run_of(trial, runs), &runs.front());
  set(trial, "T", 32);
  EXPECT_EQ(run_of(trial, runs), nullptr);
}

TEST(KernelTrial, RefusesWhatCannotBeLaunched) {
  KernelTrial trial = trial_of(*catalog().find("tiled"), {9, 0});
  set(trial, "T", 3);
  EXPECT_FALSE(recorded(trial).ok());
}

TEST(TrialRecorder, LatestIsRecordedOnce) {
  TrialRecorder recorder;
  KernelTrial trial = small_trial(*catalog().find("bank_stride"));
  for (const std::int64_t stride : {3, 5, 7}) {
    set(trial, "stride", stride);
    recorder.follow(trial, {});
  }
  std::optional<Result<std::shared_ptr<const Loaded>>> outcome;
  while (!outcome) outcome = recorder.take();
  ASSERT_TRUE(outcome->ok());
  EXPECT_EQ((**outcome)->recording->parameters.front().value, 7);
  recorder.follow(trial, {});
  EXPECT_FALSE(recorder.busy()) << "it is the same";
}

}  // namespace
}  // namespace warplens::app
