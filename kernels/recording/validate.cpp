#include "kernels/recording/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens {
namespace {

/// What is wrong with one thing, or nothing.
using Wrong = std::optional<std::string>;

bool is_within(Dim3 extent, Dim3 limit) {
  const auto fits = [](std::uint32_t value, std::uint32_t max) { return value >= 1 && value <= max; };
  return fits(extent.x, limit.x) && fits(extent.y, limit.y) && fits(extent.z, limit.z);
}

bool is_inside(Dim3 index, Dim3 extent) {
  return index.x < extent.x && index.y < extent.y && index.z < extent.z;
}

std::string text_of(Dim3 dim) {
  return fmt::format("{},{},{}", dim.x, dim.y, dim.z);
}

/// `too_long`: what to say then, of {size} and {most}.
Wrong check_name(const char* too_long, const std::string& name, std::size_t max) {
  if (name.size() <= max) return std::nullopt;
  return tr(fmt::runtime(too_long), "size"_a = name.size(), "most"_a = max);
}

Wrong check_names(const Recording& recording) {
  const std::tuple<const char*, const std::string&, std::size_t> names[] = {
      {marked("the name of its kernel has {size} bytes, and can have {most}"), recording.kernel, kMaxName},
      {marked("the name of its entry has {size} bytes, and can have {most}"), recording.entry, kMaxEntryName},
      {marked("the name of its engine has {size} bytes, and can have {most}"), recording.engine, kMaxName},
      {marked("the name of its device has {size} bytes, and can have {most}"), recording.device, kMaxName},
      {marked("the name of its value type has {size} bytes, and can have {most}"), recording.value_type,
       kMaxName},
      {marked("the name of its memory rules has {size} bytes, and can have {most}"), recording.unkept_cc,
       kMaxName}};
  for (const auto& [too_long, name, max] : names) {
    if (Wrong wrong = check_name(too_long, name, max)) return wrong;
  }
  for (const SourceFile& file : recording.files) {
    if (Wrong wrong = check_name(marked("the name of its source file has {size} bytes, and can have {most}"),
                                 file.name, kMaxFileName))
      return wrong;
  }
  for (const NamedValue& parameter : recording.parameters) {
    if (Wrong wrong = check_name(marked("the name of its parameter has {size} bytes, and can have {most}"),
                                 parameter.name, kMaxName))
      return wrong;
  }
  for (const RecordedArgument& argument : recording.arguments) {
    if (Wrong wrong = check_name(marked("the name of its argument has {size} bytes, and can have {most}"),
                                 argument.name, kMaxEntryName))
      return wrong;
    if (Wrong wrong =
            check_name(marked("the name of its argument's value has {size} bytes, and can have {most}"),
                       argument.value, kMaxArgument))
      return wrong;
  }
  for (const Buffer& buffer : recording.buffers) {
    if (Wrong wrong = check_name(marked("the name of its buffer has {size} bytes, and can have {most}"),
                                 buffer.name, kMaxName))
      return wrong;
  }
  for (const SharedArray& array : recording.shared_arrays) {
    if (Wrong wrong = check_name(marked("the name of its shared array has {size} bytes, and can have {most}"),
                                 array.name, kMaxName))
      return wrong;
  }
  return std::nullopt;
}

Wrong check_launch(const Recording& recording) {
  if (!is_within(recording.grid, kMaxGrid))
    return tr("its grid {grid} is not one that can be launched", "grid"_a = text_of(recording.grid));
  if (!is_within(recording.block, kMaxBlock) || recording.block.count() > kMaxThreadsPerBlock) {
    return tr("its block {block} is not one that can be launched", "block"_a = text_of(recording.block));
  }
  const Dim3 &grid = recording.grid, &cluster = recording.cluster;
  if (!is_within(cluster, grid) || cluster.count() > kMaxBlocksOfCluster || grid.x % cluster.x != 0 ||
      grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return tr("its grid {grid} does not divide into clusters of {cluster}", "grid"_a = text_of(grid),
              "cluster"_a = text_of(cluster));
  if (recording.shared_bytes > kMaxSharedBytes || recording.dynamic_shared_bytes > recording.shared_bytes) {
    return tr("its shared memory of {size} bytes, {dynamic} of them dynamic, cannot be",
              "size"_a = recording.shared_bytes, "dynamic"_a = recording.dynamic_shared_bytes);
  }
  if (recording.shared_base > kMaxSharedBytes || recording.shared_base % kPatternAlignment != 0) {
    return tr("its shared memory cannot begin at address {address}", "address"_a = recording.shared_base);
  }
  if (recording.blocks_total > recording.grid.count() || recording.blocks_counted > recording.blocks_total) {
    return tr("{replayed} of {blocks} blocks cannot be replayed in a grid of {grid}",
              "replayed"_a = recording.blocks_counted, "blocks"_a = recording.blocks_total,
              "grid"_a = recording.grid.count());
  }
  if (recording.blocks_extrapolated >= std::max<std::uint64_t>(recording.blocks_counted, 1)) {
    return tr("{followed} of {counted} blocks cannot behave as others that were replayed",
              "followed"_a = recording.blocks_extrapolated, "counted"_a = recording.blocks_counted);
  }
  if (!std::isfinite(recording.seconds) || recording.seconds < 0) return tr("its duration is not a time");
  return std::nullopt;
}

Wrong check_buffer(const Buffer& buffer) {
  const auto element = static_cast<std::uint64_t>(size_of(buffer.type));
  if (buffer.bytes > kMaxBufferBytes || buffer.base > ~buffer.bytes)
    return tr("it does not fit in the address space");
  if (buffer.rows == 0) return tr("it has no rows");
  const std::uint64_t elements = buffer.bytes / element;
  if (buffer.columns > elements) return tr("its columns do not fit in it");
  if (buffer.rows == 1) return buffer.pitch <= elements ? Wrong() : tr("its pitch does not fit in it");
  if (buffer.pitch < buffer.columns) return tr("its pitch is less than its columns");
  if (buffer.pitch > (elements - buffer.columns) / (buffer.rows - 1)) return tr("its rows do not fit in it");
  return std::nullopt;
}

/// No two buffers overlap, so that an address belongs to one buffer at most.
Wrong check_apart(const std::vector<Buffer>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return buffers[i].bytes == 0; });
  std::ranges::sort(order, {}, [&](std::size_t i) { return buffers[i].base; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Buffer &before = buffers[order[i - 1]], &after = buffers[order[i]];
    if (before.base + before.bytes > after.base)
      return tr("buffers {first} and {second} overlap", "first"_a = order[i - 1], "second"_a = order[i]);
  }
  return std::nullopt;
}

Wrong check_shared_array(const SharedArray& array, std::uint32_t shared_bytes) {
  if (array.offset > shared_bytes || array.bytes > shared_bytes - array.offset)
    return tr("it lies outside the block's shared memory");
  if (array.element_bytes == 0 || array.rows == 0) return tr("it has no elements");
  if (array.rows == 1) return std::nullopt;
  if (array.pitch == 0) return tr("its rows have no length");
  const std::uint64_t elements = array.bytes / array.element_bytes;
  if (std::uint64_t{array.rows - 1} * array.pitch >= elements) return tr("its rows do not fit in it");
  return std::nullopt;
}

/// A place in the source: without any files, only the unknown line 0 of file 0.
Wrong check_place(const Recording& recording, std::uint32_t file, std::uint32_t line) {
  if (file < recording.files.size() || (recording.files.empty() && file == 0 && line == 0))
    return std::nullopt;
  return tr("it names file {file} of {files}", "file"_a = file, "files"_a = recording.files.size());
}

/// Whether a lane can access so many bytes.
bool is_width(std::uint8_t bytes) {
  return std::has_single_bit(bytes) && bytes <= 16;
}

Wrong check_site(const Recording& recording, const Site& site) {
  if (Wrong wrong = check_place(recording, site.file, site.line)) return wrong;
  if (!is_width(site.bytes)) return tr("its {bytes} bytes per lane cannot be", "bytes"_a = site.bytes);
  if (site.matrices > 4 || site.matrices == 3)
    return tr("its {matrices} matrices cannot be", "matrices"_a = site.matrices);
  if (site.value_from < -1 || site.value_from >= static_cast<std::int64_t>(recording.sites.size())) {
    return tr("its value comes from site {site} of {sites}", "site"_a = site.value_from,
              "sites"_a = recording.sites.size());
  }
  return std::nullopt;
}

Wrong check_shape(const Shape& shape) {
  for (const std::int64_t offset : shape) {
    if (offset < -kMaxOffset || offset > kMaxOffset)
      return tr("its offset {offset} is too large", "offset"_a = offset);
  }
  return std::nullopt;
}

/// Adds without overflow: the counts in a file may be any numbers.
class Sum {
 public:
  void add(std::uint64_t value, std::uint64_t times = 1) {
    std::uint64_t product = 0;
    overflown_ = overflown_ || __builtin_mul_overflow(value, times, &product) ||
                 __builtin_add_overflow(sum_, product, &sum_);
  }
  [[nodiscard]] bool overflown() const { return overflown_; }
  [[nodiscard]] std::uint64_t value() const { return sum_; }
  [[nodiscard]] bool is(std::uint64_t value) const { return !overflown_ && sum_ == value; }

