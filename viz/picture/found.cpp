#include "viz/picture/found.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"

namespace warplens::picture {
namespace {

using analysis::Found;

/// An access as the findings that it is in see it.
struct Side {
  Dim3 block;
  std::uint32_t warp = 0, lane = 0, line = 0;
  AccessOp op = AccessOp::load;
  [[nodiscard]] std::uint32_t thread() const { return warp * kWarpSize + lane; }
};

std::uint32_t lowest(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes));
}

Side own_side(const Finding& finding) {
  return {finding.block, finding.warp, lowest(finding.lanes), finding.line, finding.access->op};
}
Side other_side(const Finding& finding) {
  return {finding.other->block, finding.other->warp, finding.other->lane, finding.other_line,
          finding.other->op};
}

std::string op_in_words(AccessOp op) {
  switch (op) {
    case AccessOp::load: return tr("load");
    case AccessOp::store: return tr("store");
    case AccessOp::atomic: return tr("atomic");
    case AccessOp::reduction: return tr("reduction");
    default: return name_of(op);
  }
}

std::string index_in_words(Dim3 index, Dim3 grid) {
  return grid.z > 1 ? fmt::format("({}, {}, {})", index.x, index.y, index.z)
                    : fmt::format("({}, {})", index.x, index.y);
}

std::string place_in(const Recording& recording, Space space, std::uint64_t address) {
  return space == Space::shared   ? shared_place_name(recording, address)
         : space == Space::global ? place_name(recording, address)
                                  : hexadecimal(address);
}

/// "C[64]" of an address behind C's end.
std::string place_beyond(const Recording& recording, const analysis::Beyond& beyond) {
  const Buffer& buffer = recording.buffers[beyond.buffer];
  const auto pitch = static_cast<std::int64_t>(buffer.pitch);
  if (buffer.rows <= 1 || pitch == 0 || beyond.element < 0)
    return fmt::format("{}[{}]", buffer.name, beyond.element);
  return fmt::format("{}[{}][{}]", buffer.name, beyond.element / pitch, beyond.element % pitch);
}

std::string race_in_words(const Recording& recording, const Found& found) {
  const Finding& finding = recording.findings[found.finding];
  const std::string kind = words_for(finding.kind);
  if (!finding.other) {
    return tr(
        "{kind}: {lanes} store different values by one instruction, some of them to {place}; which one "
        "remains is undefined",
        "kind"_a = kind, "lanes"_a = lanes_name(found.lanes),
        "place"_a = place_in(recording, finding.access->space, finding.access->addresses.front()));
  }
  const Side here = found.is_other ? other_side(finding) : own_side(finding),
             there = found.is_other ? own_side(finding) : other_side(finding);
  const std::string place = place_in(recording, finding.access->space, finding.other->address);
  switch (finding.kind) {
    case FindingKind::lane_race:
      return tr(
          "{kind}: lane {lane} conflicts with the {op} at line {line} by lane {other_lane} at {place}, with "
          "no __syncwarp between them",
          "kind"_a = kind, "lane"_a = here.lane, "op"_a = op_in_words(there.op), "line"_a = there.line,
          "other_lane"_a = there.lane, "place"_a = place);
    case FindingKind::block_race:
      return tr(
          "{kind}: lane {lane} conflicts with the {op} at line {line} by block {block}, thread {thread}, at "
          "{place}: nothing orders the two blocks",
          "kind"_a = kind, "lane"_a = here.lane, "op"_a = op_in_words(there.op), "line"_a = there.line,
          "block"_a = index_in_words(there.block, recording.grid), "thread"_a = there.thread(),
          "place"_a = place);
    case FindingKind::async_copy:
      return tr(
          "{kind}: lane {lane} conflicts with the {op} at line {line} by warp {warp}, lane {other_lane}, at "
          "{place}, with no wait for it between them",
          "kind"_a = kind, "lane"_a = here.lane, "op"_a = op_in_words(there.op), "line"_a = there.line,
          "warp"_a = there.warp, "other_lane"_a = there.lane, "place"_a = place);
    default:
      return tr(
          "{kind}: lane {lane} conflicts with the {op} at line {line} by warp {warp}, lane {other_lane}, at "
          "{place}, with no barrier between them",
          "kind"_a = kind, "lane"_a = here.lane, "op"_a = op_in_words(there.op), "line"_a = there.line,
          "warp"_a = there.warp, "other_lane"_a = there.lane, "place"_a = place);
  }
}

