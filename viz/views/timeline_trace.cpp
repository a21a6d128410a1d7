#include "viz/views/timeline_trace.h"

#include <nlohmann/json.hpp>

#include "viz/picture/role_timeline.h"

namespace warplens::viz {
namespace {

using analysis::StepKind;
using nlohmann::json;

constexpr double kStep = 1000;  ///< Microseconds
constexpr int kMbarriers = 1, kFirstRole = 10;

json thread_named(int process, std::uint64_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", "thread_name"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}
json process_named(int process, const std::string& name) {
  return {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"tid", 0}, {"args", {{"name", name}}}};
}
json slice_of(int process, std::uint64_t thread, const std::string& name, std::uint32_t begin,
              std::uint32_t end) {
  return {{"ph", "X"},     {"name", name},        {"pid", process},
          {"tid", thread}, {"ts", kStep * begin}, {"dur", kStep * (end - begin)}};
}

void add_bytes(json& events, const analysis::RoleTimeline& timeline) {
  for (const analysis::BytesFrom& from : timeline.in_flight) {
    events.push_back({{"ph", "C"},
                      {"name", "bytes in flight"},
                      {"pid", kMbarriers},
                      {"ts", kStep * from.step},
                      {"args", {{"bytes", from.bytes}}}});
  }
}

}  // namespace

std::string timeline_trace(const picture::Moment& moment, const analysis::RoleTimeline& timeline) {
  const Recording& recording = *moment.recording;
  json events = json::array();
  events.push_back(process_named(kMbarriers, "mbarriers of " + moment.block_name()));
  for (std::size_t k = 0; k < timeline.mbarriers.size(); ++k) {
    const analysis::MbarrierLine& line = timeline.mbarriers[k];
    events.push_back(thread_named(kMbarriers, k, picture::mbarrier_name(recording, line.address)));
    for (const analysis::MbarrierPhase& phase : line.phases) {
      json event = slice_of(kMbarriers, k, "phase " + std::to_string(phase.number), phase.begin, phase.end);
      event["args"] = {{"arrivals", phase.arrivals}, {"bytes", phase.bytes}};
      events.push_back(std::move(event));
    }
  }
  add_bytes(events, timeline);
  for (std::size_t r = 0; r < timeline.roles.size(); ++r) {
    const int process = kFirstRole + static_cast<int>(r);
    events.push_back(process_named(process, picture::role_name(timeline.roles[r])));
    for (const analysis::WarpLine& line : timeline.roles[r].warps) {
      events.push_back(thread_named(process, line.warp, "warp " + std::to_string(line.warp)));
      for (const analysis::StepSpan& span : line.spans) {
        json event = slice_of(process, line.warp, picture::step_kind_name(span.kind), span.begin, span.end);
        if (span.mbarrier) {
          event["args"] = {{"mbarrier", picture::mbarrier_name(recording, *span.mbarrier)},
                           {"phase", span.phase}};
        } else {
          event["args"] = {{"accesses", span.orders}};
        }
        events.push_back(std::move(event));
      }
    }
  }
  const json trace = {
      {"traceEvents", std::move(events)},
      {"otherData",
       {{"kernel", recording.kernel},
        {"clock", "order of the block: a step is 1,000 microseconds; no times were measured"}}}};
  return trace.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace warplens::viz
