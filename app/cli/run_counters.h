// `run --counters`: the GPU's own counters of a launch, beside what the replay says.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/session/counter_check.h"
#include "kernels/gpu/run.h"

namespace warplens::app {

/// Counts the launch on the GPU, and replays it. nullopt after saying why not on the context.
[[nodiscard]] std::optional<std::vector<CheckedCounter>> check_counters(Context& context, const std::string& subject, const LaunchOptions& launch,
                                                                        const gpu::RunRequest& request);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<CheckedCounter>& counters);
void print_counters(std::ostream& out, const std::vector<CheckedCounter>& counters);

}  // namespace warplens::app
