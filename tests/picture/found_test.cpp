// Findings at the access that they are of: who is at fault, what both accesses of a race touch, where a
// buffer ends.
#include "viz/picture/found.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/pseudo_language.h"
#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/picture/banks.h"
#include "viz/picture/coalescing.h"

namespace warplens::picture {
namespace {

constexpr Size kSize{900, 420};

/// The events of tests/picture/kernels.h, by line.
Moment moment_on(const Recording& recording, std::uint32_t line) {
  const std::uint32_t finding = test::finding_on(recording, line);
  const auto event = analysis::event_of(recording, recording.findings[finding]);
  EXPECT_TRUE(event) << "line " << line;
  const std::uint32_t warp = recording.findings[finding].warp;
  return {&recording, kHopper, 0, warp, 0, event ? recording.events.order[*event] : 0};
}

/// Frames in the colour of what is wrong.
std::vector<Rect> marks(const Picture& picture) {
  std::vector<Rect> found;
  for (const Item& item : picture.items) {
    const auto* frame = std::get_if<OutlinedRect>(&item);
    if (frame != nullptr && frame->colour == kStyle.palette->costly) found.push_back(frame->rect);
  }
  return found;
}

std::vector<std::string> tooltips(const Picture& picture, const std::string& words) {
  std::vector<std::string> found;
  for (const Region& region : picture.regions) {
    if (region.tooltip.find(words) != std::string::npos) found.push_back(region.tooltip);
  }
  return found;
}

const Region* link_of(const Picture& picture) {
  const auto found = std::ranges::find_if(
      picture.regions, [](const Region& region) { return region.target.kind == Target::Kind::finding; });
  return found == picture.regions.end() ? nullptr : &*found;
}

TEST(Found, LaneRaceMarksBothAccesses) {
  const Recording recording = test::wrong();
  const std::uint32_t finding = test::finding_on(recording, 4);
  const Picture later = make_banks(moment_on(recording, 4), {}, kSize, kStyle);
  EXPECT_EQ(
      later.sentence,
      "Race within a warp: lane 0 conflicts with the store at line 3 by lane 1 at s[1], with no __syncwarp "
      "between them");
  EXPECT_EQ(marks(later).size(), 32u) << "every word is stored by another lane";
  ASSERT_NE(link_of(later), nullptr);
  EXPECT_EQ(link_of(later)->target.a, finding);
  EXPECT_EQ(link_of(later)->target.b, 1);

  Moment store{&recording, kHopper, 0, 0, 0, 0};
  EXPECT_EQ(make_banks(store, {}, kSize, kStyle)
                .sentence.find("Race: lane 31 conflicts with the load at line 5 by warp 1, lane 0, at s[31]"),
            0u);
  store.finding = finding;
  const Picture earlier = make_banks(store, {}, kSize, kStyle);
  EXPECT_EQ(
      earlier.sentence.find("Race within a warp: lane 1 conflicts with the load at line 4 by lane 0 at s[1]"),
      0u)
      << earlier.sentence;
  EXPECT_NE(earlier.sentence.find("(and 1 more finding here)"), std::string::npos)
      << "warp 1 loads the same words";
  ASSERT_NE(link_of(earlier), nullptr);
  EXPECT_EQ(link_of(earlier)->target.b, 0);
}

TEST(Found, WarpRaceNamesTheOtherAccess) {
  const Recording recording = test::wrong();
  const Picture picture = make_banks(moment_on(recording, 5), {}, kSize, kStyle);
  EXPECT_EQ(picture.sentence,
            "Race: lane 0 conflicts with the store at line 3 by warp 0, lane 31, at s[31], with no barrier "
            "between them");
  EXPECT_EQ(marks(picture).size(), 32u);
}

TEST(Found, BlockRaceMarksLanesThoughTheOtherBlockIsNotRecorded) {
  const Recording recording = test::wrong();
  const Picture picture = make_coalescing(moment_on(recording, 8), {}, kSize, kStyle);
  EXPECT_EQ(
      picture.sentence,
      "Race between blocks: lane 0 conflicts with the store at line 6 by block (1, 0), thread 63, at A[0]: "
      "nothing orders the two blocks");
  ASSERT_EQ(marks(picture).size(), 2u) << "the lane, and its word";
  EXPECT_GT(marks(picture)[0].y, marks(picture)[1].y + 60) << "the ruler lies below the strip of lanes";
  EXPECT_LT(marks(picture)[0].width, 40) << "4 of 128 B";
}

TEST(Found, AnAccessWithoutFindingHasNoMarks) {
  const Recording recording = test::wrong();
  const Picture picture =
      make_banks({&recording, kHopper, 0, 1, 0, 0}, {}, kSize, kStyle);  // Warp 1's store, which nobody loads
  EXPECT_TRUE(marks(picture).empty());
  EXPECT_EQ(link_of(picture), nullptr);
  EXPECT_EQ(picture.sentence.find("Race"), std::string::npos);
}

TEST(Found, OutOfBoundsShowsLanesBufferEndAndDistance) {
  const Recording recording = test::wrong();
  const Picture picture = make_coalescing(moment_on(recording, 6), {}, kSize, kStyle);
  EXPECT_EQ(picture.sentence,
            "Access out of bounds, lanes 24\u201331: lane 24 at C[56], right behind the end of C (224 B)");
  EXPECT_TRUE(says(picture, "C ends"));
  EXPECT_FALSE(says(picture, "inactive")) << "they are outside, and not inactive";
  EXPECT_EQ(
      tooltips(picture, "Lane 31, not executed: C[63], 7 elements, 28 B, past the end of C (224 B)").size(),
      2u)
      << "on the strip and the ruler";

  // The end lies where lane 24's bytes begin, and the lines are those of all lanes.
  const auto bar = std::ranges::find_if(
      picture.regions, [](const Region& region) { return region.target.kind == Target::Kind::line; });
  ASSERT_NE(bar, picture.regions.end());
  const float end = bar->rect.x + bar->rect.width * 96 / 128;
  const bool drawn = std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* line = std::get_if<Line>(&item);
    return line != nullptr && line->colour == kStyle.palette->costly && std::abs(line->from.x - end) < 0.1f &&
           line->from.x == line->to.x;
  });
  EXPECT_TRUE(drawn);
}

