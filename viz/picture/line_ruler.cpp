#include "viz/picture/line_ruler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"

namespace warplens::picture {
namespace {

using LaneBytes = RulerSubject::LaneBytes;

using analysis::kLineBytes, analysis::kSectorBytes;
constexpr std::size_t kMaxColumns = 4,
                      kMaxAddresses = 2;  ///< Of more lines their tooltips say the addresses

std::uint64_t line_of(std::uint64_t byte) {
  return byte / kLineBytes * kLineBytes;
}

std::vector<LaneBytes> bytes_touched(const analysis::WarpAccess& access, std::uint32_t lanes) {
  std::vector<LaneBytes> touched;
  for (const analysis::WarpAccess& part : analysis::where_it_lies(access)) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      const std::uint64_t begin = part.address[static_cast<std::size_t>(lane)];
      touched.push_back({lane, begin, begin + static_cast<std::uint64_t>(part.bytes)});
    }
  }
  std::stable_sort(touched.begin(), touched.end(),
                   [](const LaneBytes& a, const LaneBytes& b) { return a.lane < b.lane; });
  return touched;
}

std::size_t count_lines(const std::vector<LaneBytes>& touched) {
  std::vector<std::uint64_t> lines;
  for (const LaneBytes& bytes : touched) {
    lines.push_back(bytes.begin / kLineBytes);
    lines.push_back((bytes.end - 1) / kLineBytes);
  }
  std::sort(lines.begin(), lines.end());
  return static_cast<std::size_t>(std::unique(lines.begin(), lines.end()) - lines.begin());
}

/// The first bytes of a lane; nullptr if it touches none here.
const LaneBytes* first_of_lane(const RulerSubject& subject, int lane) {
  const auto found = std::find_if(subject.touched.begin(), subject.touched.end(),
                                  [lane](const LaneBytes& bytes) { return bytes.lane == lane; });
  return found == subject.touched.end() ? nullptr : &*found;
}

/// What lies at an address: "A[3][64]"; in the storage behind local memory the word that a line of it holds
/// of every lane.
std::string place_in(const RulerSubject& subject, std::uint64_t address) {
  if (subject.space == Space::local) return tr("local word {number}", "number"_a = address / kLineBytes);
  return subject.edges.empty() ? place_name(*subject.recording, address)
                               : place_name_beyond(*subject.recording, address);
}

/// Which of the lines are drawn: the lowest ones, and the one that the pointed-at lane needs, or the first
/// that is not let through.
std::vector<std::uint64_t> choose_lines(const RulerSubject& subject, const Highlight& highlight,
                                        std::size_t places) {
  const std::vector<std::uint64_t>& lines = subject.coalescing.lines;
  std::vector<std::uint64_t> chosen(
      lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(places, lines.size())));
  const std::uint32_t cut = subject.found.cut & subject.lanes;
  const std::optional<int> wanted = highlight.lane ? highlight.lane
                                    : cut != 0     ? std::optional(std::countr_zero(cut))
                                                   : std::nullopt;
  if (chosen.empty() || !wanted) return chosen;
  if (const LaneBytes* bytes = first_of_lane(subject, *wanted)) {
    if (std::find(chosen.begin(), chosen.end(), line_of(bytes->begin)) == chosen.end())
      chosen.back() = line_of(bytes->begin);
  }
  return chosen;
}

/// Places for the lines in `box`: as many columns of bars as it takes to show all lines that the recording
/// ever needs, while the bars stay wide.
std::vector<LinePlace> lay_out_lines(const Canvas& canvas, Rect box, std::size_t lines_needed,
                                     bool transactions) {
  const float below = canvas.px(transactions ? 13 : 0),
              label = box.height >= canvas.px(transactions ? 42 : 29) ? canvas.px(17) : 0, gap = canvas.px(8),
              lowest = canvas.px(12), tallest = canvas.px(30), narrowest = canvas.px(200);
  const auto rows_fitting =
      static_cast<std::size_t>(std::max(0.0f, (box.height + gap) / (lowest + below + label + gap)));
  const auto columns_fitting = std::clamp<std::size_t>(
      static_cast<std::size_t>((box.width + gap) / (narrowest + gap)), 1, kMaxColumns);
  if (rows_fitting == 0) return {};
  std::size_t columns = lines_needed == 1 ? 1 : std::min<std::size_t>(2, columns_fitting);
  while (columns < columns_fitting && columns * rows_fitting < lines_needed) ++columns;
  const std::size_t rows = std::min((lines_needed + columns - 1) / columns, rows_fitting);
  const float bar =
      std::clamp((box.height + gap) / static_cast<float>(rows) - below - label - gap, lowest, tallest);
  const float width = (box.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float pitch = bar + below + label + gap, spare = box.height + gap - static_cast<float>(rows) * pitch;
  static_cast<void>(cut_top(box, std::min(spare * 0.75f, canvas.px(220))));
  std::vector<LinePlace> places;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const float x = box.x + static_cast<float>(column) * (width + gap),
                  y = box.y + static_cast<float>(row) * pitch;
      places.push_back({{x, y, width, bar}, {x, y + bar, width, below}, {x, y + bar + below, width, label}});
    }
  }
  return places;
}