/// "C[64], 0 B past the end of C (256 B)"
std::string outside_in_words(const Recording& recording, const FoundAccess& access, std::uint64_t address) {
  if (access.space == Space::shared) {
    const std::string at = shared_address_name(recording, address),
                      bytes = with_thousands(recording.shared_bytes);
    if (address > UINT32_MAX - recording.shared_base) {
      return tr("{address}, in what is the system's on compute capability 8.0 and later", "address"_a = at);
    }
    return tr(
        "{address}, {distance} B past the end of the block's shared memory ({bytes} B)", "address"_a = at,
        "distance"_a =
            with_thousands(std::max<std::uint64_t>(address, recording.shared_bytes) - recording.shared_bytes),
        "bytes"_a = bytes);
  }
  if (access.space == Space::local)
    return tr("{address}, outside the thread's local memory", "address"_a = hexadecimal(address));
  const auto beyond = analysis::beyond(recording, address, access.bytes);
  if (!beyond) return tr("{address}, in no buffer", "address"_a = hexadecimal(address));
  const Buffer& buffer = recording.buffers[beyond->buffer];
  const std::string place = place_beyond(recording, *beyond), bytes = with_thousands(buffer.bytes),
                    distance = with_thousands(beyond->distance);
  if (beyond->across) {
    return tr("{place}, which reaches past the end of {buffer} ({bytes} B)", "place"_a = place,
              "buffer"_a = buffer.name, "bytes"_a = bytes);
  }
  const auto size = static_cast<std::uint64_t>(size_of(buffer.type));
  const std::uint64_t elements = (beyond->distance + size - 1) / size;
  if (beyond->before) {
    return tr_n(elements, "{place}, {n} element, {distance} B, before {buffer} ({bytes} B)",
                "{place}, {n} elements, {distance} B, before {buffer} ({bytes} B)", "place"_a = place,
                "distance"_a = distance, "buffer"_a = buffer.name, "bytes"_a = bytes);
  }
  if (elements == 0) {
    return tr("{place}, right behind the end of {buffer} ({bytes} B)", "place"_a = place,
              "buffer"_a = buffer.name, "bytes"_a = bytes);
  }
  return tr_n(elements, "{place}, {n} element, {distance} B, past the end of {buffer} ({bytes} B)",
              "{place}, {n} elements, {distance} B, past the end of {buffer} ({bytes} B)", "place"_a = place,
              "distance"_a = distance, "buffer"_a = buffer.name, "bytes"_a = bytes);
}

std::string misaligned_in_words(const FoundAccess& access, std::uint64_t address) {
  return tr("{address}, which is not a multiple of {bytes}", "address"_a = hexadecimal(address),
            "bytes"_a = access.bytes);
}

std::string cut_in_words(const Recording& recording, const Finding& finding, std::uint64_t address) {
  return finding.kind == FindingKind::misaligned ? misaligned_in_words(*finding.access, address)
                                                 : outside_in_words(recording, *finding.access, address);
}

std::string one_in_words(const Recording& recording, const Found& found) {
  const Finding& finding = recording.findings[found.finding];
  const std::uint64_t first = finding.access->addresses.front();
  const std::uint32_t lane = lowest(finding.lanes);
  const std::string kind = words_for(finding.kind), lanes = lanes_name(found.lanes);
  switch (finding.kind) {
    case FindingKind::out_of_bounds:
    case FindingKind::misaligned:
      return tr("{kind}, {lanes}: lane {lane} at {place}", "kind"_a = kind, "lanes"_a = lanes,
                "lane"_a = lane, "place"_a = cut_in_words(recording, finding, first));
    case FindingKind::uninitialised:
      return tr("{kind}, {lanes}: nothing in the block has written {place}, which lane {lane} reads",
                "kind"_a = kind, "lanes"_a = lanes,
                "place"_a = place_in(recording, finding.access->space, first), "lane"_a = lane);
    default: return race_in_words(recording, found);
  }
}