TEST(Found, AccessWithoutValidLanesIsDrawn) {
  const Recording recording = test::wrong();
  Moment moment{&recording, kHopper, 0, 0, 0, 0};
  moment.finding = test::finding_on(recording, 9);
  const Picture picture = make_coalescing(moment, {}, kSize, kStyle);
  EXPECT_EQ(picture.sentence,
            "Access out of bounds, lanes 0\u201331: lane 0 at C[1080], 1,024 elements, 4,096 B, past the end "
            "of C (224 B)");
  EXPECT_TRUE(says(picture, "all lanes out of bounds"));
  EXPECT_EQ(picture.subtitle, "line 9 \u00b7 global store \u00b7 warp 0");
  EXPECT_EQ(tooltips(picture, "not executed").size(), 64u);
  EXPECT_NE(make_banks(moment, {}, kSize, kStyle).subtitle, picture.subtitle) << "that is of shared memory";
}

TEST(Found, MisalignedAndUninitialisedLanesAreNamed) {
  const Recording recording = test::wrong();
  const Picture misaligned = make_coalescing(moment_on(recording, 7), {}, kSize, kStyle);
  EXPECT_EQ(misaligned.sentence,
            "Misaligned access, lane 3: lane 3 at 0x1000000e, which is not a multiple of 4");
  EXPECT_EQ(tooltips(misaligned, "Lane 3, not executed").size(), 2u);
  const Picture unwritten = make_banks(moment_on(recording, 10), {}, kSize, kStyle);
  EXPECT_EQ(
      unwritten.sentence,
      "Uninitialized shared-memory read, lane 7: nothing in the block has written u[7], which lane 7 reads");
  EXPECT_EQ(marks(unwritten).size(), 1u);
}

TEST(Found, LanesPastSharedMemoryAreDrawnBelowTheBanks) {
  const Recording recording = test::wrong();
  const Picture picture = make_banks(moment_on(recording, 11), {}, kSize, kStyle);
  EXPECT_EQ(picture.sentence,
            "Access out of bounds, lanes 30\u201331: lane 30 at 0x200, 0 B past the end of the block's "
            "shared memory (512 B)");
  EXPECT_EQ(tooltips(picture, "not executed").size(), 2u);
}

TEST(Found, IsSaidInTheLanguageChosen) {
  const Recording recording = test::wrong();
  const PseudoLanguage pseudo;
  for (const Finding& finding : recording.findings) {
    Moment moment{&recording, kHopper, 0, finding.warp, 0, 0};
    moment.finding = test::finding_on(recording, finding.line);
    const auto event = analysis::event_of(recording, finding);
    const std::string said = found_in_words(recording, found_here(moment, event));
    const std::string left = outside_brackets(said);
    EXPECT_EQ(left, "") << said;
  }
}

}  // namespace
}  // namespace warplens::picture
