#include "viz/picture/history_words.h"

#include <gtest/gtest.h>

#include "recording/sample.h"

namespace warplens::picture {
namespace {

TEST(HistoryInWords, SaysHowOftenAWordWasFetchedAgain) {
  const Recording recording = sample::make({.tile = 8, .size = 64, .event_blocks = 64});
  const auto of = [&](std::uint32_t buffer, std::uint64_t row, std::uint64_t column) {
    const Word word{.element = ElementAt{buffer, row, column}};
    return summary_of(recording, word, analysis::element_history(recording, buffer, row * 64 + column));
  };
  EXPECT_EQ(of(0, 3, 17),
            "A[3][17]: read 8 times, by 8 warps of 8 blocks: fetched again 7 times. Of all 64 blocks.");
  EXPECT_EQ(of(2, 1, 6), "C[1][6]: written once, by 1 warp of 1 block. Of all 64 blocks.");
  const Word word{.shared_word = 8 * 3, .event_block = 1};  // as[3][0]
  EXPECT_EQ(summary_of(recording, word, analysis::shared_word_history(recording, 1, 24)),
            "as[3][0] at shared address 0x60: read 64 times in 8 requests, written 8 times, by 1 warp of "
            "block (1,\u00a00).");
  const Word unread{.shared_word = 7, .event_block = 1};  // as[0][7]: the sample reads columns 0 and 1
  EXPECT_EQ(summary_of(recording, unread, analysis::WordHistory{}),
            "as[0][7] at shared address 0x1c: not touched by block (1,\u00a00).");
}

TEST(HistoryInWords, SaysOfHowManyBlocksItIs) {
  const Recording recording = sample::make({.tile = 8, .size = 64, .event_blocks = 3});
  const Word read{.element = ElementAt{0, 3, 17}}, unread{.element = ElementAt{0, 40, 17}};
  const auto of_recorded = [&](const Word& word) {
    return summary_of(recording, word, history_of(recording, analysis::Results{}, word));
  };
  EXPECT_EQ(of_recorded(read),
            "A[3][17]: read 3 times, by 3 warps of 3 blocks: fetched again 2 times. Of 3 of 64 blocks, which "
            "are recorded.");
  EXPECT_EQ(of_recorded(unread),
            "A[40][17]: not touched by the recorded blocks. Of 3 of 64 blocks, which are recorded.");
  analysis::WordHistory of_none;
  of_none.of_blocks = 64;
  EXPECT_EQ(summary_of(recording, unread, of_none), "A[40][17]: not touched. Of all 64 blocks.");
}

}  // namespace
}  // namespace warplens::picture
