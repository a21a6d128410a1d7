// What is wrong with a kernel comes to the front by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/finding_words.h"
#include "base/pseudo_language.h"
#include "gui/harness.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

using Findings = GuiTest;

std::vector<std::string> kept_sentences() {
  std::vector<std::string> sentences;
  for (const std::string access :
       {"store of 4 bytes to shared address 0x480", "load of 16 bytes at shared address 0x12", "store of 8 bytes to local address 0x8",
        "load of 2 bytes at local address 0x9", "store of 4 bytes to constant or parameter address 0x1000",
        "load of 4 bytes at constant or parameter address 0x1000", "store of 4 bytes to 0x10018280", "reduction of 4 bytes at 0x10018280",
        "ldmatrix of 16 bytes at shared address 0x10"}) {
    for (const char* const what :
         {", which is no multiple of 4", ", which nothing in the block has written",
          " with different values by several lanes of one instruction: which one stays is left to chance",
          ", in the first 1,024 bytes, which are the system's on compute capability 8.0 and later",
          ", 0 bytes past the end of the block's shared memory (4,096 bytes)", ", 12 bytes past the end of the thread's local memory (16 bytes)",
          ", 1,020 bytes past the end of a buffer, of (mine) (262,144 bytes)", ", which reaches past the end of A (262,144 bytes)",
          ", 8 bytes before B (262,144 bytes)", ", which lies in no buffer", ", outside that memory"}) {
      sentences.push_back(access + what);
    }
  }
  sentences.emplace_back("atomic of 4 bytes at shared address 0x480 by warp 1 and load of line 16 by warp 0, lane 31, with no barrier between them");
  sentences.emplace_back(
      "load of 4 bytes at shared address 0x404 by lane 0 of warp 2 and store of line 3 by lane 1, with no __syncwarp between them: since compute "
      "capability 7.0 lanes of a warp run in any order");
  sentences.emplace_back(
      "load of 4 bytes at partial[3][2] by block 1,0,0, thread 5, and atomic of line 5 by block 0,0,0, thread 37: nothing orders the two blocks");
  sentences.emplace_back("barrier reached by lanes 0-15, 17 of warp 3 only: lanes 16, 18-31 are missing");
  sentences.emplace_back("warp 2 waits for ever at barrier 1: those that it waits for do not come");
  sentences.emplace_back("warps wait for ever at barrier 0: fewer come than it was told to wait for");
  return sentences;
}

TEST(FindingWords, SayInAnyLanguageWhatTheFileSaysInEnglish) {
  for (const std::string& sentence : kept_sentences()) {
    const Finding finding{.text = sentence};
    EXPECT_EQ(sentence_for(finding), sentence);
    const PseudoLanguage pseudo;
    const std::string other = sentence_for(finding);
    EXPECT_EQ(outside_brackets(other), "") << other;
  }
  EXPECT_EQ(sentence_for(Finding{.text = "store of 1 bytes to 0x7, which lies in no buffer"}), "store of 1 byte to 0x7, which lies in no buffer");
}

TEST(FindingWords, LeaveOtherSentencesAsTheyAre) {
  for (const char* const sentence : {"", ",", "something else", "warp", "warp 2 waits", ", which lies in no buffer", "{op} of {bytes} bytes",
                                     "barrier reached by lanes  of warp  only: lanes", "something, which lies in no buffer"}) {
    EXPECT_EQ(sentence_for(Finding{.text = sentence}), sentence);
  }
}

TEST_F(Findings, ComeToTheFrontAndGiveWayToTheSourceAgain) {
  start();
  const auto in_front = [&](std::string_view id) {
    draw(4);
    const auto& panels = app().panels().all();
    return std::ranges::any_of(panels, [&](const Panel& panel) { return panel.view->id == id && panel.visible; });
  };
  EXPECT_TRUE(in_front("source"));
  for (const char* kernel : {"missing_barrier", "barrier_divergence"}) {
    command(std::string("record.") + kernel);
    settle();
    ASSERT_FALSE(recording().findings.empty());
    EXPECT_TRUE(in_front("findings")) << kernel;
  }
  command("record.tiled");
  settle();
  EXPECT_TRUE(in_front("source"));
}

TEST_F(Findings, StayBehindTheSourceForWhoChoseIt) {
  start();
  command("record.missing_barrier");
  settle();
  app().panels().show("source");
  draw(4);
  command("record.missing_barrier");
  settle();
  draw(4);
  const auto& panels = app().panels().all();
  EXPECT_TRUE(std::ranges::any_of(panels, [](const Panel& panel) { return panel.view->id == "source" && panel.visible; }))
      << "who looks at the source of what is wrong keeps it";
}

}  // namespace
}  // namespace warplens::app
