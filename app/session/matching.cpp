#include "app/session/matching.h"

#include <algorithm>
#include <optional>

#include "app/session/navigation.h"
#include "kernels/base/texts.h"
#include "viz/picture/comparison/paired_accesses.h"
#include "viz/picture/moment.h"

namespace warplens::app {
namespace {

using analysis::PhaseKind;

std::uint32_t match_block(const Recording& from, std::uint32_t block, const Recording& to,
                          std::string& difference) {
  if (block >= from.event_blocks.size() || to.event_blocks.empty()) return 0;
  const auto same = std::ranges::find(to.event_blocks, from.event_blocks[block]);
  if (same != to.event_blocks.end()) return static_cast<std::uint32_t>(same - to.event_blocks.begin());
  const std::uint32_t instead = opening_block(to);
  difference =
      tr("{one} beside {other}",
         "one"_a = picture::Moment{.recording = &from, .cc = {}, .event_block = block}.block_name(),
         "other"_a = picture::Moment{.recording = &to, .cc = {}, .event_block = instead}.block_name());
  return instead;
}

/// How many of the phases before `phase` are of its kind.
std::uint64_t ordinal_of(const std::vector<PhaseKind>& kinds, std::uint32_t phase) {
  return static_cast<std::uint64_t>(std::count(kinds.begin(), kinds.begin() + phase, kinds[phase]));
}

/// "fill"; "pass" of a kernel without barriers.
std::string words_of(PhaseKind kind) {
  return kind == PhaseKind::step ? tr("pass") : tr(analysis::name_of(kind));
}

std::uint32_t match_phase(const std::vector<PhaseKind>& from, std::uint32_t phase,
                          const std::vector<PhaseKind>& to, std::string& difference) {
  if (phase >= from.size() || to.empty()) return 0;
  const PhaseKind kind = from[phase];
  const std::uint64_t wanted = ordinal_of(from, phase);
  std::uint64_t seen = 0;
  std::optional<std::uint32_t> last;
  for (std::uint32_t i = 0; i < to.size(); ++i) {
    if (to[i] != kind) continue;
    last = i;
    if (seen++ == wanted) return i;
  }
  if (!last) {
    difference = tr("A has no phase of this kind ({kind})", "kind"_a = words_of(kind));
    return std::min(phase, static_cast<std::uint32_t>(to.size() - 1));
  }
  difference = tr("{kind} {number} beside {kind} {other}: there are no more", "kind"_a = words_of(kind),
                  "number"_a = wanted + 1, "other"_a = seen);
  return *last;
}

std::uint32_t match_step(const Recording& from, const Selection& at, const Recording& to,
                         const Selection& there, std::string& difference) {
  const std::optional<std::size_t> event = current_event(from, at);
  if (!event) return 0;
  const EventRange before = events_of_phase(from, at.event_block, at.warp, at.phase);
  const EventRange candidates = events_of_phase(to, there.event_block, there.warp, there.phase);
  std::uint64_t wanted = 0;
  for (std::size_t i = before.begin; i < *event; ++i) wanted += picture::alike(from, i, from, *event) ? 1 : 0;
  std::optional<std::size_t> last;
  std::uint64_t seen = 0;
  for (std::size_t i = candidates.begin; i < candidates.end; ++i) {
    if (!picture::alike(from, *event, to, i)) continue;
    last = i;
    if (seen++ == wanted) break;
  }
  if (!last) {
    difference = tr("A has no such access there");
    return 0;
  }
  if (seen <= wanted)
    difference = tr("access {number} of its kind beside {other}: there are no more", "number"_a = wanted + 1,
                    "other"_a = seen);
  return static_cast<std::uint32_t>(*last - candidates.begin);
}

/// The selection's phase and step in `there`, whose block and warp are set: where the warp makes as many
/// accesses before.
void match_position(const Recording& from, const Selection& at, const Recording& to, Selection& there,
                    std::string& difference) {
  const EventRange before = events_of_warp(from, at.event_block, at.warp),
                   candidates = events_of_warp(to, there.event_block, there.warp);
  if (candidates.empty()) {
    difference = tr("A has no such access there");
    return;
  }
  // Where the warp makes none in the phase, it is as far as the accesses before it.
  const std::optional<std::size_t> event = current_event(from, at);
  const std::size_t made =
      (event ? *event : events_of_phase(from, at.event_block, at.warp, at.phase).begin) - before.begin;
  const std::size_t like = std::min(made, candidates.size() - 1);
  if (like < made) {
    difference = tr("access {number} of the warp beside {other}: there are no more",
                    "number"_a = with_thousands(made + 1), "other"_a = with_thousands(like + 1));
  }
  const std::size_t found = candidates.begin + like;
  there.phase = to.events.phase[found];
  there.step = static_cast<std::uint32_t>(
      found - events_of_phase(to, there.event_block, there.warp, there.phase).begin);
}

/// The element at the same place of the buffer of that name, if there is one.
std::optional<ElementRef> match_element(const Recording& from, ElementRef element, const Recording& to) {
  if (element.buffer >= from.buffers.size()) return std::nullopt;
  const auto like = std::ranges::find(to.buffers, from.buffers[element.buffer].name, &Buffer::name);
  if (like == to.buffers.end() || element.row >= like->rows || element.column >= like->columns)
    return std::nullopt;
  element.buffer = static_cast<std::uint32_t>(like - to.buffers.begin());
  return element;
}

/// The word at the same row and column of the shared array of that name, wherever padding moves it.
std::optional<std::uint32_t> match_shared_word(const Recording& from, std::uint32_t word,
                                               const Recording& to) {
  const auto holds = [&](const SharedArray& array) {
    return word * 4 >= array.offset && word * 4 - array.offset < array.bytes;
  };
  const auto array = std::ranges::find_if(from.shared_arrays, holds);
  if (array == from.shared_arrays.end() || array->pitch == 0 || array->element_bytes == 0)
    return std::nullopt;
  const auto like = std::ranges::find(to.shared_arrays, array->name, &SharedArray::name);
  if (like == to.shared_arrays.end() || like->element_bytes != array->element_bytes) return std::nullopt;
  const std::uint32_t bytes = word * 4 - array->offset, element = bytes / array->element_bytes;
  const std::uint32_t row = element / array->pitch, column = element % array->pitch;
  if (row >= like->rows || column >= like->pitch) return std::nullopt;
  return (like->offset + (row * like->pitch + column) * like->element_bytes + bytes % array->element_bytes) /
         4;
}

}  // namespace

Matched matched(const Loaded& from, const Selection& selection, const Loaded& to, MatchBy by) {
  const Recording &here = *from.recording, &there = *to.recording;
  Matched match;
  std::string block, warp, phase, step;
  match.selection.event_block = match_block(here, selection.event_block, there, block);
  match.selection.warp = std::min(selection.warp, there.warps_per_block() - 1);
  if (match.selection.warp != selection.warp)
    warp = tr("warp {one} beside warp {other}", "one"_a = selection.warp, "other"_a = match.selection.warp);
  const bool events = !there.event_blocks.empty() && !here.event_blocks.empty();
  if (by == MatchBy::step && events) {
    match_position(here, selection, there, match.selection, step);
  } else {
    match.selection.phase =
        match_phase(from.facts->phase_kinds, selection.phase, to.facts->phase_kinds, phase);
    if (events) match.selection.step = match_step(here, selection, there, match.selection, step);
  }
  match.selection.lane = selection.lane;
  if (selection.element) match.selection.element = match_element(here, *selection.element, there);
  if (selection.shared_word)
    match.selection.shared_word = match_shared_word(here, *selection.shared_word, there);
  for (const std::string& part : {block, warp, phase, step}) {
    if (!part.empty()) match.difference += (match.difference.empty() ? "" : "; ") + part;
  }
  return match;
}

}  // namespace warplens::app
