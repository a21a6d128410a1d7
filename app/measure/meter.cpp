#include "app/measure/meter.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace warplens::measure {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kKeptSeconds = 60;
constexpr auto kShortestRest = std::chrono::milliseconds(500);
constexpr int kRestPerWork = 8;  ///< At most a ninth of one core

std::size_t index_of(CpuProduct product) {
  return static_cast<std::size_t>(product);
}

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::function<double()> seconds_from_now() {
  return [start = Clock::now()] { return seconds_between(start, Clock::now()); };
}

Meter::Meter(std::function<void()> on_sample, std::function<double()> clock)
    : on_sample_(std::move(on_sample)), clock_(std::move(clock)) {
  for (const CpuProduct product : {CpuProduct::ijk, CpuProduct::ikj}) chosen_[index_of(product)] = true;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Meter::switch_on(bool on) {
  {
    const std::lock_guard lock(mutex_);
    on_ = on;
  }
  changed_.notify_all();
}

void Meter::pause(bool paused) {
  if (paused_ == paused) return;
  {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
  }
  changed_.notify_all();
}

void Meter::set_size(std::uint32_t size) {
  {
    const std::lock_guard lock(mutex_);
    if (size_ == size) return;
    size_ = size;
    for (auto& samples : samples_) samples.clear();
  }
  changed_.notify_all();
}

void Meter::choose(CpuProduct product, bool chosen) {
  {
    const std::lock_guard lock(mutex_);
    chosen_[index_of(product)] = chosen;
    ++choices_;
    if (!chosen) samples_[index_of(product)].clear();
  }
  changed_.notify_all();
}

bool Meter::chosen(CpuProduct product) const {
  const std::lock_guard lock(mutex_);
  return chosen_[index_of(product)];
}

std::vector<Sample> Meter::samples(CpuProduct product) const {
  const std::lock_guard lock(mutex_);
  return samples_[index_of(product)];
}

void Meter::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::uint32_t size = 0, choices = 0;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return on_ && !paused_; })) return;
      size = size_;
      choices = choices_;
    }
    const auto begin = Clock::now();
    try {
      measure_round(size);
    } catch (const std::bad_alloc&) {
      on_ = false;  // The matrices have no room: smaller ones may, once it is switched on again
    }
    const auto worked = Clock::now() - begin;
    on_sample_();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, std::max<Clock::duration>(kShortestRest, worked * kRestPerWork),
                      [&] { return !on_ || paused_ || size_ != size || choices_ != choices; });
  }
}

void Meter::measure_round(std::uint32_t size) {
  const std::size_t elements = std::size_t{size} * size;
  const std::vector<float> a(elements, 1.0f), b(elements, 2.0f);
  std::vector<float> c(elements);
  for (const CpuProduct product : kCpuProducts) {
    if (!on_ || !chosen(product) || what_is_missing_for(product)) continue;
    const auto begin = Clock::now();
    multiply(product, a.data(), b.data(), c.data(), {size, size, size});
    const auto end = Clock::now();
    const double flops = 2.0 * size * size * size;
    const Sample sample{now(), flops / seconds_between(begin, end) * 1e-9};

    const std::lock_guard lock(mutex_);
    if (size_ != size || !chosen_[index_of(product)])
      return;  // Changed meanwhile: this sample belongs to no line
    auto& samples = samples_[index_of(product)];
    samples.push_back(sample);
    std::erase_if(samples, [&](const Sample& old) { return old.seconds < sample.seconds - kKeptSeconds; });
  }
}

}  // namespace warplens::measure
