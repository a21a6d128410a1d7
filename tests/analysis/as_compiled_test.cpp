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

TEST(ChangedAccesses, AreUnknownOfAKindWithoutLines) {
  Recording written = loads_at(3, 8), compiled = loads_at(3, 4);
  for (Recording* const recording : {&written, &compiled}) {
    recording->sites.push_back({.file = 0,
                                .line = recording == &written ? 4u : 0u,
                                .space = Space::shared,
                                .op = AccessOp::wgmma,
                                .bytes = 16});
    recording->totals.emplace_back().requests = 8;
  }
  ASSERT_EQ(changed_accesses(written, 0, compiled, 0).size(), 1u);
  EXPECT_EQ(changed_accesses(written, 0, compiled, 0).front().op, AccessOp::load);
}

TEST(Disagreement, BulkCopiesStoreToo) {
  Report written, compiled;
  written.bulk_store_global.requested_bytes = written.bulk_load_shared.requested_bytes = 64;
  compiled = written;
  EXPECT_EQ(disagreement(written, compiled), "");
  compiled.bulk_load_shared.requested_bytes = 32;
  EXPECT_EQ(disagreement(written, compiled), "64 bytes stored to shared memory as written, 32 as compiled");
  compiled.bulk_store_global.requested_bytes = 16;
  EXPECT_EQ(disagreement(written, compiled), "64 bytes stored to global memory as written, 16 as compiled");
}

}  // namespace
}  // namespace warplens::analysis