constexpr float kBeforeEdge = 11;  ///< Between a label and the words of an edge

TextLook edge_look(const Canvas& canvas) {
  return {canvas.palette().costly, kSmallSize, Font::sans, Align::left};
}

bool is_in(const BufferEdge& edge, const LinePlace& place) {
  return edge.address >= place.address && edge.address <= place.address + kLineBytes;
}

/// Whether the line says where the buffer ends. Of two lines that meet at an edge, the one outside the buffer
/// does.
bool says_edge(const BufferEdge& edge, const LinePlace& place) {
  return is_in(edge, place) && edge.address != (edge.is_end ? place.address + kLineBytes : place.address);
}

/// Returns where it ends.
float draw_line_label(Canvas& canvas, const RulerSubject& subject, const LinePlace& place,
                      bool with_address) {
  std::uint32_t lanes = 0;
  for (const LaneBytes& bytes : subject.touched) {
    if (bytes.begin < place.address + kLineBytes && bytes.end > place.address) lanes |= 1u << bytes.lane;
  }
  const std::string from = place_in(subject, place.address), address = hexadecimal(place.address),
                    who = lanes_name(lanes, subject.op);
  const TextLook look{canvas.palette().muted, kSmallSize, Font::mono, Align::left};
  Rect box = place.label;
  for (const BufferEdge& edge : subject.edges) {  // Whose words go behind it
    if (!says_edge(edge, place)) continue;
    with_address = false;
    static_cast<void>(
        cut_right(box, canvas.width_of(edge.words, edge_look(canvas)) + canvas.px(kBeforeEdge)));
  }
  std::optional<Rect> said;
  if (subject.space == Space::local) {
    said = canvas.fitted_on(canvas.palette().panel, box, {fmt::format("{}  {}", from, who), from}, look);
  } else {
    said = canvas.fitted_on(
        canvas.palette().panel, box,
        {with_address ? tr("{from}..  line {address}  {lanes}", "from"_a = from, "address"_a = address,
                           "lanes"_a = who)
                      : std::string(),
         tr("{from}..  {lanes}", "from"_a = from, "lanes"_a = who),
         tr("{from}..  line {address}", "from"_a = from, "address"_a = address), from + "..", address},
        look);
  }
  canvas.region(place.bar, {Target::Kind::line, 0},
                tr("Line {address}: 128 bytes from {from}, touched by {lanes}", "address"_a = address,
                   "from"_a = from, "lanes"_a = who));
  return said ? said->right() : place.label.x;
}

/// A bar: what is fetched of it, hatched where nobody uses it.
void draw_bar(Canvas& canvas, const LinePlace& place, const analysis::Coalescing& coalescing) {
  const Palette& palette = canvas.palette();
  canvas.fill(place.bar, palette.line, 2);
  std::uint64_t fetched_to = place.address;  // Pieces of memory that come twice are drawn once
  for (const analysis::Transaction& transaction : coalescing.transactions) {
    const std::uint64_t begin = std::max(transaction.address, fetched_to),
                        end = std::min(transaction.address + transaction.bytes, place.address + kLineBytes);
    if (begin >= end) continue;
    const Rect fetched{place.x_of(begin), place.bar.y, place.x_of(end) - place.x_of(begin), place.bar.height};
    canvas.fill(fetched, with_alpha(palette.costly, 0.25f));
    canvas.hatch(fetched, with_alpha(palette.costly, 0.75f), 6);
    fetched_to = end;
  }
}

