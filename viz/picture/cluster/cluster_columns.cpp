#include "viz/picture/cluster/cluster_columns.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"
#include "viz/picture/cluster/cluster_blocks.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::ClusterBlock;
using analysis::ClusterBlocks;
using analysis::ClusterCopy;
using analysis::PartFilling;
using analysis::PartState;
using analysis::RemoteAccess;

constexpr std::size_t kMostLinks = 8;

std::string copy_words(const ClusterCopy& copy) {
  return tr("warp {warp} copies {bytes} to {ranks}", "warp"_a = copy.warp,
            "bytes"_a = tr_n(copy.bytes, "{n} byte", "{n} bytes"), "ranks"_a = ranks_name(copy.ranks));
}
std::string access_words_of(const RemoteAccess& access) {
  Site site;
  site.space = Space::shared;
  site.op = access.op;
  return tr("warp {warp}, {lanes}: {access} at {rank}", "warp"_a = access.warp,
            "lanes"_a = lanes_name(access.lanes, access.op), "access"_a = access_words(site, ""),
            "rank"_a = ranks_name(1u << access.to));
}

/// The first access of another block in that step; null: it makes none.
const RemoteAccess* access_at(const ClusterBlock& block, std::uint32_t step) {
  const auto first = std::ranges::lower_bound(block.accesses, step, {}, &RemoteAccess::step);
  return first == block.accesses.end() || first->step != step ? nullptr : &*first;
}

/// A line along the strip, with ends at parts above it.
struct Link {
  std::uint32_t from = 0, ranks = 0;
  std::size_t part = 0;
  bool is_read = false;  ///< Then the arrow is at the reading block
  std::string words;
  Target target;
};

bool has_part(const analysis::PartRow& row, std::size_t part) {
  return std::ranges::binary_search(row.parts, part);
}

std::optional<std::size_t> part_at(const ClusterBlocks& cluster, std::uint32_t offset) {
  const auto after = std::ranges::upper_bound(cluster.parts, offset, {}, &analysis::SharedPart::offset);
  if (after == cluster.parts.begin()) return std::nullopt;
  const auto part = std::prev(after);
  if (offset - part->offset >= part->bytes) return std::nullopt;
  return static_cast<std::size_t>(part - cluster.parts.begin());
}

std::vector<Link> links_of(const ClusterBlocks& cluster, const analysis::PartRow& row, std::uint32_t step) {
  std::vector<Link> links;
  std::set<std::pair<std::uint32_t, std::size_t>> seen;
  for (const ClusterBlock& block : cluster.blocks) {
    if (!block.event_block) continue;
    for (const std::size_t part : row.parts) {
      const PartFilling* const filling = block.filling_at(part, step);
      if (filling == nullptr || !filling->copy || step >= filling->complete) continue;
      const std::uint32_t from = filling->issuer();
      const ClusterCopy& copy = cluster.blocks[from].copies[*filling->copy];
      const bool is_shared = std::popcount(copy.ranks | filling->by) > 1;
      if (!is_shared || !seen.emplace(from, *filling->copy).second) continue;
      links.push_back({.from = from,
                       .ranks = copy.ranks,
                       .part = part,
                       .words = tr("rank {rank}: {copy}", "rank"_a = from, "copy"_a = copy_words(copy)),
                       .target = copy.event
                                     ? Target{Target::Kind::event, static_cast<std::int64_t>(*copy.event)}
                                     : Target{}});
    }
  }
  for (std::uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    for (const RemoteAccess& access : cluster.blocks[rank].accesses) {
      if (access.step != step) continue;
      const auto part = part_at(cluster, access.offset);
      const bool is_there = std::ranges::any_of(links, [&](const Link& link) {
        return link.from == rank && link.ranks == 1u << access.to && link.part == part;
      });
      if (!part || !has_part(row, *part) || is_there) continue;
      links.push_back(
          {.from = rank,
           .ranks = 1u << access.to,
           .part = *part,
           .is_read = !writes(access.op, Space::shared),
           .words = tr("rank {rank}: {access}", "rank"_a = rank, "access"_a = access_words_of(access)),
           .target = {Target::Kind::event, static_cast<std::int64_t>(access.event)}});
    }
  }
  return links;
}

}  // namespace

