#include "app/session/navigation.h"

#include <algorithm>
#include <bit>

#include "viz/analysis/found.h"

namespace warplens::app {
namespace {

std::uint32_t moved(std::uint32_t from, std::int64_t by, std::size_t count) {
  if (count == 0) return 0;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::int64_t{from} + by, 0, static_cast<std::int64_t>(count) - 1));
}

/// The first of the warp's accesses at or after the selection's place, for a selection whose phase holds none
/// too.
std::size_t place_of(const Recording& recording, const Selection& selection, EventRange warp) {
  const EventRange phase = events_of_phase(recording, selection.event_block, selection.warp, selection.phase);
  if (!phase.empty()) return phase.begin + std::min<std::size_t>(selection.step, phase.size() - 1);
  const auto& phases = recording.events.phase;
  const auto begin = phases.begin() + static_cast<std::ptrdiff_t>(warp.begin);
  const auto end = phases.begin() + static_cast<std::ptrdiff_t>(warp.end);
  return static_cast<std::size_t>(std::lower_bound(begin, end, selection.phase) - phases.begin());
}

/// The warp's first access of the wanted sites at or after the current phase's beginning, else its first of
/// all, else the selection as it is.
template <class Wanted>
Selection at_first(const Recording& recording, const Selection& selection, Wanted wanted) {
  if (recording.event_blocks.empty()) return selection;
  const EventRange warp = events_of_warp(recording, selection.event_block, selection.warp);
  std::optional<std::size_t> first;
  for (std::size_t event = warp.begin; event < warp.end; ++event) {
    if (!wanted(recording.events.site[event])) continue;
    if (recording.events.phase[event] >= selection.phase) return at_event(recording, selection, event);
    if (!first) first = event;
  }
  return first ? at_event(recording, selection, *first) : selection;
}

/// Cost of an access under the recording's rules: wavefronts or sectors.
struct Cost {
  std::uint64_t actual = 0, ideal = 0;
  [[nodiscard]] double ratio() const {
    return ideal > 0 ? static_cast<double>(actual) / static_cast<double>(ideal) : 0;
  }
  [[nodiscard]] std::uint64_t excess() const { return actual > ideal ? actual - ideal : 0; }
};

Cost cost_of(const Loaded& loaded, std::size_t event) {
  const Recording& recording = *loaded.recording;
  const Site& site = recording.sites[recording.events.site[event]];
  const Shape& shape = recording.shapes[recording.events.shape[event]];
  const AccessCost cost = access_cost(
      analysis::make_access(site, shape, recording.events.mask[event], recording.events.base[event]),
      loaded.cc);
  if (site.space == Space::shared) return {cost.wavefronts, cost.ideal_wavefronts};
  return {cost.sectors, cost.ideal_sectors};
}

/// Returns the warp's access by a wanted site with the most beyond its ideal; of equal ones the first from
/// the selection's phase on, or else the first. nullopt: none pays more than its ideal.
template <class Wanted>
std::optional<std::size_t> costliest_of_warp(const Loaded& loaded, const Selection& selection,
                                             const Wanted& wanted) {
  const Recording& recording = *loaded.recording;
  const EventRange warp = events_of_warp(recording, selection.event_block, selection.warp);
  std::optional<std::size_t> costliest;
  std::uint64_t most = 0;
  for (std::size_t event = warp.begin; event < warp.end; ++event) {
    if (!wanted(recording.events.site[event])) continue;
    const std::uint64_t excess = cost_of(loaded, event).excess();
    const bool first_from_here = costliest && excess == most &&
                                 recording.events.phase[event] >= selection.phase &&
                                 recording.events.phase[*costliest] < selection.phase;
    if (excess <= most && !first_from_here) continue;
    most = excess;
    costliest = event;
  }
  return costliest;
}

