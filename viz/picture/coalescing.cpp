#include "viz/picture/coalescing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "viz/analysis/reuse.h"
#include "viz/picture/access_strip.h"
#include "viz/picture/canvas.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

constexpr std::uint64_t kLine = 128, kSector = 32;

bool drawn_here(const Site& site) {
  return site.space != Space::shared;
}

/// The most distinct lines that one access of the recording touches, up to `enough`: it sets how many the ruler has places for, at every step alike.
std::size_t most_lines(const Recording& recording, std::size_t enough) {
  std::size_t most = 1;
  for (std::size_t s = 0; s < recording.sites.size() && most < enough; ++s) {
    const Site& site = recording.sites[s];
    if (!drawn_here(site)) continue;
    for (const PatternCount& pattern : recording.totals[s].patterns) {
      const Shape& shape = recording.shapes[pattern.shape];
      std::unordered_set<std::int64_t> lines;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if ((pattern.mask >> lane & 1u) == 0) continue;
        const std::int64_t first = shape[static_cast<std::size_t>(lane)] + pattern.alignment;
        lines.insert(first >> 7);
        lines.insert((first + site.bytes - 1) >> 7);
      }
      most = std::max(most, lines.size());
      if (most >= enough) break;
    }
  }
  return most;
}

/// One 128-byte line of the ruler: where it is drawn, and what it stands for.
struct LinePlace {
  Rect bar, label;
  std::uint64_t address = 0;
  [[nodiscard]] float x_of(std::uint64_t byte) const { return bar.x + bar.width * static_cast<float>(byte - address) / static_cast<float>(kLine); }
};

/// Which of the access's lines are drawn: the lowest ones, and the one that the pointed-at lane needs.
std::vector<std::uint64_t> choose_lines(const analysis::WarpAccess& access, const analysis::Coalescing& coalescing, const Highlight& highlight,
                                        std::size_t places) {
  std::vector<std::uint64_t> chosen(coalescing.lines.begin(),
                                    coalescing.lines.begin() + static_cast<std::ptrdiff_t>(std::min(places, coalescing.lines.size())));
  if (highlight.lane && (access.mask >> *highlight.lane & 1u) != 0 && !chosen.empty()) {
    const std::uint64_t wanted = access.address[static_cast<std::size_t>(*highlight.lane)] / kLine * kLine;
    if (std::find(chosen.begin(), chosen.end(), wanted) == chosen.end()) chosen.back() = wanted;
  }
  return chosen;
}

/// Places for the lines in `box`: one column of full-width bars if the recording never needs more than fit, else two.
std::vector<LinePlace> lay_out_lines(const Canvas& canvas, Rect box, std::size_t lines_needed) {
  const float label = canvas.px(17), gap = canvas.px(8), lowest = canvas.px(12), tallest = canvas.px(30);
  const auto rows_of = [&](float bar) { return static_cast<std::size_t>(std::max(0.0f, (box.height + gap) / (bar + label + gap))); };
  const bool two = lines_needed > 1 && box.width >= canvas.px(360);
  const std::size_t columns = two ? 2 : 1;
  const std::size_t rows_wanted = (lines_needed + columns - 1) / columns;
  const std::size_t rows = std::min(rows_wanted, rows_of(lowest));
  if (rows == 0) return {};
  const float bar = std::clamp((box.height + gap) / static_cast<float>(rows) - label - gap, lowest, tallest);
  const float width = (box.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  std::vector<LinePlace> places;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const float x = box.x + static_cast<float>(i % columns) * (width + gap), y = box.y + static_cast<float>(i / columns) * (bar + label + gap);
    places.push_back({{x, y, width, bar}, {x, y + bar, width, label}});
  }
  return places;
}

void draw_line_label(Canvas& canvas, const Recording& recording, const LinePlace& place, const analysis::WarpAccess& access) {
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t first = access.address[static_cast<std::size_t>(lane)], end = first + static_cast<std::uint64_t>(access.bytes);
    if ((access.mask >> lane & 1u) != 0 && first < place.address + kLine && end > place.address) lanes |= 1u << lane;
  }
  const std::string from = place_name(recording, place.address), address = hexadecimal(place.address), who = lanes_name(lanes);
  const TextLook look{canvas.palette().muted, kSmallSize, Font::mono, Align::left};
  canvas.fitted(place.label,
                {fmt::format("{}..  line {}  {}", from, address, who), fmt::format("{}..  line {}", from, address), from + "..", address}, look);
  canvas.region(place.bar, {Target::Kind::line, 0}, fmt::format("Line {}: 128 bytes from {}, touched by {}", address, from, who));
}

