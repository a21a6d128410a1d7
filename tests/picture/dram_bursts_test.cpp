#include "viz/picture/dram_bursts.h"

#include <gtest/gtest.h>

#include "picture/kernels.h"
#include "picture/words.h"

namespace warplens::picture {
namespace {

TEST(DramBursts, RowOpensTwoFullyUsedBursts) {
  const Recording recording = test::tiled({.tile = 32, .size = 64});
  const Picture picture = make_dram_bursts({&recording, kHopper, 0, 0, 0, 0}, {900, 420}, kStyle);
  EXPECT_TRUE(says(picture, "2 bursts"));
  EXPECT_TRUE(says(picture, "100 % of what they deliver is used"));
  EXPECT_FALSE(says(picture, "the corner turned"));
}

TEST(DramBursts, ColumnOpensOnePerLaneAndCornerTurnedTwo) {
  const Recording recording = test::tiled({.tile = 32, .size = 64, .swapped = true});
  const Picture picture = make_dram_bursts({&recording, kHopper, 0, 0, 0, 0}, {900, 420}, kStyle);
  EXPECT_TRUE(says(picture, "32 bursts"));
  EXPECT_TRUE(says(picture, "6.25 % of what they deliver is used"));
  EXPECT_TRUE(says(picture, "the corner turned: 2 bursts"));
}

TEST(DramBursts, ABufferThatAFileGivesNoRowsIsDrawnInKilobytes) {
  Recording recording = test::tiled({.tile = 32, .size = 64});
  for (Buffer& buffer : recording.buffers) buffer.rows = 2, buffer.columns = 0, buffer.pitch = 0;
  EXPECT_TRUE(says(make_dram_bursts({&recording, kHopper, 0, 0, 0, 0}, {900, 420}, kStyle), "2 bursts"));
}

}  // namespace
}  // namespace warplens::picture
