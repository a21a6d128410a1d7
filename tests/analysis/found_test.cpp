#include "viz/analysis/found.h"

#include <gtest/gtest.h>

#include "recording/sample.h"

namespace warplens::analysis {
namespace {

Recording with_buffer() {
  Recording recording;
  recording.buffers = {{"A", ElementType::f32, 0x1000, 160, 1, 40, 40},
                       {"B", ElementType::f64, 0x10000, 128, 4, 4, 4}};
  return recording;
}

TEST(Beyond, IsRelativeToTheNearestBuffer) {
  const Recording recording = with_buffer();
  EXPECT_FALSE(beyond(recording, 0x1000, 4));
  EXPECT_FALSE(beyond(recording, 0x1000 + 156, 4));
  const auto behind = beyond(recording, 0x1000 + 164, 4);
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->buffer, 0u);
  EXPECT_FALSE(behind->before || behind->across);
  EXPECT_EQ(behind->distance, 4u);
  EXPECT_EQ(behind->element, 41);
  EXPECT_EQ(behind->edge, 0x1000u + 160);
  const auto across = beyond(recording, 0x1000 + 152, 16);
  ASSERT_TRUE(across);
  EXPECT_TRUE(across->across);
  const auto before = beyond(recording, 0x1000 - 6, 4);
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->before);
  EXPECT_EQ(before->distance, 6u);
  EXPECT_EQ(before->element, -2);
  EXPECT_EQ(before->edge, 0x1000u);
  const auto nearer = beyond(recording, 0xfff8, 8);
  EXPECT_EQ(nearer->buffer, 1u) << "of two the nearer, as the replay says it";
  EXPECT_TRUE(nearer->before);
  EXPECT_EQ(nearer->element, -1);
  EXPECT_EQ(beyond(recording, (0x1000 + 160 + 0x10000) / 2, 8)->buffer, 0u) << "of two as near the one below";
  EXPECT_FALSE(beyond(recording, std::uint64_t{1} << 40, 4)) << "no buffer is near";
}

/// Of the sample: the load of A in block 0, warp 1, phase 2, as if lanes had been cut from it.
struct Tried {
  Recording recording = sample::make();
  std::size_t event = 0;
  Tried() {
    const EventRange phase = events_of_phase(recording, 0, 1, 2);
    event = phase.begin;
    Finding finding{.kind = FindingKind::out_of_bounds, .block = {0, 0, 0}, .warp = 1, .lanes = 0xf0000000};
    finding.access = FoundAccess{.instruction = recording.sites[recording.events.site[event]].instruction,
                                 .space = Space::global,
                                 .op = AccessOp::load,
                                 .bytes = 4,
                                 .phase = 2,
                                 .tried = 0xffffffff,
                                 .addresses = {1, 2, 3, 4}};
    recording.events.mask[event] = 0x0fffffff;
    recording.findings = {finding};
  }
};

TEST(FoundAt, AnEventLacksTheLanesThatWereCut) {
  Tried tried;
  EXPECT_EQ(event_of(tried.recording, tried.recording.findings[0]), tried.event);
  const auto found = found_at(tried.recording, tried.event);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].lanes, 0xf0000000u);
  EXPECT_EQ(found[0].cut, 0xf0000000u);
  EXPECT_FALSE(found[0].is_other);
  EXPECT_TRUE(found_at(tried.recording, tried.event + 1).empty());
  EXPECT_EQ(found_address(tried.recording.findings[0], 30), 3u);
  tried.recording.events.mask[tried.event] =
      0xffffffff;  // All lanes came through, and elsewhere: that is another access
  EXPECT_FALSE(event_of(tried.recording, tried.recording.findings[0]));
  EXPECT_EQ(found_alone(tried.recording, 0).cut, 0xf0000000u);
}

