// Several recordings held at once: shared, costed beside, walked through.
#include "app/session/recordings.h"

#include <gtest/gtest.h>

#include "app/launch/launch.h"
#include "app/session/counter_check.h"

namespace warplens::app {
namespace {

std::shared_ptr<const Loaded> recorded(std::int64_t size, std::int64_t tile) {
  LaunchRequest request = launch_of_kernel("tiled", {{"m", size}, {"p", size}, {"n", size}, {"T", tile}});
  request.event_blocks = BlockChoice{};
  Result<Recording> recording = record(request);
  EXPECT_TRUE(recording.ok());
  return make_loaded(*std::move(recording), {9, 0});
}

/// Of a launch of its own.
Shown shown(std::shared_ptr<const Loaded> loaded, std::int64_t launch) {
  Shown shown{.loaded = std::move(loaded), .selection = {}, .menus = {}};
  shown.menus.launch.set("n", launch);
  return shown;
}

TEST(Loaded, OtherRulesShareTheRecording) {
  const auto hopper = recorded(64, 16);
  const auto fermi = with_rules(*hopper, {2, 0});
  EXPECT_EQ(fermi->recording, hopper->recording) << "the same object";
  EXPECT_EQ(fermi->facts, hopper->facts);
  EXPECT_EQ(fermi->cc, (analysis::ComputeCapability{2, 0}));
  const auto anew = make_loaded(*hopper->recording, {2, 0});
  EXPECT_EQ(fermi->report.global_load.cost, anew->report.global_load.cost);
  EXPECT_EQ(fermi->report.shared_load.cost, anew->report.shared_load.cost);
  EXPECT_NE(fermi->report.global_load.cost, hopper->report.global_load.cost);
}

TEST(Recordings, GoesBackAndForwardEachWithItsSelection) {
  Recordings recordings;
  EXPECT_EQ(recordings.size(), 0u);
  EXPECT_FALSE(recordings.can_go_back() || recordings.can_go_forward());
  const auto first = recorded(32, 8), second = recorded(32, 16), third = recorded(32, 32);
  recordings.add(shown(first, 1));
  EXPECT_FALSE(recordings.can_go_back()) << "there was nothing before it";
  recordings.selection().step = 5;
  recordings.add(shown(second, 2));
  recordings.selection().step = 7;
  recordings.go_back();
  EXPECT_EQ(recordings.current().loaded, first);
  EXPECT_EQ(recordings.selection().step, 5u);
  recordings.go_back();
  EXPECT_EQ(recordings.current().loaded, first) << "no further";
  recordings.go_forward();
  EXPECT_EQ(recordings.current().loaded, second);
  EXPECT_EQ(recordings.selection().step, 7u);
  recordings.go_back();
  recordings.add(shown(third, 3));
  EXPECT_FALSE(recordings.can_go_forward()) << "what was gone back from is forgotten";
  EXPECT_EQ(recordings.size(), 2u);
}

TEST(Recordings, SameLaunchReplacesTheOneOnScreen) {
  Recordings recordings;
  const auto first = recorded(32, 8), again = recorded(32, 8);
  recordings.add(shown(first, 1));
  recordings.add(shown(again, 1));
  EXPECT_EQ(recordings.size(), 1u);
  EXPECT_EQ(recordings.current().loaded, again);
  EXPECT_FALSE(recordings.can_go_back());
}

TEST(Recordings, VerdictIsAddedToItsRecording) {
  const auto first = recorded(32, 8), second = recorded(32, 16);
  Recordings recordings;
  recordings.add(shown(with_verdict(*first, Verifying::going_on), 1));
  recordings.add(shown(second, 2));
  recordings.take_verdict(*first->recording, Verifying::done, false);
  EXPECT_EQ(recordings.current().loaded, second);
  recordings.go_back();
  EXPECT_EQ(recordings.current().loaded->recording, first->recording);
  EXPECT_EQ(recordings.current().loaded->verifying, Verifying::done);
  EXPECT_EQ(recordings.current().loaded->verified, false);
}

TEST(Recordings, WhatAGpuCountedStaysWithItsLaunch) {
  const LaunchCounters counters{.global_load_sectors = 7};
  const auto loaded = recorded(32, 8);
  const auto costed_before = with_rules(*loaded, {8, 0});
  Recordings recordings;
  recordings.add(shown(loaded, 1));
  recordings.replace_current(with_hardware(*loaded, counters));
  recordings.replace_current(costed_before);
  ASSERT_NE(recordings.current().loaded->hardware, nullptr) << "costed before the GPU had counted";
  EXPECT_EQ(recordings.current().loaded->cc, (analysis::ComputeCapability{8, 0}));
  recordings.add(shown(recorded(32, 8), 1));
  ASSERT_NE(recordings.current().loaded->hardware, nullptr) << "recorded again, of another block";
  EXPECT_EQ(*recordings.current().loaded->hardware, counters);
  recordings.add(shown(recorded(32, 16), 2));
  EXPECT_EQ(recordings.current().loaded->hardware, nullptr) << "another launch";
}

TEST(Recordings, RecomputesOnlyTheOneOnScreen) {
  Recordings recordings;
  const auto first = recorded(32, 8), second = recorded(32, 16);
  recordings.add(shown(first, 1));
  recordings.selection().warp = 1;
  const auto costed = with_rules(*first, {2, 0});
  recordings.replace_current(costed);
  EXPECT_EQ(recordings.current().loaded, costed);
  EXPECT_EQ(recordings.selection().warp, 1u);
  recordings.add(shown(second, 2));
  recordings.replace_current(with_rules(*first, {5, 0}));
  EXPECT_EQ(recordings.current().loaded, second);
}

TEST(Recordings, EvictsTheOldestButNeverTheOneOnScreen) {
  const auto one = recorded(64, 8);
  const std::uint64_t bytes = one->recording->events.size() * 36;
  Recordings recordings(bytes * 5 /
                        2);  // Two and a half besides the one on screen: patterns and PTX take some, too
  for (int i = 0; i < 8; ++i) recordings.add(shown(recorded(64, 8), i + 1));
  EXPECT_EQ(recordings.size(), 3u);
  Recordings none(0);
  none.add(shown(one, 1));
  none.add(shown(one, 2));
  EXPECT_EQ(none.size(), 1u);
  EXPECT_EQ(none.current().loaded, one);
}

TEST(Recordings, OneSelectionFitsAnotherRecordingOfTheSameLaunch) {
  const auto a = recorded(32, 8), b = recorded(32, 8), c = recorded(32, 16);
  EXPECT_TRUE(comparable(*a->recording, *b->recording));
  EXPECT_FALSE(comparable(*a->recording, *c->recording));
  Recording of_file = *a->recording;
  of_file.origin = Origin::file;
  EXPECT_FALSE(comparable(*a->recording, of_file)) << "whatever its name";
}

}  // namespace
}  // namespace warplens::app