std::uint32_t opening_phase(const Loaded& loaded) {
  const auto& kinds = loaded.facts->phase_kinds;
  if (kinds.empty()) return 0;
  const auto wanted = static_cast<std::uint32_t>(kinds.size() * 2 / 3);
  for (std::uint32_t distance = 0; distance < kinds.size(); ++distance) {
    for (const std::int64_t phase : {std::int64_t{wanted} - distance, std::int64_t{wanted} + distance}) {
      if (phase < 0 || phase >= static_cast<std::int64_t>(kinds.size())) continue;
      const analysis::PhaseKind kind = kinds[static_cast<std::size_t>(phase)];
      if (kind == analysis::PhaseKind::compute || kind == analysis::PhaseKind::compute_and_fill)
        return static_cast<std::uint32_t>(phase);
    }
  }
  return wanted;
}

/// The line of the kernel's source that holds a text; 0 if there is none.
std::uint32_t line_with(const Loaded& loaded, const std::string& text) {
  if (loaded.facts->source_file >= loaded.recording->files.size()) return 0;
  const std::string& source = loaded.recording->files[loaded.facts->source_file].text;
  const std::size_t at = source.find(text);
  if (at == std::string::npos) return 0;
  return static_cast<std::uint32_t>(
      std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
}

std::uint32_t middle_block(const Recording& recording) {
  const Dim3 middle{recording.grid.x * 3 / 7, recording.grid.y * 2 / 7, 0};
  const auto found = std::ranges::find(recording.event_blocks, middle);
  return found == recording.event_blocks.end()
             ? 0
             : static_cast<std::uint32_t>(found - recording.event_blocks.begin());
}

std::optional<std::uint32_t> event_block_of(const Recording& recording, Dim3 block) {
  const auto found = std::ranges::find(recording.event_blocks, block);
  if (found == recording.event_blocks.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - recording.event_blocks.begin());
}

std::optional<std::uint32_t> block_of_first_finding(const Recording& recording) {
  return recording.findings.empty() ? std::nullopt
                                    : event_block_of(recording, recording.findings.front().block);
}

/// The warp's last access on the finding's line, else its last of all: a block that waits in vain stops
/// there.
std::optional<std::size_t> last_on_line(const Recording& recording, const Finding& finding,
                                        std::uint32_t event_block) {
  const EventRange warp = events_of_warp(recording, event_block, finding.warp);
  if (warp.empty()) return std::nullopt;
  std::size_t event = warp.end - 1;
  for (std::size_t at = warp.begin; at < warp.end; ++at) {
    const Site& site = recording.sites[recording.events.site[at]];
    if (site.file == finding.file && site.line == finding.line) event = at;
  }
  return event;
}

std::optional<Selection> at_first_finding(const Recording& recording) {
  const std::optional<std::uint32_t> block = block_of_first_finding(recording);
  if (!block) return std::nullopt;
  Selection selection;
  selection.event_block = *block;
  selection = at_finding(recording, selection, {});
  if (!current_event(recording, selection) && !recording.findings.front().access) return std::nullopt;
  selection.line = recording.findings.front().line;
  selection.lane.reset();
  selection.element.reset();
  selection.shared_word.reset();
  if (analysis::event_of(recording, recording.findings.front()))
    selection.finding.reset();  // It is drawn there as it is
  return selection;
}

/// What the finding is about is lit: the place of a race, or what nobody wrote.
void choose_place(const Recording& recording, const Finding& finding, Selection& selection) {
  if (!finding.other && finding.kind != FindingKind::uninitialised) return;
  const std::uint64_t address = finding.other ? finding.other->address : finding.access->addresses.front();
  analysis::ElementPlace place;
  if (finding.access->space == Space::shared) {
    selection.shared_word = static_cast<std::uint32_t>(address / 4);
    selection.element.reset();
  } else if (analysis::locate(recording, address, place)) {
    selection.element = ElementRef{place.buffer, place.row, place.column};
    selection.shared_word.reset();
  }
}

template <class Wanted>
std::optional<std::size_t> min_lanes(const Recording& recording, EventRange range, Wanted wanted) {
  std::optional<std::size_t> fewest;
  for (std::size_t event = range.begin; event < range.end; ++event) {
    const auto lanes = [&](std::size_t at) { return std::popcount(recording.events.mask[at]); };
    if (wanted(event) && (!fewest || lanes(event) < lanes(*fewest))) fewest = event;
  }
  return fewest;
}

/// The access that costs most over its ideal; of equal ones that nearest to `place`.
template <class Wanted>
std::optional<std::size_t> costliest_near(const Loaded& loaded, EventRange range, std::size_t place,
                                          Wanted wanted) {
  std::optional<std::size_t> best;
  double worst = 0;
  const auto distance = [&](std::size_t event) { return event > place ? event - place : place - event; };
  for (std::size_t event = range.begin; event < range.end; ++event) {
    if (!wanted(event)) continue;
    const double cost = cost_of(loaded, event).ratio();
    if (best && (cost < worst || (cost == worst && distance(event) >= distance(*best)))) continue;
    worst = cost;
    best = event;
  }
  return best;
}

}  // namespace

