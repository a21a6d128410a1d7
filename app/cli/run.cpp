#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/run_counters.h"
#include "app/cli/run_cpu.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/gpu/run.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kMostReps = 10'000'000;  ///< The time of each is kept

struct RunOptions {
  std::string kernel;
  LaunchOptions launch;
  std::optional<std::uint64_t> reps;
  bool with_cublas = false, with_counters = false, json = false;
};

Result<gpu::RunRequest> request_of_kernel(const RunOptions& options) {
  gpu::RunRequest request;
  const Result<const KernelDescriptor*> kernel = gpu::find_launchable(options.kernel);
  if (!kernel.ok()) return kernel.error();
  request.kernel = options.kernel;
  request.m = options.launch.extent(**kernel, 'm');
  request.p = options.launch.extent(**kernel, 'p');
  request.n = options.launch.extent(**kernel, 'n');
  request.value_type = options.launch.value_type;
  const Result<std::vector<NamedValue>> parameters = parse_parameters(options.launch.parameters);
  if (!parameters.ok()) return parameters.error();
  request.parameters = *parameters;
  return request;
}

Result<gpu::RunRequest> make_run_request(const RunOptions& options,
                                         const std::optional<LaunchRequest>& of_file) {
  Result<gpu::RunRequest> request = of_file ? run_request_of(*of_file) : request_of_kernel(options);
  if (!request.ok()) return request;
  request->with_cublas = options.with_cublas;
  if (options.reps) {
    request->launches = *options.reps;
    request->seconds = 0;
  }
  if (const Result<Problem> problem = gpu::check_request(*request); !problem.ok()) return problem.error();
  return request;
}

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json parameters_json(const std::vector<NamedValue>& parameters) {
  ordered_json json = ordered_json::object();
  for (const NamedValue& parameter : parameters) json[parameter.name] = parameter.value;
  return json;
}

void add_cublas(ordered_json& json, const gpu::RunResult& result) {
  if (!result.cublas) {
    json["cublas_missing"] = result.cublas_missing;
    return;
  }
  json["cublas_ms"] = result.cublas->times.median_ms;
  json["cublas_gflops"] = result.cublas->gflops;
  json["cublas_create_ms"] = result.cublas->create_ms;
  json["cublas_verified"] = result.cublas->verified;
  json["percent_of_cublas"] = result.cublas->percent;
}

void print_json(std::ostream& out, const gpu::RunResult& result, bool with_cublas, const Loaded* counted) {
  ordered_json json = {
      {"kernel", result.kernel},
      {"device", result.device},
      {"m", result.m},
      {"p", result.p},
      {"n", result.n},
      {"reps", result.times.launches},
      {"median_ms", result.times.median_ms},
      {"min_ms", result.times.min_ms},
      {"gflops", result.gflops > 0 ? ordered_json(result.gflops) : ordered_json(nullptr)},
      {"gbps", result.gbps},
      {"upload_ms", result.upload_ms},
      {"download_ms", result.download_ms},
      {"total_ms", result.total_ms},
      {"verified", result.has_reference ? ordered_json(result.verified) : ordered_json(nullptr)},
      {"value_type", result.value_type},
      {"parameters", parameters_json(result.parameters)},
      {"p25_ms", result.times.p25_ms},
      {"p75_ms", result.times.p75_ms},
      {"registers", result.registers},
      {"shared_bytes", result.shared_bytes},
      {"local_bytes", result.local_bytes},
      {"caches", result.caches},
      {"sm_mhz", or_null(result.sm_mhz)}};
  if (result.create_ms) json["create_ms"] = *result.create_ms;
  if (with_cublas) add_cublas(json, result);
  if (counted != nullptr) {
    json["counters"] = counters_json(*counted);
    json["instruction_counters"] = instruction_counters_json(*counted);
  }
  print_document(out, json);
}

void print_line(std::ostream& out, const char* name, const std::string& text) {
  out << fmt::format("  {:<12}{}\n", name, text);
}

