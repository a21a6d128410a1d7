// Several recordings held at once: shared, judged beside, walked through.
#include "app/session/shelf.h"

#include <gtest/gtest.h>

#include "app/launch/launch.h"
#include "app/session/counter_check.h"

namespace warplens::app {
namespace {

std::shared_ptr<const Loaded> recorded(std::int64_t size, std::int64_t tile) {
  LaunchRequest request = launch_of_rung("tiled", {{"m", size}, {"p", size}, {"n", size}, {"T", tile}});
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
  const auto fermi = judged_by(*hopper, {2, 0});
  EXPECT_EQ(fermi->recording, hopper->recording) << "the same object";
  EXPECT_EQ(fermi->facts, hopper->facts);
  EXPECT_EQ(fermi->cc, (analysis::ComputeCapability{2, 0}));
  const auto anew = make_loaded(*hopper->recording, {2, 0});
  EXPECT_EQ(fermi->report.global_load.cost, anew->report.global_load.cost);
  EXPECT_EQ(fermi->report.shared_load.cost, anew->report.shared_load.cost);
  EXPECT_NE(fermi->report.global_load.cost, hopper->report.global_load.cost);
}

TEST(Shelf, GoesBackAndForwardEachWithItsSelection) {
  Shelf shelf;
  EXPECT_EQ(shelf.size(), 0u);
  EXPECT_FALSE(shelf.can_go_back() || shelf.can_go_forward());
  const auto first = recorded(32, 8), second = recorded(32, 16), third = recorded(32, 32);
  shelf.add(shown(first, 1));
  EXPECT_FALSE(shelf.can_go_back()) << "there was nothing before it";
  shelf.selection().step = 5;
  shelf.add(shown(second, 2));
  shelf.selection().step = 7;
  shelf.go_back();
  EXPECT_EQ(shelf.current().loaded, first);
  EXPECT_EQ(shelf.selection().step, 5u);
  shelf.go_back();
  EXPECT_EQ(shelf.current().loaded, first) << "no further";
  shelf.go_forward();
  EXPECT_EQ(shelf.current().loaded, second);
  EXPECT_EQ(shelf.selection().step, 7u);
  shelf.go_back();
  shelf.add(shown(third, 3));
  EXPECT_FALSE(shelf.can_go_forward()) << "what was gone back from is forgotten";
  EXPECT_EQ(shelf.size(), 2u);
}

TEST(Shelf, SameLaunchReplacesTheOneOnScreen) {
  Shelf shelf;
  const auto first = recorded(32, 8), again = recorded(32, 8);
  shelf.add(shown(first, 1));
  shelf.add(shown(again, 1));
  EXPECT_EQ(shelf.size(), 1u);
  EXPECT_EQ(shelf.current().loaded, again);
  EXPECT_FALSE(shelf.can_go_back());
}

TEST(Shelf, VerdictIsAddedToItsRecording) {
  const auto first = recorded(32, 8), second = recorded(32, 16);
  Shelf shelf;
  shelf.add(shown(with_verdict(*first, Verifying::going_on), 1));
  shelf.add(shown(second, 2));
  shelf.take_verdict(*first->recording, Verifying::done, false);
  EXPECT_EQ(shelf.current().loaded, second);
  shelf.go_back();
  EXPECT_EQ(shelf.current().loaded->recording, first->recording);
  EXPECT_EQ(shelf.current().loaded->verifying, Verifying::done);
  EXPECT_EQ(shelf.current().loaded->verified, false);
}

TEST(Shelf, WhatAGpuCountedStaysWithItsLaunch) {
  const LaunchCounters counters{.global_load_sectors = 7};
  const auto loaded = recorded(32, 8);
  const auto judged_before = judged_by(*loaded, {8, 0});
  Shelf shelf;
  shelf.add(shown(loaded, 1));
  shelf.judge_anew(with_hardware(*loaded, counters));
  shelf.judge_anew(judged_before);
  ASSERT_NE(shelf.current().loaded->hardware, nullptr) << "judged before the GPU had counted";
  EXPECT_EQ(shelf.current().loaded->cc, (analysis::ComputeCapability{8, 0}));
  shelf.add(shown(recorded(32, 8), 1));
  ASSERT_NE(shelf.current().loaded->hardware, nullptr) << "recorded again, of another block";
  EXPECT_EQ(*shelf.current().loaded->hardware, counters);
  shelf.add(shown(recorded(32, 16), 2));
  EXPECT_EQ(shelf.current().loaded->hardware, nullptr) << "another launch";
}

TEST(Shelf, RecomputesOnlyTheOneOnScreen) {
  Shelf shelf;
  const auto first = recorded(32, 8), second = recorded(32, 16);
  shelf.add(shown(first, 1));
  shelf.selection().warp = 1;
  const auto judged = judged_by(*first, {2, 0});
  shelf.judge_anew(judged);
  EXPECT_EQ(shelf.current().loaded, judged);
  EXPECT_EQ(shelf.selection().warp, 1u);
  shelf.add(shown(second, 2));
  shelf.judge_anew(judged_by(*first, {5, 0}));
  EXPECT_EQ(shelf.current().loaded, second);
}

TEST(Shelf, EvictsTheOldestButNeverTheOneOnScreen) {
  const auto one = recorded(64, 8);
  const std::uint64_t bytes = one->recording->events.size() * 36;
  Shelf shelf(bytes * 5 / 2);  // Two and a half besides the one on screen: patterns and PTX take some, too
  for (int i = 0; i < 8; ++i) shelf.add(shown(recorded(64, 8), i + 1));
  EXPECT_EQ(shelf.size(), 3u);
  Shelf none(0);
  none.add(shown(one, 1));
  none.add(shown(one, 2));
  EXPECT_EQ(none.size(), 1u);
  EXPECT_EQ(none.current().loaded, one);
}

TEST(Shelf, OneSelectionFitsAnotherRecordingOfTheSameLaunch) {
  const auto a = recorded(32, 8), b = recorded(32, 8), c = recorded(32, 16);
  EXPECT_TRUE(comparable(*a->recording, *b->recording));
  EXPECT_FALSE(comparable(*a->recording, *c->recording));
  Recording of_file = *a->recording;
  of_file.origin = Origin::file;
  EXPECT_FALSE(comparable(*a->recording, of_file)) << "whatever its name";
}

}  // namespace
}  // namespace warplens::app