std::optional<std::size_t> current_event(const Recording& recording, const Selection& selection) {
  if (selection.event_block >= recording.event_blocks.size()) return std::nullopt;
  const EventRange range = events_of_phase(recording, selection.event_block, selection.warp, selection.phase);
  if (selection.step >= range.size()) return std::nullopt;
  return range.begin + selection.step;
}

Selection at_event(const Recording& recording, const Selection& selection, std::size_t event) {
  if (event >= recording.events.size()) return selection;
  Selection next = selection;
  next.event_block = recording.events.block[event];
  next.warp = recording.events.warp[event];
  next.phase = recording.events.phase[event];
  next.step = static_cast<std::uint32_t>(
      event - events_of_phase(recording, next.event_block, next.warp, next.phase).begin);
  next.line = 0;
  next.finding.reset();
  return next;
}

Selection clamped(const Recording& recording, Selection selection) {
  selection.event_block = moved(selection.event_block, 0, recording.event_blocks.size());
  selection.warp = moved(selection.warp, 0, recording.warps_per_block());
  selection.phase = moved(selection.phase, 0, recording.phases.size());
  if (recording.event_blocks.empty()) {
    selection.step = 0;
  } else {
    selection.step =
        moved(selection.step, 0,
              events_of_phase(recording, selection.event_block, selection.warp, selection.phase).size());
  }
  if (selection.element && selection.element->buffer >= recording.buffers.size()) selection.element.reset();
  return selection;
}

Selection moved_by_steps(const Recording& recording, const Selection& selection, std::int64_t steps) {
  if (recording.event_blocks.empty()) return selection;
  const EventRange warp = events_of_warp(recording, selection.event_block, selection.warp);
  if (warp.empty()) return selection;
  const auto place = static_cast<std::int64_t>(place_of(recording, selection, warp));
  const auto target = std::clamp(place + steps, static_cast<std::int64_t>(warp.begin),
                                 static_cast<std::int64_t>(warp.end) - 1);
  return at_event(recording, selection, static_cast<std::size_t>(target));
}

Selection moved_by_phases(const Recording& recording, const Selection& selection, std::int64_t phases) {
  Selection next = selection;
  next.phase = moved(selection.phase, phases, recording.phases.size());
  next.line = 0;
  next.finding.reset();
  return clamped(recording, next);
}

Selection moved_by_warps(const Recording& recording, const Selection& selection, std::int64_t warps) {
  Selection next = selection;
  next.warp = moved(selection.warp, warps, recording.warps_per_block());
  next.finding.reset();
  return clamped(recording, next);
}

Selection moved_by_blocks(const Recording& recording, const Selection& selection, std::int64_t blocks) {
  Selection next = selection;
  next.event_block = moved(selection.event_block, blocks, recording.event_blocks.size());
  next.finding.reset();
  return clamped(recording, next);
}

std::uint32_t current_line(const Recording& recording, const Selection& selection) {
  if (selection.line != 0) return selection.line;
  const auto event = current_event(recording, selection);
  return event ? recording.sites[recording.events.site[*event]].line : 0;
}

