#include "kernels/base/figures.h"

#include <gtest/gtest.h>

#include <limits>

namespace warplens {
namespace {

TEST(Figures, HaveACommaBeforeEveryThreeDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(12345), "12,345");
  EXPECT_EQ(with_thousands(1048576), "1,048,576");
  EXPECT_EQ(with_thousands(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Figures, AreShortWhereThereIsNoRoom) {
  EXPECT_EQ(in_short(0), "0");
  EXPECT_EQ(in_short(9'999), "9999");
  EXPECT_EQ(in_short(12'345), "12.3 k");
  EXPECT_EQ(in_short(999'499), "999 k");
  EXPECT_EQ(in_short(999'500), "1.00 M");
  EXPECT_EQ(in_short(66'571'993'088), "66.6 G");
  EXPECT_EQ(in_short(1'234'567'890'123), "1.23 T");
  EXPECT_EQ(in_short(UINT64_MAX), "18.4 E");
}

}  // namespace
}  // namespace warplens