const Rect* ClusterColumns::place_of(std::uint32_t rank) const {
  const auto found = std::ranges::find_if(places, [rank](const auto& place) { return place.first == rank; });
  return found == places.end() ? nullptr : &found->second;
}
std::uint32_t ClusterColumns::ranks() const {
  std::uint32_t ranks = 0;
  for (const auto& place : places) ranks |= 1u << place.first;
  return ranks;
}

std::string ranks_name(std::uint32_t ranks) {
  const std::string numbers = lane_numbers(ranks);
  return std::popcount(ranks) == 1 ? tr("rank {ranks}", "ranks"_a = numbers)
                                   : tr("ranks {ranks}", "ranks"_a = numbers);
}

std::string part_state_name(PartState state) {
  switch (state) {
    case PartState::empty: return tr("empty");
    case PartState::in_flight: return tr("copy in flight");
    case PartState::being_stored: return tr("being stored");
    case PartState::complete: return tr("complete, not read yet");
    case PartState::being_read: return tr("being read");
    case PartState::was_read: break;
  }
  return tr("read");
}

Activity activity_of(const ClusterBlock& block, std::uint32_t rank, std::uint32_t step) {
  if (const RemoteAccess* const access = access_at(block, step))
    return {access_words_of(*access), ranks_name(1u << access->to), true};
  const ClusterCopy* latest = nullptr;
  for (const ClusterCopy& copy : block.copies) {
    if (copy.step <= step && (latest == nullptr || copy.step >= latest->step)) latest = &copy;
  }
  if (latest == nullptr) return {};
  const bool is_own = latest->ranks == 1u << rank;
  return {copy_words(*latest), is_own ? with_thousands(latest->bytes) : ranks_name(latest->ranks),
          latest->step == step};
}

std::uint64_t bytes_in_flight(const ClusterBlocks& cluster, std::uint32_t rank, std::uint32_t step) {
  std::uint64_t bytes = 0;
  for (std::size_t part = 0; part < cluster.parts.size(); ++part) {
    const PartFilling* const filling = cluster.blocks[rank].filling_at(part, step);
    if (analysis::state_of(filling, step) == PartState::in_flight) bytes += cluster.parts[part].bytes;
  }
  return bytes;
}

std::set<std::pair<std::uint32_t, std::size_t>> selected_parts(const Moment& moment,
                                                               const ClusterBlocks& cluster) {
  std::set<std::pair<std::uint32_t, std::size_t>> parts;
  const auto event = moment.event();
  if (!event) return parts;
  const Recording& recording = *moment.recording;
  const Site& site = moment.site_of(*event);
  const std::uint32_t step = cluster.blocks[cluster.rank].timeline.step_of(recording, *event);
  if (site.op == AccessOp::bulk_load) {
    for (const ClusterCopy& copy : cluster.blocks[cluster.rank].copies) {
      if (copy.step != step || copy.warp != moment.warp) continue;
      for (std::size_t part = 0; part < cluster.parts.size(); ++part) {
        const std::uint32_t offset = cluster.parts[part].offset;
        if (offset < copy.offset || offset - copy.offset >= copy.bytes) continue;
        for (std::uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
          if ((copy.ranks >> rank & 1) != 0) parts.emplace(rank, part);
        }
      }
    }
  } else if (site.space == Space::shared) {
    analysis::for_each_lane(analysis::addressing_lanes(site, recording.events.mask[*event]), [&](int lane) {
      const SharedPlace place = shared_place(lane_address(recording, *event, lane));
      if (const auto part = part_at(cluster, place.offset))
        parts.emplace(place.rank.value_or(cluster.rank), *part);
    });
  }
  return parts;
}