void draw_sector_marks(Canvas& canvas, const LinePlace& place) {
  for (std::uint64_t sector = kSectorBytes; sector < kLineBytes; sector += kSectorBytes) {
    const float x = place.x_of(place.address + sector);
    canvas.line({x, place.bar.y}, {x, place.bar.bottom()}, canvas.palette().panel, 1.5f);
  }
}

/// Brackets below a line: its transactions, those of the same bytes as one with their number.
void draw_transactions(Canvas& canvas, const RulerSubject& subject, const LinePlace& place) {
  const auto& all = subject.coalescing.transactions;
  const Palette& palette = canvas.palette();
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end].address == all[i].address && all[end].bytes == all[i].bytes) ++end;
    const std::size_t first = std::exchange(i, end), count = end - first;
    if (line_of(all[first].address) != place.address) continue;
    const float left = place.x_of(all[first].address),
                right = place.x_of(all[first].address + all[first].bytes), y = place.transactions.y;
    const Rect box{left, y, right - left, place.transactions.height};
    const float inset_by = canvas.px(2), low = y + canvas.px(7);
    canvas.add(Polyline{{{left + inset_by, y + canvas.px(2)},
                         {left + inset_by, low},
                         {right - inset_by, low},
                         {right - inset_by, y + canvas.px(2)}},
                        palette.muted,
                        canvas.px(1)});
    const TextLook look = canvas.muted(kTinySize, Align::centre);
    const std::string bytes = fmt::format("{} B", all[first].bytes),
                      times = fmt::format("{} \u00d7 {}", count, bytes);
    const std::string& text = count == 1 ? bytes : times;
    const float width = canvas.width_of(text, look) + canvas.px(6);
    if (width < box.width - canvas.px(8)) {
      canvas.fill({centre(box).x - width / 2, y + canvas.px(1), width, box.height - canvas.px(1)},
                  palette.panel);
      canvas.text({centre(box).x, low}, text, look);
    }
    std::uint32_t lanes = 0;
    for (std::size_t t = first; t < end; ++t) lanes |= all[t].lanes;
    const std::string tooltip =
        tr_n(count, "{n} transaction of {bytes} bytes at {address}, for {lanes}",
             "{n} transactions of {bytes} bytes at {address}, for {lanes}", "bytes"_a = all[first].bytes,
             "address"_a = hexadecimal(all[first].address), "lanes"_a = lanes_name(lanes, subject.op));
    canvas.grid_region(
        box, 1, count,
        {Target::Kind::transaction, static_cast<std::int64_t>(subject.first_transaction + first)}, tooltip);
  }
}

/// Whether no lower lane starts at the same byte: then the lane's number may be written there.
bool lowest_at_its_address(const RulerSubject& subject, const LaneBytes& bytes) {
  return std::none_of(subject.touched.begin(), subject.touched.end(), [&](const LaneBytes& other) {
    return other.lane < bytes.lane && other.begin == bytes.begin;
  });
}

/// A lane that was not let through: the bytes that it wanted.
void draw_cut(Canvas& canvas, const RulerSubject& subject, const LaneBytes& bytes, Rect box,
              bool pointed_at) {
  const Palette& palette = canvas.palette();
  // Bytes that lie across those of other lanes leave their numbers to be read.
  const bool across = std::ranges::any_of(subject.touched, [&](const LaneBytes& other) {
    return !other.cut && other.begin < bytes.end && bytes.begin < other.end;
  });
  if (across) static_cast<void>(cut_top(box, box.height * 0.74f));
  canvas.hatch(box, with_alpha(palette.costly, 0.7f), canvas.px(4));
  canvas.outline(box, pointed_at ? palette.text : palette.costly, pointed_at ? 2.0f : 1.0f);
  const auto look = lane_number_look(canvas, palette.panel, inset(box, canvas.px(1)));
  if (look && !across && lowest_at_its_address(subject, bytes)) {
    canvas.fitted_on(palette.panel, box, {std::to_string(bytes.lane)},
                     {palette.text, look->size, look->font, look->align});
  }
  canvas.region(box, {Target::Kind::lane, bytes.lane},
                tr("Lane {lane}, not executed: {place}", "lane"_a = bytes.lane,
                   "place"_a = cut_lane_in_words(*subject.recording, subject.found, bytes.lane)));
}

