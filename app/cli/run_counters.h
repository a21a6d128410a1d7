// `run --counters`: the GPU's own counters of a launch, beside what the replay says.
#pragma once

#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/session/loaded.h"
#include "kernels/gpu/run.h"

namespace warplens::app {

/// Counts the launch on the GPU, and replays it: the recording, with Results::hardware. nullptr after saying
/// why not on the context.
[[nodiscard]] std::shared_ptr<const Loaded> count_and_replay(Context& context, const std::string& subject,
                                                             const LaunchOptions& launch,
                                                             const gpu::RunRequest& request);
/// Returns the launch's counters by name.
[[nodiscard]] nlohmann::ordered_json counters_json(const Loaded& counted);
/// Returns the counters of the instructions, in the code's order.
[[nodiscard]] nlohmann::ordered_json instruction_counters_json(const Loaded& counted);
void print_counters(std::ostream& out, const Loaded& counted);

}  // namespace warplens::app
