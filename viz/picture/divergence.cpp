#include "viz/picture/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lane_grid.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::AccessLanes;

constexpr float kHighEnoughForLanes = 190;

/// The warp's request of an access: in the current phase the latest up to the current step or else the first
/// after it; in other phases likewise.
std::optional<std::size_t> nearest(const Moment& moment, const analysis::Divergence& divergence,
                                   std::size_t access) {
  const Recording& recording = *moment.recording;
  const EventRange all = events_of_warp(recording, moment.event_block, moment.warp), phase = moment.steps();
  const auto phases = recording.events.phase.begin();
  const auto first_later = std::upper_bound(phases + static_cast<std::ptrdiff_t>(all.begin),
                                            phases + static_cast<std::ptrdiff_t>(all.end), moment.phase);
  const std::size_t from =
      moment.event() ? *moment.event() + 1 : static_cast<std::size_t>(first_later - phases);
  const auto last_in = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    while (end-- > begin) {
      if (divergence.access_of[recording.events.site[end]] == static_cast<std::int32_t>(access)) return end;
    }
    return std::nullopt;
  };
  const auto first_in = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    for (; begin < end; ++begin) {
      if (divergence.access_of[recording.events.site[begin]] == static_cast<std::int32_t>(access))
        return begin;
    }
    return std::nullopt;
  };
  if (!phase.empty()) {
    if (const auto before = last_in(phase.begin, from)) return before;
    if (const auto after = first_in(from, phase.end)) return after;
  }
  const auto before = last_in(all.begin, from);
  return before ? before : first_in(from, all.end);
}

/// "350 of 2,744 warp-phases divergent"; where the access is made in one phase only, a warp is as good as a
/// warp-phase.
std::string figure_of(const Recording& recording, const AccessLanes& access) {
  const std::string divergent = with_thousands(access.divergent);
  if (access.phases == 1)
    return tr_n(access.warp_phases, "{divergent} of {n} warp divergent", "{divergent} of {n} warps divergent",
                "divergent"_a = divergent);
  if (!recording.phases_are_barriers) {
    return tr_n(access.warp_phases, "{divergent} of {n} warp-pass divergent",
                "{divergent} of {n} warp-passes divergent", "divergent"_a = divergent);
  }
  return tr_n(access.warp_phases, "{divergent} of {n} warp-phase divergent",
              "{divergent} of {n} warp-phases divergent", "divergent"_a = divergent);
}

std::string blocks_covered(const Recording& recording, const analysis::Divergence& divergence) {
  if (divergence.blocks == recording.blocks_total)
    return tr_n(divergence.blocks, "the only block", "all {n} blocks");
  return tr_n(recording.blocks_total, "{recorded} of {n} block", "{recorded} of {n} blocks",
              "recorded"_a = with_thousands(divergence.blocks));
}

/// Lower, where the figure is too wide for the note beside it: of which blocks it is has to be read.
Rect with_room_for_note(const Canvas& canvas, const Rect& box, const std::string& figure,
                        const std::string& note) {
  constexpr float kAir = 1.5f, kNoteByFigure = 0.6f, kLargestNote = 22;  // As draw_figure has them
  const auto needed = [&](float em) {
    const float beside = std::clamp(em * kNoteByFigure, kSmallSize, kLargestNote);
    return canvas.width_of(figure, {{}, em, Font::sans_bold, Align::left}) + canvas.px(15) +
           canvas.width_of(note, canvas.muted(beside));
  };
  float em = box.height / kAir / canvas.px(1);
  while (em > kBaseSize && needed(em) > box.width) em = std::max(em - 1, kBaseSize);
  const float height = canvas.px(em) * kAir;
  return {box.x, box.y + (box.height - height) / 2, box.width, height};
}

/// What the totals add where the warps that were counted are not all that were run.
std::string of_the_grid(const Recording& recording, const analysis::Divergence& divergence,
                        const AccessLanes& access) {
  if (divergence.blocks >= recording.blocks_counted) return {};
  const std::string divergent = with_thousands(access.divergent_requests);
  if (recording.blocks_counted == recording.blocks_total) {
    return tr_n(access.requests, "whole grid: {divergent} of {n} request divergent",
                "whole grid: {divergent} of {n} requests divergent", "divergent"_a = divergent);
  }
  return tr_n(access.requests, "all blocks that were run: {divergent} of {n} request divergent",
              "all blocks that were run: {divergent} of {n} requests divergent", "divergent"_a = divergent);
}