/// What a race is about, and reads of what nobody wrote: each word once.
void draw_marks(Canvas& canvas, const RulerSubject& subject, const LinePlace& place) {
  std::vector<std::uint64_t> marked;
  for (const LaneBytes& bytes : subject.touched) {
    const std::uint64_t begin = std::max(bytes.begin, place.address),
                        end = std::min(bytes.end, place.address + kLineBytes);
    if (bytes.cut || begin >= end || std::ranges::find(marked, begin) != marked.end()) continue;
    if (!is_marked(*subject.recording, subject.found, {begin, end}, 1u << bytes.lane)) continue;
    mark(canvas, {place.x_of(begin), place.bar.y, place.x_of(end) - place.x_of(begin), place.bar.height},
         met_at(*subject.recording, subject.found, {begin, end}, bytes.lane));
    marked.push_back(begin);
  }
}

/// The bytes of the lanes that lie in a line, in the lanes' colours.
void draw_touched(Canvas& canvas, const RulerSubject& subject, const LinePlace& place,
                  const Highlight& highlight) {
  for (auto bytes = subject.touched.rbegin(); bytes != subject.touched.rend();
       ++bytes) {  // The lowest lane of a shared word on top
    const std::uint64_t begin = std::max(bytes->begin, place.address),
                        end = std::min(bytes->end, place.address + kLineBytes);
    if (begin >= end) continue;
    const Rect box{place.x_of(begin), place.bar.y, place.x_of(end) - place.x_of(begin), place.bar.height};
    const int lane = bytes->lane;
    const bool pointed_at = highlight.lane == lane;
    if (bytes->cut) {
      draw_cut(canvas, subject, *bytes, box, pointed_at);
      continue;
    }
    canvas.fill(box, lane_colour(lane));
    canvas.outline(box, pointed_at ? canvas.palette().text : with_alpha(canvas.palette().panel, 0.5f),
                   pointed_at ? 2.0f : 0.5f);
    const auto met = met_at(*subject.recording, subject.found, {begin, end}, lane);
    const auto look = lane_number_look(canvas, lane_colour(lane),
                                       inset(own_part(canvas, box, met), canvas.px(met ? 0 : 1)));
    if (look && lowest_at_its_address(subject, *bytes))
      canvas.fitted(own_part(canvas, box, met), {std::to_string(lane)}, *look);
    canvas.region(box, {Target::Kind::lane, lane},
                  tr("Lane {lane}: {element} at {address}", "lane"_a = lane,
                     "element"_a = place_in(subject, bytes->begin), "address"_a = hexadecimal(bytes->begin)));
  }
}

/// A lane to the first of its bytes; a stub where its line is not drawn, or is below others, behind which a
/// curve would get lost.
void draw_curve(Canvas& canvas, const LaneStrip& strip, const Ruler& ruler, int lane, float alpha,
                bool pointed_at) {
  const LaneBytes* bytes = first_of_lane(ruler.subject, lane);
  if (bytes == nullptr || ruler.places.empty()) return;
  const Colour colour = lane_line_colour(canvas.palette(), lane);
  const Point from{centre(strip.cell(lane)).x, strip.box.bottom()};
  const auto place = std::find_if(ruler.places.begin(), ruler.places.end(),
                                  [&](const LinePlace& p) { return line_of(bytes->begin) == p.address; });
  const float thickness = pointed_at ? 2.5f : 1.25f;
  if (place == ruler.places.end() || (place->bar.y > ruler.places.front().bar.y && !pointed_at)) {
    canvas.line(from, {from.x, from.y + canvas.px(7)}, with_alpha(colour, alpha / 2), thickness);
    return;
  }
  const std::uint64_t end = std::min(bytes->end, place->address + kLineBytes);
  const Point to{(place->x_of(bytes->begin) + place->x_of(end)) / 2, place->bar.y};
  const float pull = (to.y - from.y) * 0.5f;
  canvas.add(Curve{from,
                   {from.x, from.y + pull},
                   {to.x, to.y - pull},
                   to,
                   with_alpha(colour, alpha),
                   canvas.px(thickness)});
}

bool is_outside(const Recording& recording, std::uint64_t byte) {
  return analysis::beyond(recording, byte, 1).has_value();
}

