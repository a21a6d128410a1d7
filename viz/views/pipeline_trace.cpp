#include "viz/views/pipeline_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warplens::viz {
namespace {

using nlohmann::json;

constexpr double kPhase = 1000;  ///< Microseconds
constexpr int kWarps = 1, kStages = 2;

json named(const char* what, int process, std::uint64_t thread, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}
json slice(int process, std::uint64_t thread, const std::string& name, double begin, double end) {
  return {{"ph", "X"},     {"name", name}, {"pid", process},
          {"tid", thread}, {"ts", begin},  {"dur", end - begin}};
}

/// Accesses of one instruction behind each other are one slice.
void add_warp(json& events, const picture::Moment& moment, std::uint32_t warp) {
  const Recording& recording = *moment.recording;
  const EventRange all = events_of_warp(recording, moment.event_block, warp);
  for (std::size_t begin = all.begin; begin < all.end;) {
    const std::uint32_t phase = recording.events.phase[begin];
    const EventRange of_phase = events_of_phase(recording, moment.event_block, warp, phase);
    std::size_t end = begin + 1;
    while (end < of_phase.end && recording.events.site[end] == recording.events.site[begin]) ++end;
    const double step = kPhase / static_cast<double>(of_phase.size()), start = kPhase * phase;
    json event = slice(kWarps, warp, picture::access_name(moment, begin),
                       start + step * static_cast<double>(begin - of_phase.begin),
                       start + step * static_cast<double>(end - of_phase.begin));
    const Site& site = recording.sites[recording.events.site[begin]];
    event["args"] = {{"line", site.line}, {"accesses", end - begin}, {"ptx", site.text}};
    events.push_back(std::move(event));
    begin = end;
  }
}

void add_stage(json& events, std::size_t index, const analysis::Stage& stage) {
  for (const analysis::Filling& filling : stage.fillings) {
    const std::string number = std::to_string(filling.number);
    const std::optional<double> completed = analysis::completion_time(filling);
    const double filled =
        completed ? *completed : std::max(filling.first_read.value_or(0), filling.issued + 1);
    events.push_back(slice(kStages, index, (filling.is_copy ? "in flight " : "stored ") + number,
                           kPhase * filling.issued, kPhase * filled));
    if (!filling.first_read) continue;
    const double first = std::max<double>(*filling.first_read, filled), last = *filling.last_read + 1.0;
    if (first > filled)
      events.push_back(slice(kStages, index, "complete " + number, kPhase * filled, kPhase * first));
    if (last > first)
      events.push_back(slice(kStages, index, "read " + number, kPhase * first, kPhase * last));
  }
}

}  // namespace

std::string pipeline_trace(const picture::Moment& moment, const analysis::Pipeline& pipeline) {
  const Recording& recording = *moment.recording;
  json events = json::array();
  events.push_back(named("process_name", kWarps, 0,
                         "warps of " + moment.block_name() + " (order of the replay, no times)"));
  events.push_back(named("process_name", kStages, 0, "shared memory (order of the replay, no times)"));
  for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
    events.push_back(named("thread_name", kWarps, warp, "warp " + std::to_string(warp)));
    add_warp(events, moment, warp);
  }
  for (std::size_t k = 0; k < pipeline.stages.size(); ++k) {
    events.push_back(
        named("thread_name", kStages, k, picture::shared_place_name(recording, pipeline.stages[k].offset)));
    add_stage(events, k, pipeline.stages[k]);
  }
  const json trace = {
      {"traceEvents", std::move(events)},
      {"otherData",
       {{"kernel", recording.kernel},
        {"clock", "order of the replay: a phase is 1,000 microseconds; no times were measured"}}}};
  return trace.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace warplens::viz
