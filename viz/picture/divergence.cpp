#include "viz/picture/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "viz/picture/canvas.h"
#include "viz/picture/lane_grid.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::AccessLanes;

constexpr float kHighEnoughForLanes = 190;

/// The warp's request of an access: in the current phase the latest up to the current step or else the first after it; in other phases likewise.
std::optional<std::size_t> nearest(const Moment& moment, const analysis::Divergence& divergence, std::size_t access) {
  const Recording& recording = *moment.recording;
  const EventRange all = events_of_warp(recording, moment.event_block, moment.warp), phase = moment.steps();
  const auto phases = recording.events.phase.begin();
  const auto first_later =
      std::upper_bound(phases + static_cast<std::ptrdiff_t>(all.begin), phases + static_cast<std::ptrdiff_t>(all.end), moment.phase);
  const std::size_t from = moment.event() ? *moment.event() + 1 : static_cast<std::size_t>(first_later - phases);
  const auto last_in = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    while (end-- > begin) {
      if (divergence.access_of[recording.events.site[end]] == static_cast<std::int32_t>(access)) return end;
    }
    return std::nullopt;
  };
  const auto first_in = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    for (; begin < end; ++begin) {
      if (divergence.access_of[recording.events.site[begin]] == static_cast<std::int32_t>(access)) return begin;
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

/// "350 of 2,744 warp-phases divergent"; where the access is made in one phase only, a warp is as good as a warp-phase.
std::string figure_of(const AccessLanes& access) {
  const std::string unit = access.phases == 1 ? "warp" : "warp-phase";
  return fmt::format("{} of {} divergent", with_thousands(access.divergent), counted(access.warp_phases, unit));
}

std::string blocks_covered(const Recording& recording) {
  const std::size_t recorded = recording.event_blocks.size();
  if (recorded == recording.blocks_total) return recorded == 1 ? "the only block" : fmt::format("all {} blocks", with_thousands(recorded));
  return fmt::format("{} of {}", with_thousands(recorded), counted(recording.blocks_total, "block"));
}

/// What the totals add where the recorded blocks are not all that were run.
std::string of_the_grid(const Recording& recording, const AccessLanes& access) {
  if (recording.event_blocks.size() >= recording.blocks_replayed) return {};
  const char* blocks = recording.blocks_replayed == recording.blocks_total ? "whole grid" : "all blocks that were run";
  return fmt::format("{}: {} of {} divergent", blocks, with_thousands(access.divergent_requests), counted(access.requests, "request"));
}

std::optional<std::size_t> only_divergent_phase(const AccessLanes& access) {
  if (access.divergent_phases != 1) return std::nullopt;
  const auto phase = std::ranges::find_if(access.by_phase, [](const analysis::PhaseLanes& lanes) { return lanes.divergent_warps > 0; });
  return static_cast<std::size_t>(phase - access.by_phase.begin());
}

/// " in phase 13 only", " in all 7 of its phases", " in 3 of its 7 phases".
std::string where(const AccessLanes& access) {
  if (access.phases == 1) return {};
  if (const auto only = only_divergent_phase(access)) return fmt::format(" in phase {} only", *only + 1);
  if (access.divergent_phases == access.phases) return fmt::format(" in all {} of its phases", access.phases);
  return fmt::format(" in {} of its {} phases", access.divergent_phases, access.phases);
}

/// "in phase 13 lanes 4-15, 20-31 of warp 0 are left out".
std::string what_the_warp_does(const Moment& moment, const AccessLanes& access, std::optional<std::size_t> event) {
  if (!event) return fmt::format("warp {} of {} does not make it", moment.warp, moment.block_name());
  const std::uint32_t launched = launched_lanes(*moment.recording, moment.warp), phase = moment.recording->events.phase[*event];
  const std::uint32_t left_out = launched & ~moment.recording->events.mask[*event];
  const std::string when = access.phases == 1                      ? std::string()
                           : only_divergent_phase(access) == phase ? "there "
                                                                   : fmt::format("in phase {} ", phase + 1);
  if (left_out == 0) return fmt::format("{}all {} lanes of warp {} take part", when, std::popcount(launched), moment.warp);
  return fmt::format("{}{} of warp {} {} left out", when, lanes_name(left_out), moment.warp, std::popcount(left_out) == 1 ? "is" : "are");
}

std::string sentence_of(const Moment& moment, const AccessLanes& access, std::optional<std::size_t> event) {
  const Recording& recording = *moment.recording;
  const std::string name = access_words(recording.sites[access.sites.front()], access.of);
  if (access.making == 0) return fmt::format("No recorded warp makes the {}", name);
  if (access.divergent == 0) {
    const std::string all = fmt::format("Every recorded warp that makes the {} makes it with all its lanes", name);
    return access.divergent_requests == 0 ? all : all + ", though others of the grid do not";
  }
  return fmt::format("{} at the {}{}: {}", access.divergent == 1 ? "One warp diverges" : "Warps diverge", name, where(access),
                     what_the_warp_does(moment, access, event));
}

std::string lanes_label(const Moment& moment, std::optional<std::size_t> event) {
  const int threads = std::popcount(launched_lanes(*moment.recording, moment.warp));
  if (!event) return fmt::format("lanes of warp {}: none makes the access", moment.warp);
  return fmt::format("lanes of warp {} in phase {}: {} of {} make the access", moment.warp, moment.recording->events.phase[*event] + 1,
                     std::popcount(moment.recording->events.mask[*event]), threads);
}

}  // namespace

