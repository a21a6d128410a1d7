#include "app/measure/loop_orders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "app/measure/meter.h"

namespace warplens::measure {
namespace {

std::vector<float> small_integers(std::size_t n, std::uint32_t seed) {
  std::vector<float> values(n * n);
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 24) % 7 - 3);
  }
  return values;
}

TEST(LoopOrders, GiveTheSameExactProduct) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    const auto a = small_integers(n, 1), b = small_integers(n, 2);
    for (const LoopOrder order : kLoopOrders) {
      std::vector<float> c(n * n, -1000);
      multiply(order, a.data(), b.data(), c.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          std::int64_t sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += static_cast<std::int64_t>(a[i * n + k]) * static_cast<std::int64_t>(b[k * n + j]);
          ASSERT_EQ(c[i * n + j], static_cast<float>(sum)) << name_of(order) << " at " << i << ", " << j;
        }
      }
    }
  }
}

TEST(Meter, MeasuresOnlyWhileOnAndDropsSamplesOfAnotherSize) {
  std::mutex mutex;
  std::condition_variable sampled;
  int rounds = 0;
  Meter meter([&] {
    const std::lock_guard lock(mutex);
    ++rounds;
    sampled.notify_all();
  });
  EXPECT_FALSE(meter.on());
  EXPECT_TRUE(meter.samples(LoopOrder::ijk).empty());
  meter.set_size(16);
  meter.switch_on(true);
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(sampled.wait_for(lock, std::chrono::seconds(60), [&] { return rounds > 0; }));
  }
  meter.switch_on(false);
  for (const LoopOrder order : kLoopOrders) {
    ASSERT_FALSE(meter.samples(order).empty());
    EXPECT_GT(meter.samples(order).front().gflops, 0);
  }
  meter.set_size(32);
  EXPECT_TRUE(meter.samples(LoopOrder::ijk).empty());
}

}  // namespace
}  // namespace warplens::measure