/// Returns the finding of a lane that accessed nothing because of it. There must be one.
const Finding& finding_of_cut(const Recording& recording, const FoundHere& here, int lane) {
  const auto found =
      std::ranges::find_if(here.all, [lane](const Found& one) { return (one.cut >> lane & 1u) != 0; });
  return recording.findings[found->finding];
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

const char* words_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::race: return tr("race");
    case FindingKind::out_of_bounds: return tr("access out of bounds");
    case FindingKind::misaligned: return tr("misaligned access");
    case FindingKind::barrier_divergence: return tr("barrier not reached by all lanes");
    case FindingKind::uninitialised: return tr("uninitialized shared-memory read");
    case FindingKind::failed_assertion: return tr("failed assertion");
    case FindingKind::undefined_lanes: return tr("lanes outside the mask");
    case FindingKind::absent_lanes: return tr("missing lanes");
    case FindingKind::async_copy: return tr("asynchronous copy in flight");
    case FindingKind::mbarrier: return tr("misuse of an mbarrier");
    case FindingKind::wgmma_registers: return tr("unsynchronized registers of wgmma");
    case FindingKind::exited_block: return tr("access to a block that has exited");
    case FindingKind::block_race: return tr("race between blocks");
    case FindingKind::lane_race: return tr("race within a warp");
    case FindingKind::deadlock: return tr("wait without end");
  }
  return "?";
}

FoundHere found_here(const Moment& moment, std::optional<std::size_t> event) {
  FoundHere here;
  if (event) {
    here.all = analysis::found_at(*moment.recording, *event);
  } else if (moment.finding) {
    here.all = {analysis::found_alone(*moment.recording, *moment.finding)};
  }
  std::stable_partition(here.all.begin(), here.all.end(),
                        [&](const Found& found) { return moment.finding == found.finding; });
  for (const Found& found : here.all) {
    here.lanes |= found.lanes;
    here.cut |= found.cut;
  }
  return here;
}

bool is_marked(const Recording& recording, const FoundHere& here, analysis::ByteRange bytes,
               std::uint32_t lanes) {
  return std::ranges::any_of(here.all, [&](const Found& found) {
    if (recording.findings[found.finding].kind == FindingKind::uninitialised)
      return (found.lanes & lanes) != 0;
    return std::ranges::any_of(found.both, [&](const analysis::ByteRange& both) {
      return both.begin < bytes.end && bytes.begin < both.end;
    });
  });
}

std::optional<Met> met_at(const Recording& recording, const FoundHere& here, analysis::ByteRange bytes,
                          int lane) {
  for (const Found& found : here.all) {
    if (const auto other = analysis::other_lane(recording, found, bytes, lane)) return Met{*other, &found};
  }
  return std::nullopt;
}

std::string found_in_words(const Recording& recording, const FoundHere& here) {
  const std::string first = capitalised(one_in_words(recording, here.all.front()));
  const std::uint64_t more = here.all.size() - 1;
  return more == 0 ? first
                   : tr_n(more, "{finding} (and {n} more finding here)",
                          "{finding} (and {n} more findings here)", "finding"_a = first);
}

std::string cut_lane_in_words(const Recording& recording, const FoundHere& here, int lane) {
  const Finding& finding = finding_of_cut(recording, here, lane);
  return cut_in_words(recording, finding, analysis::found_address(finding, lane));
}

std::string all_cut_in_words(const Finding& finding) {
  return finding.kind == FindingKind::misaligned ? tr("all lanes misaligned") : tr("all lanes out of bounds");
}

std::uint64_t cut_lane_address(const Recording& recording, const FoundHere& here, int lane) {
  return analysis::found_address(finding_of_cut(recording, here, lane), lane);
}

std::string place_name_beyond(const Recording& recording, std::uint64_t address) {
  const auto beyond = analysis::beyond(recording, address, 1);
  return beyond ? place_beyond(recording, *beyond) : place_name(recording, address);
}

std::string found_name(const Finding& finding) {
  Site site;
  site.space = finding.access->space;
  site.op = finding.access->op;
  return tr("line {line} · {access} · warp {warp}", "line"_a = finding.line,
            "access"_a = access_words(site, {}), "warp"_a = finding.warp);
}

std::uint64_t cut_lane_bytes(const Recording& recording, const FoundHere& here, int lane) {
  return finding_of_cut(recording, here, lane).access->bytes;
}

void add_found_region(Canvas& canvas, Rect box, const Recording& recording, const FoundHere& here) {
  const Found& first = here.all.front();
  const bool leads = recording.findings[first.finding].other.has_value();
  const std::string words = found_in_words(recording, here);
  canvas.region(
      box, leads ? Target{Target::Kind::finding, first.finding, first.is_other ? 0 : 1} : Target{},
      leads ? tr("{finding}\nA click here, or O, leads to the other access.", "finding"_a = words) : words);
}

void draw_found_sentence(Canvas& canvas, Rect& rest, const Recording& recording, const FoundHere& here) {
  add_found_region(canvas,
                   draw_sentence(canvas, rest, found_in_words(recording, here), canvas.palette().costly),
                   recording, here);
}