Picture make_divergence(const Moment& moment, const analysis::Divergence& divergence, std::optional<std::uint32_t> site, const Highlight& highlight,
                        Size size, const Style& style) {
  const Recording& recording = *moment.recording;
  if (recording.events.size() == 0 || moment.event_block >= recording.event_blocks.size()) return no_events_picture("Divergence", size, style);
  if (divergence.too_many) {
    return empty_picture("Divergence", "This kernel makes too many accesses in too many phases to count the lanes of each.",
                         "Record it with fewer iterations.", size, style);
  }
  if (divergence.empty()) return empty_picture("Divergence", "This kernel makes no access to memory.", "Record one that does.", size, style);
  const std::size_t chosen = divergence.access_or_first_load(recording, site.value_or(~0u));
  const AccessLanes& access = divergence.accesses[chosen];
  const auto event = nearest(moment, divergence, chosen);

  Canvas canvas(size, style);
  canvas.name("Divergence", event ? moment_name(moment, *event) : fmt::format("{} · warp {}", access_title(recording, access), moment.warp));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(moment, access, event));
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  const std::string share = access.divergent == 0
                                ? std::string()
                                : fmt::format("{:.1f} %", 100.0 * static_cast<double>(access.divergent) / static_cast<double>(access.warp_phases));
  draw_figure(canvas, figure, figure_of(access), access.divergent > 0, {blocks_covered(recording), share, of_the_grid(recording, access)});
  canvas.region(
      figure, {},
      fmt::format("{}: {} recorded warps in the {} in which it is made. In {} the warp makes it with a part of its threads, in {} with all, in "
                  "{} not at all",
                  access_title(recording, access), with_thousands(divergence.recorded_warps), counted(access.phases, "phase"),
                  with_thousands(access.divergent), with_thousands(access.making - access.divergent),
                  with_thousands(access.warp_phases - access.making)));
  if (size.height >= canvas.px(kHighEnoughForLanes)) {
    draw_lane_strip(canvas, rest, event ? recording.events.mask[*event] : 0, highlight, {.label = lanes_label(moment, event)});
    static_cast<void>(cut_top(rest, canvas.px(6)));
  }
  draw_lane_grid(canvas, rest,
                 {moment, divergence, analysis::lanes_of_warp(recording, divergence, moment.event_block, moment.warp), chosen, highlight});
  return canvas.take();
}

}  // namespace warplens::picture
