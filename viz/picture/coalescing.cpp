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
constexpr std::size_t kMostColumns = 4;
constexpr std::size_t kMostLines = 64;  // Of one access; 32 lanes, each across the border of two

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
      const analysis::WarpAccess access =
          analysis::make_access(site, recording.shapes[pattern.shape], pattern.mask, analysis::pattern_base(pattern.alignment));
      std::unordered_set<std::uint64_t> lines;
      for (const analysis::WarpAccess& part : analysis::where_it_lies(access)) {
        for (int lane = 0; lane < kWarpSize; ++lane) {
          if ((part.mask >> lane & 1u) == 0) continue;
          const std::uint64_t first = part.address[static_cast<std::size_t>(lane)];
          lines.insert(first / kLine);
          lines.insert((first + static_cast<std::uint64_t>(part.bytes) - 1) / kLine);
        }
      }
      most = std::max(most, lines.size());
      if (most >= enough) break;
    }
  }
  return most;
}

/// An access where its bytes lie: one part, or for local memory one for each word of a lane.
using Parts = std::vector<analysis::WarpAccess>;

/// What lies at an address: an element, or in the storage behind local memory the word that a line of it holds of every lane.
std::string name_at(const Recording& recording, const Parts& parts, std::uint64_t address) {
  if (parts.front().space != Space::local) return place_name(recording, address);
  return fmt::format("local word {}", address / kLine);
}

/// One 128-byte line of the ruler: where it is drawn, and what it stands for.
struct LinePlace {
  Rect bar, label;
  std::uint64_t address = 0;
  [[nodiscard]] float x_of(std::uint64_t byte) const { return bar.x + bar.width * static_cast<float>(byte - address) / static_cast<float>(kLine); }
};

/// Which of the access's lines are drawn: the lowest ones, and the one that the pointed-at lane needs.
std::vector<std::uint64_t> choose_lines(const Parts& parts, const analysis::Coalescing& coalescing, const Highlight& highlight, std::size_t places) {
  const analysis::WarpAccess& access = parts.front();
  std::vector<std::uint64_t> chosen(coalescing.lines.begin(),
                                    coalescing.lines.begin() + static_cast<std::ptrdiff_t>(std::min(places, coalescing.lines.size())));
  if (highlight.lane && (access.mask >> *highlight.lane & 1u) != 0 && !chosen.empty()) {
    const std::uint64_t wanted = access.address[static_cast<std::size_t>(*highlight.lane)] / kLine * kLine;
    if (std::find(chosen.begin(), chosen.end(), wanted) == chosen.end()) chosen.back() = wanted;
  }
  return chosen;
}

/// Places for the lines in `box`: as many columns of bars as it takes to show all lines that the recording ever needs, while the bars stay wide.
std::vector<LinePlace> lay_out_lines(const Canvas& canvas, Rect box, std::size_t lines_needed) {
  const float label = canvas.px(17), gap = canvas.px(8), lowest = canvas.px(12), tallest = canvas.px(30), narrowest = canvas.px(200);
  const auto rows_fitting = static_cast<std::size_t>(std::max(0.0f, (box.height + gap) / (lowest + label + gap)));
  const auto columns_fitting = std::clamp<std::size_t>(static_cast<std::size_t>((box.width + gap) / (narrowest + gap)), 1, kMostColumns);
  if (rows_fitting == 0) return {};
  std::size_t columns = lines_needed == 1 ? 1 : std::min<std::size_t>(2, columns_fitting);
  while (columns < columns_fitting && columns * rows_fitting < lines_needed) ++columns;
  const std::size_t rows = std::min((lines_needed + columns - 1) / columns, rows_fitting);
  const float bar = std::clamp((box.height + gap) / static_cast<float>(rows) - label - gap, lowest, tallest);
  const float width = (box.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float spare = box.height + gap - static_cast<float>(rows) * (bar + label + gap);
  static_cast<void>(cut_top(box, std::min(spare * 0.75f, canvas.px(220))));
  std::vector<LinePlace> places;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const float x = box.x + static_cast<float>(column) * (width + gap), y = box.y + static_cast<float>(row) * (bar + label + gap);
      places.push_back({{x, y, width, bar}, {x, y + bar, width, label}});
    }
  }
  return places;
}

