#include "viz/analysis/pattern_csv.h"

#include <gtest/gtest.h>

namespace warplens::analysis {
namespace {

std::string offsets(int stride) {
  std::string text = "0";
  for (int lane = 1; lane < 32; ++lane) text.append(" ").append(std::to_string(lane * stride));
  return text;
}

std::string predicted(const std::string& csv) {
  const Result<PatternTable> table = parse_patterns(csv);
  EXPECT_TRUE(table.ok()) << table.error().message();
  return table.ok() ? predictions_csv(*table, {9, 0}) : "";
}

TEST(PatternCsv, AddsThePredictions) {
  const std::string header = "op,bytes_per_lane,active_mask,lane_byte_offsets";
  const std::string load = "shared_load,4,0xffffffff," + offsets(8),
                    store = "global_store,16,0xffffffff," + offsets(16);
  EXPECT_EQ(predicted(header + "\n" + load + "\n" + store + "\n"),
            header + ",predicted_wavefronts,predicted_bank_conflicts,predicted_sectors\n" + load + ",2,1,\n" +
                store + ",,,16\n");
}

TEST(PatternCsv, TakesColumnsInAnyOrderQuotesAndLineEndings) {
  const std::string line = "\"a, \"\"b\"\"\",\"" + offsets(0) + "\",255,global_load,4";
  EXPECT_EQ(predicted("\xef\xbb\xbfnote,lane_byte_offsets,active_mask,op,bytes_per_lane\r\n\r\n" + line +
                      "\r\n\r\n"),
            "note,lane_byte_offsets,active_mask,op,bytes_per_lane,predicted_wavefronts,predicted_bank_"
            "conflicts,predicted_sectors\n\"a, \"\"b\"\"\"," +
                offsets(0) + ",255,global_load,4,,,1\n");
}

TEST(PatternCsv, TakesALastLineWithoutALineFeed) {
  const Result<PatternTable> table =
      parse_patterns("op,bytes_per_lane,active_mask,lane_byte_offsets\nglobal_load,4,0x3,0 4");
  ASSERT_TRUE(table.ok());
  ASSERT_EQ(table->accesses.size(), 1u);
  EXPECT_EQ(table->accesses[0].address[1], 4u);
}

TEST(PatternCsv, AcceptsEveryOperation) {
  for (const std::string& op : pattern_ops()) {
    const std::string row = op + ",16,0xffffffff," + offsets(16) + "\n";
    EXPECT_TRUE(parse_patterns("op,bytes_per_lane,active_mask,lane_byte_offsets\n" + row).ok()) << op;
  }
  EXPECT_EQ(pattern_ops().size(), 18u);
}

TEST(PatternCsv, SixteenByteCopiesPassNoBanks) {
  const std::string header = "op,bytes_per_lane,active_mask,lane_byte_offsets\n";
  const std::string text = predicted(header + "cp_async_shared_side,16,0xffffffff," + offsets(16) + "\n");
  EXPECT_EQ(text.substr(text.size() - 6), ",0,0,\n");
}

TEST(PatternCsv, MatricesNeedAddressesOfTheirRowsOnly) {
  const std::string header = "op,bytes_per_lane,active_mask,lane_byte_offsets\n";
  EXPECT_TRUE(parse_patterns(header + "ldmatrix_x1,16,0xffffffff,0 16 32 48 64 80 96 112\n").ok());
  EXPECT_FALSE(parse_patterns(header + "ldmatrix_x2,16,0xffffffff,0 16 32 48 64 80 96 112\n").ok());
}

TEST(PatternCsv, ErrorsNameLineAndColumn) {
  const std::string header = "op,bytes_per_lane,active_mask,lane_byte_offsets\n",
                    good = "global_load,4,0x1,0\n";
  struct Case {
    const char* row;
    const char* expected;
  };
  const Case cases[] = {
      {"texture_load,4,0x1,0", "column op"},
      {"global_load,3,0x1,0", "column bytes_per_lane"},
      {"global_load,,0x1,0", "column bytes_per_lane"},
      {"ldmatrix_x4,4,0x1,0", "column bytes_per_lane"},
      {"cp_async_global_side,2,0x1,0", "column bytes_per_lane"},
      {"global_load,4,0x1ffffffff,0", "column active_mask"},
      {"global_load,4,lots,0", "column active_mask"},
      {"global_load,4,0x3,0", "column lane_byte_offsets"},
      {"global_load,4,0x1,-4", "column lane_byte_offsets"},
      {"global_load,4,0x1,0 4 x", "column lane_byte_offsets"},
      {"global_load,4,0x1", "3 fields under 4 columns"},
  };
  for (const Case& one : cases) {
    const Result<PatternTable> table = parse_patterns(header + good + "\n" + one.row + "\n");
    ASSERT_FALSE(table.ok()) << one.row;
    EXPECT_EQ(table.error().where, "line 4") << one.row;
    EXPECT_NE(table.error().what.find(one.expected), std::string::npos) << table.error().message();
    EXPECT_FALSE(table.error().hint.empty());
  }
  EXPECT_FALSE(parse_patterns("").ok());
  EXPECT_NE(parse_patterns("op,active_mask,lane_byte_offsets\n").error().what.find("bytes_per_lane"),
            std::string::npos);
}

}  // namespace
}  // namespace warplens::analysis
