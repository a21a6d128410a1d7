#include "viz/analysis/finding_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace warplens::analysis {
namespace {

Finding finding_of(FindingKind kind, std::uint32_t line, std::uint32_t other_line, std::uint32_t warp) {
  return {.kind = kind, .file = 1, .line = line, .other_line = other_line, .count = 2, .warp = warp};
}

TEST(FindingRows, AKindAtALineIsOneRow) {
  std::vector<Finding> findings;
  for (std::uint32_t warp = 0; warp < 500; ++warp)
    findings.push_back(finding_of(FindingKind::out_of_bounds, 7, 0, warp));
  findings.push_back(finding_of(FindingKind::misaligned, 7, 0, 9));
  findings.push_back(finding_of(FindingKind::out_of_bounds, 8, 0, 10));
  const std::vector<FindingRow> rows = finding_rows(findings);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].first, 0u);
  EXPECT_EQ(rows[0].count, 1000u);
  EXPECT_EQ(rows[0].members.size(), 500u);
  EXPECT_TRUE(rows[0].other_lines.empty());
  EXPECT_EQ(findings[rows[1].first].kind, FindingKind::misaligned);
  EXPECT_EQ(findings[rows[2].first].line, 8u);
}

TEST(FindingRows, RacesWithSeveralLinesAreOneRowThatNamesThem) {
  const std::vector<Finding> findings{
      finding_of(FindingKind::race, 5, 3, 0), finding_of(FindingKind::race, 6, 3, 0),
      finding_of(FindingKind::race, 5, 4, 1), finding_of(FindingKind::race, 5, 3, 2)};
  const std::vector<FindingRow> rows = finding_rows(findings);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].count, 6u);
  EXPECT_EQ(rows[0].members, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(rows[0].other_lines, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(rows[1].other_lines, (std::vector<std::uint32_t>{3}));
}

}  // namespace
}  // namespace warplens::analysis
