// Requests and results as JSON, as they go between window and worker. Readers throw nlohmann::json::exception
// where something is missing or of another type; whether values make sense is for those to check who use
// them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/launch/launch.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/run.h"
#include "kernels/recording/launch_counters.h"

namespace warplens::worker {

[[nodiscard]] nlohmann::json to_json(const app::LaunchRequest& request);
[[nodiscard]] nlohmann::json to_json(const gpu::DriverCheck& check);
[[nodiscard]] nlohmann::json to_json(const gpu::RunRequest& request);
[[nodiscard]] nlohmann::json to_json(const gpu::RunResult& result);
[[nodiscard]] nlohmann::json to_json(const gpu::LiveSample& sample);
[[nodiscard]] nlohmann::json to_json(const LaunchCounters& counters);

[[nodiscard]] app::LaunchRequest launch_request_from(const nlohmann::json& object);
[[nodiscard]] gpu::DriverCheck driver_check_from(const nlohmann::json& object);
[[nodiscard]] gpu::RunRequest run_request_from(const nlohmann::json& object);
[[nodiscard]] gpu::RunResult run_result_from(const nlohmann::json& object);
[[nodiscard]] gpu::LiveSample live_sample_from(const nlohmann::json& object);
[[nodiscard]] LaunchCounters launch_counters_from(const nlohmann::json& object);

}  // namespace warplens::worker
