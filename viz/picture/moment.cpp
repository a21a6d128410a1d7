#include "viz/picture/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/base/texts.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/sentences.h"
#include "viz/analysis/totals.h"

namespace warplens::picture {
namespace {

bool among(Space space, std::initializer_list<Space> spaces) {
  return std::find(spaces.begin(), spaces.end(), space) != spaces.end();
}

const SharedArray* shared_array_at(const Recording& recording, std::uint64_t offset) {
  for (const SharedArray& array : recording.shared_arrays) {
    if (offset >= array.offset && offset < std::uint64_t{array.offset} + array.bytes) return &array;
  }
  return nullptr;
}

// Each kind of access whole, as languages inflect its words by each other. `of`: the buffer or array; empty
// if it is not known.

std::string other_access(const Site& site, const std::string& of) {
  if (of.empty())
    return tr("{space} {operation}", "space"_a = name_of(site.space), "operation"_a = name_of(site.op));
  return tr("{space} {operation} on {array}", "space"_a = name_of(site.space),
            "operation"_a = name_of(site.op), "array"_a = of);
}

std::string global_access(const Site& site, const std::string& of) {
  const bool known = !of.empty();
  switch (site.op) {
    case AccessOp::load: return known ? tr("global load of {buffer}", "buffer"_a = of) : tr("global load");
    case AccessOp::store: return known ? tr("global store to {buffer}", "buffer"_a = of) : tr("global store");
    case AccessOp::atomic:
      return known ? tr("global atomic on {buffer}", "buffer"_a = of) : tr("global atomic");
    case AccessOp::reduction:
      return known ? tr("global reduction on {buffer}", "buffer"_a = of) : tr("global reduction");
    case AccessOp::cp_async:
      return known ? tr("global cp_async on {buffer}", "buffer"_a = of) : tr("global cp_async");
    case AccessOp::bulk_load:
      return known ? tr("global bulk load of {buffer}", "buffer"_a = of) : tr("global bulk load");
    case AccessOp::bulk_store:
      return known ? tr("global bulk store to {buffer}", "buffer"_a = of) : tr("global bulk store");
    case AccessOp::bulk_reduction:
      return known ? tr("global bulk reduction on {buffer}", "buffer"_a = of) : tr("global bulk reduction");
    case AccessOp::ldmatrix:
    case AccessOp::stmatrix:
    case AccessOp::wgmma: break;  // Of shared memory alone
  }
  return other_access(site, of);
}

std::string shared_access(const Site& site, const std::string& of) {
  const bool known = !of.empty();
  switch (site.op) {
    case AccessOp::load: return known ? tr("shared load of {array}", "array"_a = of) : tr("shared load");
    case AccessOp::store: return known ? tr("shared store to {array}", "array"_a = of) : tr("shared store");
    case AccessOp::atomic:
      return known ? tr("shared atomic on {array}", "array"_a = of) : tr("shared atomic");
    case AccessOp::reduction:
      return known ? tr("shared reduction on {array}", "array"_a = of) : tr("shared reduction");
    case AccessOp::ldmatrix:
      return known ? tr("shared ldmatrix of {array}", "array"_a = of) : tr("shared ldmatrix");
    case AccessOp::stmatrix:
      return known ? tr("shared stmatrix to {array}", "array"_a = of) : tr("shared stmatrix");
    case AccessOp::bulk_load:
      return known ? tr("shared bulk load to {array}", "array"_a = of) : tr("shared bulk load");
    case AccessOp::bulk_store:
    case AccessOp::bulk_reduction:
      return known ? tr("shared bulk store of {array}", "array"_a = of) : tr("shared bulk store");
    case AccessOp::wgmma: return known ? tr("shared wgmma of {array}", "array"_a = of) : tr("shared wgmma");
    case AccessOp::cp_async: break;
  }
  return known ? tr("shared cp_async on {array}", "array"_a = of) : tr("shared cp_async");
}

/// The buffer or the shared array that the lowest active lane of an access touches.
struct Touched {
  std::optional<std::uint32_t> buffer;
  const SharedArray* array = nullptr;
  friend bool operator==(const Touched&, const Touched&) = default;
};

Touched touched_at(const Recording& recording, std::size_t event) {
  const Space space = recording.sites[recording.events.site[event]].space;
  const std::uint64_t base = recording.events.base[event];
  if (space == Space::shared) return {std::nullopt, shared_array_at(recording, base)};
  analysis::ElementPlace place;
  return {space == Space::global && analysis::locate(recording, base, place) ? std::optional(place.buffer)
                                                                             : std::nullopt,
          nullptr};
}

/// The shared array that an access lies in; nullptr: none, or it is to another memory.
const SharedArray* array_at(const Moment& moment, std::size_t event) {
  return moment.site_of(event).space == Space::shared
             ? shared_array_at(*moment.recording, moment.recording->events.base[event])
             : nullptr;
}

}  // namespace

EventRange Moment::steps() const {
  if (event_block >= recording->event_blocks.size()) return {};
  return events_of_phase(*recording, event_block, warp, phase);
}

std::optional<std::size_t> Moment::event() const {
  const EventRange range = steps();
  if (range.empty()) return std::nullopt;
  return range.begin + std::min<std::size_t>(step, range.size() - 1);
}

const Site& Moment::site_of(std::size_t event) const {
  return recording->sites[recording->events.site[event]];
}

analysis::WarpAccess Moment::access(std::size_t event) const {
  const EventColumns& events = recording->events;
  return analysis::make_access(site_of(event), recording->shapes[events.shape[event]], events.mask[event],
                               events.base[event]);
}

std::optional<std::size_t> Moment::nearest(std::initializer_list<Space> spaces) const {
  if (event_block >= recording->event_blocks.size()) return std::nullopt;
  const EventRange all = events_of_warp(*recording, event_block, warp);
  if (all.empty()) return std::nullopt;
  // Where the phase holds nothing of this warp, look from where its accesses would be.
  const auto phases = recording->events.phase.begin();
  const auto first_later = std::upper_bound(phases + static_cast<std::ptrdiff_t>(all.begin),
                                            phases + static_cast<std::ptrdiff_t>(all.end), phase);
  const std::size_t from = event() ? *event() + 1 : static_cast<std::size_t>(first_later - phases);
  for (std::size_t at = from; at-- > all.begin;) {
    if (among(site_of(at).space, spaces)) return at;
  }
  for (std::size_t at = from; at < all.end; ++at) {
    if (among(site_of(at).space, spaces)) return at;
  }
  return std::nullopt;
}

std::string Moment::block_name() const {
  if (event_block >= recording->event_blocks.size()) return tr("no block");
  const Dim3 block = recording->event_blocks[event_block];
  if (recording->grid.z > 1)
    return tr("block ({x}, {y}, {z})", "x"_a = block.x, "y"_a = block.y, "z"_a = block.z);
  return tr("block ({x}, {y})", "x"_a = block.x, "y"_a = block.y);
}

std::string access_sentence(const Moment& moment, std::size_t event) {
  return analysis::describe(moment.access(event), moment.cc, array_at(moment, event));
}

std::string access_sentence_of_many(const Moment& moment, std::size_t event) {
  return analysis::describe_like(moment.access(event), moment.cc, array_at(moment, event));
}

std::string shared_array_name(const Recording& recording, std::uint64_t offset) {
  const SharedArray* array = shared_array_at(recording, offset);
  return array == nullptr ? std::string() : array->name;
}

std::string hexadecimal(std::uint64_t value) {
  return fmt::format("0x{:x}", value);
}

std::string place_name(const Recording& recording, std::uint64_t address) {
  analysis::ElementPlace place;
  if (!analysis::locate(recording, address, place)) return hexadecimal(address);
  const Buffer& buffer = recording.buffers[place.buffer];
  if (buffer.rows <= 1) return fmt::format("{}[{}]", buffer.name, place.column);
  return fmt::format("{}[{}][{}]", buffer.name, place.row, place.column);
}

std::string shared_place_name(const Recording& recording, std::uint64_t offset) {
  const SharedArray* array = shared_array_at(recording, offset);
  if (array == nullptr) return tr("shared memory + {offset}", "offset"_a = hexadecimal(offset));
  const std::uint64_t element = (offset - array->offset) / std::max(1u, array->element_bytes);
  if (array->rows <= 1 || array->pitch == 0) return fmt::format("{}[{}]", array->name, element);
  return fmt::format("{}[{}][{}]", array->name, element / array->pitch, element % array->pitch);
}

std::string shared_address_name(const Recording& recording, std::uint64_t offset) {
  return hexadecimal(static_cast<std::uint32_t>(recording.shared_base + offset));
}

std::string array_of(const Recording& recording, std::size_t event) {
  const Space space = recording.sites[recording.events.site[event]].space;
  const std::uint64_t base = recording.events.base[event];
  if (space == Space::shared) return shared_array_name(recording, base);
  analysis::ElementPlace place;
  return space == Space::global && analysis::locate(recording, base, place)
             ? recording.buffers[place.buffer].name
             : std::string();
}

std::vector<std::string> arrays_of_sites(const Recording& recording) {
  std::vector<std::string> arrays(recording.sites.size());
  std::vector<bool> seen(recording.sites.size());
  std::size_t left = 0;  // Who was never met is not looked for in millions of events
  for (std::size_t site = 0; site < seen.size(); ++site) {
    seen[site] = recording.totals[site].requests == 0;
    left += seen[site] ? 0 : 1;
  }
  for (std::size_t event = 0; event < recording.events.size() && left > 0; ++event) {
    const std::uint32_t site = recording.events.site[event];
    if (seen[site]) continue;
    seen[site] = true;
    arrays[site] = array_of(recording, event);
    --left;
  }
  return arrays;
}

std::string access_name(const Moment& moment, std::size_t event) {
  return access_words(moment.site_of(event), array_of(*moment.recording, event));
}

std::string access_words(const Site& site, const std::string& of) {
  switch (site.space) {
    case Space::global: return global_access(site, of);
    case Space::shared: return shared_access(site, of);
    case Space::local: break;
  }
  if (site.op == AccessOp::load && of.empty()) return tr("local load");
  if (site.op == AccessOp::store && of.empty()) return tr("local store");
  return other_access(site, of);
}

std::string access_words(const analysis::LineFigures& figures) {
  Site site;
  site.space = figures.space;
  site.op = figures.op;
  return access_words(site, figures.array);
}

std::string lane_numbers(std::uint32_t mask) {
  std::string numbers;
  for (int lane = 0; lane < kWarpSize;) {
    if ((mask >> lane & 1u) == 0) {
      ++lane;
      continue;
    }
    int last = lane;
    while (last + 1 < kWarpSize && (mask >> (last + 1) & 1u) != 0) ++last;
    if (!numbers.empty()) numbers += ", ";
    numbers += last == lane ? std::to_string(lane) : fmt::format("{}\u2013{}", lane, last);
    lane = last + 1;
  }
  return numbers;
}

std::string lanes_name(std::uint32_t mask, AccessOp op) {
  if (is_of_pieces(op))
    return tr_n(static_cast<std::uint64_t>(std::popcount(mask)), "piece {pieces}", "pieces {pieces}",
                "pieces"_a = lane_numbers(mask));
  return tr_n(static_cast<std::uint64_t>(std::popcount(mask)), "lane {lanes}", "lanes {lanes}",
              "lanes"_a = lane_numbers(mask));
}

std::uint32_t launched_lanes(const Recording& recording, std::uint32_t warp) {
  return analysis::launched_lanes(recording, warp);
}

std::string phase_name(const Recording& recording, std::uint32_t phase) {
  if (const std::vector<analysis::PhaseKind> kinds = analysis::phase_kinds(recording);
      analysis::counts_tiles(kinds)) {
    const auto tile = analysis::tile_of(kinds, phase);
    if (!tile) return analysis::phase_in_words(kinds, phase);
    return tr("tile {tile}, {kind}", "tile"_a = *tile, "kind"_a = tr(analysis::name_of(kinds[phase])));
  }
  const std::string number = with_thousands(phase + 1);
  return recording.phases_are_barriers || recording.phases.size() == 1
             ? tr("phase {number}", "number"_a = number)
             : tr("pass {number}", "number"_a = number);
}

Turn turn_of(const Moment& moment, std::size_t event) {
  const Recording& recording = *moment.recording;
  const Site& site = moment.site_of(event);
  std::vector<bool> like(recording.sites.size());
  for (std::size_t s = 0; s < like.size(); ++s) {
    const Site& other = recording.sites[s];
    like[s] = site.line == 0 ? &other == &site
                             : other.file == site.file && other.line == site.line &&
                                   other.space == site.space && other.op == site.op;
  }
  const EventRange among =
      recording.phases_are_barriers
          ? events_of_phase(recording, moment.event_block, moment.warp, recording.events.phase[event])
          : events_of_warp(recording, moment.event_block, moment.warp);
  const Touched touched = touched_at(recording, event);
  Turn turn{0, 0};
  for (std::size_t at = among.begin; at < among.end; ++at) {
    if (!like[recording.events.site[at]] || touched_at(recording, at) != touched) continue;
    turn.of += 1;
    if (at <= event) turn.number += 1;
  }
  return turn;
}

std::string moment_name(const Moment& moment, std::size_t event) {
  const Recording& recording = *moment.recording;
  const Site& site = moment.site_of(event);
  const std::uint32_t phase = recording.events.phase[event];
  const EventRange steps = events_of_phase(recording, moment.event_block, moment.warp, phase);
  const Turn turn = turn_of(moment, event);
  std::string access = access_name(moment, event);
  if (turn.of > 1)
    access = tr("{access}, {number} of {all}", "access"_a = access, "number"_a = with_thousands(turn.number),
                "all"_a = with_thousands(turn.of));
  const std::size_t step = event - steps.begin + 1;
  if (site.line == 0) {
    return tr("{access} · warp {warp} · {phase} · step {step} of {steps}", "access"_a = access,
              "warp"_a = moment.warp, "phase"_a = phase_name(recording, phase), "step"_a = step,
              "steps"_a = steps.size());
  }
  return tr("line {line} · {access} · warp {warp} · {phase} · step {step} of {steps}", "line"_a = site.line,
            "access"_a = access, "warp"_a = moment.warp, "phase"_a = phase_name(recording, phase),
            "step"_a = step, "steps"_a = steps.size());
}

}  // namespace warplens::picture