 private:
  std::uint64_t sum_ = 0;
  bool overflown_ = false;
};

/// The counts of a site are those of its patterns, and of the requests that were costed as they came, of
/// which no pattern is known. A request may have fewer lanes than arrived at the instruction (those that are
/// out of bounds, or that a generic address leads elsewhere), so a mask with gaps need not be of a divergent
/// one; but one of all lanes is not.
Wrong check_counts(const SiteTotals& totals) {
  constexpr std::uint32_t kAllLanes = 0xffffffff;
  Sum requests, lanes, divergent;
  for (const PatternCount& pattern : totals.patterns) {
    requests.add(pattern.count);
    lanes.add(pattern.count, static_cast<std::uint64_t>(std::popcount(pattern.mask)));
    if (pattern.mask != kAllLanes) divergent.add(pattern.count);
  }
  requests.add(totals.unkept_requests);
  divergent.add(totals.unkept_requests);
  if (!requests.is(totals.requests)) {
    return requests.overflown() ? tr("it has {requests} requests, and its patterns have too many",
                                     "requests"_a = totals.requests)
                                : tr("it has {requests} requests, and its patterns have {of_patterns}",
                                     "requests"_a = totals.requests, "of_patterns"_a = requests.value());
  }
  Sum max_lanes = lanes;
  lanes.add(totals.unkept_requests);
  max_lanes.add(totals.unkept_requests, kWarpSize);
  if (lanes.overflown() || max_lanes.overflown() || totals.thread_accesses < lanes.value() ||
      totals.thread_accesses > max_lanes.value()) {
    return tr("its {accesses} accesses of threads are not those of its patterns",
              "accesses"_a = totals.thread_accesses);
  }
  if (totals.divergent_requests > divergent.value()) {
    return tr("its {requests} divergent requests are not those of its patterns",
              "requests"_a = totals.divergent_requests);
  }
  return std::nullopt;
}

Wrong check_totals(const Recording& recording, const SiteTotals& totals) {
  const auto key = [](const PatternCount& pattern) {
    return std::tie(pattern.shape, pattern.mask, pattern.alignment);
  };
  const PatternCount* before = nullptr;
  for (const PatternCount& pattern : totals.patterns) {
    if (pattern.shape >= recording.shapes.size())
      return tr("a pattern names shape {shape} of {shapes}", "shape"_a = pattern.shape,
                "shapes"_a = recording.shapes.size());
    if (pattern.mask == 0) return tr("a pattern has no active lane");
    if (pattern.count == 0) return tr("a pattern has no request");
    if (pattern.alignment >= kPatternAlignment)
      return tr("a pattern's alignment {alignment} is too large", "alignment"_a = pattern.alignment);
    if (before != nullptr && key(pattern) <= key(*before)) return tr("its patterns are not sorted");
    before = &pattern;
  }
  return check_counts(totals);
}

/// Every request is made in a phase.
Wrong check_phases(const Recording& recording) {
  if (recording.phases.size() > kMaxRecordedPhases) {
    return tr("{phases} phases are more than a replay counts, {most}", "phases"_a = recording.phases.size(),
              "most"_a = kMaxRecordedPhases);
  }
  Sum of_sites, of_phases;
  for (const SiteTotals& site : recording.totals) of_sites.add(site.requests);
  for (const PhaseTotals& phase : recording.phases) {
    for (const std::uint64_t count :
         {phase.global_loads, phase.global_stores, phase.shared_loads, phase.shared_stores, phase.other}) {
      of_phases.add(count);
    }
    if (phase.fills > phase.shared_stores)
      return tr("a phase of {stores} shared stores fills {fills} times", "stores"_a = phase.shared_stores,
                "fills"_a = phase.fills);
  }
  if (of_sites.overflown() || !of_phases.is(of_sites.value()))
    return tr("the requests of the phases are not those of the memory instructions");
  return std::nullopt;
}

/// Events are of replayed blocks, so that a site has as many requests as events, or more.
Wrong check_events_counted(const Recording& recording) {
  if (recording.event_blocks.size() > recording.blocks_counted) {
    return tr("it has events of {blocks} blocks, and {replayed} were replayed",
              "blocks"_a = recording.event_blocks.size(), "replayed"_a = recording.blocks_counted);
  }
  std::vector<std::uint64_t> events(recording.sites.size());
  for (const std::uint32_t site : recording.events.site) ++events[site];
  const bool of_all = recording.event_blocks.size() == recording.blocks_counted;
  for (std::size_t site = 0; site < events.size(); ++site) {
    const std::uint64_t requests = recording.totals[site].requests;
    if (of_all ? events[site] != requests : events[site] > requests) {
      return of_all ? tr("site {site} has {requests} requests, and {events} events of all replayed blocks",
                         "site"_a = site, "requests"_a = requests, "events"_a = events[site])
                    : tr("site {site} has {requests} requests, and {events} events of some replayed blocks",
                         "site"_a = site, "requests"_a = requests, "events"_a = events[site]);
    }
  }
  return std::nullopt;
}

Wrong check_finding(const Recording& recording, const Finding& finding) {
  if (Wrong wrong = check_place(recording, finding.file, finding.line)) return wrong;
  if (!is_inside(finding.block, recording.grid))
    return tr("its block {block} is not in the grid", "block"_a = text_of(finding.block));
  if (finding.warp >= recording.warps_per_block())
    return tr("its warp {warp} is not in the block", "warp"_a = finding.warp);
  if (finding.access &&
      finding.access->addresses.size() != static_cast<std::size_t>(std::popcount(finding.lanes))) {
    return tr("its access has {addresses} addresses of other lanes",
              "addresses"_a = finding.access->addresses.size());
  }
  if (finding.access && !is_width(finding.access->bytes))
    return tr("its {bytes} bytes per lane cannot be", "bytes"_a = finding.access->bytes);
  if (!finding.other) return std::nullopt;
  if (!is_inside(finding.other->block, recording.grid))
    return tr("its block {block} is not in the grid", "block"_a = text_of(finding.other->block));
  if (finding.other->warp >= recording.warps_per_block())
    return tr("its warp {warp} is not in the block", "warp"_a = finding.other->warp);
  if (finding.other->lane >= kWarpSize)
    return tr("its lane {lane} is not in the warp", "lane"_a = finding.other->lane);
  return std::nullopt;
}

Wrong check_message(const Recording& recording, const Message& message) {
  if (Wrong wrong = check_place(recording, message.file, message.line)) return wrong;
  if (!is_inside(message.block, recording.grid))
    return tr("its block {block} is not in the grid", "block"_a = text_of(message.block));
  if (message.thread >= recording.block.count())
    return tr("its thread {thread} is not in the block", "thread"_a = message.thread);
  return std::nullopt;
}

Wrong check_waiting_loop(const Recording& recording, const WaitingLoop& loop) {
  return check_place(recording, loop.file, loop.line);
}

Wrong check_landing(const Recording& recording, std::size_t index) {
  const CopyLanding& landing = recording.landings[index];
  if (index > 0 && recording.landings[index - 1] >= landing)
    return tr("it stands behind landing {other}, and should not", "other"_a = index - 1);
  if (landing.block >= recording.event_blocks.size())
    return tr("its block {block} is not among the recorded ones", "block"_a = landing.block);
  if (landing.warp >= recording.warps_per_block())
    return tr("its warp {warp} is not in the block", "warp"_a = landing.warp);
  return std::nullopt;
}

Wrong check_tensor(const Recording& recording, std::size_t index) {
  const TensorTotals& totals = recording.tensor[index];
  if (index > 0 && recording.tensor[index - 1].instruction >= totals.instruction)
    return tr("it stands behind tensor instruction {other}, and should not", "other"_a = index - 1);
  return check_place(recording, totals.file, totals.line);
}

Wrong check_early_end(const Recording& recording) {
  if (!recording.ended) return std::nullopt;
  if (Wrong wrong = check_place(recording, recording.ended->file, recording.ended->line)) return wrong;
  if (!is_inside(recording.ended->block, recording.grid))
    return tr("its block {block} is not in the grid", "block"_a = text_of(recording.ended->block));
  if (recording.ended->warp >= recording.warps_per_block())
    return tr("its warp {warp} is not in the block", "warp"_a = recording.ended->warp);
  return std::nullopt;
}

/// Everything about one event that does not depend on the one before it.
Wrong check_event_alone(const Recording& recording, std::size_t event) {
  const EventColumns& events = recording.events;
  if (events.site[event] >= recording.sites.size())
    return tr("it names site {site} of {sites}", "site"_a = events.site[event],
              "sites"_a = recording.sites.size());
  if (events.block[event] >= recording.event_blocks.size()) {
    return tr("it names block {block} of {blocks}", "block"_a = events.block[event],
              "blocks"_a = recording.event_blocks.size());
  }
  if (events.phase[event] >= recording.phases.size())
    return tr("it names phase {phase} of {phases}", "phase"_a = events.phase[event],
              "phases"_a = recording.phases.size());
  if (events.shape[event] >= recording.shapes.size())
    return tr("it names shape {shape} of {shapes}", "shape"_a = events.shape[event],
              "shapes"_a = recording.shapes.size());
  const std::uint64_t first_thread = std::uint64_t{events.warp[event]} * kWarpSize,
                      threads = recording.block.count();
  if (first_thread >= threads)
    return tr("its warp {warp} is not in the block", "warp"_a = events.warp[event]);
  if (events.mask[event] == 0) return tr("it has no active lane");
  const bool partial = threads - first_thread < kWarpSize;
  if (partial && (events.mask[event] >> (threads - first_thread)) != 0)
    return tr("a lane is active that has no thread");
  return std::nullopt;
}

Wrong check_event(const Recording& recording, std::size_t event) {
  if (Wrong wrong = check_event_alone(recording, event)) return wrong;
  const EventColumns& events = recording.events;
  const auto warp_of = [&](std::size_t at) { return std::pair(events.block[at], events.warp[at]); };
  if (event == 0 || warp_of(event) != warp_of(event - 1)) {
    if (event > 0 && warp_of(event) < warp_of(event - 1))
      return tr("it lies before another of an earlier block or warp");
    if (events.order[event] != 0)
      return tr("its warp's first order is {order}, not 0", "order"_a = events.order[event]);
    return std::nullopt;
  }
  if (events.order[event] != events.order[event - 1] + 1) {
    return tr("its order {order} does not follow {before}", "order"_a = events.order[event],
              "before"_a = events.order[event - 1]);
  }
  if (events.phase[event] < events.phase[event - 1])
    return tr("its phase {phase} follows {before}", "phase"_a = events.phase[event],
              "before"_a = events.phase[event - 1]);
  return std::nullopt;
}

Wrong check_event_block(const Recording& recording, std::size_t index) {
  const Dim3 block = recording.event_blocks[index];
  if (!is_inside(block, recording.grid))
    return tr("block {block} is not in the grid", "block"_a = text_of(block));
  if (index > 0 && linear_index(recording.grid, block) <=
                       linear_index(recording.grid, recording.event_blocks[index - 1])) {
    return tr("block {block} is out of order", "block"_a = text_of(block));
  }
  return std::nullopt;
}

Wrong check_lengths(const Recording& recording) {
  const EventColumns& events = recording.events;
  for (const auto* column :
       {&events.block, &events.warp, &events.phase, &events.order, &events.mask, &events.shape}) {
    if (column->size() != events.size()) return tr("the columns of events differ in length");
  }
  if (events.base.size() != events.size()) return tr("the columns of events differ in length");
  if (recording.totals.size() != recording.sites.size()) {
    return tr("there are totals of {totals} sites, and {sites} sites", "totals"_a = recording.totals.size(),
              "sites"_a = recording.sites.size());
  }
  return std::nullopt;
}

/// The first of `count` things that `check` finds wrong. `place`: what to call it by its {index}.
template <class Check>
std::optional<Error> first_wrong(const char* place, std::size_t count, Check check) {
  for (std::size_t index = 0; index < count; ++index) {
    if (Wrong wrong = check(index))
      return Error{*std::move(wrong), tr(fmt::runtime(place), "index"_a = index),
                   tr("Make the recording again")};
  }
  return std::nullopt;
}

}  // namespace