/// A bar: its four sectors, fetched ones hatched where nobody uses them, touched bytes in the lanes' colours.
void draw_bar(Canvas& canvas, const LinePlace& place, const analysis::Coalescing& coalescing) {
  const Palette& palette = canvas.palette();
  canvas.fill(place.bar, palette.line, 2);
  for (const analysis::Transaction& transaction : coalescing.transactions) {
    const std::uint64_t begin = std::max(transaction.address, place.address),
                        end = std::min(transaction.address + transaction.bytes, place.address + kLine);
    if (begin >= end) continue;
    const Rect fetched{place.x_of(begin), place.bar.y, place.x_of(end) - place.x_of(begin), place.bar.height};
    canvas.fill(fetched, with_alpha(palette.costly, 0.25f));
    canvas.hatch(fetched, with_alpha(palette.costly, 0.75f), 6);
  }
}

void draw_sector_marks(Canvas& canvas, const LinePlace& place) {
  for (std::uint64_t sector = kSector; sector < kLine; sector += kSector) {
    const float x = place.x_of(place.address + sector);
    canvas.line({x, place.bar.y}, {x, place.bar.bottom()}, canvas.palette().panel, 1.5f);
  }
}

/// Whether no lower lane starts at the same byte: then the lane's number may be written there.
bool lowest_at_its_address(const analysis::WarpAccess& access, int lane) {
  for (int other = 0; other < lane; ++other) {
    if ((access.mask >> other & 1u) != 0 && access.address[static_cast<std::size_t>(other)] == access.address[static_cast<std::size_t>(lane)])
      return false;
  }
  return true;
}

/// The bytes of the lanes that lie in a line, in the lanes' colours.
void draw_touched(Canvas& canvas, const Recording& recording, const LinePlace& place, const analysis::WarpAccess& access,
                  const Highlight& highlight) {
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {  // The lowest lane of a shared word on top
    if ((access.mask >> lane & 1u) == 0) continue;
    const std::uint64_t first = access.address[static_cast<std::size_t>(lane)], last = first + static_cast<std::uint64_t>(access.bytes);
    const std::uint64_t begin = std::max(first, place.address), end = std::min(last, place.address + kLine);
    if (begin >= end) continue;
    const Rect bytes{place.x_of(begin), place.bar.y, place.x_of(end) - place.x_of(begin), place.bar.height};
    const bool pointed_at = highlight.lane == lane;
    canvas.fill(bytes, lane_colour(lane));
    canvas.outline(bytes, pointed_at ? canvas.palette().text : with_alpha(canvas.palette().panel, 0.5f), pointed_at ? 2.0f : 0.5f);
    const std::string number = std::to_string(lane);
    const TextLook look{readable_on(lane_colour(lane)), kTinySize, Font::sans, Align::centre};
    if (lowest_at_its_address(access, lane) && canvas.width_of("00", look) + canvas.px(2) <= bytes.width) canvas.fitted(bytes, {number}, look);
    canvas.region(bytes, {Target::Kind::lane, lane}, fmt::format("Lane {}: {} at {}", lane, place_name(recording, first), hexadecimal(first)));
  }
}

void draw_curves(Canvas& canvas, const LaneStrip& strip, const std::vector<LinePlace>& places, const analysis::WarpAccess& access,
                 const Highlight& highlight) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((access.mask >> lane & 1u) == 0) continue;
    const std::uint64_t byte = access.address[static_cast<std::size_t>(lane)];
    const auto place = std::find_if(places.begin(), places.end(), [&](const LinePlace& p) { return byte >= p.address && byte < p.address + kLine; });
    if (place == places.end()) continue;
    const std::uint64_t end = std::min(byte + static_cast<std::uint64_t>(access.bytes), place->address + kLine);
    const Point from{centre(strip.cell(lane)).x, strip.box.bottom()};
    const Point to{(place->x_of(byte) + place->x_of(end)) / 2, place->bar.y};
    const float pull = (to.y - from.y) * 0.5f;
    const bool pointed_at = highlight.lane == lane, another = highlight.lane && !pointed_at;
    canvas.add(Curve{from,
                     {from.x, from.y + pull},
                     {to.x, to.y - pull},
                     to,
                     with_alpha(lane_line_colour(canvas.palette(), lane), another ? 0.15f : 0.75f),
                     canvas.px(pointed_at ? 2.5f : 1.25f)});
  }
}