std::optional<std::size_t> only_divergent_phase(const AccessLanes& access) {
  if (access.divergent_phases != 1) return std::nullopt;
  const auto phase = std::ranges::find_if(
      access.by_phase, [](const analysis::PhaseLanes& lanes) { return lanes.divergent_warps > 0; });
  return static_cast<std::size_t>(phase - access.by_phase.begin());
}

/// "Warps diverge at the global load of A in phase 13 only", ".. in all 7 of its phases", ".. in 3 of its 7
/// phases".
std::string where_warps_diverge(const Recording& recording, const AccessLanes& access,
                                const std::string& name) {
  if (access.phases == 1)
    return tr_n(access.divergent, "One warp diverges at the {access}", "Warps diverge at the {access}",
                "access"_a = name);
  if (const auto only = only_divergent_phase(access)) {
    return tr_n(access.divergent, "One warp diverges at the {access} in {phase} only",
                "Warps diverge at the {access} in {phase} only", "access"_a = name,
                "phase"_a = phase_name(recording, static_cast<std::uint32_t>(*only)));
  }
  if (access.divergent_phases == access.phases) {
    return tr_n(access.divergent, "One warp diverges at the {access} in all {phases} of its phases",
                "Warps diverge at the {access} in all {phases} of its phases", "access"_a = name,
                "phases"_a = access.phases);
  }
  return tr_n(access.divergent,
              "One warp diverges at the {access} in {divergent_phases} of its {phases} phases",
              "Warps diverge at the {access} in {divergent_phases} of its {phases} phases", "access"_a = name,
              "divergent_phases"_a = access.divergent_phases, "phases"_a = access.phases);
}

/// "in phase 13 all 32 lanes of warp 0 take part"; the phase is named unless it is the only one.
std::string all_take_part(const Recording& recording, std::uint64_t lanes, std::uint32_t warp,
                          const AccessLanes& access, std::uint32_t phase) {
  if (access.phases == 1) {
    return tr_n(lanes, "the only lane of warp {warp} takes part", "all {n} lanes of warp {warp} take part",
                "warp"_a = warp);
  }
  if (only_divergent_phase(access) == phase) {
    return tr_n(lanes, "there the only lane of warp {warp} takes part",
                "there all {n} lanes of warp {warp} take part", "warp"_a = warp);
  }
  return tr_n(lanes, "in {phase} the only lane of warp {warp} takes part",
              "in {phase} all {n} lanes of warp {warp} take part", "phase"_a = phase_name(recording, phase),
              "warp"_a = warp);
}

/// "in phase 13 lanes 4-15, 20-31 of warp 0 are left out"; likewise.
std::string some_are_left_out(const Recording& recording, std::uint32_t left_out, std::uint32_t warp,
                              const AccessLanes& access, std::uint32_t phase) {
  const auto count = static_cast<std::uint64_t>(std::popcount(left_out));
  const std::string lanes = lanes_name(left_out);
  if (access.phases == 1) {
    return tr_n(count, "{lanes} of warp {warp} is left out", "{lanes} of warp {warp} are left out",
                "lanes"_a = lanes, "warp"_a = warp);
  }
  if (only_divergent_phase(access) == phase) {
    return tr_n(count, "there {lanes} of warp {warp} is left out",
                "there {lanes} of warp {warp} are left out", "lanes"_a = lanes, "warp"_a = warp);
  }
  return tr_n(count, "in {phase} {lanes} of warp {warp} is left out",
              "in {phase} {lanes} of warp {warp} are left out", "phase"_a = phase_name(recording, phase),
              "lanes"_a = lanes, "warp"_a = warp);
}

std::string what_the_warp_does(const Moment& moment, const AccessLanes& access,
                               std::optional<std::size_t> event) {
  if (!event)
    return tr("warp {warp} of {block} does not make it", "warp"_a = moment.warp,
              "block"_a = moment.block_name());
  const std::uint32_t launched = launched_lanes(*moment.recording, moment.warp),
                      phase = moment.recording->events.phase[*event];
  const std::uint32_t left_out = launched & ~moment.recording->events.mask[*event];
  return left_out == 0 ? all_take_part(*moment.recording, static_cast<std::uint64_t>(std::popcount(launched)),
                                       moment.warp, access, phase)
                       : some_are_left_out(*moment.recording, left_out, moment.warp, access, phase);
}

