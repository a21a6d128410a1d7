// What is said of loops that the compiler unrolled, on the ladder's own kernels: a copy of a line is none of
// the source's iterations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "app/session/loaded.h"
#include "viz/analysis/totals.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

Recording recorded_kernel(const char* kernel, std::int64_t depth) {
  LaunchRequest request = launch_of_kernel(kernel, {{"m", 32}, {"p", depth}, {"n", 32}});
  request.event_blocks = BlockChoice{};
  Result<Recording> recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? std::move(*recording) : Recording{};
}

picture::Moment start_of(const Recording& recording, std::uint32_t phase) {
  return {&recording, {9, 0}, 0, 0, phase, 0};
}

/// The turns of the first warp's accesses of that name in a range, in order.
std::vector<picture::Turn> turns_of(const picture::Moment& moment, EventRange range, const char* name) {
  std::vector<picture::Turn> turns;
  for (std::size_t event = range.begin; event < range.end; ++event) {
    if (access_name(moment, event) == name) turns.push_back(turn_of(moment, event));
  }
  return turns;
}

void expect_run(const std::vector<picture::Turn>& turns, std::size_t all) {
  ASSERT_EQ(turns.size(), all);
  for (std::size_t at = 0; at < all; ++at) {
    EXPECT_EQ(turns[at].number, at + 1);
    EXPECT_EQ(turns[at].of, all);
  }
}

// nvcc makes four iterations one pass, and what is left over passes of their own; the turns count the
// source's p terms all the same.
TEST(Unrolled, PassOfUnrolledLoopIsNotAnIteration) {
  for (const std::int64_t depth : {64, 63, 65, 5}) {
    SCOPED_TRACE(depth);
    const Recording recording = recorded_kernel("naive", depth);
    ASSERT_FALSE(recording.phases_are_barriers);
    EXPECT_LT(recording.phases.size(), static_cast<std::size_t>(depth));
    const picture::Moment moment = start_of(recording, 0);
    const EventRange all = events_of_warp(recording, 0, 0);
    expect_run(turns_of(moment, all, "global load of A"), static_cast<std::size_t>(depth));
    expect_run(turns_of(moment, all, "global load of B"), static_cast<std::size_t>(depth));
  }
  const Recording recording = recorded_kernel("naive", 64);
  EXPECT_EQ(phase_in_words(analysis::phase_kinds(recording), 10), "pass 11 of 16");
  const picture::Moment moment = start_of(recording, 10);
  EXPECT_EQ(moment_name(moment, moment.steps().begin + 7),
            "line 12 · global load of A, 44 of 64 · warp 0 · pass 11 · step 8 of 8");
}

TEST(Unrolled, CopiesOfALineAreNumberedThroughThePhase) {
  constexpr std::size_t kTile = 32;
  for (const char* kernel : {"tiled", "tiled_unroll4"}) {
    SCOPED_TRACE(kernel);
    const Recording recording = recorded_kernel(kernel, 64);
    ASSERT_TRUE(recording.phases_are_barriers);
    const picture::Moment fill = start_of(recording, 2), compute = start_of(recording, 3);
    const std::size_t elements = std::string_view(kernel) == "tiled" ? 1 : 4;
    expect_run(turns_of(fill, fill.steps(), "global load of A"), elements);
    expect_run(turns_of(fill, fill.steps(), "shared store to bs"), elements);
    expect_run(turns_of(compute, compute.steps(), "shared load of bs"), kTile);
  }
  const Recording tiled = recorded_kernel("tiled", 64);
  const picture::Moment fill = start_of(tiled, 2);
  EXPECT_EQ(moment_name(fill, fill.steps().begin),
            "line 20 · global load of A · warp 0 · tile 2, fill · step 1 of 4");
}

TEST(Unrolled, WithoutALoopThereIsNoPass) {
  LaunchRequest request = launch_of_kernel("vector_add");
  request.event_blocks = BlockChoice{};
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(phase_in_words(analysis::phase_kinds(*recording), 0), "one phase");
  const picture::Moment moment = start_of(*recording, 0);
  EXPECT_EQ(moment_name(moment, moment.steps().begin).find("pass"), std::string::npos);
}

}  // namespace
}  // namespace warplens::app
