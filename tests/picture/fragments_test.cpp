#include "viz/picture/fragments.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "picture/kernels.h"
#include "picture/matrices.h"
#include "viz/picture/element_terms.h"

namespace warplens::picture {
namespace {

const Style kFragmentStyle{&dark_palette(), 1};
constexpr Size kRoomForTerms{1200, 800};

struct MatrixSubject {
  Recording recording = test::tiled();
  Moment moment{.recording = &recording, .cc = {9, 0}};
  [[nodiscard]] Picture make(const BlockDetails* warp, const Highlight& highlight,
                             std::optional<std::size_t> chosen = 1) const {
    return make_fragments(moment, test::matrix_instructions(), chosen, warp, highlight, kRoomForTerms,
                          kFragmentStyle);
  }
  [[nodiscard]] std::shared_ptr<const BlockDetails> matrices() const {
    return test::block_details(recording.event_blocks[0], 0);
  }
};

std::size_t count_elements(const Picture& picture) {
  return static_cast<std::size_t>(std::ranges::count_if(picture.regions, [](const Region& region) {
    return region.target.kind == Target::Kind::matrix_element;
  }));
}
bool draws_text(const Picture& picture, const std::string& text) {
  return std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* const shown = std::get_if<Text>(&item);
    return shown != nullptr && shown->text.find(text) != std::string::npos;
  });
}

TEST(Fragments, EveryElementHasACell) {
  const MatrixSubject subject;
  EXPECT_EQ(count_elements(subject.make(nullptr, {})), 16u * 16 + 16 * 8 + 16 * 8);
  EXPECT_EQ(count_elements(subject.make(nullptr, {}, 0)), 4u * 64) << "four matrices of ldmatrix";
}

TEST(Fragments, CellsSayLaneRegisterAndValue) {
  const MatrixSubject subject;
  const auto matrices = subject.matrices();
  const Picture picture = subject.make(matrices.get(), {});
  const auto cell = std::ranges::find_if(
      picture.regions, [](const Region& region) { return region.tooltip.starts_with("A[9][11]:"); });
  ASSERT_NE(cell, picture.regions.end());
  EXPECT_EQ(cell->tooltip, "A[9][11]: lane 5, %r4, bits 16 to 31\n1.00878906 (0x3c09)");
  EXPECT_EQ(cell->target.a % kWarpSize, 5);
}

TEST(Fragments, SentenceSaysWhatIsLost) {
  const MatrixSubject subject;
  const auto matrices = subject.matrices();
  const Picture picture =
      subject.make(matrices.get(), {.matrix_element = MatrixElement{.matrix = 0, .row = 3, .column = 5}});
  EXPECT_TRUE(picture.sentence.starts_with("D[3][5]: C and 16 products, added at once")) << picture.sentence;
  EXPECT_NE(picture.sentence.find("The compared GPUs do not all give the same bits."), std::string::npos)
      << picture.sentence;
  EXPECT_TRUE(draws_text(picture, "A100 (8.0)"));
  EXPECT_FALSE(draws_text(picture, "V100 (7.0)")) << "it has no mma of this shape";
}

TEST(Fragments, TermsWithoutValuesNameLanesAndRegisters) {
  const MatrixSubject subject;
  const Picture picture = subject.make(nullptr, {});
  EXPECT_EQ(picture.sentence, "The values in the registers are not known.");
  EXPECT_TRUE(draws_text(picture, "lane 0, %r1, bits 0 to 15"));
}

TEST(Fragments, ValuesOfAnotherWarpAreNotShown) {
  const MatrixSubject subject;
  const auto matrices = test::block_details(subject.recording.event_blocks[0], 1);
  EXPECT_EQ(subject.make(matrices.get(), {}).sentence, "The values in the registers are not known.");
}

TEST(Fragments, LaneIsExplainedByItsFirstElement) {
  const analysis::MatrixInstruction& mma = test::matrix_instructions()[1];
  EXPECT_EQ(element_explained(mma, {.element = {}, .lane = 14}),
            (MatrixElement{.matrix = 0, .row = 3, .column = 4}));
  EXPECT_EQ(
      element_explained(mma, {.element = MatrixElement{.matrix = 1, .row = 7, .column = 12}, .lane = 30}),
      (MatrixElement{.matrix = 0, .row = 7, .column = 0}))
      << "of A it is the row";
}

TEST(Fragments, HighlightedLaneGoesBeforeAnElementOfAnotherLane) {
  const analysis::MatrixInstruction& mma = test::matrix_instructions()[1];
  const MatrixElement element{.matrix = 0, .row = 3, .column = 5};  // Of lane 14
  EXPECT_EQ(matrix_highlight(mma, {.matrix_element = element}).lane, 14);
  EXPECT_EQ(matrix_highlight(mma, {.lane = 14, .matrix_element = element}).element, element);
  EXPECT_EQ(matrix_highlight(mma, {.lane = 9, .matrix_element = element}).element, std::nullopt);
  EXPECT_EQ(matrix_highlight(mma, {.lane = 9, .matrix_element = element}).lane, 9);
  EXPECT_EQ(
      matrix_highlight(mma, {.matrix_element = MatrixElement{.matrix = 0, .row = 700, .column = 0}}).element,
      std::nullopt)
      << "the instruction does not have it";
}

TEST(Fragments, KernelWithoutMatricesSaysSo) {
  const MatrixSubject subject;
  const Picture picture = make_fragments(subject.moment, {}, {}, nullptr, {}, kRoomForTerms, kFragmentStyle);
  EXPECT_TRUE(picture.empty);
}

}  // namespace
}  // namespace warplens::picture
