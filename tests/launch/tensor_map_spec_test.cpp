// Tensor maps among arguments: what they say, what they are written as again, and what cannot be.
#include "app/launch_form/tensor_map_spec.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace warplens::app {
namespace {

constexpr const char* kMaps[] = {
    "tensormap:bf16[256][128]@A:box=64x64:swizzle=128B",
    "tensormap:f32[1024]@A:box=32",
    "tensormap:u8[3][4][64]@A[16]:box=2x4x32:steps=1x2x1:swizzle=32B:fill=nan",
    "tensormap:f32[100][60,64]@A:box=8x4",
    "tensormap:f16[4][100,128][32,64]@A:box=1x8x8",
    "tensormap:bf16[4][256][64]@A:box=2x128x64:strides=128x512:swizzle=128B",
    "tensormap*:i64[8][8]@A:box=8x2:swizzle=64B",
    "tensormap:tf32[8][8]@A:box=8x4",
    "tensormap:f32ftz[8][8]@A:box=8x4:fill=nan",
    "tensormap:f16[3][2][9][10]@A:box=1x1x4x8:steps=1x1x1x2:interleave=16B",
    "tensormap:u16[3][9][10][64]@A:channels=32:pixels=40:lower=-1x-1:upper=1x-2:swizzle=64B",
    "tensormap:u16[3][9][10,12][64]@A:channels=8:pixels=1024",
    "tensormap:u8[2][4][40]@A:channels=16:pixels=8:lower=-3:swizzle=32B:interleave=32B",
};

TEST(TensorMapSpec, RoundTrips) {
  for (const char* const text : kMaps) {
    const Result<ArgumentSpec> spec = parse_argument(text);
    ASSERT_TRUE(spec.ok()) << text << ": " << spec.error().message();
    EXPECT_EQ(text_of(*spec), text);
  }
}

TEST(TensorMapSpec, NamesDimensionsFromTheOutermost) {
  const Result<ArgumentSpec> spec = parse_argument("tensormap:u8[3][4,5][64,80]@A:box=2x4x32:steps=1x2x1");
  ASSERT_TRUE(spec.ok());
  const auto& scalar = std::get<ScalarSpec>(*spec);
  ASSERT_TRUE(scalar.map);
  EXPECT_EQ(scalar.map->rank, 3u);
  EXPECT_EQ(scalar.map->extents, (std::array<std::uint64_t, 5>{64, 4, 3, 1, 1}));
  EXPECT_EQ(scalar.map->strides, (std::array<std::uint64_t, 5>{0, 80, 400, 0, 0}));
  EXPECT_EQ(scalar.map->box, (std::array<std::uint32_t, 5>{32, 4, 2, 1, 1}));
  EXPECT_EQ(scalar.map->box_elements(1), 2u);
  EXPECT_EQ(scalar.bytes.size(), kTensorMapBytes);
  ASSERT_EQ(scalar.addresses.size(), 1u);
  EXPECT_EQ(scalar.addresses[0].to.buffer, "A");
}

TEST(TensorMapSpec, TakesSizesOfTheLaunch) {
  const std::vector<NamedValue> values{{"m", 512}, {"k", 64}};
  const Result<ArgumentSpec> spec =
      parse_argument("tensormap:bf16[m][k]@A:box=k*2xk:swizzle=128B", {values, {}});
  ASSERT_TRUE(spec.ok()) << spec.error().message();
  EXPECT_EQ(text_of(*spec), "tensormap:bf16[512][64]@A:box=128x64:swizzle=128B");
}

TEST(TensorMapSpec, DimensionsOfInterleavedTensorsCountSlices) {
  const Result<ArgumentSpec> spec =
      parse_argument("tensormap:f16[2][3][10]@A:box=1x1x8:interleave=32B:swizzle=32B");
  ASSERT_TRUE(spec.ok()) << spec.error().message();
  const TensorMap& map = *std::get<ScalarSpec>(*spec).map;
  EXPECT_EQ(map.strides, (std::array<std::uint64_t, 5>{0, 320, 960, 0, 0}));
}

TEST(TensorMapSpec, InvalidMapsAreRefused) {
  const std::pair<const char*, const char*> wrong[] = {
      {"tensormap:q7[8][8]@A:box=8x8", "a tensor's elements are"},
      {"tensormap:f32[8][8]:box=8x8", "behind the extents stands @"},
      {"tensormap:f32[8][8]@A", "the box is missing"},
      {"tensormap:f32[8][8][8]@A:box=1x1x4:pixels=8:channels=4", "the box is missing"},
      {"tensormap:f32[8][8][8]@A:pixels=2000:channels=4", "1 to 1024 pixels"},
      {"tensormap:f32[8][8]@A:pixels=8:channels=4", "3 to 5 dimensions"},
      {"tensormap:f32[8][8][8][8]@A:pixels=8:channels=4:lower=-1", "a number for each of D, H and W"},
      {"tensormap:f32[8][8][8][8]@A:pixels=8:channels=4:lower=-1x-129", "-128 to 127 in 4"},
      {"tensormap:f32[8][8]@A:box=1x8:interleave=16B", "3 to 5 dimensions"},
      {"tensormap:f32[8][8][8]@A:box=1x1x8:interleave=32B", "interleave=32B needs swizzle=32B"},
      {"tensormap:f32[8][8]@A:box=8", "a number for each dimension"},
      {"tensormap:f32[8][8]@A:box=8x3", "a row of the box is a multiple of 16 bytes"},
      {"tensormap:f32[8][6]@A:box=4x4", "strides are multiples of 16 bytes"},
      {"tensormap:f32[8][64]@A:box=8x64:swizzle=128B", "at most as long as the swizzle is wide"},
      {"tensormap:f32[8][64]@A:box=8x300", "1 to 256 elements"},
      {"tensormap:f32[8][8]@A:box=8x4:swizzle=16B", "is not one of"},
      {"tensormap:f32[8][8,4]@A:box=8x4", "a pitch is less"},
      {"tensormap:f32[8][8][8][8][8][8]@A:box=1x1x1x1x1x4", "1 to 5 dimensions"},
  };
  for (const auto& [text, reason] : wrong) {
    const Result<ArgumentSpec> spec = parse_argument(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_NE(spec.error().what.find(reason), std::string::npos) << spec.error().what;
  }
}

}  // namespace
}  // namespace warplens::app
