#include "app/cli/slow_notice.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace warplens::app {
namespace {

using std::chrono::milliseconds;

TEST(SlowNotice, IsWrittenOnceWhenTheWorkTakesLong) {
  std::ostringstream err;
  {
    const SlowNotice notice(err, "it goes on", milliseconds(1));
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_EQ(err.str(), "it goes on\n");
}

TEST(SlowNotice, IsNotWrittenWhenTheWorkEndsBefore) {
  std::ostringstream err;
  {
    const SlowNotice notice(err, "it goes on", std::chrono::minutes(10));
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace warplens::app