/// What is left out: "and 24 more lines like these", if every line is used alike.
std::string more_lines(const analysis::Coalescing& coalescing, std::size_t shown) {
  if (coalescing.lines.size() <= shown) return {};
  std::vector<std::uint32_t> useful(coalescing.lines.size());
  for (const analysis::Transaction& transaction : coalescing.transactions) {
    const auto line = std::upper_bound(coalescing.lines.begin(), coalescing.lines.end(), transaction.address);
    if (line != coalescing.lines.begin()) useful[static_cast<std::size_t>(line - coalescing.lines.begin() - 1)] += transaction.useful_bytes;
  }
  const bool alike = std::all_of(useful.begin(), useful.end(), [&](std::uint32_t bytes) { return bytes == useful.front(); });
  return "and " + counted(coalescing.lines.size() - shown, "more line") + (alike ? " like these" : "");
}

std::vector<LinePlace> draw_ruler(Canvas& canvas, Rect box, const Recording& recording, const LaneStrip& strip, const analysis::WarpAccess& access,
                                  const analysis::Coalescing& coalescing, const Highlight& highlight) {
  constexpr std::size_t kEnough = 64;
  const std::size_t needed = most_lines(recording, kEnough);
  const Rect more = cut_bottom(box, canvas.px(18));
  // The lanes' curves get a third of the height, so that their slopes can be told apart.
  static_cast<void>(cut_top(box, std::max(canvas.px(18), box.height * 0.32f)));
  std::vector<LinePlace> places = lay_out_lines(canvas, box, needed);
  const std::vector<std::uint64_t> lines = choose_lines(access, coalescing, highlight, places.size());
  places.resize(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) places[i].address = lines[i];

  draw_curves(canvas, strip, places, access, highlight);
  for (const LinePlace& place : places) {
    canvas.fill(united(place.bar, place.label), with_alpha(canvas.palette().panel, 0.75f));
    draw_bar(canvas, place, coalescing);
    draw_sector_marks(canvas, place);
    draw_line_label(canvas, recording, place, access);
    draw_touched(canvas, recording, place, access, highlight);
  }
  canvas.fitted(more, {more_lines(coalescing, places.size())}, canvas.muted());
  return places;
}

std::string used_bytes(const analysis::Coalescing& coalescing) {
  if (coalescing.fetched_bytes == 0) return {};
  const double share = 100.0 * static_cast<double>(coalescing.useful_bytes) / static_cast<double>(coalescing.fetched_bytes);
  return fmt::format("{} of {} fetched bytes used ({:.3g} %)", with_thousands(coalescing.useful_bytes), with_thousands(coalescing.fetched_bytes),
                     share);
}

/// What one piece of memory moved is called under these rules.
const char* transaction_noun(const analysis::Coalescing& coalescing) {
  const bool all_sectors =
      std::all_of(coalescing.transactions.begin(), coalescing.transactions.end(), [](const analysis::Transaction& t) { return t.bytes == kSector; });
  return all_sectors ? "sector" : "transaction";
}

Picture nothing_to_draw(const Moment& moment, Size size, const Style& style) {
  if (moment.recording->events.size() == 0) return no_events_picture("Coalescing", size, style);
  return empty_picture("Coalescing", fmt::format("Warp {} makes no access to global memory.", moment.warp), "Choose another warp or block.", size,
                       style);
}

}  // namespace

Picture make_coalescing(const Moment& moment, const Highlight& highlight, Size size, const Style& style) {
  const auto event = moment.nearest({Space::global, Space::local});
  if (!event) return nothing_to_draw(moment, size, style);
  const Recording& recording = *moment.recording;
  const analysis::WarpAccess access = moment.access(*event);
  const analysis::Coalescing coalescing = analysis::coalesce(access, moment.cc);
  const AccessCost cost = analysis::judge(access, moment.cc);

  Canvas canvas(size, style);
  canvas.name("Coalescing", moment_name(moment, *event));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, access_sentence(moment, *event));
  if (size.height >= canvas.px(330)) draw_access_strip(canvas, rest, moment, *event, AccessFigure::sectors);
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  draw_figure(canvas, figure, counted(cost.sectors, transaction_noun(coalescing)), cost.sectors > cost.ideal_sectors,
              {fmt::format("ideal {}", cost.ideal_sectors), counted(cost.lines, "line"), used_bytes(coalescing)});
  const LaneStrip strip = draw_lane_strip(canvas, rest, access.mask, highlight);
  draw_ruler(canvas, rest, recording, strip, access, coalescing, highlight);
  return canvas.take();
}

}  // namespace warplens::picture
