#include "app/cli/run_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/cli/recordings.h"
#include "app/session/grid_counts.h"
#include "kernels/base/figures.h"
#include "kernels/gpu/counters.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

/// By the rules and the machine code of a compute capability, with the sectors of all blocks.
std::shared_ptr<const Loaded> replayed(Context& context, const std::string& subject, const LaunchOptions& launch, analysis::ComputeCapability cc) {
  std::optional<Recording> recording = load_or_record(context, subject, launch, cc, std::nullopt);
  if (!recording) return nullptr;
  Result<std::shared_ptr<const Loaded>> loaded = with_grid_counts(make_loaded(*std::move(recording), cc, path_of(subject)));
  if (loaded.ok()) return *std::move(loaded);
  context.fail(loaded.error());
  return nullptr;
}

std::string replay_in_words(const CheckedCounter& counter) {
  if (counter.replayed) return with_thousands(*counter.replayed);
  if (!counter.band) return "-";
  const std::uint64_t least = counter.band->least / counter.unit_bytes, most = counter.band->most / counter.unit_bytes;
  return fmt::format("{} to {}", with_thousands(least), with_thousands(most));
}

}  // namespace

std::optional<std::vector<CheckedCounter>> check_counters(Context& context, const std::string& subject, const LaunchOptions& launch,
                                                          const gpu::RunRequest& request) {
  const Result<LaunchCounters> counters = gpu::count_launch(request);
  if (!counters.ok()) {
    context.fail(counters.error());
    return std::nullopt;
  }
  const analysis::ComputeCapability cc{counters->cc_major, counters->cc_minor};
  if (std::ranges::find(analysis::device_models(), cc, &analysis::DeviceModel::cc) == analysis::device_models().end()) {
    context.fail({fmt::format("the replay has no rules of compute capability {}, which this GPU has", cc.name()), "",
                  "Its counters are compared with nothing."});
    return std::nullopt;
  }
  const std::shared_ptr<const Loaded> loaded = replayed(context, subject, launch, cc);
  if (loaded == nullptr) return std::nullopt;
  return checked(*loaded, *counters);
}

ordered_json to_json(const std::vector<CheckedCounter>& counters) {
  ordered_json json = ordered_json::object();
  for (const CheckedCounter& counter : counters) {
    const auto agrees = counter.agrees();
    json[counter.field->id] = {{"metric", counter.field->metric},
                               {"counted", counter.counted},
                               {"replayed", counter.replayed ? ordered_json(*counter.replayed) : ordered_json(nullptr)},
                               {"least", counter.band ? ordered_json(counter.band->least / counter.unit_bytes) : ordered_json(nullptr)},
                               {"most", counter.band ? ordered_json(counter.band->most / counter.unit_bytes) : ordered_json(nullptr)},
                               {"agrees", agrees ? ordered_json(*agrees) : ordered_json(nullptr)}};
  }
  return json;
}

void print_counters(std::ostream& out, const std::vector<CheckedCounter>& counters) {
  out << fmt::format("\n{:<28}{:>20}{:>34}\n", "counted by the GPU", "", "by the replay, as compiled");
  for (const CheckedCounter& counter : counters) {
    const auto agrees = counter.agrees();
    out << fmt::format("  {:<26}{:>20}{:>34}   {}\n", counter.field->id, with_thousands(counter.counted), replay_in_words(counter),
                       !agrees            ? ""
                       : !*agrees         ? "DIFFERS"
                       : counter.replayed ? "equal"
                                          : "within");
  }
}

}  // namespace warplens::app
