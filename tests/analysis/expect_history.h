// Two histories of one word, figure by figure.
#pragma once

#include <gtest/gtest.h>

#include "viz/analysis/history.h"

namespace warplens::analysis {

inline void expect_equal(const WordHistory& history, const WordHistory& expected) {
  EXPECT_EQ(history.touches, expected.touches);
  EXPECT_EQ(history.requests, expected.requests);
  EXPECT_EQ(history.reads, expected.reads);
  EXPECT_EQ(history.writes, expected.writes);
  EXPECT_EQ(history.read_requests, expected.read_requests);
  EXPECT_EQ(history.write_requests, expected.write_requests);
  EXPECT_EQ(history.warps, expected.warps);
  EXPECT_EQ(history.blocks, expected.blocks);
  EXPECT_EQ(history.of_blocks, expected.of_blocks);
}

}  // namespace warplens::analysis