Result<Done> validate(const Recording& recording) {
  const Recording& r = recording;
  if (Wrong wrong = check_launch(r))
    return Error{*std::move(wrong), tr("launch"), tr("Make the recording again")};
  if (Wrong wrong = check_lengths(r))
    return Error{*std::move(wrong), tr("tables"), tr("Make the recording again")};
  if (Wrong wrong = check_names(r))
    return Error{*std::move(wrong), tr("names"), tr("Make the recording again")};
  if (r.buffers.size() > kMaxBuffers) {
    return Error{
        tr("its {buffers} buffers are more than a kernel has parameters for", "buffers"_a = r.buffers.size()),
        tr("tables"), tr("Make the recording again")};
  }
  std::optional<Error> error = first_wrong(marked("buffer {index}"), r.buffers.size(),
                                           [&](std::size_t i) { return check_buffer(r.buffers[i]); });
  if (!error)
    error = first_wrong(marked("shared array {index}"), r.shared_arrays.size(), [&](std::size_t i) {
      return check_shared_array(r.shared_arrays[i], r.shared_bytes);
    });
  if (!error)
    error = first_wrong(marked("site {index}"), r.sites.size(),
                        [&](std::size_t i) { return check_site(r, r.sites[i]); });
  if (!error)
    error = first_wrong(marked("shape {index}"), r.shapes.size(),
                        [&](std::size_t i) { return check_shape(r.shapes[i]); });
  if (!error)
    error = first_wrong(marked("site {index}"), r.totals.size(),
                        [&](std::size_t i) { return check_totals(r, r.totals[i]); });
  if (!error)
    error = first_wrong(marked("finding {index}"), r.findings.size(),
                        [&](std::size_t i) { return check_finding(r, r.findings[i]); });
  if (!error)
    error = first_wrong(marked("message {index}"), r.messages.size(),
                        [&](std::size_t i) { return check_message(r, r.messages[i]); });
  if (!error)
    error = first_wrong(marked("waiting loop {index}"), r.waiting_loops.size(),
                        [&](std::size_t i) { return check_waiting_loop(r, r.waiting_loops[i]); });
  if (!error)
    error = first_wrong(marked("landing {index}"), r.landings.size(),
                        [&](std::size_t i) { return check_landing(r, i); });
  if (!error)
    error = first_wrong(marked("tensor instruction {index}"), r.tensor.size(),
                        [&](std::size_t i) { return check_tensor(r, i); });
  if (!error)
    error = first_wrong(marked("event block {index}"), r.event_blocks.size(),
                        [&](std::size_t i) { return check_event_block(r, i); });
  if (!error)
    error = first_wrong(marked("event {index}"), r.events.size(),
                        [&](std::size_t i) { return check_event(r, i); });
  if (error) return *error;
  if (Wrong wrong = check_early_end(r))
    return Error{*std::move(wrong), tr("early end"), tr("Make the recording again")};
  if (Wrong wrong = check_apart(r.buffers))
    return Error{*std::move(wrong), tr("buffers"), tr("Make the recording again")};
  if (Wrong wrong = check_phases(r))
    return Error{*std::move(wrong), tr("phases"), tr("Make the recording again")};
  if (Wrong wrong = check_events_counted(r))
    return Error{*std::move(wrong), tr("events"), tr("Make the recording again")};
  return Done{};
}

}  // namespace warplens
