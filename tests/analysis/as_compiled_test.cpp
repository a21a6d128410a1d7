#include "viz/analysis/as_compiled.h"

#include <gtest/gtest.h>

namespace warplens::analysis {
namespace {

Recording loads_at(std::uint32_t line, std::uint64_t requests) {
  Recording recording;
  recording.sites.push_back(
      {.file = 0, .line = line, .space = Space::global, .op = AccessOp::load, .bytes = 4});
  recording.totals.emplace_back().requests = requests;
  return recording;
}

TEST(ChangedAccesses, AreThoseOfLinesThatDiffer) {
  EXPECT_TRUE(changed_accesses(loads_at(3, 8), 0, loads_at(3, 8), 0).empty());
  ASSERT_EQ(changed_accesses(loads_at(3, 8), 0, loads_at(3, 4), 0).size(), 1u);
  EXPECT_EQ(changed_accesses(loads_at(3, 8), 0, loads_at(4, 8), 0).size(), 2u);
}

TEST(ChangedAccesses, AreUnknownWithoutALineTable) {
  EXPECT_TRUE(changed_accesses(loads_at(3, 8), 0, loads_at(0, 8), 0).empty())
      << "PTX's own lines are not in machine code";
}

}  // namespace
}  // namespace warplens::analysis