Selection at_line(const Recording& recording, const Selection& selection, std::uint32_t file,
                  std::uint32_t line) {
  Selection next = at_first(recording, selection, [&](std::uint32_t site) {
    return recording.sites[site].file == file && recording.sites[site].line == line;
  });
  next.line = line;
  next.finding.reset();
  return next;
}

Selection at_finding(const Recording& recording, const Selection& selection, ChosenFinding chosen) {
  if (chosen.index >= recording.findings.size()) return selection;
  const Finding& finding = recording.findings[chosen.index];
  chosen.other = chosen.other && finding.other;
  const std::optional<std::uint32_t> block = event_block_of(recording, block_of(finding, chosen));
  Selection next = selection;
  next.finding = chosen;
  if (!block) return next;
  std::optional<std::size_t> event =
      chosen.other ? analysis::event_of_other(recording, finding) : analysis::event_of(recording, finding);
  if (!finding.access) event = last_on_line(recording, finding, *block);
  if (event) {
    next = at_event(recording, selection, *event);
  } else {
    next.event_block = *block;
    next.warp = chosen.other ? finding.other->warp : finding.warp;
    next.phase = finding.access ? finding.access->phase : 0;
    next.step = 0;
    next.line = finding.line;
    next = clamped(recording, next);
  }
  next.finding = chosen;
  if (!finding.access) {
    next.line = finding.line;
    return next;
  }
  next.lane = chosen.other ? static_cast<int>(finding.other->lane) : std::countr_zero(finding.lanes);
  choose_place(recording, finding, next);
  return next;
}

Dim3 block_of(const Finding& finding, ChosenFinding chosen) {
  return chosen.other && finding.other ? finding.other->block : finding.block;
}

Selection carried_over(const Recording& from, const Selection& selection, const Recording& to) {
  Selection next = clamped(to, selection);
  next.finding.reset();
  if (!selection.finding || selection.finding->index >= to.findings.size()) return next;
  const Finding &was = from.findings[selection.finding->index], &is = to.findings[selection.finding->index];
  const bool same = was.kind == is.kind && was.line == is.line && was.other_line == is.other_line &&
                    was.block == is.block && was.warp == is.warp;
  return same ? at_finding(to, next, *selection.finding) : next;
}

std::optional<ChosenFinding> finding_at(const Recording& recording, const Selection& selection) {
  if (selection.finding) return selection.finding;
  const auto event = current_event(recording, selection);
  if (!event) return std::nullopt;
  const auto found = analysis::found_at(recording, *event);
  if (found.empty()) return std::nullopt;
  return ChosenFinding{found.front().finding, found.front().is_other};
}

std::optional<ChosenFinding> other_access(const Recording& recording, const Selection& selection) {
  const auto chosen = finding_at(recording, selection);
  if (!chosen || !recording.findings[chosen->index].other) return std::nullopt;
  return ChosenFinding{chosen->index, !chosen->other};
}

std::optional<ChosenFinding> next_finding(const Recording& recording, const Selection& selection, int by) {
  const auto count = static_cast<int>(recording.findings.size());
  if (count == 0) return std::nullopt;
  const auto chosen = finding_at(recording, selection);
  const int from = chosen ? static_cast<int>(chosen->index) : by > 0 ? -1 : 0;
  return ChosenFinding{static_cast<std::uint32_t>((from + by + count) % count), false};
}

Selection at_costliest(const Loaded& loaded, const Selection& selection, std::uint32_t file,
                       std::uint32_t line) {
  const Recording& recording = *loaded.recording;
  Selection next = at_line(recording, selection, file, line);
  if (recording.event_blocks.empty()) return next;
  const auto costliest = costliest_of_warp(loaded, selection, [&](std::uint32_t site) {
    return recording.sites[site].file == file && recording.sites[site].line == line;
  });
  if (costliest) {
    next = at_event(recording, selection, *costliest);
  } else {
    const auto row = std::ranges::find_if(loaded.costs, [&](const analysis::LineCost& cost) {
      return cost.file == file && cost.figures.line == line && cost.event.has_value();
    });
    if (row != loaded.costs.end()) next = at_event(recording, selection, *row->event);
  }
  next.line = line;
  return next;
}

