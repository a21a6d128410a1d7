#include "viz/analysis/line_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace warplens::analysis {
namespace {

using Lines = std::vector<std::string>;

std::size_t equal_lines(const std::vector<LinePair>& pairs) {
  return static_cast<std::size_t>(
      std::ranges::count_if(pairs, [](const LinePair& pair) { return pair.a != 0 && pair.b != 0; }));
}

/// By the table of all beginnings, which is slow and short.
std::size_t longest_common(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j)
      longest[i + 1][j + 1] =
          a[i] == b[j] ? longest[i][j] + 1 : std::max(longest[i][j + 1], longest[i + 1][j]);
  }
  return longest[a.size()][b.size()];
}

/// Every line of both is there once, in order; pairs are of equal lines.
void expect_whole(const std::vector<LinePair>& pairs, const Lines& a, const Lines& b) {
  std::uint32_t next_a = 1, next_b = 1;
  for (const LinePair& pair : pairs) {
    EXPECT_TRUE(pair.a != 0 || pair.b != 0);
    if (pair.a != 0) {
      EXPECT_EQ(pair.a, next_a++);
    }
    if (pair.b != 0) {
      EXPECT_EQ(pair.b, next_b++);
    }
    if (pair.a != 0 && pair.b != 0) {
      EXPECT_EQ(a[pair.a - 1], b[pair.b - 1]);
    }
  }
  EXPECT_EQ(next_a, a.size() + 1);
  EXPECT_EQ(next_b, b.size() + 1);
}

TEST(LineDifference, AChangedLineStandsInPlaceOfWhatItWas) {
  const Lines a{"one", "two", "three", "four"}, b{"one", "2", "three", "four", "five"};
  const std::vector<LinePair> wanted{{1, 1}, {2, 0}, {0, 2}, {3, 3}, {4, 4}, {0, 5}};
  EXPECT_EQ(line_difference(a, b), wanted);
}

TEST(LineDifference, SpacesAtEndsOfLinesDoNotCount) {
  EXPECT_EQ(equal_lines(line_difference({"a", "b  "}, {"a ", "b\t"})), 2u);
  EXPECT_EQ(equal_lines(line_difference({"  a"}, {"a"})), 0u);
}

TEST(LineDifference, EmptyTextsHaveNoLines) {
  EXPECT_TRUE(line_difference({}, {}).empty());
  EXPECT_EQ(line_difference({"a"}, {}), (std::vector<LinePair>{{1, 0}}));
  EXPECT_EQ(line_difference({}, {"a"}), (std::vector<LinePair>{{0, 1}}));
}

TEST(LineDifference, AsManyLinesAreMatchedAsCanBe) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const auto text = [&] {
      Lines lines(random() % 14);
      for (std::string& line : lines) line = std::string(1, static_cast<char>('a' + random() % 4));
      return lines;
    };
    const Lines a = text(), b = text();
    const std::vector<LinePair> pairs = line_difference(a, b);
    expect_whole(pairs, a, b);
    EXPECT_EQ(equal_lines(pairs), longest_common(a, b));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LineDifference, TextsThatDifferAltogetherAreKeptWhole) {
  Lines a, b;
  for (int i = 0; i < 3000; ++i) {
    a.push_back("a" + std::to_string(i));
    b.push_back("b" + std::to_string(i));
  }
  a.front() = b.front() = "the same";
  a.back() = b.back() = "and so is the end";
  const std::vector<LinePair> pairs = line_difference(a, b);
  expect_whole(pairs, a, b);
  EXPECT_EQ(equal_lines(pairs), 2u);
}

}  // namespace
}  // namespace warplens::analysis