void draw_line_label(Canvas& canvas, const Recording& recording, const LinePlace& place, const Parts& parts) {
  std::uint32_t lanes = 0;
  for (const analysis::WarpAccess& part : parts) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t first = part.address[static_cast<std::size_t>(lane)], end = first + static_cast<std::uint64_t>(part.bytes);
      if ((part.mask >> lane & 1u) != 0 && first < place.address + kLine && end > place.address) lanes |= 1u << lane;
    }
  }
  const std::string from = name_at(recording, parts, place.address), address = hexadecimal(place.address), who = lanes_name(lanes);
  const char* const on = parts.front().space == Space::local ? "" : "..";
  const TextLook look{canvas.palette().muted, kSmallSize, Font::mono, Align::left};
  canvas.fitted(place.label,
                {fmt::format("{}{}  line {}  {}", from, on, address, who), fmt::format("{}{}  line {}", from, on, address), from + on, address},
                look);
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
void draw_touched(Canvas& canvas, const Recording& recording, const LinePlace& place, const Parts& parts, std::size_t part,
                  const Highlight& highlight) {
  const analysis::WarpAccess& access = parts[part];
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {  // The lowest lane of a shared word on top
    if ((access.mask >> lane & 1u) == 0) continue;
    const std::uint64_t first = access.address[static_cast<std::size_t>(lane)], last = first + static_cast<std::uint64_t>(access.bytes);
    const std::uint64_t begin = std::max(first, place.address), end = std::min(last, place.address + kLine);
    if (begin >= end) continue;
    const Rect bytes{place.x_of(begin), place.bar.y, place.x_of(end) - place.x_of(begin), place.bar.height};
    const bool pointed_at = highlight.lane == lane;
    canvas.fill(bytes, lane_colour(lane));
    canvas.outline(bytes, pointed_at ? canvas.palette().text : with_alpha(canvas.palette().panel, 0.5f), pointed_at ? 2.0f : 0.5f);
    const auto look = lane_number_look(canvas, lane_colour(lane), inset(bytes, canvas.px(1)));
    if (look && lowest_at_its_address(access, lane)) canvas.fitted(bytes, {std::to_string(lane)}, *look);
    canvas.region(bytes, {Target::Kind::lane, lane}, fmt::format("Lane {}: {} at {}", lane, name_at(recording, parts, first), hexadecimal(first)));
  }
}

/// A lane to the first of its bytes; a stub where its line is not drawn.
void draw_curve(Canvas& canvas, const LaneStrip& strip, const std::vector<LinePlace>& places, const analysis::WarpAccess& access, int lane,
                float alpha, float thickness) {
  if ((access.mask >> lane & 1u) == 0 || places.empty()) return;
  const Colour colour = lane_line_colour(canvas.palette(), lane);
  const std::uint64_t byte = access.address[static_cast<std::size_t>(lane)];
  const Point from{centre(strip.cell(lane)).x, strip.box.bottom()};
  const auto place = std::find_if(places.begin(), places.end(), [&](const LinePlace& p) { return byte >= p.address && byte < p.address + kLine; });
  if (place == places.end()) {
    canvas.line(from, {from.x, from.y + canvas.px(7)}, with_alpha(colour, alpha / 2), thickness);
    return;
  }
  const std::uint64_t end = std::min(byte + static_cast<std::uint64_t>(access.bytes), place->address + kLine);
  const Point to{(place->x_of(byte) + place->x_of(end)) / 2, place->bar.y};
  const float pull = (to.y - from.y) * 0.5f;
  canvas.add(Curve{from, {from.x, from.y + pull}, {to.x, to.y - pull}, to, with_alpha(colour, alpha), canvas.px(thickness)});
}

/// All lanes' curves, fading where they pass behind the lines of the ruler.
void draw_curves(Canvas& canvas, const LaneStrip& strip, const std::vector<LinePlace>& places, const analysis::WarpAccess& access,
                 const Highlight& highlight) {
  if (places.empty()) return;
  for (int lane = 0; lane < kWarpSize; ++lane) draw_curve(canvas, strip, places, access, lane, highlight.lane ? 0.2f : 0.75f, 1.25f);
  Rect ruler = places.front().bar;
  for (const LinePlace& place : places) ruler = united(ruler, place.label);
  canvas.fill(ruler, with_alpha(canvas.palette().panel, 0.78f));
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

std::vector<LinePlace> draw_ruler(Canvas& canvas, Rect box, const Recording& recording, const LaneStrip& strip, const Parts& parts,
                                  const analysis::Coalescing& coalescing, std::size_t lines_needed, const Highlight& highlight) {
  const bool roomy = box.height >= canvas.px(90);
  const Rect more = cut_bottom(box, roomy ? canvas.px(18) : 0);
  // The lanes' curves get a third of the height or more, so that their slopes can be told apart.
  static_cast<void>(cut_top(box, std::max(canvas.px(12), roomy ? box.height * 0.32f : 0)));
  std::vector<LinePlace> places = lay_out_lines(canvas, box, lines_needed);
  const std::vector<std::uint64_t> lines = choose_lines(parts, coalescing, highlight, places.size());
  places.resize(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) places[i].address = lines[i];

  draw_curves(canvas, strip, places, parts.front(), highlight);
  for (const LinePlace& place : places) {
    draw_bar(canvas, place, coalescing);
    draw_sector_marks(canvas, place);
    draw_line_label(canvas, recording, place, parts);
    for (std::size_t part = 0; part < parts.size(); ++part) draw_touched(canvas, recording, place, parts, part, highlight);
  }
  if (highlight.lane) draw_curve(canvas, strip, places, parts.front(), *highlight.lane, 1, 2.5f);
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
  const std::size_t lines_needed = most_lines(recording, kMostLines);
  if (size.height >= canvas.px(lines_needed <= 2 ? 240 : 330)) draw_access_strip(canvas, rest, moment, *event, AccessFigure::sectors);
  const Rect figure = cut_bottom(rest, figure_height(canvas, size.height));
  draw_figure(canvas, figure, counted(cost.sectors, transaction_noun(coalescing)), cost.sectors > cost.ideal_sectors,
              {fmt::format("ideal {}", cost.ideal_sectors), counted(cost.lines, "line"), used_bytes(coalescing)});
  const LaneStrip strip = draw_lane_strip(canvas, rest, access.mask, highlight);
  draw_ruler(canvas, rest, recording, strip, analysis::where_it_lies(access), coalescing, lines_needed, highlight);
  return canvas.take();
}

}  // namespace warplens::picture
