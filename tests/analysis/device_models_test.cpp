#include "viz/analysis/device_models.h"

#include <gtest/gtest.h>

#include <bit>

namespace warplens::analysis {
namespace {

TEST(ComputeCapabilities, AreParsedAndListed) {
  ASSERT_FALSE(device_models().empty());
  for (std::size_t i = 0; i < device_models().size(); ++i) {
    const DeviceModel& model = device_models()[i];
    const Result<ComputeCapability> parsed = parse_compute_capability(model.cc.name());
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, model.cc);
    if (i == 0) continue;
    const ComputeCapability before = device_models()[i - 1].cc;
    EXPECT_LT(before, model.cc);
  }
  for (const char* wrong : {"", "9", "9.", ".0", "9.0x", "4.0", "9.9", " 9.0", "-9.0"}) {
    const Result<ComputeCapability> parsed = parse_compute_capability(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_NE(parsed.error().hint.find("12.0"), std::string::npos) << "the error lists what is known";
  }
}

using enum Joining;
using enum Sharing;

struct Global {
  Joining joining;
  std::array<int, 5> lanes_joining, segment_bytes, past_l1_bytes;  // By width
  bool counts_sectors;
};
struct Shared {
  unsigned base;
  int banks, bank_bytes, clocks_a_pass;
  std::array<int, 5> lane_groups;  // By width
  Sharing loads, stores;
  bool word_by_word;
  int min_of_widest;
  bool pair_rule, ideal_by_bytes;
};
struct Row {
  ComputeCapability since;
  Global global;
  Shared shared;
};
const std::vector<Row> kRows{
    {{1, 0},
     {in_place, {16, 16, 16, 16, 16}, {32, 32, 64, 128, 128}, {32, 32, 64, 128, 128}, false},
     {0, 16, 4, 2, {16, 16, 16, 16, 16}, one_broadcast, same_address, true, 1, false, false}},
    {{1, 2},
     {gathered, {16, 16, 16, 16, 16}, {32, 64, 128, 128, 128}, {32, 64, 128, 128, 128}, false},
     {0, 16, 4, 2, {16, 16, 16, 16, 16}, one_broadcast, same_address, true, 1, false, false}},
    {{2, 0},
     {segments, {32, 32, 32, 16, 8}, {128, 128, 128, 128, 128}, {32, 32, 32, 32, 32}, false},
     {0, 32, 4, 2, {32, 32, 32, 16, 8}, row, row, false, 2, false, false}},
    {{3, 0},
     {segments, {32, 32, 32, 16, 8}, {32, 32, 32, 32, 32}, {32, 32, 32, 32, 32}, false},
     {0, 32, 8, 1, {32, 32, 32, 32, 16}, row, row, false, 1, false, false}},
    {{5, 0},
     {segments, {32, 32, 32, 32, 32}, {32, 32, 32, 32, 32}, {32, 32, 32, 32, 32}, true},
     {0, 32, 4, 1, {32, 32, 32, 16, 8}, row, row, false, 1, true, true}},
    {{8, 0},
     {segments, {32, 32, 32, 32, 32}, {32, 32, 32, 32, 32}, {32, 32, 32, 32, 32}, true},
     {1024, 32, 4, 1, {32, 32, 32, 16, 8}, row, row, false, 1, true, true}},
};

void expect_figures(const ByWidth& figures, const std::array<int, 5>& wanted, const char* what) {
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(figures[1 << i], static_cast<unsigned>(wanted.at(static_cast<std::size_t>(i))))
        << what << ", " << (1 << i);
}

TEST(MemoryRuleTable, EqualsTheDocumentedCells) {
  ASSERT_EQ(memory_rule_table().size(), kRows.size());
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const MemoryRules& rules = memory_rule_table()[i];
    const Row& wanted = kRows[i];
    SCOPED_TRACE(wanted.since.name());
    EXPECT_EQ(rules.since, wanted.since);
    EXPECT_EQ(rules.joining, wanted.global.joining);
    expect_figures(rules.lanes_joining, wanted.global.lanes_joining, "lanes joining");
    expect_figures(rules.segment_bytes, wanted.global.segment_bytes, "segments");
    expect_figures(rules.past_l1_bytes, wanted.global.past_l1_bytes, "past L1");
    expect_figures(rules.lane_groups, wanted.shared.lane_groups, "lane groups");
    EXPECT_EQ(rules.counts_sectors, wanted.global.counts_sectors);
    EXPECT_EQ(rules.shared_base, wanted.shared.base);
    EXPECT_EQ(rules.banks, wanted.shared.banks);
    EXPECT_EQ(rules.bank_bytes, wanted.shared.bank_bytes);
    EXPECT_EQ(rules.clocks_a_pass, wanted.shared.clocks_a_pass);
    EXPECT_EQ(rules.shared_loads, wanted.shared.loads);
    EXPECT_EQ(rules.shared_stores, wanted.shared.stores);
    EXPECT_EQ(rules.word_by_word, wanted.shared.word_by_word);
    EXPECT_EQ(rules.min_of_widest, wanted.shared.min_of_widest);
    EXPECT_EQ(rules.pair_rule, wanted.shared.pair_rule);
    EXPECT_EQ(rules.ideal_by_bytes, wanted.shared.ideal_by_bytes);
  }
}

/// What the functions that read a row take for granted of any.
TEST(MemoryRuleTable, RowsAscendAndHoldTogether) {
  ComputeCapability before{0, 0};
  for (const MemoryRules& rules : memory_rule_table()) {
    SCOPED_TRACE(rules.since.name());
    EXPECT_LT(before, rules.since);
    before = rules.since;
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(rules.banks)));
    EXPECT_LE(rules.banks, 32);
    EXPECT_TRUE(rules.bank_bytes == 4 || rules.bank_bytes == 8);
    EXPECT_EQ(rules.shared_base % 256, 0u);
    for (const int bytes : {1, 2, 4, 8, 16}) {
      for (const ByWidth& lanes : {rules.lanes_joining, rules.lane_groups}) EXPECT_EQ(32 % lanes[bytes], 0u);
      for (const ByWidth& segment : {rules.segment_bytes, rules.past_l1_bytes}) {
        EXPECT_TRUE(std::has_single_bit(segment[bytes]));
        EXPECT_GE(segment[bytes], kSectorBytes);
        EXPECT_LE(segment[bytes], kLineBytes);
      }
    }
    if (rules.joining == Joining::in_place) {
      for (const int bytes : {4, 8, 16})
        EXPECT_EQ(rules.lanes_joining[bytes], 16u) << "the rule is one of half-warps";
    }
    if (rules.counts_sectors) {
      for (const int bytes : {1, 2, 4, 8, 16}) EXPECT_EQ(rules.segment_bytes[bytes], kSectorBytes);
    }
  }
}

TEST(MemoryRuleTable, ARowHoldsUpToTheNext) {
  const auto row_of = [](int major, int minor) { return memory_rules_of({major, minor}).since; };
  EXPECT_EQ(row_of(1, 1), (ComputeCapability{1, 0}));
  EXPECT_EQ(row_of(1, 3), (ComputeCapability{1, 2}));
  EXPECT_EQ(row_of(2, 1), (ComputeCapability{2, 0}));
  EXPECT_EQ(row_of(3, 7), (ComputeCapability{3, 0}));
  EXPECT_EQ(row_of(7, 5), (ComputeCapability{5, 0}));
  EXPECT_EQ(row_of(8, 7), (ComputeCapability{8, 0})) << "of no model, but of GPUs that there are";
  EXPECT_EQ(row_of(99, 0), memory_rule_table().back().since);
  for (const MemoryRules& rules : memory_rule_table()) EXPECT_EQ(&memory_rules_of(rules.since), &rules);
}

}  // namespace
}  // namespace warplens::analysis