void print_text(std::ostream& out, const gpu::RunResult& result) {
  std::string parameters;
  for (const NamedValue& parameter : result.parameters)
    parameters += fmt::format("{} = {}, ", parameter.name, parameter.value);
  std::string sizes;
  for (const auto& [name, size] : {std::pair{'m', result.m}, {'p', result.p}, {'n', result.n}}) {
    if (size != 0) sizes += fmt::format("{} = {}, ", name, size);
  }
  out << fmt::format("{} on {}: {}{}{}\n", escaped(result.kernel), result.device, sizes, parameters,
                     result.has_reference ? result.value_type : "as the file has it");
  print_line(out, "result",
             !result.has_reference ? "nothing to compare it with"
             : result.verified     ? "right in every element"
                                   : "WRONG");
  print_line(out, "launch",
             fmt::format("{}: the median of {}; half of them {} to {}, the least {}",
                         in_ms(result.times.median_ms), with_thousands(result.times.launches),
                         in_ms(result.times.p25_ms), in_ms(result.times.p75_ms), in_ms(result.times.min_ms)));
  print_line(out, "rate", rates(result.gflops, result.gbps));
  print_line(out, "transfers",
             fmt::format("{} up, {} down; {} with a launch between", in_ms(result.upload_ms),
                         in_ms(result.download_ms), in_ms(result.total_ms)));
  print_line(out, "caches", result.caches);
  if (result.registers > 0) {
    print_line(
        out, "code",
        fmt::format(
            "{} registers and {} bytes of local memory per thread, {} bytes of shared memory per block",
            result.registers, result.local_bytes, with_thousands(result.shared_bytes)));
  }
  if (result.create_ms) print_line(out, "handle", fmt::format("made in {}", in_ms(*result.create_ms)));
  if (result.sm_mhz) print_line(out, "SM clock", fmt::format("{} MHz", *result.sm_mhz));
  if (result.cublas) {
    print_line(
        out, "cuBLAS",
        fmt::format("{}, {}: {} reaches {:.1f} % of it; product {}; handle made in {}",
                    in_ms(result.cublas->times.median_ms), rates(result.cublas->gflops, result.cublas->gbps),
                    result.kernel, result.cublas->percent, result.cublas->verified ? "right" : "WRONG",
                    in_ms(result.cublas->create_ms)));
  } else if (!result.cublas_missing.empty()) {
    print_line(out, "cuBLAS", result.cublas_missing);
  }
}

void run_kernel(Context& context, const RunOptions& options) {
  if (const auto product = measure::find_cpu_product(options.kernel)) {
    if (options.with_cublas)
      return context.misuse({"--cublas times cuBLAS beside a kernel on the GPU", "",
                             "Leave it out: `warplens run cublas` times it alone."});
    if (options.with_counters)
      return context.misuse(
          {"--counters reads those of a GPU", "", "Leave it out: a processor's are not read."});
    return run_on_cpu(context, *product, options.launch, options.reps, options.json);
  }
  if (options.with_counters && options.kernel == gpu::kCublasId) {
    return context.misuse({"--counters stands beside the replay, and cuBLAS is not replayed", "",
                           "Leave it out, or name a kernel of `warplens list`."});
  }
  const SubjectKind kind = kind_of(options.kernel);
  if (kind == SubjectKind::recording) {
    return context.misuse({fmt::format("{} is no kernel", options.kernel), "",
                           "run takes a kernel of `warplens list` or a PTX file."});
  }
  std::optional<LaunchRequest> of_file;
  if (kind == SubjectKind::kernel_file) {
    Result<LaunchRequest> launch = make_request(kind, options.kernel, options.launch, {});
    if (!launch.ok()) return context.misuse(launch.error());
    of_file = *std::move(launch);
  }
  const Result<gpu::RunRequest> request = make_run_request(options, of_file);
  if (!request.ok()) return of_file ? context.fail(request.error()) : context.misuse(request.error());
  const Result<gpu::RunResult> result = gpu::run(*request);
  if (!result.ok()) return context.fail(result.error());
  if (!options.json) print_text(context.out, *result);
  std::shared_ptr<const Loaded> counted;
  if (options.with_counters) counted = count_and_replay(context, options.kernel, options.launch, *request);
  if (options.json) print_json(context.out, *result, options.with_cublas, counted.get());
  if (counted && !options.json) print_counters(context.out, *counted);
  if (gpu::failed(*result)) context.fail(gpu::wrong_result(result->kernel));
}

}  // namespace

void add_run(Program& program, Context& context) {
  auto options = std::make_shared<RunOptions>();
  const CliCommand command =
      program.add_command("run", "Launch a kernel on the GPU, or run a product on the CPU: verified, timed");
  command
      .add_option("kernel", options->kernel,
                  "A kernel or a product on the CPU of `warplens list`, cublas, or a PTX file")
      .required()
      .value_name("KERNEL|FILE.ptx");
  options->launch.add_problem_to(command);
  options->launch.add_file_to(command, true);
  command
      .add_number(
          "--reps", options->reps,
          "Timed launches, exactly (if not given: at least 20, and for 0.2 s; of slow CPU products fewer)",
          {.most = kMostReps})
      .value_name("R");
  command.add_flag("--cublas", options->with_cublas, "Time cuBLAS beside it, launch by launch");
  command.add_flag("--counters", options->with_counters,
                   "Read the GPU's own counters of a launch after that, beside what the replay says (through "
                   "CUPTI, where users may read them)");
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "Examples:\n"
      "  warplens run tiled --size 4096 --cublas\n"
      "  warplens run naive -m 1021 -p 1020 -n 1022 --set T=16 --reps 100 --json\n"
      "  warplens run ikj --size 1024");
  command.action([&context, options] { run_kernel(context, *options); });
}

}  // namespace warplens::app