TEST(FoundAt, UnrecordedPlacesHaveNone) {
  Tried tried;
  tried.recording.findings[0].access.reset();
  EXPECT_FALSE(event_of(tried.recording, tried.recording.findings[0]));
  EXPECT_TRUE(found_at(tried.recording, tried.event).empty());
  Tried elsewhere;
  elsewhere.recording.findings[0].block = {1, 1, 0};  // Has no events
  EXPECT_FALSE(event_of(elsewhere.recording, elsewhere.recording.findings[0]));
}

/// The sample's read of as on line 9 and its fill on line 6, in one phase: what both touch is what they race
/// for.
TEST(FoundAt, ARaceHasBothAccessesAndWhatTheyShare) {
  Recording recording = sample::make();
  const EventRange fills = events_of_phase(recording, 0, 3, 0), reads = events_of_phase(recording, 0, 3, 1);
  const std::size_t fill = fills.begin + 1, read = reads.begin;
  ASSERT_EQ(recording.events.site[fill], sample::kFillA);
  ASSERT_EQ(recording.events.site[read], sample::kReadA);
  for (std::size_t event = reads.begin; event < reads.end; ++event) recording.events.phase[event] = 0;
  Finding finding{
      .kind = FindingKind::race, .line = 9, .other_line = 6, .block = {0, 0, 0}, .warp = 3, .lanes = 1};
  const std::uint64_t address = lane_address(recording, read, 0);
  finding.access = FoundAccess{.instruction = recording.sites[sample::kReadA].instruction,
                               .space = Space::shared,
                               .op = AccessOp::load,
                               .bytes = 4,
                               .phase = 0,
                               .tried = ~0u,
                               .addresses = {address}};
  finding.other = OtherAccess{.instruction = recording.sites[sample::kFillA].instruction,
                              .op = AccessOp::store,
                              .block = {0, 0, 0},
                              .warp = 3,
                              .lane = 0,
                              .address = address};
  recording.findings = {finding};
  EXPECT_EQ(event_of(recording, finding), read);
  EXPECT_EQ(event_of_other(recording, finding), fill);
  const auto here = found_at(recording, read), there = found_at(recording, fill);
  ASSERT_EQ(here.size(), 1u);
  ASSERT_EQ(there.size(), 1u);
  EXPECT_TRUE(there[0].is_other);
  EXPECT_EQ(there[0].lanes, 1u);
  EXPECT_EQ(here[0].both, (std::vector<ByteRange>{{address, address + 4}}));
  EXPECT_EQ(there[0].both, here[0].both);
}

TEST(FoundAt, TheOtherAccessInGlobalMemoryMayBeOfAnotherPhase) {
  Recording recording = sample::make();
  ASSERT_TRUE(recording.phases_are_barriers);
  const auto first_global = [&](std::uint32_t warp, std::uint32_t phase) {
    const EventRange range = events_of_phase(recording, 0, warp, phase);
    std::size_t event = range.begin;
    while (event < range.end && recording.sites[recording.events.site[event]].space != Space::global) ++event;
    EXPECT_LT(event, range.end);
    return event;
  };
  const std::size_t here = first_global(3, 2), there = first_global(0, 0);
  const auto access_of = [&](std::size_t event) { return recording.sites[recording.events.site[event]]; };
  Finding finding{.kind = FindingKind::race, .line = 9, .other_line = 6, .warp = 3, .lanes = 1};
  finding.access = FoundAccess{.instruction = access_of(here).instruction,
                               .space = Space::global,
                               .op = access_of(here).op,
                               .bytes = 4,
                               .phase = 2,
                               .tried = ~0u,
                               .addresses = {lane_address(recording, here, 0)}};
  finding.other = OtherAccess{.instruction = access_of(there).instruction,
                              .op = access_of(there).op,
                              .warp = 0,
                              .lane = 0,
                              .address = lane_address(recording, there, 0)};
  EXPECT_TRUE(event_of_other(recording, finding));
}

}  // namespace
}  // namespace warplens::analysis