Selection at_costliest(const Loaded& loaded, const Selection& selection,
                       std::span<const std::uint32_t> sites) {
  const auto costliest = costliest_of_warp(
      loaded, selection, [&](std::uint32_t site) { return std::ranges::find(sites, site) != sites.end(); });
  return costliest ? at_event(*loaded.recording, selection, *costliest)
                   : at_sites(*loaded.recording, selection, sites);
}

Selection moved_by_costs(const Loaded& loaded, const Selection& selection, int rows) {
  const auto count = static_cast<int>(loaded.costs.size());
  if (count == 0) return selection;
  const auto event = current_event(*loaded.recording, selection);
  const auto current = std::ranges::find_if(loaded.costs, [&](const analysis::LineCost& cost) {
    return event && std::ranges::find(cost.figures.sites, loaded.recording->events.site[*event]) !=
                        cost.figures.sites.end();
  });
  const bool on_one = current != loaded.costs.end();
  const auto place = on_one ? (static_cast<int>(current - loaded.costs.begin()) + rows + count) % count : 0;
  const analysis::LineCost& wanted = loaded.costs[static_cast<std::size_t>(place)];
  if (wanted.event) return at_event(*loaded.recording, selection, *wanted.event);
  return at_line(*loaded.recording, selection, wanted.file, wanted.figures.line);
}

Selection at_sites(const Recording& recording, const Selection& selection,
                   std::span<const std::uint32_t> sites) {
  return at_first(recording, selection,
                  [&](std::uint32_t site) { return std::ranges::find(sites, site) != sites.end(); });
}

std::uint32_t opening_block(const Recording& recording) {
  if (const auto block = block_of_first_finding(recording)) return *block;
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  const bool at_border = kernel != nullptr && kernel->opening.min_lanes && !recording.event_blocks.empty();
  return at_border ? static_cast<std::uint32_t>(recording.event_blocks.size() - 1) : middle_block(recording);
}

std::optional<Selection> in_block(const Recording& recording, Selection selection, Dim3 block) {
  const auto found = std::ranges::find(recording.event_blocks, block);
  if (found == recording.event_blocks.end()) return std::nullopt;
  selection.event_block = static_cast<std::uint32_t>(found - recording.event_blocks.begin());
  return clamped(recording, selection);
}

Selection in_block_of(const Recording& other, Selection selection, const Recording& recording) {
  if (selection.event_block >= other.event_blocks.size()) return selection;
  const auto block = std::ranges::find(recording.event_blocks, other.event_blocks[selection.event_block]);
  if (block != recording.event_blocks.end())
    selection.event_block = static_cast<std::uint32_t>(block - recording.event_blocks.begin());
  return selection;
}

Selection opening_selection(const Loaded& loaded) {
  const Recording& recording = *loaded.recording;
  if (recording.event_blocks.empty()) return {};
  if (const auto found = at_first_finding(recording)) return *found;
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  const Opening opening = kernel == nullptr ? Opening{} : kernel->opening;
  const std::uint32_t line = opening.line.empty() ? 0 : line_with(loaded, opening.line);
  const auto wanted = [&](std::size_t event) {
    return line == 0 || recording.sites[recording.events.site[event]].line == line;
  };

  Selection selection;
  selection.event_block = opening_block(recording);
  if (opening.min_lanes) {
    const auto fewest = min_lanes(recording, events_of_block(recording, selection.event_block), wanted);
    return fewest ? at_event(recording, selection, *fewest) : selection;
  }
  selection.phase = opening_phase(loaded);
  // Where there is a before and an after to see: two thirds into the warp's work, or a third into the phase.
  const EventRange range =
      line != 0 ? events_of_warp(recording, selection.event_block, selection.warp)
                : events_of_phase(recording, selection.event_block, selection.warp, selection.phase);
  const auto costliest = costliest_near(
      loaded, range, range.begin + (line != 0 ? range.size() * 2 / 3 : range.size() / 3), wanted);
  return costliest ? at_event(recording, selection, *costliest) : selection;
}

}  // namespace warplens::app
