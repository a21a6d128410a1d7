#include "app/measure/cpu_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/catalog/workload.h"

namespace warplens::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRuns = 20, kFewestRuns = 3;
constexpr double kShortest = 0.2, kLongest = 10;  // Seconds
constexpr std::size_t kSampleExtent = 256;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

LaunchPlan plan_of(const Problem& problem) {
  return padded_plan(problem, 1, 1, 1);
}

/// A, B and C where the workload laid them out: row-major floats.
class Operands {
 public:
  explicit Operands(Workload& workload) : workload_(workload) {}
  double run(CpuProduct product, const ProductSize& size) {
    const auto start = Clock::now();
    multiply(product, at(0), at(1), at(2), size);
    return seconds_since(start);
  }

 private:
  float* at(std::size_t buffer) { return reinterpret_cast<float*>(workload_.contents[buffer].data()); }
  Workload& workload_;
};

/// How long one run may take: as long as a smaller product, for as many times the operations. What falls out
/// of the caches takes longer.
double estimate(CpuProduct product, const ProductSize& size) {
  const ProductSize sample{std::min(size.m, kSampleExtent), std::min(size.p, kSampleExtent),
                           std::min(size.n, kSampleExtent)};
  const std::vector<float> a(sample.m * sample.p, 1.0f), b(sample.p * sample.n, 1.0f);
  std::vector<float> c(sample.m * sample.n);
  multiply(product, a.data(), b.data(), c.data(), sample);  // Warms up
  const auto start = Clock::now();
  multiply(product, a.data(), b.data(), c.data(), sample);
  return seconds_since(start) * size.flops() / sample.flops();
}

std::uint64_t runs_wanted(double seconds_each) {
  const auto within = [seconds_each](double seconds) {
    return static_cast<std::uint64_t>(std::min(seconds / std::max(seconds_each, 1e-9), 1e9));
  };
  return std::clamp(std::max(kRuns, within(kShortest) + 1), kFewestRuns,
                    std::max(kFewestRuns, within(kLongest)));
}

}  // namespace

KernelDescriptor cpu_descriptor(CpuProduct product) {
  KernelDescriptor descriptor;
  descriptor.id = std::string(name_of(product));
  descriptor.shows = std::string(explanation_of(product));
  descriptor.plan = plan_of;
  return descriptor;
}

CpuRun run_product(CpuProduct product, const Problem& problem, std::optional<std::uint64_t> runs,
                   const std::function<void(const CpuProgress&)>& say) {
  const ProductSize size{problem.m, problem.p, problem.n};
  const double expected = estimate(product, size);
  say({0, runs.value_or(runs_wanted(expected)), expected});

  Workload workload = make_workload(cpu_descriptor(product), problem, plan_of(problem));
  Operands operands(workload);
  double seconds_each = operands.run(product, size);
  CpuRun result;
  result.verified = workload.verify(workload.contents[workload.output], std::nullopt);
  say({0, runs.value_or(runs_wanted(seconds_each)), seconds_each});

  double seconds = 0;
  const auto enough = [&] {
    const std::uint64_t done = result.milliseconds.size();
    if (runs) return done >= *runs;
    return (done >= kRuns && seconds >= kShortest) || (done >= kFewestRuns && seconds >= kLongest);
  };
  while (!enough()) {
    const double run = operands.run(product, size);
    seconds += run;
    result.milliseconds.push_back(run * 1e3);
    seconds_each = seconds / static_cast<double>(result.milliseconds.size());
    say({result.milliseconds.size(), runs.value_or(runs_wanted(seconds_each)), seconds_each});
  }
  return result;
}

}  // namespace warplens::measure
