#include "kernels/gpu/timing.h"

#include <chrono>
#include <thread>

#include "device/device.h"

namespace warplens::gpu {
namespace {

TEST(SpreadOf, OneTimeIsAllOfThem) {
  const Spread spread = spread_of({3.5});
  EXPECT_EQ(spread.launches, 1u);
  EXPECT_EQ(spread.median_ms, 3.5);
  EXPECT_EQ(spread.min_ms, 3.5);
  EXPECT_EQ(spread.p25_ms, 3.5);
  EXPECT_EQ(spread.p75_ms, 3.5);
}

TEST(SpreadOf, QuartilesLieBetweenNeighbours) {
  const Spread spread = spread_of({4, 1, 3, 2});
  EXPECT_EQ(spread.launches, 4u);
  EXPECT_DOUBLE_EQ(spread.median_ms, 2.5);
  EXPECT_DOUBLE_EQ(spread.p25_ms, 1.75);
  EXPECT_DOUBLE_EQ(spread.p75_ms, 3.25);
  EXPECT_EQ(spread.min_ms, 1);
}

TEST(SpreadOf, OneSlowLaunchDoesNotMoveTheMedian) {
  std::vector<double> times(21, 1.0);
  times[7] = 1000;
  EXPECT_EQ(spread_of(times).median_ms, 1);
  EXPECT_EQ(spread_of(times).p75_ms, 1);
}

class TimeLaunches : public OnGpu {
 protected:
  // A stream's launch of nothing much: a fill of a buffer.
  [[nodiscard]] static Result<Timed> time(std::size_t turns, const Protocol& protocol, Progress& progress) {
    Result<ContextPointer> context = Context::open();
    if (!context.ok()) return context.error();
    const Result<Stream> stream = Stream::create(*context);
    const Result<DeviceBuffer> buffer = DeviceBuffer::allocate(*context, 1 << 20);
    if (!stream.ok()) return stream.error();
    if (!buffer.ok()) return buffer.error();
    const std::vector<Enqueue> fills(turns, [&](const Stream& where) { return buffer->fill(1, where); });
    return time_launches(*stream, fills, protocol, SmClock((*context)->gpu().pci_bus_id), progress);
  }
};

TEST_F(TimeLaunches, ExactlyAsOftenAsAsked) {
  Progress progress;
  const Result<Timed> timed = time(1, {37, 0}, progress);
  ASSERT_TRUE(timed.ok()) << timed.error().message();
  EXPECT_EQ(timed->milliseconds[0].size(), 37u);
  EXPECT_EQ(progress.launches_done, 37u);
}

TEST_F(TimeLaunches, ForAsLongAsAsked) {
  Progress progress;
  const auto start = std::chrono::steady_clock::now();
  const Result<Timed> timed = time(1, {20, 0.2}, progress);
  ASSERT_TRUE(timed.ok()) << timed.error().message();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
  EXPECT_GE(timed->milliseconds[0].size(), 20u);
  for (const double milliseconds : timed->milliseconds[0]) EXPECT_GT(milliseconds, 0);
}

TEST_F(TimeLaunches, TakesTurns) {
  Progress progress;
  const Result<Timed> timed = time(2, {21, 0}, progress);
  ASSERT_TRUE(timed.ok()) << timed.error().message();
  EXPECT_EQ(timed->milliseconds[0].size(), 21u);
  EXPECT_EQ(timed->milliseconds[1].size(), 21u);
}

TEST_F(TimeLaunches, IsCancelled) {
  Progress progress;
  progress.cancel = true;
  const Result<Timed> timed = time(1, {20, 60}, progress);
  ASSERT_FALSE(timed.ok());
  EXPECT_EQ(timed.error().what, "cancelled");
}

}  // namespace
}  // namespace warplens::gpu
