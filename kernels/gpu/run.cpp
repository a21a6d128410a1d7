#include "kernels/gpu/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "kernels/base/texts.h"
#include "kernels/gpu/bench.h"

namespace warplens::gpu {
namespace {

constexpr std::size_t kTransferRounds = 3;

struct Transfers {
  double upload_ms = 0, download_ms = 0, total_ms = 0;
};

// Upload, launch and download in one go, as a program does that wants one product. Leaves a downloaded result
// of a launch on a poisoned output.
class TransferRounds {
 public:
  static Result<Transfers> run(Bench& bench, Progress& progress) {
    TransferRounds rounds;
    for (std::optional<Event>& event : rounds.events_) {
      Result<Event> made = Event::create(bench.context);
      if (!made.ok()) return made.error();
      event.emplace(std::move(*made));
    }
    std::array<std::vector<double>, 3> times;
    for (std::size_t i = 0; i < kTransferRounds; ++i) {
      const Result<Transfers> round = rounds.once(bench, progress);
      if (!round.ok()) return round.error();
      times[0].push_back(round->upload_ms);
      times[1].push_back(round->download_ms);
      times[2].push_back(round->total_ms);
    }
    return Transfers{spread_of(times[0]).median_ms, spread_of(times[1]).median_ms,
                     spread_of(times[2]).median_ms};
  }

 private:
  Result<Transfers> once(Bench& bench, Progress& progress) {
    const auto& [start, uploaded, launched, end] = events_;
    Subject& subject = bench.subject;
    if (auto done = subject.poison_output(bench.stream); !done.ok()) return done.error();
    if (auto done = bench.stream.wait(progress.watch()); !done.ok()) return done.error();
    if (auto done = start->record(bench.stream); !done.ok()) return done.error();
    if (auto done = subject.upload_inputs(bench.stream); !done.ok()) return done.error();
    if (auto done = uploaded->record(bench.stream); !done.ok()) return done.error();
    if (auto done = subject.launch(bench.stream); !done.ok()) return done.error();
    if (auto done = launched->record(bench.stream); !done.ok()) return done.error();
    if (auto done = download(bench, progress); !done.ok()) return done.error();
    if (auto done = end->record(bench.stream); !done.ok()) return done.error();
    if (auto done = end->wait(progress.watch()); !done.ok()) return done.error();
    const Result<double> upload = uploaded->milliseconds_since(*start),
                         download = end->milliseconds_since(*launched),
                         total = end->milliseconds_since(*start);
    if (!upload.ok()) return upload.error();
    if (!download.ok()) return download.error();
    if (!total.ok()) return total.error();
    return Transfers{*upload, *download, *total};
  }

  // The driver's call waits for the launch before it.
  static Result<Done> download(Bench& bench, Progress& progress) {
    const Waiting waiting(progress.watch());
    return bench.subject.download(bench.stream);
  }