/// What lies outside the buffer is dimmed, and the buffer's edge is a line.
void draw_edges(Canvas& canvas, const RulerSubject& subject, const LinePlace& place) {
  const Palette& palette = canvas.palette();
  const Colour dim = with_alpha(palette.background, 0.8f);
  const std::uint64_t end = place.address + kLineBytes;
  if (subject.edges.empty()) return;
  canvas.outline(place.bar, palette.line);
  if (is_outside(*subject.recording, place.address) && is_outside(*subject.recording, end - 1))
    canvas.fill(place.bar, dim);
  for (const BufferEdge& edge : subject.edges) {
    if (!is_in(edge, place)) continue;
    const float x = place.x_of(edge.address), by = canvas.px(3);
    if (edge.address != place.address && edge.address != end) {
      const float left = edge.is_end ? x : place.bar.x, right = edge.is_end ? place.bar.right() : x;
      canvas.fill({left, place.bar.y, right - left, place.bar.height}, dim);
    }
    canvas.line({x, place.bar.y - by}, {x, place.bar.bottom() + by}, palette.costly, 2.5f);
  }
}

/// "A ends" below the line, where the label leaves room.
void draw_edge_words(Canvas& canvas, const RulerSubject& subject, const LinePlace& place, float label_end) {
  for (const BufferEdge& edge : subject.edges) {
    if (!says_edge(edge, place)) continue;
    const float width = canvas.width_of(edge.words, edge_look(canvas)), x = place.x_of(edge.address);
    const float left = std::max(std::min(x, place.label.right() - width), label_end + canvas.px(kBeforeEdge));
    canvas.fitted_on(canvas.palette().panel,
                     {left, place.label.y, place.label.right() - left, place.label.height}, {edge.words},
                     edge_look(canvas));
  }
}

/// What is left out: "and 24 more lines like these", if every line is used alike.
std::string more_lines(const analysis::Coalescing& coalescing, std::size_t shown) {
  if (coalescing.lines.size() <= shown) return {};
  std::vector<std::uint32_t> useful(coalescing.lines.size());
  for (const analysis::Transaction& transaction : coalescing.transactions) {
    const auto line = std::upper_bound(coalescing.lines.begin(), coalescing.lines.end(), transaction.address);
    if (line != coalescing.lines.begin())
      useful[static_cast<std::size_t>(line - coalescing.lines.begin() - 1)] += transaction.useful_bytes;
  }
  const bool alike =
      std::all_of(useful.begin(), useful.end(), [&](std::uint32_t bytes) { return bytes == useful.front(); });
  const std::size_t left_out = coalescing.lines.size() - shown;
  if (!alike) return tr_n(left_out, "and {n} more line", "and {n} more lines");
  return shown == 1 ? tr_n(left_out, "and {n} more line like this", "and {n} more lines like this")
                    : tr_n(left_out, "and {n} more line like these", "and {n} more lines like these");
}

}  // namespace

float LinePlace::x_of(std::uint64_t byte) const {
  return bar.x + bar.width * static_cast<float>(byte - address) / static_cast<float>(kLineBytes);
}

RulerSubject ruler_subject(const Recording& recording, const analysis::WarpAccess& access,
                           std::uint32_t lanes, analysis::ComputeCapability cc) {
  analysis::WarpAccess alone = access;
  alone.mask = lanes;
  return {.recording = &recording,
          .space = access.space,
          .op = access.op,
          .lanes = lanes,
          .touched = bytes_touched(access, lanes),
          .coalescing = analysis::coalesce(alone, cc),
          .transactions_drawn = !analysis::memory_rules_of(cc).counts_sectors};
}

