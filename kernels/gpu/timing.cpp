#include "kernels/gpu/timing.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <thread>

namespace warplens::gpu {
namespace {

constexpr double kBatchSeconds =
    0.02;  ///< Long enough that the gaps between batches count for little, short enough to be cancelled
constexpr std::uint64_t kLongestBatch = 64;    ///< Rounds of all turns
constexpr double kClockReadingSeconds = 0.02;  ///< NVML may take a millisecond to answer

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// `sorted` at a fraction of its length.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

class LaunchTimer {
 public:
  LaunchTimer(const Stream& stream, std::span<const Enqueue> turns, const SmClock& clock, Progress& progress)
      : stream_(stream), turns_(turns), clock_(clock), progress_(progress) {
    timed_.milliseconds.resize(turns.size());
  }

  Result<Done> batch(std::uint64_t rounds) {
    if (auto made = have_events(rounds * turns_.size() + 1); !made.ok()) return made;
    std::size_t at = 0;
    if (auto recorded = events_[at].record(stream_); !recorded.ok()) return recorded;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (const Enqueue& enqueue : turns_) {
        if (auto launched = enqueue(stream_); !launched.ok()) return launched;
        if (auto recorded = events_[++at].record(stream_); !recorded.ok()) return recorded;
      }
    }
    read_clock();
    if (auto done = events_[at].wait(progress_.watch()); !done.ok()) return done;
    return read_times(at);
  }

  [[nodiscard]] std::uint64_t launches() const { return timed_.milliseconds.front().size(); }
  /// Returns how many rounds make up a batch, estimated from those so far.
  [[nodiscard]] std::uint64_t rounds_of_batch(double seconds) const {
    const double round_seconds = total_ms_ / 1e3 / static_cast<double>(launches());
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(seconds / std::max(round_seconds, 1e-7)), 1,
                                     kLongestBatch);
  }
  [[nodiscard]] Timed result() && {
    if (!mhz_.empty()) {
      std::ranges::nth_element(mhz_, mhz_.begin() + static_cast<std::ptrdiff_t>(mhz_.size() / 2));
      timed_.sm_mhz = mhz_[mhz_.size() / 2];
    }
    return std::move(timed_);
  }

 private:
  Result<Done> have_events(std::size_t count) {
    while (events_.size() < count) {
      Result<Event> event = Event::create(stream_.context());
      if (!event.ok()) return event.error();
      events_.push_back(std::move(*event));
    }
    return Done{};
  }

  void read_clock() {
    if (!mhz_.empty() && seconds_since(clock_read_) < kClockReadingSeconds) return;
    clock_read_ = std::chrono::steady_clock::now();
    if (const auto mhz = clock_.sm_mhz()) mhz_.push_back(*mhz);
  }

  Result<Done> read_times(std::size_t last) {
    for (std::size_t i = 0; i < last; ++i) {
      const Result<double> milliseconds = events_[i + 1].milliseconds_since(events_[i]);
      if (!milliseconds.ok()) return milliseconds.error();
      timed_.milliseconds[i % turns_.size()].push_back(*milliseconds);
      total_ms_ += *milliseconds;
    }
    progress_.launches_done += last;
    return Done{};
  }

  const Stream& stream_;
  std::span<const Enqueue> turns_;
  const SmClock& clock_;
  Progress& progress_;
  std::vector<Event> events_;
  std::vector<int> mhz_;
  std::chrono::steady_clock::time_point clock_read_;
  double total_ms_ = 0;
  Timed timed_;
};

}  // namespace

Spread spread_of(std::vector<double> milliseconds) {
  assert(!milliseconds.empty());
  std::ranges::sort(milliseconds);
  return {.launches = milliseconds.size(),
          .median_ms = quantile(milliseconds, 0.5),
          .min_ms = milliseconds.front(),
          .p25_ms = quantile(milliseconds, 0.25),
          .p75_ms = quantile(milliseconds, 0.75)};
}

Result<Timed> time_launches(const Stream& stream, std::span<const Enqueue> turns, const Protocol& protocol,
                            const SmClock& clock, Progress& progress) {
  assert(!turns.empty() && protocol.launches > 0);
  LaunchTimer timer(stream, turns, clock, progress);
  const auto start = std::chrono::steady_clock::now();
  const double batch_seconds =
      protocol.rest_seconds > 0 ? std::min(protocol.rest_seconds, kBatchSeconds) : kBatchSeconds;
  if (auto first = timer.batch(1); !first.ok()) return first.error();
  while (timer.launches() < protocol.launches || seconds_since(start) < protocol.seconds) {
    if (protocol.rest_seconds > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(protocol.rest_seconds));
    std::uint64_t rounds = timer.rounds_of_batch(batch_seconds);
    if (protocol.seconds <= 0) rounds = std::min(rounds, protocol.launches - timer.launches());
    if (auto done = timer.batch(rounds); !done.ok()) return done.error();
  }
  return std::move(timer).result();
}

}  // namespace warplens::gpu
