#include "app/cli/slow_notice.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <sstream>

namespace warplens::app {
namespace {

/// Tells when what was written is flushed.
class FlushedText : public std::stringbuf {
 public:
  [[nodiscard]] std::future<void> flushed() { return flushed_.get_future(); }

 private:
  int sync() override {
    flushed_.set_value();
    return 0;
  }
  std::promise<void> flushed_;
};

TEST(SlowNotice, IsWrittenWhenTheWorkTakesLong) {
  FlushedText text;
  std::ostream err(&text);
  std::future<void> flushed = text.flushed();
  {
    const SlowNotice notice(err, "it goes on", std::chrono::milliseconds(1));
    ASSERT_EQ(flushed.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  }
  EXPECT_EQ(text.str(), "it goes on\n");
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