std::string sentence_of(const Moment& moment, const AccessLanes& access, std::optional<std::size_t> event) {
  const Recording& recording = *moment.recording;
  const std::string name = access_words(recording.sites[access.sites.front()], access.of);
  if (access.making == 0) return tr("No warp of the counted blocks makes the {access}", "access"_a = name);
  if (access.divergent == 0) {
    return access.divergent_requests == 0
               ? tr("Every warp that makes the {access} makes it with all its lanes", "access"_a = name)
               : tr("Every warp of the counted blocks that makes the {access} makes it with all its lanes, "
                    "though others of the grid do not",
                    "access"_a = name);
  }
  return tr("{where_warps_diverge}: {what_this_warp_does}",
            "where_warps_diverge"_a = where_warps_diverge(recording, access, name),
            "what_this_warp_does"_a = what_the_warp_does(moment, access, event));
}

std::string lanes_label(const Moment& moment, std::optional<std::size_t> event) {
  const int threads = std::popcount(launched_lanes(*moment.recording, moment.warp));
  if (!event) return tr("lanes of warp {warp}: none makes the access", "warp"_a = moment.warp);
  return tr("lanes of warp {warp} in {phase}: {active} of {lanes} make the access", "warp"_a = moment.warp,
            "phase"_a = phase_name(*moment.recording, moment.recording->events.phase[*event]),
            "active"_a = std::popcount(moment.recording->events.mask[*event]), "lanes"_a = threads);
}

}  // namespace

Picture make_divergence(const Moment& moment, const analysis::Divergence& divergence,
                        std::optional<std::uint32_t> site, const Highlight& highlight, Size size,
                        const Style& style, const Recording* beside,
                        const analysis::Divergence* divergence_beside) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0 || moment.event_block >= recording.event_blocks.size())
    return no_events_picture(tr("Divergence"), size, style);
  if (divergence.too_many) {
    return empty_picture(
        tr("Divergence"),
        tr("This kernel makes too many accesses in too many phases to count the lanes of each."),
        tr("Record it with fewer iterations."), size, style);
  }
  if (divergence.empty())
    return empty_picture(tr("Divergence"), tr("This kernel makes no access to memory."),
                         tr("Record one that does."), size, style);
  if (!site && moment.event()) site = recording.events.site[*moment.event()];
  const std::size_t chosen = divergence.access_or_first_load(recording, site.value_or(~0u));
  const AccessLanes& access = divergence.accesses[chosen];
  const auto event = nearest(moment, divergence, chosen);

  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Divergence"),
              event ? moment_name(moment, *event)
                    : tr("{access} · warp {warp}", "access"_a = access_title(recording, access),
                         "warp"_a = moment.warp));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(moment, access, event));
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  const std::string share = access.divergent == 0
                                ? std::string()
                                : formatted("{:.1f} %", 100.0 * static_cast<double>(access.divergent) /
                                                            static_cast<double>(access.warp_phases));
  const std::string counted = figure_of(recording, access), blocks = blocks_covered(recording, divergence);
  draw_figure(canvas, with_room_for_note(canvas, figure, counted, blocks), counted, access.divergent > 0,
              {blocks, share, of_the_grid(recording, divergence, access)});
  canvas.region(figure, {},
                tr_n(access.phases,
                     "{access}: {warps} in the {n} phase in which it is made. In {divergent} the warp makes "
                     "it with a part of its threads, "
                     "in {whole} with all, in {none} not at all",
                     "{access}: {warps} in the {n} phases in which it is made. In {divergent} the warp makes "
                     "it with a part of its threads, "
                     "in {whole} with all, in {none} not at all",
                     "access"_a = access_title(recording, access),
                     "warps"_a = tr_n(divergence.warps, "{n} counted warp", "{n} counted warps"),
                     "divergent"_a = with_thousands(access.divergent),
                     "whole"_a = with_thousands(access.making - access.divergent),
                     "none"_a = with_thousands(access.warp_phases - access.making)));
  if (size.height >= canvas.px(kHighEnoughForLanes)) {
    draw_lane_strip(canvas, rest, event ? recording.events.mask[*event] : 0, highlight,
                    {.label = lanes_label(moment, event)});
    static_cast<void>(cut_top(rest, canvas.px(6)));
  }
  Moment shown = moment;  // The phase that the lanes are of
  if (event) shown.phase = recording.events.phase[*event];
  draw_lane_grid(
      canvas, rest,
      {shown, divergence, analysis::lanes_of_warp(recording, divergence, moment.event_block, moment.warp),
       chosen, highlight, analysis::phase_kinds(recording), beside, divergence_beside});
  return canvas.take();
}

}  // namespace warplens::picture
