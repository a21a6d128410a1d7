#include "viz/picture/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "viz/analysis/divergence.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/sentences.h"

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
  return analysis::make_access(site_of(event), recording->shapes[events.shape[event]], events.mask[event], events.base[event]);
}

std::optional<std::size_t> Moment::nearest(std::initializer_list<Space> spaces) const {
  if (event_block >= recording->event_blocks.size()) return std::nullopt;
  const EventRange all = events_of_warp(*recording, event_block, warp);
  if (all.empty()) return std::nullopt;
  // Where the phase holds nothing of this warp, look from where its accesses would be.
  const auto phases = recording->events.phase.begin();
  const auto first_later = std::upper_bound(phases + static_cast<std::ptrdiff_t>(all.begin), phases + static_cast<std::ptrdiff_t>(all.end), phase);
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
  if (event_block >= recording->event_blocks.size()) return "no block";
  const Dim3 block = recording->event_blocks[event_block];
  if (recording->grid.z > 1) return fmt::format("block ({}, {}, {})", block.x, block.y, block.z);
  return fmt::format("block ({}, {})", block.x, block.y);
}

std::string access_sentence(const Moment& moment, std::size_t event) {
  const bool shared = moment.site_of(event).space == Space::shared;
  const SharedArray* array = shared ? shared_array_at(*moment.recording, moment.recording->events.base[event]) : nullptr;
  return analysis::describe(moment.access(event), moment.cc, array);
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
  if (array == nullptr) return "shared memory + " + hexadecimal(offset);
  const std::uint64_t element = (offset - array->offset) / std::max(1u, array->element_bytes);
  if (array->rows <= 1 || array->pitch == 0) return fmt::format("{}[{}]", array->name, element);
  return fmt::format("{}[{}][{}]", array->name, element / array->pitch, element % array->pitch);
}

std::string shared_address_name(const Recording& recording, std::uint64_t offset) {
  return hexadecimal(static_cast<std::uint32_t>(recording.shared_base + offset));
}

std::string access_name(const Moment& moment, std::size_t event) {
  const Recording& recording = *moment.recording;
  const Site& site = moment.site_of(event);
  const std::uint64_t base = recording.events.base[event];
  std::string holder;
  analysis::ElementPlace place;
  if (site.space == Space::shared) {
    holder = shared_array_name(recording, base);
  } else if (site.space == Space::global && analysis::locate(recording, base, place)) {
    holder = recording.buffers[place.buffer].name;
  }
  return access_words(site, holder);
}

std::string access_words(const Site& site, const std::string& of) {
  const char* joined = site.op == AccessOp::load || site.op == AccessOp::ldmatrix    ? "of"
                       : site.op == AccessOp::store || site.op == AccessOp::stmatrix ? "to"
                                                                                     : "on";
  std::string name = fmt::format("{} {}", name_of(site.space), name_of(site.op));
  return of.empty() ? name : fmt::format("{} {} {}", name, joined, of);
}

std::string lanes_name(std::uint32_t mask) {
  std::string name = std::popcount(mask) == 1 ? "lane " : "lanes ";
  bool first = true;
  for (int lane = 0; lane < kWarpSize;) {
    if ((mask >> lane & 1u) == 0) {
      ++lane;
      continue;
    }
    int last = lane;
    while (last + 1 < kWarpSize && (mask >> (last + 1) & 1u) != 0) ++last;
    if (!first) name += ", ";
    name += last == lane ? std::to_string(lane) : fmt::format("{}\u2013{}", lane, last);
    first = false;
    lane = last + 1;
  }
  return name;
}

std::uint32_t launched_lanes(const Recording& recording, std::uint32_t warp) {
  return analysis::launched_lanes(recording, warp);
}

std::string moment_name(const Moment& moment, std::size_t event) {
  const Recording& recording = *moment.recording;
  const Site& site = moment.site_of(event);
  const std::uint32_t phase = recording.events.phase[event];
  const EventRange steps = events_of_phase(recording, moment.event_block, moment.warp, phase);
  const std::string line = site.line == 0 ? std::string() : fmt::format("line {} · ", site.line);
  return fmt::format("{}{} · warp {} · phase {} · step {} of {}", line, access_name(moment, event), moment.warp, phase + 1, event - steps.begin + 1,
                     steps.size());
}

}  // namespace warplens::picture
