// What the GPU did for this window: shown by views, changed by the shell alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/gpu/device.h"
#include "kernels/gpu/run.h"

namespace warplens::app {

/// Whether a kernel multiplies matrices, so that its rate is one of operations, and cuBLAS's is there to
/// compare with.
[[nodiscard]] bool is_product(const std::string& kernel);

struct Rate {
  double value = 0;
  const char* unit = "";  ///< A literal
};
/// GFLOP/s of a product; else useful GB/s.
template <class Measured>
[[nodiscard]] Rate rate_of(const Measured& measured) {
  return measured.gflops > 0 ? Rate{measured.gflops, "GFLOP/s"} : Rate{measured.gbps, "GB/s"};
}

/// "tiled, T = 32"
[[nodiscard]] std::string name_of(const gpu::RunRequest& request);

/// Samples of one kernel at one size, launched without a pause.
struct LiveSeries {
  std::string label;
  std::vector<double> seconds;  ///< When they came, on the meter's clock
  std::vector<gpu::LiveSample> samples;
};

/// Every kernel at one size, and cuBLAS.
struct Ladder {
  std::uint64_t m = 0, p = 0, n = 0;
  std::vector<gpu::RunResult> results;  ///< In the ladder's order; cuBLAS is the last
};

enum class SweepOver : unsigned char { size, parameter };

/// One kernel over sizes, or over the values of its first parameter.
struct Sweep {
  SweepOver over = SweepOver::size;
  gpu::RunRequest request;  ///< All but what is swept
  std::string axis;         ///< "N", or the parameter's name
  std::vector<std::int64_t> planned;
  struct Point {
    std::int64_t at = 0;
    gpu::RunResult result;
  };
  std::vector<Point> points;  ///< Ascending
};

/// What is counted of work as it goes on.
enum class WorkPart : unsigned char { blocks, kernels, points };

struct GpuModel {
  std::optional<gpu::DriverCheck> driver;  ///< nullopt: not known yet
  std::string busy_with;  ///< "Measuring the ladder", in the language chosen; empty: nothing runs, or what is
                          ///< live alone
  std::uint64_t done = 0, total = 0;  ///< Of its parts; total 0: not known
  WorkPart part = WorkPart::blocks;
  bool measuring_ladder = false, sweeping = false;

  std::optional<gpu::RunResult> last_run;
  std::uint64_t runs_made = 0;  ///< Grows with last_run

  bool live_on = false;
  std::vector<LiveSeries> live;  ///< Over the last minute, oldest first
  Ladder ladder;
  Sweep sweep;
  std::vector<gpu::RunResult> trials;  ///< What the playground asked for, each once

  [[nodiscard]] bool usable() const { return driver && !driver->gpus.empty(); }
  [[nodiscard]] std::string name() const { return usable() ? driver->gpus.front().name : std::string(); }
  /// Why nothing can be launched, and what to do about it; empty if it can.
  [[nodiscard]] std::string unusable() const;
};

/// What views ask for; the shell does it after the frame.
struct GpuWishes {
  bool measure_ladder = false, cancel = false;
  std::optional<SweepOver> sweep;
  std::optional<gpu::RunRequest> trial;  ///< Of the playground
};

}  // namespace warplens::app
