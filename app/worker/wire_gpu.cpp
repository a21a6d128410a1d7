// Launches on the GPU, and what was measured of them.
#include "app/worker/wire.h"
#include "app/worker/wire_parts.h"

namespace warplens::worker {
namespace {

using nlohmann::json;

json spread_json(const gpu::Spread& spread) {
  return {{"launches", spread.launches},
          {"median_ms", spread.median_ms},
          {"min_ms", spread.min_ms},
          {"p25_ms", spread.p25_ms},
          {"p75_ms", spread.p75_ms}};
}

gpu::Spread spread_from(const json& object) {
  return {.launches = object.at("launches").get<std::uint64_t>(),
          .median_ms = object.at("median_ms").get<double>(),
          .min_ms = object.at("min_ms").get<double>(),
          .p25_ms = object.at("p25_ms").get<double>(),
          .p75_ms = object.at("p75_ms").get<double>()};
}

json cublas_json(const gpu::RunResult::Cublas& cublas) {
  return {{"times", spread_json(cublas.times)}, {"gflops", cublas.gflops},     {"gbps", cublas.gbps},
          {"create_ms", cublas.create_ms},      {"verified", cublas.verified}, {"percent", cublas.percent}};
}

gpu::RunResult::Cublas cublas_from(const json& object) {
  return {.times = spread_from(object.at("times")),
          .gflops = object.at("gflops").get<double>(),
          .gbps = object.at("gbps").get<double>(),
          .create_ms = object.at("create_ms").get<double>(),
          .verified = object.at("verified").get<bool>(),
          .percent = object.at("percent").get<double>()};
}

}  // namespace

json to_json(const gpu::RunRequest& request) {
  return {{"kernel", request.kernel},         {"launch", request.launch_text},
          {"m", optional_json(request.m)},    {"p", optional_json(request.p)},
          {"n", optional_json(request.n)},    {"parameters", parameters_json(request.parameters)},
          {"value_type", request.value_type}, {"launches", request.launches},
          {"seconds", request.seconds},       {"with_cublas", request.with_cublas},
          {"device", request.device}};
}

gpu::RunRequest run_request_from(const json& object) {
  return {.kernel = object.at("kernel").get<std::string>(),
          .launch_text = object.at("launch").get<std::string>(),
          .m = optional_from<std::uint64_t>(object.at("m")),
          .p = optional_from<std::uint64_t>(object.at("p")),
          .n = optional_from<std::uint64_t>(object.at("n")),
          .parameters = parameters_from(object.at("parameters")),
          .value_type = object.at("value_type").get<std::string>(),
          .launches = integer_from<std::uint64_t>(object.at("launches")),
          .seconds = object.at("seconds").get<double>(),
          .with_cublas = object.at("with_cublas").get<bool>(),
          .device = integer_from<int>(object.at("device"))};
}

json to_json(const gpu::RunResult& result) {
  return {{"kernel", result.kernel},
          {"device", result.device},
          {"m", result.m},
          {"p", result.p},
          {"n", result.n},
          {"parameters", parameters_json(result.parameters)},
          {"value_type", result.value_type},
          {"times", spread_json(result.times)},
          {"gflops", result.gflops},
          {"gbps", result.gbps},
          {"upload_ms", result.upload_ms},
          {"download_ms", result.download_ms},
          {"total_ms", result.total_ms},
          {"has_reference", result.has_reference},
          {"verified", result.verified},
          {"registers", result.registers},
          {"shared_bytes", result.shared_bytes},
          {"local_bytes", result.local_bytes},
          {"warm", result.warm},
          {"caches", result.caches},
          {"sm_mhz", optional_json(result.sm_mhz)},
          {"create_ms", optional_json(result.create_ms)},
          {"cublas", result.cublas ? cublas_json(*result.cublas) : json()},
          {"cublas_missing", result.cublas_missing}};
}

gpu::RunResult run_result_from(const json& object) {
  gpu::RunResult result;
  result.kernel = object.at("kernel").get<std::string>();
  result.device = object.at("device").get<std::string>();
  result.m = object.at("m").get<std::uint64_t>();
  result.p = object.at("p").get<std::uint64_t>();
  result.n = object.at("n").get<std::uint64_t>();
  result.parameters = parameters_from(object.at("parameters"));
  result.value_type = object.at("value_type").get<std::string>();
  result.times = spread_from(object.at("times"));
  result.gflops = object.at("gflops").get<double>();
  result.gbps = object.at("gbps").get<double>();
  result.upload_ms = object.at("upload_ms").get<double>();
  result.download_ms = object.at("download_ms").get<double>();
  result.total_ms = object.at("total_ms").get<double>();
  result.has_reference = object.at("has_reference").get<bool>();
  result.verified = object.at("verified").get<bool>();
  result.registers = object.at("registers").get<int>();
  result.shared_bytes = object.at("shared_bytes").get<std::uint64_t>();
  result.local_bytes = object.at("local_bytes").get<std::uint64_t>();
  result.warm = object.at("warm").get<bool>();
  result.caches = object.at("caches").get<std::string>();
  result.sm_mhz = optional_from<int>(object.at("sm_mhz"));
  result.create_ms = optional_from<double>(object.at("create_ms"));
  if (const json& cublas = object.at("cublas"); !cublas.is_null()) result.cublas = cublas_from(cublas);
  result.cublas_missing = object.at("cublas_missing").get<std::string>();
  return result;
}

json to_json(const gpu::LiveSample& sample) {
  json cublas;
  if (sample.cublas) {
    cublas = {{"median_ms", sample.cublas->median_ms},
              {"gflops", sample.cublas->gflops},
              {"gbps", sample.cublas->gbps},
              {"percent", sample.cublas->percent}};
  }
  return {{"median_ms", sample.median_ms}, {"gflops", sample.gflops},
          {"gbps", sample.gbps},           {"launches", sample.launches},
          {"cublas", std::move(cublas)},   {"sm_mhz", optional_json(sample.sm_mhz)}};
}

gpu::LiveSample live_sample_from(const json& object) {
  gpu::LiveSample sample{.median_ms = object.at("median_ms").get<double>(),
                         .gflops = object.at("gflops").get<double>(),
                         .gbps = object.at("gbps").get<double>(),
                         .launches = object.at("launches").get<std::uint64_t>(),
                         .cublas = {},
                         .sm_mhz = optional_from<int>(object.at("sm_mhz"))};
  if (const json& cublas = object.at("cublas"); !cublas.is_null()) {
    sample.cublas = {.median_ms = cublas.at("median_ms").get<double>(),
                     .gflops = cublas.at("gflops").get<double>(),
                     .gbps = cublas.at("gbps").get<double>(),
                     .percent = cublas.at("percent").get<double>()};
  }
  return sample;
}

json to_json(const LaunchCounters& counters) {
  json object = json::object();
  for (const CounterField& field : kCounterFields) object[field.id] = optional_json(counters.*field.value);
  json& instructions = object["instructions"] = json::array();
  for (const InstructionCounters& one : counters.instructions) {
    json& values = instructions.emplace_back(json::array({one.offset}));
    for (const InstructionField& field : kInstructionFields) values.push_back(one.*field.value);
  }
  object["why_no_instructions"] = counters.why_no_instructions;
  object["cc_major"] = counters.cc_major;
  object["cc_minor"] = counters.cc_minor;
  return object;
}

LaunchCounters launch_counters_from(const json& object) {
  LaunchCounters counters;
  for (const CounterField& field : kCounterFields)
    counters.*field.value = optional_from<std::uint64_t>(object.at(field.id));
  for (const json& one : object.at("instructions")) {
    InstructionCounters& counted = counters.instructions.emplace_back();
    counted.offset = integer_from<std::uint32_t>(one.at(0));
    for (std::size_t i = 0; i < kInstructionFields.size(); ++i)
      counted.*kInstructionFields[i].value = integer_from<std::uint64_t>(one.at(i + 1));
  }
  counters.why_no_instructions = object.at("why_no_instructions").get<std::string>();
  counters.cc_major = integer_from<int>(object.at("cc_major"));
  counters.cc_minor = integer_from<int>(object.at("cc_minor"));
  return counters;
}

}  // namespace warplens::worker
