// Measures this machine's processor, again and again, on a thread of its own and at low duty, while it is
// switched on.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "app/measure/cpu_products.h"

namespace warplens::measure {

/// A clock that begins with 0; can be read from any thread.
[[nodiscard]] std::function<double()> seconds_from_now();

struct Sample {
  double seconds = 0;  ///< On the meter's clock
  double gflops = 0;
};

class Meter {
 public:
  /// `on_sample` is called on the meter's thread after every round; `clock`, from there too, says when in
  /// seconds. How long a product took is measured by another clock.
  explicit Meter(std::function<void()> on_sample, std::function<double()> clock = seconds_from_now());

  void switch_on(bool on);
  [[nodiscard]] bool on() const { return on_; }
  /// While nobody looks, nothing is measured, though it is on.
  void pause(bool paused);
  /// Matrices are size x size; the samples so far are dropped, for they measured another size.
  void set_size(std::uint32_t size);
  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// Which products are measured: ijk and ikj, unless others are chosen. What is missing here is not
  /// measured.
  void choose(CpuProduct product, bool chosen);
  [[nodiscard]] bool chosen(CpuProduct product) const;

  /// Copies of the latest samples of a product, oldest first, over the last minute.
  [[nodiscard]] std::vector<Sample> samples(CpuProduct product) const;
  [[nodiscard]] double now() const { return clock_(); }  ///< Seconds on the meter's clock

 private:
  void run(const std::stop_token& stop);
  void measure_round(std::uint32_t size);

  const std::function<void()> on_sample_;
  const std::function<double()> clock_;
  std::atomic<bool> on_{false}, paused_{false};
  std::atomic<std::uint32_t> size_{256};
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<std::vector<Sample>, kCpuProducts.size()> samples_;
  std::array<bool, kCpuProducts.size()> chosen_{};
  std::uint32_t choices_ = 0;  ///< Made so far: a new one ends the rest between rounds
  std::jthread thread_;        // Last: it uses the rest
};

}  // namespace warplens::measure