namespace {

/// Off the frames of its neighbours.
Rect framed_part(const Canvas& canvas, Rect box) {
  return inset(box, std::min(canvas.px(1.5f), box.width / 6));
}

}  // namespace

void mark(Canvas& canvas, Rect box) {
  box = framed_part(canvas, box);
  canvas.outline(box, canvas.palette().panel, 4, 2);
  canvas.outline(box, canvas.palette().costly, 2, 2);
}

namespace {

/// The lane's own place above, and that of the lane that it meets.
Rect upper_part(Rect box) {
  constexpr float kOwn = 0.54f;
  return {box.x, box.y, box.width, box.height * kOwn};
}

constexpr float kInsideFrame = 2.5f;

bool has_number(const Canvas& canvas, Rect box) {
  return lane_number_look(canvas, canvas.palette().panel, box).has_value();
}

/// Whether both lanes are drawn there: where one alone has its number, it is not given up for the other.
bool has_room_for_both(const Canvas& canvas, Rect box) {
  const Rect upper = upper_part(box), lower{box.x, upper.bottom(), box.width, box.height - upper.height};
  const float frame = canvas.px(kInsideFrame);
  return (has_number(canvas, inset(upper, frame)) && has_number(canvas, inset(lower, frame))) ||
         !has_number(canvas, inset(box, frame));
}

}  // namespace

Rect own_part(const Canvas& canvas, Rect box, const std::optional<Met>& met) {
  return met && has_room_for_both(canvas, box) ? inset(upper_part(box), canvas.px(kInsideFrame))
         : met                                 ? inset(box, canvas.px(kInsideFrame))
                                               : box;
}

void mark(Canvas& canvas, Rect box, const std::optional<Met>& met) {
  if (!met || !has_room_for_both(canvas, box)) return mark(canvas, box);
  const Rect own = upper_part(box), other{box.x, own.bottom(), box.width, box.height - own.height};
  canvas.fill(other, lane_colour(met->lane));
  mark(canvas, box);
  const Rect frame = framed_part(canvas, box);
  canvas.line({frame.x, other.y}, {frame.right(), other.y}, canvas.palette().costly, 1.5f);
  const auto look = lane_number_look(canvas, lane_colour(met->lane), inset(other, canvas.px(kInsideFrame)));
  if (look) canvas.fitted(other, {std::to_string(met->lane)}, *look);
  canvas.region(other, {Target::Kind::finding, met->found->finding, met->found->is_other ? 0 : 1},
                tr("Lane {lane} of the other access of the race", "lane"_a = met->lane));
}

void mark_lanes(Canvas& canvas, const LaneStrip& strip, const Recording& recording, const FoundHere& here) {
  const Palette& palette = canvas.palette();
  const float gap = std::min(canvas.px(1), strip.box.width / 200) / 2;
  analysis::for_each_lane(here.lanes, [&](int lane) {
    const Rect cell = inset(strip.cell(lane), gap);
    if ((here.cut >> lane & 1u) == 0) return canvas.outline(cell, palette.costly, 2, 2);
    canvas.fill(cell, palette.panel, 2);
    canvas.hatch(cell, with_alpha(palette.costly, 0.55f), canvas.px(5));
    canvas.outline(cell, palette.costly, 1.5f, 2);
    if (const auto look = lane_number_look(canvas, palette.panel, inset(cell, canvas.px(1)))) {
      canvas.fitted_on(palette.panel, cell, {std::to_string(lane)},
                       {palette.text, look->size, look->font, look->align});
    }
    canvas.region(strip.cell(lane), {Target::Kind::lane, lane},
                  tr("Lane {lane}, not executed: {place}", "lane"_a = lane,
                     "place"_a = cut_lane_in_words(recording, here, lane)));
  });
}

const Finding* found_alone(const Moment& moment, std::initializer_list<Space> spaces) {
  const Recording& recording = *moment.recording;
  if (!moment.finding || *moment.finding >= recording.findings.size()) return nullptr;
  const Finding& finding = recording.findings[*moment.finding];
  const bool here = moment.event_block < recording.event_blocks.size() &&
                    recording.event_blocks[moment.event_block] == finding.block;
  if (!here || !finding.access || std::ranges::find(spaces, finding.access->space) == spaces.end())
    return nullptr;
  return analysis::event_of(recording, finding) ? nullptr : &finding;
}

}  // namespace warplens::picture