std::string figures_of(const ClusterBlock& block) {
  std::string words = block_name(block.block);
  if (!block.event_block)
    return words + "\n" + tr("The block is not in the recording. A click has it recorded.");
  words += "\n" + tr("copies {issued} bytes, gets {copied}", "issued"_a = with_thousands(block.bytes_issued),
                     "copied"_a = with_thousands(block.bytes_copied));
  words += "\n" + tr_n(block.accesses.size(), "{n} access of other blocks' shared memory",
                       "{n} accesses of other blocks' shared memory");
  return words + "\n" +
         tr_n(block.arrivals_from_others, "{n} arrival of other blocks at its mbarriers",
              "{n} arrivals of other blocks at its mbarriers");
}

std::string block_name(Dim3 block) {
  return block.z == 0 ? tr("block ({x}, {y})", "x"_a = block.x, "y"_a = block.y)
                      : tr("block ({x}, {y}, {z})", "x"_a = block.x, "y"_a = block.y, "z"_a = block.z);
}

std::string part_name(const Recording& recording, std::uint32_t offset) {
  return shared_place_name(recording, offset);
}

Rect part_cell(const Canvas& canvas, const ClusterBlocks& cluster, const analysis::PartRow& row,
               std::size_t part, Rect place) {
  double before = 0, all = 0;
  for (const std::size_t other : row.parts) {
    if (other < part) before += cluster.parts[other].bytes;
    all += cluster.parts[other].bytes;
  }
  const float x = place.width * static_cast<float>(before / all);
  const float width = place.width * static_cast<float>(cluster.parts[part].bytes / all);
  const float gap = std::min(canvas.px(2), width / 4);
  return {place.x + x, place.y, width - gap, place.height};
}

Colour draw_state(Canvas& canvas, Rect box, PartState state) {
  const Palette& palette = canvas.palette();
  Colour ground = palette.header;
  switch (state) {
    case PartState::empty: break;
    case PartState::in_flight: ground = mixed(palette.panel, palette.fill, 0.25f); break;
    case PartState::being_stored: ground = mixed(palette.panel, palette.fill, 0.9f); break;
    case PartState::complete: ground = mixed(palette.panel, palette.accent, 0.3f); break;
    case PartState::being_read: ground = palette.accent; break;
    case PartState::was_read: ground = mixed(palette.panel, palette.muted, 0.35f); break;
  }
  canvas.fill(box, ground, 2);
  if (state == PartState::in_flight) {
    canvas.hatch(box, palette.fill);
    canvas.outline(box, palette.fill, 1, 2);
  }
  return ground;
}

std::string part_in_words(const Recording& recording, const ClusterBlocks& cluster, std::uint32_t rank,
                          std::size_t part, const PartFilling* filling, PartState state) {
  const analysis::SharedPart& of = cluster.parts[part];
  std::string words =
      tr("{place} of rank {rank}, {bytes}: {state}", "place"_a = part_name(recording, of.offset),
         "rank"_a = rank, "bytes"_a = tr_n(of.bytes, "{n} byte", "{n} bytes"),
         "state"_a = part_state_name(state));
  if (filling == nullptr) return words;
  words += "\n" + (filling->is_copy
                       ? tr("filling {number}, copied by {ranks} in step {begin}, complete in step {end}",
                            "number"_a = filling->number, "ranks"_a = ranks_name(filling->by),
                            "begin"_a = filling->begin, "end"_a = filling->complete)
                       : tr("filling {number}, stored by {ranks} from step {begin} to step {end}",
                            "number"_a = filling->number, "ranks"_a = ranks_name(filling->by),
                            "begin"_a = filling->begin, "end"_a = filling->complete));
  if (filling->first_read)
    words += "\n" + tr("read from step {first} to step {last}", "first"_a = *filling->first_read,
                       "last"_a = *filling->last_read);
  return words;
}

