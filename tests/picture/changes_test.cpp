#include "viz/canvas/changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

namespace warplens::picture {
namespace {

Changes changes() {
  Changes changes{.a = "one", .b = "other", .sentence = "The stores changed", .note = "", .rows = {}};
  for (int i = 0; i < 12; ++i)
    changes.rows.push_back({"as written", "figure " + std::to_string(i), "4,096", "4,096", "=", true});
  changes.rows.push_back(
      {"as compiled", "shared store: wavefronts", "131,072", "8,192", "-94 %", false, Changes::Tone::better});
  return changes;
}

bool has(const Picture& picture, const std::string& words) {
  return std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* const text = std::get_if<Text>(&item);
    return text != nullptr && text->text == words;
  });
}

TEST(ChangesPicture, HasEveryFigureWhereThereIsRoom) {
  const Picture picture = make_changes(changes(), {900, 700}, {&dark_palette(), 1});
  for (const char* const words :
       {"figure 0", "figure 11", "shared store: wavefronts", "131,072", "8,192", "-94 %", "as compiled"})
    EXPECT_TRUE(has(picture, words)) << words;
}

TEST(ChangesPicture, SectionsStayTogether) {
  Changes of_four{.a = "one", .b = "other", .sentence = "All changed", .note = "", .rows = {}};
  for (const char* const section : {"first", "second", "third", "fourth"}) {
    for (int i = 0; i < 7; ++i)
      of_four.rows.push_back({section, "figure " + std::to_string(i), "4,096", "8,192", "x 2", false});
  }
  for (const Size size : {Size{900, 700}, Size{1900, 420}, Size{3840, 500}, Size{3840, 1100}}) {
    const Picture picture = make_changes(of_four, size, {&dark_palette(), 1});
    for (const char* const section : {"first", "second", "third", "fourth"}) {
      const auto heads = std::ranges::count_if(picture.items, [&](const Item& item) {
        const auto* const text = std::get_if<Text>(&item);
        return text != nullptr && text->text == section;
      });
      EXPECT_EQ(heads, 1) << section << " at " << size.width << " x " << size.height;
    }
  }
  const float min = changes_height(of_four, 3840, {&dark_palette(), 1});
  EXPECT_FALSE(has(make_changes(of_four, {3840, min}, {&dark_palette(), 1}), "and 7 more"));
}

TEST(ChangesPicture, ChangedFiguresComeFirst) {
  const Picture picture = make_changes(changes(), {500, 220}, {&dark_palette(), 1});
  EXPECT_TRUE(has(picture, "shared store: wavefronts"));
  EXPECT_FALSE(has(picture, "figure 3"));
  EXPECT_TRUE(has(picture, "12 figures are the same for both"));
}

TEST(ChangesPicture, EqualLaunchesSaySo) {
  Changes same = changes();
  same.rows.pop_back();
  for (const Size size : {Size{900, 700}, Size{500, 220}, Size{500, 100}})
    EXPECT_TRUE(has(make_changes(same, size, {&dark_palette(), 1}), "A and B are equal in all 12 figures"))
        << size.height;
  EXPECT_FALSE(
      has(make_changes(changes(), {900, 700}, {&dark_palette(), 1}), "A and B are equal in all 13 figures"));
}

}  // namespace
}  // namespace warplens::picture