void add_found(RulerSubject& subject, std::uint32_t lanes, const FoundHere& found) {
  subject.found = found;
  if (subject.space != Space::global) return;
  const Recording& recording = *subject.recording;
  std::vector<std::uint64_t>& lines = subject.coalescing.lines;
  analysis::for_each_lane(found.cut & lanes, [&](int lane) {
    subject.lanes |= 1u << lane;
    const std::uint64_t begin = cut_lane_address(recording, found, lane),
                        end = begin + cut_lane_bytes(recording, found, lane);
    subject.touched.push_back({lane, begin, end, true});
    for (std::uint64_t line = line_of(begin); line < end && line >= line_of(begin); line += kLineBytes)
      lines.push_back(line);
    const auto beyond = analysis::beyond(recording, begin, end - begin);
    if (!beyond) return;
    const std::string& name = recording.buffers[beyond->buffer].name;
    const auto known = [&](const BufferEdge& edge) { return edge.address == beyond->edge; };
    if (std::ranges::any_of(subject.edges, known)) return;
    subject.edges.push_back(
        {beyond->edge, !beyond->before,
         beyond->before ? tr("{buffer} begins", "buffer"_a = name) : tr("{buffer} ends", "buffer"_a = name)});
  });
  std::ranges::stable_sort(subject.touched, {}, &LaneBytes::lane);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

std::size_t max_lines(const Recording& recording, analysis::ComputeCapability cc, std::size_t enough) {
  std::size_t max = 1;
  for (std::size_t s = 0; s < recording.sites.size() && max < enough; ++s) {
    const Site& site = recording.sites[s];
    if (site.space == Space::shared) continue;
    for (const PatternCount& pattern : recording.totals[s].patterns) {
      const analysis::WarpAccess access = analysis::make_access(
          site, recording.shapes[pattern.shape], pattern.mask, analysis::pattern_base(pattern.alignment));
      for (const analysis::LanePart& part : analysis::lane_parts(access, cc))
        max = std::max(max, count_lines(bytes_touched(access, part.lanes)));
      if (max >= enough) break;
    }
  }
  return max;
}

Ruler lay_out_ruler(const Canvas& canvas, Rect box, RulerSubject subject, std::size_t lines_needed,
                    const Highlight& highlight, bool with_curves) {
  const bool roomy = box.height >= canvas.px(90);
  Ruler ruler{std::move(subject), {}, cut_bottom(box, roomy ? canvas.px(18) : 0)};
  // The lanes' curves get a third of the height or more, so that their slopes can be told apart.
  if (with_curves) static_cast<void>(cut_top(box, std::max(canvas.px(12), roomy ? box.height * 0.32f : 0)));
  ruler.places = lay_out_lines(canvas, box, lines_needed, ruler.subject.transactions_drawn);
  if (!roomy && !ruler.places.empty() &&
      ruler.places.size() < lines_needed) {  // Lower lines leave room to say that there are more
    ruler.more = cut_bottom(box, canvas.px(14));
    std::vector<LinePlace> lower = lay_out_lines(canvas, box, lines_needed, ruler.subject.transactions_drawn);
    if (lower.size() == ruler.places.size()) {
      ruler.places = std::move(lower);
    } else {
      ruler.more.height = 0;
    }
  }
  const std::vector<std::uint64_t> lines = choose_lines(ruler.subject, highlight, ruler.places.size());
  ruler.places.resize(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) ruler.places[i].address = lines[i];
  return ruler;
}

void draw_ruler_curves(Canvas& canvas, const Ruler& ruler, const LaneStrip& strip,
                       const Highlight& highlight) {
  if (ruler.places.empty()) return;
  for (int lane = 0; lane < kWarpSize; ++lane)
    draw_curve(canvas, strip, ruler, lane, highlight.lane ? 0.2f : 0.75f, false);
  Rect covered = ruler.places.front().bar;
  for (const LinePlace& place : ruler.places) covered = united(covered, place.label);
  canvas.fill(covered, with_alpha(canvas.palette().panel, 0.78f));
}

void draw_ruler(Canvas& canvas, const Ruler& ruler, const LaneStrip* strip, const Highlight& highlight) {
  if (highlight.lane && strip != nullptr) draw_curve(canvas, *strip, ruler, *highlight.lane, 1, true);
  for (const LinePlace& place : ruler.places) {
    draw_bar(canvas, place, ruler.subject.coalescing);
    draw_sector_marks(canvas, place);
    if (ruler.subject.transactions_drawn) draw_transactions(canvas, ruler.subject, place);
    draw_edges(canvas, ruler.subject, place);
    const float label_end =
        draw_line_label(canvas, ruler.subject, place, ruler.places.size() <= kMaxAddresses);
    draw_edge_words(canvas, ruler.subject, place, label_end);
    draw_touched(canvas, ruler.subject, place, highlight);
    draw_marks(canvas, ruler.subject, place);
  }
  canvas.fitted_on(canvas.palette().panel, ruler.more,
                   {more_lines(ruler.subject.coalescing, ruler.places.size())}, canvas.muted());
}

}  // namespace warplens::picture