  std::array<std::optional<Event>, 4> events_;
};

// "201.3 MB", or kB for less than one.
std::string in_bytes(std::uint64_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                           : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// The inputs are read again at every launch: what fits in the second-level cache is not read from memory.
// cuBLAS has matrices of its own.
void describe_caches(RunResult& result, const Bench& bench) {
  const std::uint64_t bytes = bench.subject.useful_bytes() * (bench.cublas ? 2 : 1),
                      l2 = bench.context->gpu().l2_bytes;
  result.warm = bytes <= l2;
  const std::string size = in_bytes(bytes), cache = in_bytes(l2);
  if (bench.subject.has_reference()) {
    result.caches = result.warm ? tr("warm: the {size} of the matrices fit in the {cache} of the L2 cache",
                                     "size"_a = size, "cache"_a = cache)
                                : tr("cold: the {size} of the matrices exceed the {cache} of the L2 cache",
                                     "size"_a = size, "cache"_a = cache);
  } else {
    result.caches = result.warm ? tr("warm: the {size} of the buffers fit in the {cache} of the L2 cache",
                                     "size"_a = size, "cache"_a = cache)
                                : tr("cold: the {size} of the buffers exceed the {cache} of the L2 cache",
                                     "size"_a = size, "cache"_a = cache);
  }
}

RunResult describe(const Bench& bench) {
  RunResult result;
  result.kernel = bench.request.kernel;
  result.device = bench.context->gpu().name;
  result.m = bench.problem.m;
  result.p = bench.problem.p;
  result.n = bench.problem.n;
  result.parameters = bench.problem.parameters;
  result.value_type = bench.problem.value_type;
  const FunctionAttributes& attributes = bench.subject.attributes();
  result.registers = attributes.registers;
  result.shared_bytes =
      static_cast<std::uint64_t>(attributes.shared_bytes) + bench.subject.dynamic_shared_bytes();
  result.local_bytes = static_cast<std::uint64_t>(attributes.local_bytes);
  result.cublas_missing = bench.cublas_missing;
  if (result.kernel == kCublasId) result.create_ms = bench.subject.create_ms();
  describe_caches(result, bench);
  return result;
}

RunResult::Cublas describe_cublas(const Bench& bench, const Spread& times, double kernel_ms, bool verified) {
  return {.times = times,
          .gflops = bench.gflops(times.median_ms),
          .gbps = bench.gbps(times.median_ms),
          .create_ms = bench.cublas->create_ms(),
          .verified = verified,
          .percent = 100 * times.median_ms / kernel_ms};
}

LiveSample sample_of(const Bench& bench, const Timed& timed) {
  const Spread kernel = spread_of(timed.milliseconds[0]);
  LiveSample sample{.median_ms = kernel.median_ms,
                    .gflops = bench.gflops(kernel.median_ms),
                    .gbps = bench.gbps(kernel.median_ms),
                    .launches = kernel.launches,
                    .sm_mhz = timed.sm_mhz};
  if (bench.cublas) {
    const double median = spread_of(timed.milliseconds[1]).median_ms;
    sample.cublas = {.median_ms = median,
                     .gflops = bench.gflops(median),
                     .gbps = bench.gbps(median),
                     .percent = 100 * median / kernel.median_ms};
  }
  return sample;
}

}  // namespace

bool failed(const RunResult& result) {
  if (!result.has_reference) return false;
  const Result<const KernelDescriptor*> kernel = find_launchable(result.kernel);
  return !result.verified && !(kernel.ok() && (*kernel)->fault);
}

Error wrong_result(const std::string& kernel) {
  return {tr("what {kernel} computed is wrong", "kernel"_a = kernel), "",
          tr("The replay on the CPU may tell where.")};
}

Result<RunResult> run(const RunRequest& request, Progress* progress) {
  Progress unseen;
  Progress& seen = progress == nullptr ? unseen : *progress;
  if (const Result<Problem> problem = check_request(request); !problem.ok()) return problem.error();
  const Result<std::unique_ptr<Bench>> prepared = Bench::prepare(request, seen);
  if (!prepared.ok()) return prepared.error();
  Bench& bench = **prepared;
  RunResult result = describe(bench);

  const Result<Transfers> transfers = TransferRounds::run(bench, seen);
  if (!transfers.ok()) return transfers.error();
  result.upload_ms = transfers->upload_ms;
  result.download_ms = transfers->download_ms;
  result.total_ms = transfers->total_ms;
  result.has_reference = bench.subject.has_reference();
  result.verified = bench.subject.is_right();

  const std::vector<Enqueue> turns = bench.turns();
  const Result<Timed> timed =
      time_launches(bench.stream, turns, {request.launches, request.seconds}, bench.clock, seen);
  if (!timed.ok()) return timed.error();
  result.times = spread_of(timed->milliseconds[0]);
  result.gflops = bench.gflops(result.times.median_ms);
  result.gbps = bench.gbps(result.times.median_ms);
  result.sm_mhz = timed->sm_mhz;
  if (!bench.cublas) return result;

  const Result<bool> right = bench.verify(*bench.cublas, seen);
  if (!right.ok()) return right.error();
  result.cublas = describe_cublas(bench, spread_of(timed->milliseconds[1]), result.times.median_ms, *right);
  return result;
}

LiveRun::LiveRun(std::unique_ptr<Bench> bench) : bench_(std::move(bench)) {}
LiveRun::~LiveRun() = default;

Result<std::unique_ptr<LiveRun>> LiveRun::start(const RunRequest& request, Progress* progress) {
  Progress unseen;
  Progress& seen = progress == nullptr ? unseen : *progress;
  if (const Result<Problem> problem = check_request(request); !problem.ok()) return problem.error();
  Result<std::unique_ptr<Bench>> bench = Bench::prepare(request, seen);
  if (!bench.ok()) return bench.error();
  const Result<bool> right = (*bench)->verify((*bench)->subject, seen);
  if (!right.ok()) return right.error();
  if ((*bench)->subject.has_reference() && !*right && !(*bench)->kernel->fault)
    return wrong_result(request.kernel);
  return std::unique_ptr<LiveRun>(new LiveRun(std::move(*bench)));
}

Result<LiveSample> LiveRun::sample(double seconds, Progress* progress) {
  Progress unseen;
  const Bench& bench = *bench_;
  const std::vector<Enqueue> turns = bench.turns();
  constexpr double kRestSeconds =
      0.008;  // Half of a frame at 60 a second: what is on screen may be drawn by the same GPU
  const Protocol protocol{.launches = 1, .seconds = seconds, .rest_seconds = kRestSeconds};
  const Result<Timed> timed =
      time_launches(bench.stream, turns, protocol, bench.clock, progress == nullptr ? unseen : *progress);
  if (!timed.ok()) return timed.error();
  return sample_of(bench, *timed);
}

const std::string& LiveRun::cublas_missing() const {
  return bench_->cublas_missing;
}

}  // namespace warplens::gpu
