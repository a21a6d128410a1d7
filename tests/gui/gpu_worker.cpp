#include "gui/gpu_worker.h"

#include <signal.h>

#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "app/views/gpu_model.h"
#include "app/worker/handlers.h"
#include "app/worker/wire.h"
#include "kernels/recording/file.h"
#include "session/counted_instructions.h"

namespace warplens::app {
namespace {

using worker::Call;
using worker::Reply;
using namespace std::chrono_literals;

gpu::DriverCheck driver(bool gpu) {
  gpu::DriverCheck check;
  if (gpu) {
    check.version = "13.0";
    check.gpus.push_back({.name = "Test GPU",
                          .cc_major = 9,
                          .cc_minor = 0,
                          .memory_bytes = std::uint64_t{80} << 30,
                          .multiprocessors = 132});
  } else {
    check.missing = "there is no NVIDIA driver (libcuda.so.1)";
    check.advice = "Install the driver of your GPU; without one, kernels are replayed on the CPU.";
  }
  return check;
}

double extent_of(std::optional<std::uint64_t> extent) {
  return static_cast<double>(extent.value_or(256));
}

double operations_of(const gpu::RunRequest& request) {
  return 2 * extent_of(request.m) * extent_of(request.p) * extent_of(request.n);
}

/// GFLOP/s: small products leave most of a GPU idle.
double rate_of(const gpu::RunRequest& request, const std::string& kernel, int turn) {
  static const std::map<std::string, double> kPeaks{{"naive_uncoalesced", 560}, {"naive", 6'100},
                                                    {"tiled", 9'400},           {"volkov_transposed", 21'000},
                                                    {"volkov_padded", 24'000},  {"cublas", 51'000}};
  const auto found = kPeaks.find(kernel);
  const double peak = found == kPeaks.end() ? 8'000 : found->second;
  const double extent = std::cbrt(operations_of(request) / 2);
  double filled = extent / (extent + 700);
  for (const NamedValue& parameter : request.parameters) filled *= parameter.value >= 32 ? 1 : 0.6;
  return peak * filled * (1 + 0.012 * std::sin(turn * 0.9) + 0.008 * std::sin(turn * 2.3));
}

double milliseconds_of(const gpu::RunRequest& request, double gflops) {
  return 1e-6 * operations_of(request) / gflops;
}

double useful_rate_of(const gpu::RunRequest& request, double milliseconds) {
  const auto m = extent_of(request.m), p = extent_of(request.p), n = extent_of(request.n);
  return 4e-6 * (m * p + p * n + m * n) / milliseconds;
}

gpu::Spread spread_of(double median) {
  return {.launches = 24,
          .median_ms = median,
          .min_ms = median * 0.98,
          .p25_ms = median * 0.99,
          .p75_ms = median * 1.02};
}

/// Those of `tiled` at 256, as an H100 counted them.
Result<Reply> answer_count(Call& call) {
  const gpu::RunRequest request = worker::run_request_from(call.arguments);
  if (request.m == kForbidden)
    return Error{"this machine does not let users read the GPU's counters", "", "Its administrator can."};
  call.unfit = true;
  return Reply{.body = worker::to_json(LaunchCounters{.global_load_requests = 32'768,
                                                      .global_load_sectors = 131'072,
                                                      .global_store_requests = 2'048,
                                                      .global_store_sectors = 8'192,
                                                      .shared_load_wavefronts = 786'432,
                                                      .shared_store_wavefronts = 32'768,
                                                      .sectors_from_l2 = 131'072,
                                                      .sectors_to_l2 = 8'192,
                                                      .dram_read_bytes = 528'896,
                                                      .cc_major = 9,
                                                      .instructions = instructions_counted_on_h100("tiled")}),
               .bytes = {}};
}

Result<Reply> answer_run(Call& call) {
  const gpu::RunRequest request = worker::run_request_from(call.arguments);
  if (!request.launch_text.empty()) {  // What it is made of is sound, though nothing is launched
    const auto made =
        app::run_request_of(worker::launch_request_from(nlohmann::json::parse(request.launch_text)));
    if (!made.ok()) return made.error();
  }
  if (request.m == kCrashes) raise(SIGSEGV);
  if (request.m == kHangs) {
    const gpu::Waiting waiting(call.work.launches.watch());
    std::this_thread::sleep_for(1h);
  }
  if (request.m == kFaults) {
    call.unfit = true;
    return Error{"illegal address in cuStreamQuery (CUDA error 700, CUDA_ERROR_ILLEGAL_ADDRESS)", "", ""};
  }
  for (int i = 0; i < 50 && !call.work.cancelled(); ++i) std::this_thread::sleep_for(5ms);
  if (call.work.cancelled()) return Error{"cancelled", "", ""};
  gpu::RunResult result;
  result.kernel = request.kernel;
  result.device = "Test GPU";
  result.m = request.m.value_or(0);
  result.p = request.p.value_or(0);
  result.n = request.n.value_or(0);
  result.parameters = request.parameters;
  result.value_type = request.value_type;
  result.gflops = rate_of(request, request.kernel, 0);
  result.times = spread_of(milliseconds_of(request, result.gflops));
  result.gbps = useful_rate_of(request, result.times.median_ms);
  if (!is_product(request.kernel)) result.gflops = 0;
  result.upload_ms = 0.31;
  result.download_ms = 0.17;
  result.total_ms = result.times.median_ms + 0.48;
  result.verified = true;
  result.registers = 40;
  result.shared_bytes = 8192;
  result.warm = true;
  result.caches = "warm: the 0.8 MB of the matrices fit in the 50 MB of the second-level cache";
  if (request.with_cublas) {
    const double rate = rate_of(request, "cublas", 0);
    result.cublas = {.times = spread_of(milliseconds_of(request, rate)),
                     .gflops = rate,
                     .verified = true,
                     .percent = 100 * result.gflops / rate};
  }
  return Reply{.body = worker::to_json(result), .bytes = {}};
}

Result<Reply> answer_live(Call& call) {
  const gpu::RunRequest request = worker::run_request_from(call.arguments);
  for (int turn = 0; !call.work.cancelled(); ++turn) {
    std::this_thread::sleep_for(20ms);
    gpu::LiveSample sample;
    sample.gflops = rate_of(request, request.kernel, turn);
    sample.median_ms = milliseconds_of(request, sample.gflops);
    sample.gbps = useful_rate_of(request, sample.median_ms);
    sample.launches = 10;
    if (!is_product(request.kernel)) sample.gflops = 0;
    const double rate = rate_of(request, "cublas", turn + 3);
    if (request.with_cublas)
      sample.cublas = {.median_ms = milliseconds_of(request, rate),
                       .gflops = rate,
                       .gbps = 0,
                       .percent = 100 * sample.gflops / rate};
    sample.sm_mhz = 1755;
    call.send(worker::to_json(sample));
    if (request.m == kCrashes && turn == 5) raise(SIGSEGV);
  }
  return Reply{.body = {{"cublas_missing", ""}}, .bytes = {}};
}

Result<Reply> answer_record(Call& call) {
  LaunchRequest request = worker::launch_request_from(call.arguments);
  const Engine engine = std::exchange(request.engine, Engine::cpu);
  auto recording = app::record(request, &call.work.replay);
  if (!recording.ok()) return recording.error();
  recording->engine = engine == Engine::gpu ? "gpu" : "cpu";
  recording->device = "Test GPU";
  return Reply{.body = {}, .bytes = encode(*recording, Compression::none)};
}

}  // namespace

std::vector<std::string> gpu_worker(const std::string& kind) {
  return {"/proc/self/exe", "worker", kind};
}

int run_as_gpu_worker(const std::vector<std::string>& arguments) {
  if (arguments.size() != 2 || arguments[0] != "worker") return -1;
  const bool gpu = arguments[1] == "gpu";
  return worker::serve_standard_streams(
      {.handlers =
           {{"run", answer_run}, {"count", answer_count}, {"live", answer_live}, {"record", answer_record}},
       .introduce = [gpu] { return nlohmann::json{{"driver", worker::to_json(driver(gpu))}}; }});
}

}  // namespace warplens::app
