// How launches are timed: by CUDA events on their stream, many times.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/gpu/context.h"
#include "kernels/gpu/nvml.h"

namespace warplens::gpu {

/// Seen by other threads while launches are timed; `cancel` may be set by them.
struct Progress {
  std::atomic<std::uint64_t> launches_done{0};
  std::atomic<std::uint64_t> waits{0};  ///< For the GPU, as Watch counts them
  std::atomic<bool> cancel{false};

  [[nodiscard]] Watch watch() { return {&cancel, &waits}; }
};

/// What is said of many times of one thing, milliseconds. Quartiles lie between neighbouring times in
/// proportion.
struct Spread {
  std::uint64_t launches = 0;
  double median_ms = 0, min_ms = 0, p25_ms = 0, p75_ms = 0;
};
[[nodiscard]] Spread spread_of(std::vector<double> milliseconds);

/// Launch at least so often, and for at least so long.
struct Protocol {
  std::uint64_t launches = 20;
  double seconds = 0.2;
  /// Seconds for which the GPU is left to others after each batch, and the longest batch; 0: it is kept busy.
  double rest_seconds = 0;
};

/// Puts one launch into the stream.
using Enqueue = std::function<Result<Done>(const Stream& stream)>;

struct Timed {
  std::vector<std::vector<double>> milliseconds;  ///< By turn, by launch
  std::optional<int> sm_mhz;                      ///< The median of what was read while launches ran
};

/// Launches in turns: the first once, the second once, and so on, then again, so that all meet the same state
/// of the GPU. Launches are put into the stream in batches of some milliseconds, each between two events.
[[nodiscard]] Result<Timed> time_launches(const Stream& stream, std::span<const Enqueue> turns,
                                          const Protocol& protocol, const SmClock& clock, Progress& progress);

}  // namespace warplens::gpu
