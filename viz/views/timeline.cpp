#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/picture/role_timeline.h"
#include "viz/views/timeline_trace.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// Null: the block has not been replayed.
std::shared_ptr<const analysis::RoleTimeline> timeline_of(const Subject& subject) {
  const auto& blocks = subject.recording().event_blocks;
  const bool is_of_block = subject.details != nullptr && subject.moment.event_block < blocks.size() &&
                           subject.details->block == blocks[subject.moment.event_block];
  if (!is_of_block) return nullptr;
  return subject.results->facts->timelines->at(subject.recording(), subject.moment.event_block,
                                               subject.details);
}

picture::Picture make_timeline(const Subject& subject, picture::Size size, const picture::Style& style) {
  return picture::make_role_timeline(subject.moment, timeline_of(subject).get(), size, style);
}

constexpr const char* kHeader = "what,role,warp,begin,end,mbarrier,phase,count,bytes\n";

/// Steps of warps, phases of mbarriers, copies in flight: one row each. `count`: accesses, or arrivals.
std::string table_of_timeline(const Subject& subject) {
  std::string table = kHeader;
  const auto timeline = timeline_of(subject);
  if (timeline == nullptr) return table;
  const auto name = [&](std::uint32_t address) {
    return cell(picture::mbarrier_name(subject.recording(), address));
  };
  for (std::size_t r = 0; r < timeline->roles.size(); ++r) {
    for (const analysis::WarpLine& line : timeline->roles[r].warps) {
      for (const analysis::StepSpan& span : line.spans)
        table += fmt::format("{},{},{},{},{},{},{},{},\n", cell(picture::step_kind_name(span.kind)), r,
                             line.warp, span.begin, span.end, span.mbarrier ? name(*span.mbarrier) : "",
                             span.mbarrier ? std::to_string(span.phase) : "", span.orders);
    }
  }
  for (const analysis::MbarrierLine& line : timeline->mbarriers) {
    for (const analysis::MbarrierPhase& phase : line.phases)
      table += fmt::format("phase,,,{},{},{},{},{},{}\n", phase.begin, phase.end, name(line.address),
                           phase.number, phase.arrivals, phase.bytes);
  }
  for (const analysis::Flight& flight : timeline->flights)
    table += fmt::format("flight,,,{},{},{},{},,{}\n", flight.begin, flight.end, name(flight.mbarrier),
                         flight.phase, flight.bytes);
  return table;
}

std::string trace_of_timeline(const Subject& subject) {
  const auto timeline = timeline_of(subject);
  return timeline_trace(subject.moment, timeline == nullptr ? analysis::RoleTimeline{} : *timeline);
}

bool needs_details(const Recording& recording, const analysis::Facts& /*facts*/) {
  return recording.events.size() != 0;
}

const RegisterView kTimeline{
    {.id = "timeline",
     .title = marked("Timeline"),
     .shows =
         marked("The warps of a block by role: what each does and where it waits, phases of mbarriers, and "
                "bytes in flight"),
     .place = Place::middle_top,
     .rank = 13,
     .needs_details = needs_details,
     .make = make_timeline,
     .table = table_of_timeline,
     .trace = trace_of_timeline}};

}  // namespace
}  // namespace warplens::viz
