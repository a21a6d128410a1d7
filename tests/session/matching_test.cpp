#include "app/session/matching.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "app/launch/launch.h"
#include "app/session/navigation.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

std::shared_ptr<const Loaded> with_events(const std::string& kernel, std::int64_t size,
                                          std::vector<NamedValue> values = {}) {
  for (const char* const extent : {"m", "p", "n"}) values.push_back({extent, size});
  LaunchRequest request = launch_of_kernel(kernel, std::move(values));
  request.event_blocks = BlockChoice{};
  Result<Recording> recording = record(request);
  return recording.ok() ? make_loaded(*std::move(recording), {9, 0}) : nullptr;
}

std::string access_at(const Loaded& loaded, const Selection& selection) {
  const auto event = current_event(*loaded.recording, selection);
  if (!event) return "none";
  const Site& site = loaded.recording->sites[loaded.recording->events.site[*event]];
  return fmt::format("{} {} {}", name_of(site.space), name_of(site.op),
                     picture::array_of(*loaded.recording, *event));
}

// Every place of one has its like in the other, and comes back to itself.
TEST(Matching, EveryPlaceOfTheSameShapeMatches) {
  const auto a = with_events("volkov_transposed", 64), b = with_events("volkov_padded", 64);
  Selection selection;
  for (std::uint32_t block = 0; block < a->recording->event_blocks.size(); ++block) {
    for (std::uint32_t phase = 0; phase < a->recording->phases.size(); ++phase) {
      selection = {.event_block = block, .warp = 1, .phase = phase, .step = 0, .lane = 7};
      const EventRange steps = events_of_phase(*a->recording, block, 1, phase);
      for (selection.step = 0; selection.step < steps.end - steps.begin; ++selection.step) {
        const Matched there = matched(*a, selection, *b);
        EXPECT_EQ(there.difference, "");
        EXPECT_EQ(access_at(*b, there.selection), access_at(*a, selection));
        EXPECT_EQ(b->recording->event_blocks[there.selection.event_block], a->recording->event_blocks[block]);
        EXPECT_EQ(matched(*b, there.selection, *a).selection, selection);
      }
    }
  }
}

TEST(Matching, FillMatchesFillForAnyTile) {
  const auto a = with_events("tiled", 64, {{"T", 16}}), b = with_events("tiled", 64, {{"T", 32}});
  // Four tiles, of a fill and a compute phase each; and two.
  const Selection second_fill{.phase = 2};
  ASSERT_EQ(a->facts->phase_kinds[2], analysis::PhaseKind::fill);
  const Matched there = matched(*a, second_fill, *b);
  EXPECT_EQ(there.selection.phase, 2u);
  EXPECT_EQ(there.difference, "");
  const Matched beyond = matched(*a, Selection{.phase = 6}, *b);
  EXPECT_EQ(beyond.selection.phase, 2u);
  EXPECT_EQ(beyond.difference, "fill 4 beside fill 2: there are no more");
  const Matched warp = matched(*b, Selection{.warp = 20}, *a);
  EXPECT_EQ(warp.selection.warp, 7u);
  EXPECT_EQ(warp.difference, "warp 20 beside warp 7");
}

TEST(Matching, SharedWordKeepsItsPlaceInTheArray) {
  const auto plain = with_events("volkov_transposed", 64), padded = with_events("volkov_padded", 64);
  const SharedArray &from = plain->recording->shared_arrays.at(0),
                    &to = padded->recording->shared_arrays.at(0);
  ASSERT_LT(from.pitch, to.pitch);
  const auto word_at = [](const SharedArray& array, std::uint32_t row, std::uint32_t column) {
    return array.offset / 4 + row * array.pitch + column;
  };
  const Selection third_row{.shared_word = word_at(from, 2, 5)};
  EXPECT_EQ(matched(*plain, third_row, *padded).selection.shared_word, word_at(to, 2, 5));
  const Selection padding{.shared_word = word_at(to, 2, from.pitch)};
  EXPECT_EQ(matched(*padded, padding, *plain).selection.shared_word, std::nullopt)
      << "what pads is in the one alone";
}

TEST(Matching, AnElementStaysIfBothHaveIt) {
  const auto small = with_events("tiled", 64), large = with_events("tiled", 128);
  const Selection inside{.element = ElementRef{1, 63, 63}}, outside{.element = ElementRef{1, 64, 0}};
  EXPECT_EQ(matched(*large, inside, *small).selection.element, inside.element);
  EXPECT_EQ(matched(*large, outside, *small).selection.element, std::nullopt);
}

TEST(Matching, ByStepMatchesTheKthAccess) {
  const auto a = with_events("tiled", 64, {{"T", 16}}), b = with_events("tiled", 64, {{"T", 32}});
  const auto made_before = [](const Loaded& loaded, const Selection& at) {
    return *current_event(*loaded.recording, at) -
           events_of_warp(*loaded.recording, at.event_block, at.warp).begin;
  };
  const EventRange of_b = events_of_warp(*b->recording, 0, 0), of_a = events_of_warp(*a->recording, 0, 0);
  for (std::size_t event = of_b.begin; event < of_b.end; ++event) {
    const Selection there = at_event(*b->recording, Selection{}, event);
    const Matched found = matched(*b, there, *a, MatchBy::step);
    const std::size_t made = event - of_b.begin;
    EXPECT_EQ(made_before(*a, found.selection), std::min(made, of_a.size() - 1));
    EXPECT_EQ(found.difference.empty(), made < of_a.size()) << found.difference;
    if (made < of_a.size()) {
      EXPECT_EQ(made_before(*b, matched(*a, found.selection, *b, MatchBy::step).selection), made);
    }
  }
  EXPECT_NE(matched(*a, Selection{.phase = 2}, *b, MatchBy::step).selection.phase, 2u)
      << "A's second fill comes sooner than B's";
}

TEST(Matching, UnrecordedPlacesAreReported) {
  const auto a = with_events("tiled", 128), b = with_events("tiled", 64);
  const auto far = static_cast<std::uint32_t>(a->recording->event_blocks.size() - 1);
  const Matched there = matched(*a, Selection{.event_block = far}, *b);
  EXPECT_NE(there.difference.find("block (3, 3"), std::string::npos) << there.difference;
  EXPECT_LT(there.selection.event_block, b->recording->event_blocks.size());
}

TEST(Matching, TotalsAloneHaveNoPlaces) {
  LaunchRequest request = launch_of_kernel("tiled", {{"m", 64}, {"p", 64}, {"n", 64}});
  Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok());
  const auto totals = make_loaded(*std::move(recording), {9, 0}), events = with_events("tiled", 64);
  EXPECT_EQ(matched(*events, Selection{.event_block = 2, .phase = 1, .step = 3}, *totals).selection.step, 0u);
  EXPECT_EQ(matched(*totals, Selection{}, *events).selection.step, 0u);
}

}  // namespace
}  // namespace warplens::app
