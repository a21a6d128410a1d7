#include "app/cli/run_cpu.h"

#include <fmt/core.h>

#include <chrono>
#include <new>
#include <nlohmann/json.hpp>

#include "app/launch/host.h"
#include "app/measure/cpu_run.h"
#include "kernels/base/figures.h"
#include "kernels/catalog/workload.h"
#include "kernels/gpu/timing.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

/// Says on the error stream what a run will take, and every few seconds how far it is: nothing if all is done
/// in a moment.
class Teller {
 public:
  Teller(std::ostream& err, std::string name) : err_(err), name_(std::move(name)) {}

  void operator()(const measure::CpuProgress& progress) {
    constexpr double kWorthSaying = 2, kEvery = 5;  // Seconds
    const auto now = std::chrono::steady_clock::now();
    if (!told_) {
      told_ = now;
      if (progress.seconds_each < kWorthSaying) return;
      err_ << fmt::format(
                  "{}: one run takes about {}, estimated from a product of at most 256 x 256 x 256, or "
                  "longer; "
                  "Ctrl+C ends it\n",
                  name_, in_time(progress.seconds_each))
           << std::flush;
      return;
    }
    if (progress.runs_done >= progress.runs_wanted ||
        std::chrono::duration<double>(now - *told_).count() < kEvery)
      return;
    told_ = now;
    err_ << (progress.runs_done == 0
                 ? fmt::format("{}: warmed up and verified in {}; {} timed runs follow\n", name_,
                               in_time(progress.seconds_each), with_thousands(progress.runs_wanted))
                 : fmt::format("{}: run {} of {}, {} each\n", name_, with_thousands(progress.runs_done),
                               with_thousands(progress.runs_wanted), in_time(progress.seconds_each)))
         << std::flush;
  }

 private:
  static std::string in_time(double seconds) {
    return seconds < 120    ? fmt::format("{:.1f} s", seconds)
           : seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                            : fmt::format("{:.1f} h", seconds / 3600);
  }

  std::ostream& err_;
  std::string name_;
  std::optional<std::chrono::steady_clock::time_point> told_;
};

struct Outcome {
  std::string name, device;
  Problem problem;
  gpu::Spread times;
  double gflops = 0, gbps = 0;
  unsigned threads = 1;
  bool verified = false;
};

Outcome outcome_of(measure::CpuProduct product, const Problem& problem, const measure::CpuRun& run) {
  Outcome outcome{.name = std::string(measure::name_of(product)),
                  .device = cpu_name(),
                  .problem = problem,
                  .times = gpu::spread_of(run.milliseconds)};
  const double elements = static_cast<double>(problem.m * problem.p) +
                          static_cast<double>(problem.p * problem.n) +
                          static_cast<double>(problem.m * problem.n);
  outcome.gflops =
      measure::ProductSize{problem.m, problem.p, problem.n}.flops() / outcome.times.median_ms * 1e-6;
  outcome.gbps = elements * sizeof(float) / outcome.times.median_ms * 1e-6;
  outcome.threads = measure::threads_of(product);
  outcome.verified = run.verified;
  return outcome;
}

void print_json(std::ostream& out, const Outcome& outcome) {
  // Nothing is moved to a device and back: a run is all it takes.
  const ordered_json json = {{"kernel", outcome.name},
                             {"device", outcome.device},
                             {"m", outcome.problem.m},
                             {"p", outcome.problem.p},
                             {"n", outcome.problem.n},
                             {"reps", outcome.times.launches},
                             {"median_ms", outcome.times.median_ms},
                             {"min_ms", outcome.times.min_ms},
                             {"gflops", outcome.gflops},
                             {"gbps", outcome.gbps},
                             {"upload_ms", 0.0},
                             {"download_ms", 0.0},
                             {"total_ms", outcome.times.median_ms},
                             {"verified", outcome.verified},
                             {"value_type", outcome.problem.value_type},
                             {"parameters", ordered_json::object()},
                             {"p25_ms", outcome.times.p25_ms},
                             {"p75_ms", outcome.times.p75_ms},
                             {"threads", outcome.threads}};
  print_document(out, json);
}

void print_text(std::ostream& out, const Outcome& outcome) {
  constexpr auto kLine = "  {:<12}{}\n";
  out << fmt::format("{} on {}: m = {}, p = {}, n = {}, {}\n", outcome.name, outcome.device,
                     outcome.problem.m, outcome.problem.p, outcome.problem.n, outcome.problem.value_type);
  out << fmt::format(kLine, "result", outcome.verified ? "right in every element" : "WRONG");
  out << fmt::format(
      kLine, "run",
      fmt::format("{}: the median of {}; half of them {} to {}, the least {}", in_ms(outcome.times.median_ms),
                  with_thousands(outcome.times.launches), in_ms(outcome.times.p25_ms),
                  in_ms(outcome.times.p75_ms), in_ms(outcome.times.min_ms)));
  out << fmt::format(kLine, "rate", rates(outcome.gflops, outcome.gbps));
  out << fmt::format(kLine, "threads", outcome.threads);
}

Result<Problem> make_cpu_problem(measure::CpuProduct product, const LaunchOptions& options) {
  const KernelDescriptor descriptor = measure::cpu_descriptor(product);
  const Result<std::vector<NamedValue>> parameters = parse_parameters(options.parameters);
  if (!parameters.ok()) return parameters.error();
  return make_problem(descriptor, options.extent(descriptor, 'm'), options.extent(descriptor, 'p'),
                      options.extent(descriptor, 'n'), *parameters, options.value_type);
}

}  // namespace

std::string in_ms(double milliseconds) {
  return fmt::format("{:.{}f} ms", milliseconds, milliseconds < 1 ? 4 : milliseconds < 100 ? 3 : 1);
}

std::string rates(double gflops, double gbps) {
  const std::string operations =
      gflops > 0 ? fmt::format("{:.{}f} GFLOP/s, ", gflops, gflops < 10 ? 2 : 0) : std::string();
  return fmt::format("{}{:.1f} GB/s of useful bytes", operations, gbps);
}

void run_on_cpu(Context& context, measure::CpuProduct product, const LaunchOptions& options,
                std::optional<std::uint64_t> reps, bool json) {
  const Result<Problem> problem = make_cpu_problem(product, options);
  if (!problem.ok()) return context.misuse(problem.error());
  if (reps && *reps == 0) return context.misuse({"0 runs measure nothing", "", "Run it at least once."});
  if (const auto missing = measure::what_is_missing_for(product)) return context.fail({*missing, "", ""});
  const LaunchPlan plan = measure::cpu_descriptor(product).plan(*problem);
  if (const Result<Done> fits = check_memory(workload_bytes(plan, problem->value_type)); !fits.ok())
    return context.fail(fits.error());
  try {
    const measure::CpuRun run = measure::run_product(
        product, *problem, reps, Teller(context.err, std::string(measure::name_of(product))));
    const Outcome outcome = outcome_of(product, *problem, run);
    json ? print_json(context.out, outcome) : print_text(context.out, outcome);
    if (!run.verified) context.fail({fmt::format("what {} computed is wrong", outcome.name), "", ""});
  } catch (const std::bad_alloc&) {
    context.fail({"not enough memory for the product", "", "Choose smaller matrices."});
  }
}

}  // namespace warplens::app