void draw_lanes_of_access(Canvas& canvas, Rect row, const ClusterBlock& block, std::uint32_t step) {
  const RemoteAccess* const access = access_at(block, step);
  const std::uint32_t lanes = access == nullptr ? 0 : access->lanes;
  const float width = row.width / kWarpSize;
  const TextLook number{canvas.palette().text, kTinySize, Font::sans_bold, Align::centre, true};
  const bool numbers_fit = canvas.width_of("31", number) < width;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Rect cell = cut_left(row, width);
    const Rect inside = inset(cell, std::min(canvas.px(0.5f), width / 8), 0);
    const bool is_active = (lanes >> lane & 1) != 0;
    const Colour colour = is_active ? lane_colour(lane) : canvas.palette().header;
    canvas.fill(inside, colour, 1);
    if (!is_active) continue;
    TextLook look = number;
    look.colour = readable_on(colour);
    if (numbers_fit) canvas.fitted(inside, {std::to_string(lane)}, look);
    canvas.region(cell, {Target::Kind::event, static_cast<std::int64_t>(access->event)},
                  tr("lane {lane} of {access}", "lane"_a = lane, "access"_a = access_words_of(*access)));
  }
}

void draw_arrow(Canvas& canvas, Point from, Point to, Colour colour) {
  const float thickness = canvas.px(1.5f), head = canvas.px(4);
  canvas.line(from, to, colour, thickness);
  const bool is_vertical = from.x == to.x;
  const float dx = to.x > from.x ? head : -head, dy = to.y > from.y ? head : -head;
  if (is_vertical) {
    canvas.add(Polygon{{to, {to.x - head * 0.7f, to.y - dy}, {to.x + head * 0.7f, to.y - dy}}, colour});
  } else {
    canvas.add(Polygon{{to, {to.x - dx, to.y - head * 0.7f}, {to.x - dx, to.y + head * 0.7f}}, colour});
  }
}

void draw_links(Canvas& canvas, const ClusterBlocks& cluster, const ClusterColumns& columns,
                const analysis::PartRow& row, Rect strip, std::uint32_t step) {
  std::vector<Link> links = links_of(cluster, row, step);
  if (links.size() > kMostLinks) links.resize(kMostLinks);
  const Palette& palette = canvas.palette();
  const float between = strip.height / static_cast<float>(links.size() + 1);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Link& link = links[k];
    const float y = strip.y + between * static_cast<float>(k + 1);
    const Colour colour = link.is_read ? palette.accent : palette.fill;
    float left = strip.right(), right = strip.x;
    for (const auto& [rank, place] : columns.places) {
      if (rank != link.from && (link.ranks >> rank & 1) == 0) continue;
      const Rect cell = part_cell(canvas, cluster, row, link.part, place);
      const float x = cell.x + cell.width / 2;
      left = std::min(left, x);
      right = std::max(right, x);
      const bool is_end = link.is_read ? rank == link.from : rank != link.from;
      if (is_end) {
        draw_arrow(canvas, {x, y}, {x, strip.y}, colour);
      } else {
        canvas.line({x, y}, {x, strip.y}, colour, canvas.px(1.5f));
      }
    }
    if (left >= right) continue;
    canvas.line({left, y}, {right, y}, colour, canvas.px(1.5f));
    canvas.region({left, y - between / 2, right - left, between}, link.target, link.words);
  }
}

std::vector<std::uint32_t> mbarriers_of(const ClusterBlocks& cluster) {
  std::set<std::uint32_t> addresses;
  for (const ClusterBlock& block : cluster.blocks) {
    for (const analysis::MbarrierLine& line : block.timeline.mbarriers) addresses.insert(line.address);
  }
  return {addresses.begin(), addresses.end()};
}

const analysis::MbarrierPhase* phase_at(const ClusterBlock& block, std::uint32_t address,
                                        std::uint32_t step) {
  const auto line = std::ranges::find(block.timeline.mbarriers, address, &analysis::MbarrierLine::address);
  if (line == block.timeline.mbarriers.end() || line->phases.empty()) return nullptr;
  const auto phase = std::ranges::upper_bound(line->phases, step, {}, &analysis::MbarrierPhase::end);
  return phase == line->phases.end() ? &line->phases.back() : &*phase;
}

}  // namespace warplens::picture
