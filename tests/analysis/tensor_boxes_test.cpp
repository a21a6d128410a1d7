#include "viz/analysis/tensor_boxes.h"

#include <gtest/gtest.h>

#include "recording/tensor_sample.h"

namespace warplens::analysis {
namespace {

using sample::tensor_of;
using sample::tensor_sample;

TEST(TensorBoxes, SwizzleSpreadsEightRowsOverAllBanks) {
  for (const auto& [swizzle, groups] :
       {std::pair{TensorSwizzle::none, 1u}, std::pair{TensorSwizzle::bytes128, 8u}}) {
    const auto sample = tensor_sample(tensor_of(64, 64, swizzle));
    const TensorBox box(sample.details.copies[0]);
    EXPECT_EQ(box.banks_of_eight_rows(true), groups);
    EXPECT_EQ(box.banks_of_eight_rows(false), 1u);
    EXPECT_EQ(box.plain_address(8 + 3), sample::kTensorSharedBase + 128 + 3 * 16);
  }
}

TEST(TensorBoxes, BytesOutsideTheTensorAreCounted) {
  // 20 of 32 rows and 24 of 32 columns are inside.
  const auto sample = tensor_sample(tensor_of(52, 56, TensorSwizzle::none), {32, 32});
  const TensorBox box(sample.details.copies[0]);
  EXPECT_EQ(box.bytes_outside(), (32 * 32 - 20 * 24) * 4u);
}

TEST(TensorBoxes, CoordinatesFollowElementStridesAndPlanes) {
  TensorMap map{.element = TensorElement::f32,
                .rank = 3,
                .address = sample::kTensorBase,
                .extents = {16, 12, 6, 1, 1},
                .strides = {4, 64, 768},
                .box = {8, 6, 2, 1, 1},
                .element_strides = {1, 2, 1, 1, 1}};
  const auto sample = tensor_sample(map, {4, 1, 3});
  const TensorBox box(sample.details.copies[0]);
  EXPECT_EQ(box.rows(), 3u * 2) << "of six rows every second";
  EXPECT_EQ(box.coordinates(4), (std::array<std::int64_t, kMaxTensorRank>{4, 3, 4}));
}

TEST(TensorBoxes, PiecesAreFoundByEitherAddress) {
  const auto sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::bytes128), {32, 8});
  const TensorBox box(sample.details.copies[0]);
  // Row 3 of the box, column 5: the second piece, which lies at piece 1 ^ 3 of its line.
  const std::uint64_t global = sample::kTensorBase + (11 * 64 + 37) * 4;
  const auto piece = box.piece_in_global(global);
  ASSERT_EQ(piece, 3u * 8 + 1);
  EXPECT_EQ(box.pieces()[*piece].shared, sample::kTensorSharedBase + 3 * 128 + (1 ^ 3) * 16);
  EXPECT_EQ(box.piece_in_shared(box.pieces()[*piece].shared + 7), piece);
  EXPECT_EQ(box.piece_in_global(sample::kTensorBase), std::nullopt);
}

TEST(TensorBoxes, CostIsThatOfTheRecordedAccesses) {
  const auto aligned = tensor_sample(tensor_of(64, 64, TensorSwizzle::none));
  const AccessCost cost = cost_of_copy(aligned.recording, 0, TensorBox(aligned.details.copies[0]), {9, 0});
  EXPECT_EQ(cost.sectors, 32u * 4);
  EXPECT_EQ(cost.ideal_sectors, 32u * 4);
  EXPECT_EQ(cost.wavefronts, 32u);
  // Each row of 128 bytes begins in the middle of a sector.
  const auto misaligned = tensor_sample(tensor_of(64, 64, TensorSwizzle::none), {4});
  EXPECT_EQ(cost_of_copy(misaligned.recording, 0, TensorBox(misaligned.details.copies[0]), {9, 0}).sectors,
            32u * 5);
  const auto outside = tensor_sample(tensor_of(52, 56, TensorSwizzle::none), {32, 32});
  EXPECT_EQ(cost_of_copy(outside.recording, 0, TensorBox(outside.details.copies[0]), {9, 0}).sectors,
            20u * 3);
}

TEST(TensorBoxes, CopyOfAnAccessIsTheOneThatMadeIt) {
  auto sample = tensor_sample(tensor_of(64, 64, TensorSwizzle::none));
  const auto events = static_cast<std::uint32_t>(sample.recording.events.size());
  TensorCopy later = sample.details.copies[0];
  later.order = events / 2;
  later.shared += 8192;
  sample.details.copies.push_back(later);
  const auto shown = [&](std::uint32_t warp, std::optional<std::size_t> event) {
    return copy_shown(sample.details, sample.recording, warp, event)->number;
  };
  EXPECT_EQ(shown(0, 0), 1u);
  EXPECT_EQ(shown(0, events / 2 - 1), 1u);
  EXPECT_EQ(shown(0, events / 2), 2u);
  EXPECT_EQ(shown(0, std::nullopt), 1u);
  // Another warp accesses what the second copy has filled.
  EventColumns& all = sample.recording.events;
  all.site.push_back(1);
  all.block.push_back(0);
  all.warp.push_back(1);
  all.phase.push_back(0);
  all.order.push_back(0);
  all.mask.push_back(1);
  all.base.push_back(8192 + 64);
  all.shape.push_back(0);
  EXPECT_EQ(shown(1, events), 2u);
  EXPECT_FALSE(copy_shown({}, sample.recording, 0, 0).has_value());
}

}  // namespace
}  // namespace warplens::analysis
