// The memory rules against single-warp accesses measured on an H200 (compute capability 9.0).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "viz/analysis/pattern_csv.h"

namespace warplens::analysis {
namespace {

PatternTable measured(const char* file) {
  std::ifstream stream(std::string(WARPLENS_TEST_DATA "/") + file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  Result<PatternTable> table = parse_patterns(text.str());
  EXPECT_TRUE(table.ok()) << table.error().message();
  return table.ok() ? *std::move(table) : PatternTable{};
}

std::uint64_t prediction(const AccessCost& cost, const std::string& column) {
  return column == "wavefronts"       ? cost.wavefronts
         : column == "bank_conflicts" ? cost.bank_conflicts
                                      : cost.sectors;
}

/// Rows whose measured figure, where there is one, differs from the rules'.
std::vector<std::size_t> rows_that_differ(const PatternTable& table, std::size_t& figures) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const AccessCost cost = access_cost(table.accesses[row], {9, 0});
    bool equal = true;
    for (const char* column : {"wavefronts", "bank_conflicts", "sectors"}) {
      const int index = table.column(column);
      if (index < 0 || table.rows[row][static_cast<std::size_t>(index)].empty()) continue;
      ++figures;
      equal =
          equal && std::stoull(table.rows[row][static_cast<std::size_t>(index)]) == prediction(cost, column);
    }
    if (!equal) rows.push_back(row);
  }
  return rows;
}

TEST(H200Patterns, LoadsAndStoresAreExact) {
  const PatternTable table = measured("h200_patterns.csv");
  ASSERT_EQ(table.rows.size(), 926u);
  std::size_t figures = 0;
  EXPECT_TRUE(rows_that_differ(table, figures).empty());
  EXPECT_EQ(figures,
            694u * 2 + 232u);  // Wavefronts and conflicts of the shared ones, sectors of the global ones
}

TEST(H200Patterns, OtherInstructionsAreExactButForOneAtomic) {
  const PatternTable table = measured("h200_patterns_modern.csv");
  ASSERT_EQ(table.rows.size(), 962u);
  std::size_t figures = 0;
  const std::vector<std::size_t> differing = rows_that_differ(table, figures);
  EXPECT_EQ(figures, 962u);
  ASSERT_EQ(differing.size(), 1u);
  const auto& row = table.rows[differing[0]];
  EXPECT_EQ(row[0], "global_atomic");
  EXPECT_EQ(row[5], "30");  // Two more than the rule says
  EXPECT_EQ(access_cost(table.accesses[differing[0]], {9, 0}).sectors, 28u);
}

/// What the hardware counts, also where the profiler, which works its smsp__sass_... figure out from the
/// addresses, comes to another result.
TEST(H200Patterns, SharedLoadsEqualTheHardwareNotTheProfiler) {
  const PatternTable table = measured("h200_shared_loads.csv");
  ASSERT_EQ(table.rows.size(), 189u);
  std::size_t figures = 0, profiler_differs = 0;
  EXPECT_TRUE(rows_that_differ(table, figures).empty());
  EXPECT_EQ(figures, 189u * 2);
  for (const auto& row : table.rows) profiler_differs += row[4] != row[6];
  EXPECT_EQ(profiler_differs, 12u) << "all of them wide";
}

/// The profiler's derived figures. Where its actual wavefronts are not the hardware's, its ideal cannot be
/// compared: it is never more than its actual.
TEST(H200Patterns, IdealIsTheProfilersIdeal) {
  const PatternTable table = measured("h200_ideal.csv");
  ASSERT_EQ(table.rows.size(), 756u);
  const auto figure = [&](std::size_t row, const char* column) {
    return std::stoull(table.rows[row][static_cast<std::size_t>(table.column(column))]);
  };
  std::size_t differing = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const WarpAccess& access = table.accesses[row];
    const AccessCost cost = access_cost(access, {9, 0});
    const bool shared = access.space == Space::shared;
    if ((shared ? cost.wavefronts : cost.sectors) != figure(row, "actual")) {
      EXPECT_TRUE(shared && access.op == AccessOp::load && access.bytes >= 8) << "row " << row;
      ++differing;
      continue;
    }
    EXPECT_EQ(shared ? cost.ideal_wavefronts : cost.ideal_sectors, figure(row, "ideal")) << "row " << row;
  }
  EXPECT_EQ(differing, 12u);
}

}  // namespace
}  // namespace warplens::analysis
