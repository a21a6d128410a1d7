#include "viz/picture/tensor_box.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "recording/tensor_sample.h"
#include "viz/picture/box_grids.h"
#include "viz/views/view.h"

namespace warplens::picture {
namespace {

using sample::tensor_of;
using sample::tensor_sample;
using sample::TensorSample;

Picture make(const TensorSample& sample, const Highlight& highlight = {}, Size size = {1200, 800}) {
  const Moment moment{.recording = &sample.recording, .cc = {9, 0}};
  return make_tensor_box(moment, &sample.details, highlight, size, {&dark_palette(), 1});
}
bool has_text(const Picture& picture, const std::string& text) {
  return std::ranges::any_of(picture.items, [&](const Item& item) {
    const auto* const shown = std::get_if<Text>(&item);
    return shown != nullptr && shown->text == text;
  });
}
/// The place that stands for an element, or a word.
const Region* region_of(const Picture& picture, Target::Kind kind, std::int64_t a, std::int64_t b = 0,
                        std::int64_t c = 0) {
  const auto found = std::ranges::find_if(picture.regions, [&](const Region& region) {
    return region.target.kind == kind && region.target.a == a && region.target.b == b && region.target.c == c;
  });
  return found == picture.regions.end() ? nullptr : &*found;
}
std::size_t lit_pieces(const Picture& picture) {
  return static_cast<std::size_t>(std::ranges::count_if(picture.items, [](const Item& item) {
    const auto* const outline = std::get_if<OutlinedRect>(&item);
    return outline != nullptr && outline->thickness == 2;
  }));
}

TEST(TensorBoxPicture, PlaceOnTheBoxSaysWhereItLands) {
  const TensorSample sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::bytes128), {32, 8});
  const Picture picture = make(sample);
  // Row 3 of the box, the second piece: at piece 1 ^ 3 of the fourth line.
  const Region* const place = region_of(picture, Target::Kind::element, 0, 11, 36);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->columns, 4u);
  EXPECT_EQ(place->tooltip,
            "[11][36\u201339] in shared memory at 0x5a0, banks 8 to 11\n"
            "without the swizzle at 0x590, banks 4 to 7\nA[11]");
  EXPECT_TRUE(picture.hit(centre(place->rect))->tooltip.ends_with("\nA[11][38]"));
}

TEST(TensorBoxPicture, ElementAndWordLightTheSamePlaces) {
  const TensorSample sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::bytes128), {32, 8});
  const Picture by_element = make(sample, {.element = ElementAt{0, 11, 37}}),
                by_word = make(sample, {.shared_word = (0x5a0 - 1024) / 4 + 1});
  EXPECT_EQ(lit_pieces(by_element), 3u) << "on the tensor, and in shared memory with and without swizzle";
  EXPECT_EQ(lit_pieces(by_word), 3u);
  EXPECT_EQ(lit_pieces(make(sample, {.element = ElementAt{0, 0, 0}})), 0u) << "outside the box";
}

TEST(TensorBoxPicture, FiguresAreThoseOfTheAnalysis) {
  const TensorSample sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::none), {4});
  const Picture picture = make(sample);
  EXPECT_TRUE(has_text(picture, "160 sectors"));
  EXPECT_EQ(picture.sentence, "8 rows of a column of 16 bytes lie in 1 of 8 groups of banks.");
}

TEST(TensorBoxPicture, WhatLiesOutsideTheTensorIsSaid) {
  TensorMap map = tensor_of(52, 56, TensorSwizzle::bytes128);
  const std::string words = "2,176 of 4,096 bytes lie outside the tensor and are ";
  EXPECT_TRUE(make(tensor_sample(map, {32, 32})).sentence.starts_with(words + "filled with zeros."));
  EXPECT_TRUE(
      make(tensor_sample(map, {32, 32}, AccessOp::bulk_store)).sentence.starts_with(words + "not written."));
  map.fills_with_nan = true;
  EXPECT_TRUE(make(tensor_sample(map, {32, 32})).sentence.starts_with(words + "filled with NaN."));
}

TEST(TensorBoxPicture, LargeBoxIsDrawnByPages) {
  TensorMap map = tensor_of(512, 512, TensorSwizzle::none);
  map.box = {256, 256, 1, 1, 1};
  const TensorSample sample = tensor_sample(map);
  const Picture first = make(sample);
  EXPECT_LT(first.regions.size(), 10'000u);
  EXPECT_NE(region_of(first, Target::Kind::element, 0, 0, 0), nullptr);
  EXPECT_EQ(region_of(first, Target::Kind::element, 0, 200, 0), nullptr);
  const Picture other = make(sample, {.element = ElementAt{0, 200, 1}});
  EXPECT_NE(region_of(other, Target::Kind::element, 0, 200, 0), nullptr);
  EXPECT_EQ(region_of(other, Target::Kind::element, 0, 0, 0), nullptr);
}

TEST(TensorBoxPicture, BoxesOfOneToFiveDimensionsAreDrawn) {
  for (std::uint32_t rank = 1; rank <= kMaxTensorRank; ++rank) {
    TensorMap map{.element = TensorElement::f32,
                  .rank = rank,
                  .address = sample::kTensorBase,
                  .extents = {32, 4, 4, 4, 4},
                  .strides = {4, 128, 512, 2048, 8192},
                  .box = {8, 2, 2, 2, 2}};
    for (std::size_t d = rank; d < kMaxTensorRank; ++d) map.extents.at(d) = map.box.at(d) = 1;
    const TensorSample sample = tensor_sample(map, {8});
    const Picture picture = make(sample);
    EXPECT_FALSE(picture.empty);
    EXPECT_TRUE(has_text(picture, rank == 1   ? "[8]"
                                  : rank == 2 ? "[0, 8]"
                                  : rank == 3 ? "[0, 0, 8]"
                                  : rank == 4 ? "[0, 0, 0, 8]"
                                              : "[0, 0, 0, 0, 8]"))
        << rank;
  }
}

TEST(TensorBoxPicture, WithoutCopiesTheReasonIsSaid) {
  TensorSample sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::none));
  sample.details.copies.clear();
  EXPECT_TRUE(make(sample).empty);
  const Moment moment{.recording = &sample.recording, .cc = {9, 0}};
  EXPECT_TRUE(make_tensor_box(moment, nullptr, {}, {800, 600}, {&dark_palette(), 1}).empty);
}

TEST(TensorBoxPicture, TableHasARowForEachPiece) {
  const TensorSample sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::bytes128), {32, 8});
  viz::Subject subject{.moment = {.recording = &sample.recording, .cc = {9, 0}}};
  subject.details = std::make_shared<const BlockDetails>(sample.details);
  const std::string table = viz::find_view("box")->table(subject);
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 32 * 8);
  EXPECT_NE(table.find("\n3,36,11,,,,0x10000b90,0,16,0x5a0,0x590,8\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace warplens::picture
