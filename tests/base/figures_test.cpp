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

}  // namespace
}  // namespace warplens
