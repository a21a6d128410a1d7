#include "viz/picture/comparison/source_difference.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "picture/kernels.h"
#include "picture/words.h"
#include "viz/analysis/results.h"
#include "viz/picture/comparison/difference.h"

namespace warplens::picture {
namespace {

Recording with_conflicts(std::uint32_t padding) {
  return test::tiled({.tile = 32, .size = 64, .padding = padding, .swapped = true});
}

/// A recording whose source is of these lines, each access of the tiled product at a line of its own.
Recording with_source(Recording recording, const std::string& text) {
  recording.files = {{"kernel.cu", text}};
  for (std::size_t i = 0; i < recording.sites.size(); ++i) {
    recording.sites[i].file = 0;
    recording.sites[i].line = static_cast<std::uint32_t>(i + 1);
  }
  return recording;
}

Picture source_difference(const Recording& a, const Recording& b, Size size = {900, 700},
                          const Style& style = kStyle) {
  const analysis::Results of_a = analysis::results_of(a, kHopper), of_b = analysis::results_of(b, kHopper);
  return make_source_difference({a, of_a.report, 0, 0}, {b, of_b.report, 0, 0}, size, style);
}

TEST(SourceDifference, LinesOfBothHaveBothFigures) {
  const std::string text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
  const Recording a = with_source(with_conflicts(0), text), b = with_source(with_conflicts(1), text);
  const Picture picture = source_difference(a, b);
  EXPECT_NE(picture.sentence.find("All 8 lines are the same; line "), std::string::npos) << picture.sentence;
  EXPECT_TRUE(says(picture, "32.0 wf"));
  EXPECT_TRUE(says(picture, "1.0 wf"));
  const auto total = [](const Recording& recording) {
    return analysis::results_of(recording, kHopper).report.shared_store.cost.wavefronts /
           2;  // Of as; as much is of bs
  };
  EXPECT_TRUE(says(picture, with_minus(change_in_words(total(a), total(b)))))
      << change_in_words(total(a), total(b));
}

TEST(SourceDifference, AChangedLineStandsBesideWhatItWas) {
  const Recording a = with_source(with_conflicts(0), "one\nfloat as[32][32];\nthree\nfour\n"),
                  b = with_source(with_conflicts(1), "one\nfloat as[32][33];\nthree\nfour\nfive\n");
  const Picture picture = source_difference(a, b);
  EXPECT_NE(picture.sentence.find("3 lines are the same, 1 in A alone, 2 in B alone"), std::string::npos)
      << picture.sentence;
  EXPECT_TRUE(says(picture, "float as[32][32];"));
  EXPECT_TRUE(says(picture, "float as[32][33];"));
  EXPECT_TRUE(says(picture, "\u2212"));
  EXPECT_TRUE(says(picture, "+"));
}

TEST(SourceDifference, NarrowPictureKeepsTheWholeSentence) {
  const Recording a = with_source(with_conflicts(0), "one\nfloat as[32][32];\nthree\nfour\n"),
                  b = with_source(with_conflicts(1), "one\nfloat as[32][33];\nthree\nfour\nfive\n");
  const Picture picture = source_difference(a, b, {300, 560});
  const std::string last = picture.sentence.substr(picture.sentence.rfind(' ') + 1);
  EXPECT_EQ(last, "wavefronts");
  EXPECT_TRUE(says(picture, last)) << picture.sentence;
}

TEST(SourceDifference, ChangedPartsAreSeenInNarrowPictures) {
  const std::string before = "one\n__shared__ float a_tile_of_the_matrix[32][32", after = "];\nthree\nfour\n";
  const Recording a = with_source(with_conflicts(0), before + after),
                  b = with_source(with_conflicts(1), before + " + 1" + after);
  EXPECT_TRUE(says(source_difference(a, b), "__shared__ float a_tile_of_the_matrix[32][32 + 1];"));
  const Picture narrow = source_difference(a, b, {300, 560});
  EXPECT_TRUE(says(narrow, "\u2026x[32][32 + 1];"));
  EXPECT_FALSE(says(narrow, "a_tile"));
}

TEST(SourceDifference, LargeTextOmitsUnchangedLines) {
  std::string same;
  for (int i = 0; i < 60; ++i) same += "same " + std::to_string(i) + ";\n";
  const Recording a = with_source(with_conflicts(0), "float as[32][32];\n" + same),
                  b = with_source(with_conflicts(1), "float as[32][33];\n" + same);
  Style hall = kStyle;
  hall.min_text = 20;
  const Picture picture = source_difference(a, b, {900, 700}, hall);
  EXPECT_TRUE(says(picture, "float as[32][33];"));
  EXPECT_TRUE(says(picture, "same 0;")) << "it makes an access";
  EXPECT_FALSE(says(picture, "same 40;"));
  EXPECT_TRUE(says(source_difference(a, b, {900, 1400}), "same 40;"));
}

TEST(SourceDifference, WithoutASourceThereIsNone) {
  const Recording a = with_source(with_conflicts(0), "one\n"), b = with_source(with_conflicts(0), "");
  EXPECT_NE(source_difference(a, b).sentence.find("The source of B is not in its recording"),
            std::string::npos);
  EXPECT_NE(source_difference(with_source(with_conflicts(0), "x\n"), a)
                .sentence.find("No line of A's source is a line of B's"),
            std::string::npos);
}

}  // namespace
}  // namespace warplens::picture
