#include "viz/picture/lane_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/texts.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

using analysis::AccessLanes;
using analysis::PhaseLanes;

constexpr float kGridHeader = 17, kKey = 19, kLowestLane = 15, kTallestLane = 34, kWidestPhase = 60;
constexpr float kMaxOfARow = 0.28f;  ///< Of the height of all
constexpr float kLargestLaneText = 22, kMinForGaps = 6;
constexpr float kPhaseByRow = 3;  ///< A phase is at most that many times as wide as a row is high
constexpr float kMeanWidth = 66, kDivergentWidth = 104, kWideEnoughForFigures = 600;
constexpr float kNarrowestCell = 4, kNarrowestColumn = 2;
constexpr std::size_t kMaxTooltips =
    2000;  ///< Cells that explain themselves one by one; beyond it only their row does

/// How one warp makes an access in a phase, or in the phases that share a column.
struct Cell {
  enum class State : unsigned char { never, none, part, all } state = State::never;
  double lanes = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

Cell cell_of(const PhaseLanes& own, const PhaseLanes& of_all) {
  if (own.requests > 0)
    return {own.divergent_warps > 0 ? Cell::State::part : Cell::State::all, own.mean_lanes()};
  return {of_all.requests > 0 ? Cell::State::none : Cell::State::never, 0};
}

/// The one to be seen of two that share a column: the more divergent.
bool outweighs(const Cell& a, const Cell& b) {
  const auto weight = [](const Cell& cell) {
    switch (cell.state) {
      case Cell::State::part: return 3;
      case Cell::State::all: return 2;
      case Cell::State::none: return 1;
      case Cell::State::never: break;
    }
    return 0;
  };
  return weight(a) != weight(b) ? weight(a) > weight(b) : a.lanes < b.lanes;
}

std::string lanes_in_words(double lanes) {
  return lanes == std::floor(lanes) ? formatted("{:.0f}", lanes) : formatted("{:.1f}", lanes);
}

/// Where things lie: labels | cells | mean | divergent, a header above, a key beneath.
struct Layout {
  Rect header, key, labels, cells, mean, divergent;  ///< The last two: figures
  std::size_t first = 0, rows = 0;                   ///< The accesses that are shown
  std::uint64_t columns = 0;  ///< Of the cells; fewer than phases where those cannot be told apart
  float row_height = 0, text_size = kSmallSize;

  [[nodiscard]] Rect row(Rect part, std::size_t index) const {
    return {part.x, part.y + static_cast<float>(index) * row_height, part.width, row_height};
  }
  [[nodiscard]] Rect cell(std::size_t row_index, std::uint64_t column, std::uint64_t end) const {
    const float width = cells.width / static_cast<float>(columns);
    return {cells.x + static_cast<float>(column) * width,
            cells.y + static_cast<float>(row_index) * row_height, static_cast<float>(end - column) * width,
            row_height};
  }
};

/// What there has to be room for.
struct LaneGridRoom {
  std::size_t accesses = 1, phases = 1;
  float widest_title = 0;  ///< In pixels, of texts of size 1
};

void include(LaneGridRoom& room, const Canvas& canvas, const Recording& recording,
             const analysis::Divergence& divergence) {
  room.accesses = std::max(room.accesses, divergence.accesses.size());
  room.phases = std::max(room.phases, recording.phases.size());
  for (const AccessLanes& access : divergence.accesses)
    room.widest_title =
        std::max(room.widest_title,
                 canvas.width_of(access_title(recording, access), canvas.plain(kBaseSize)) / kBaseSize);
}

LaneGridRoom room_with_what_is_beside(const Canvas& canvas, const LaneGrid& grid) {
  LaneGridRoom room;
  include(room, canvas, *grid.moment.recording, grid.divergence);
  if (grid.recording_beside != nullptr)
    include(room, canvas, *grid.recording_beside, *grid.divergence_beside);
  return room;
}

Layout lay_out(const Canvas& canvas, Rect box, const LaneGrid& grid) {
  const Recording& recording = *grid.moment.recording;
  const LaneGridRoom needed = room_with_what_is_beside(canvas, grid);
  Layout layout;
  layout.header = cut_top(box, canvas.px(kGridHeader));
  layout.key = cut_bottom(box, canvas.px(kKey));
  // Few rows share the room, high ones have larger texts and wider phases in them.
  const float tallest = std::max(box.height * kMaxOfARow, canvas.px(kTallestLane));
  layout.row_height =
      std::clamp(box.height / static_cast<float>(needed.accesses), canvas.px(kLowestLane), tallest);
  layout.text_size = std::clamp(layout.row_height / canvas.px(1) * 0.33f, kSmallSize, kLargestLaneText);
  const float widest = needed.widest_title * layout.text_size, whole_width = box.width;
  layout.labels = cut_left(box, std::min(widest + canvas.px(20), box.width * 0.42f));
  if (whole_width >= canvas.px(kWideEnoughForFigures)) {
    const auto column = [&](const char* heading, float min) {
      return cut_right(
          box, std::max(canvas.px(min), canvas.width_of(heading, canvas.muted(kTinySize)) + canvas.px(10)));
    };
    layout.divergent = column(tr("divergent requests"), kDivergentWidth);
    layout.mean = column(tr("mean lanes"), kMeanWidth);
  }
  layout.cells = box;
  const float widest_phase = std::max(canvas.px(kWidestPhase), layout.row_height * kPhaseByRow);
  layout.cells.width = std::min(box.width, widest_phase * static_cast<float>(needed.phases)) *
                       static_cast<float>(recording.phases.size()) / static_cast<float>(needed.phases);

  constexpr float kRounding = 0.01f;  // Of a row that fills what the others leave
  const auto fitting =
      static_cast<std::size_t>(std::max(0.0f, std::floor(box.height / layout.row_height + kRounding)));
  layout.rows = std::min(grid.divergence.accesses.size(), fitting);
  if (grid.chosen >= layout.rows && layout.rows > 0) layout.first = grid.chosen + 1 - layout.rows;
  layout.cells.height = layout.labels.height = layout.mean.height = layout.divergent.height =
      layout.row_height * static_cast<float>(layout.rows);
  layout.key.y = layout.cells.bottom() + std::min(canvas.px(4), layout.key.y - layout.cells.bottom());

  const auto phases = static_cast<std::uint64_t>(recording.phases.size());
  const bool apart = layout.cells.width >= canvas.px(kNarrowestCell) * static_cast<float>(phases);
  layout.columns =
      apart ? phases
            : std::clamp<std::uint64_t>(
                  static_cast<std::uint64_t>(layout.cells.width / canvas.px(kNarrowestColumn)), 1, phases);
  return layout;
}

std::vector<Cell> cells_of(const LaneGrid& grid, std::size_t access, std::uint64_t columns) {
  const std::vector<PhaseLanes>& own = grid.of_warp[access];
  const std::vector<PhaseLanes>& all = grid.divergence.accesses[access].by_phase;
  const std::size_t phases = std::min(own.size(), all.size());
  std::vector<Cell> cells(columns);
  for (std::size_t phase = 0; phase < phases; ++phase) {
    Cell& column = cells[phase * columns / phases];
    const Cell cell = cell_of(own[phase], all[phase]);
    if (outweighs(cell, column)) column = cell;
  }
  return cells;
}

void draw_cell(Canvas& canvas, Rect box, const Cell& cell, std::uint32_t launched) {
  const Palette& palette = canvas.palette();
  switch (cell.state) {
    case Cell::State::never: canvas.fill(box, with_alpha(palette.line, 0.35f)); break;
    case Cell::State::none:
      canvas.fill(box, with_alpha(palette.line, 0.8f));
      canvas.line({box.x, box.bottom()}, {box.right(), box.y}, palette.muted);
      break;
    case Cell::State::all:
    case Cell::State::part:
      canvas.fill(box,
                  with_alpha(palette.accent, 0.12f + 0.33f * static_cast<float>(cell.lanes / kWarpSize)));
      break;
  }
  if (cell.state != Cell::State::part) return;
  // The part of the cell that stands for the lanes left out is hatched.
  const auto left_out = static_cast<float>(1 - cell.lanes / std::max(1, std::popcount(launched)));
  const float width = box.width * std::clamp(left_out, 0.1f, 1.0f);
  canvas.hatch({box.right() - width, box.y, width, box.height}, palette.costly, 4);
  canvas.outline(box, palette.costly);
}

/// The number of lanes, on a plate where there is a hatch beneath.
void draw_number(Canvas& canvas, Rect box, const Cell& cell, const TextLook& look) {
  if (cell.state == Cell::State::never) return;
  const std::string number = lanes_in_words(cell.lanes);
  const float width = canvas.width_of(number, look);
  if (width > box.width || canvas.px(look.size) > box.height) return;
  if (cell.state != Cell::State::all) {
    const Rect plate{box.x + (box.width - width) / 2 - canvas.px(1),
                     box.y + (box.height - canvas.px(look.size)) / 2, width + canvas.px(2),
                     canvas.px(look.size)};
    canvas.fill(plate, with_alpha(canvas.palette().panel, 0.85f), 2);
  }
  canvas.fitted(box, {number}, look);
}

std::string what_the_warp_does(const LaneGrid& grid, const PhaseLanes& own) {
  if (own.requests == 0) return tr("warp {warp} does not make it", "warp"_a = grid.moment.warp);
  return tr_n(own.requests, "warp {warp} makes {n} request with {active} of its {lanes} lanes",
              "warp {warp} makes {n} requests with {active} of its {lanes} lanes on average",
              "warp"_a = grid.moment.warp, "active"_a = lanes_in_words(own.mean_lanes()),
              "lanes"_a = std::popcount(launched_lanes(*grid.moment.recording, grid.moment.warp)));
}

std::string cell_tooltip(const LaneGrid& grid, std::size_t access, std::size_t phase) {
  const Recording& recording = *grid.moment.recording;
  const AccessLanes& of_all = grid.divergence.accesses[access];
  const PhaseLanes &own = grid.of_warp[access][phase], &all = of_all.by_phase[phase];
  const std::string place =
      tr("{phase}, {access}", "phase"_a = analysis::phase_in_words(grid.phase_kinds, phase),
         "access"_a = access_title(recording, of_all));
  if (all.requests == 0)
    return tr("{phase_and_access}: no warp of the counted blocks makes it", "phase_and_access"_a = place);
  return tr_n(grid.divergence.warps,
              "{phase_and_access}: {what_this_warp_does}. Of {n} counted warp {making} makes it, {divergent} "
              "of them divergent; {lanes} lanes per request on average",
              "{phase_and_access}: {what_this_warp_does}. Of {n} counted warps {making} make it, {divergent} "
              "of them divergent; {lanes} lanes per request on average",
              "phase_and_access"_a = place, "what_this_warp_does"_a = what_the_warp_does(grid, own),
              "making"_a = with_thousands(all.warps), "divergent"_a = with_thousands(all.divergent_warps),
              "lanes"_a = lanes_in_words(all.mean_lanes()));
}

std::string row_tooltip(const LaneGrid& grid, std::size_t access) {
  const Recording& recording = *grid.moment.recording;
  const AccessLanes& row = grid.divergence.accesses[access];
  return tr_n(
      row.requests,
      "{access}: {n} request of {blocks}, {lanes:.1f} active lanes on average, {divergent} of them partially "
      "active",
      "{access}: {n} requests of {blocks}, {lanes:.1f} active lanes on average, {divergent} of them "
      "partially active",
      "access"_a = access_title(recording, row),
      "blocks"_a = tr_n(recording.blocks_counted, "{n} block that was run", "{n} blocks that were run"),
      "lanes"_a = row.mean_lanes(), "divergent"_a = with_thousands(row.divergent_requests));
}

/// The row's surface and name; all of it chooses the access.
void draw_label(Canvas& canvas, const Layout& layout, const LaneGrid& grid, std::size_t index) {
  const Recording& recording = *grid.moment.recording;
  const std::size_t access = layout.first + index;
  const AccessLanes& row = grid.divergence.accesses[access];
  const Site& site = recording.sites[row.sites.front()];
  const Palette& palette = canvas.palette();
  const float right = layout.divergent.width > 0 ? layout.divergent.right() : layout.cells.right();
  const Rect whole{layout.labels.x, layout.row(layout.labels, index).y, right - layout.labels.x,
                   layout.row_height};
  const bool chosen = access == grid.chosen,
             lit = grid.highlight.line != 0 && grid.highlight.line == site.line;
  if (chosen || lit) canvas.fill(whole, with_alpha(palette.accent, chosen ? 0.14f : 0.08f));
  if (chosen) canvas.fill({whole.x, whole.y, canvas.px(3), whole.height}, palette.accent);

  Rect label = layout.row(layout.labels, index);
  static_cast<void>(cut_left(label, canvas.px(8)));
  static_cast<void>(cut_right(label, canvas.px(4)));
  const std::string words = access_words(site, row.of);
  const std::string with_line =
      site.line == 0 ? std::string() : tr("{line} · {access}", "line"_a = site.line, "access"_a = words);
  canvas.fitted(label, {access_title(recording, row), with_line, words, std::to_string(site.line)},
                chosen ? canvas.plain(layout.text_size) : canvas.muted(layout.text_size));
  canvas.region(whole, {Target::Kind::site, -1, row.sites.front()}, row_tooltip(grid, access));
}

void draw_cells(Canvas& canvas, const Layout& layout, const LaneGrid& grid, std::size_t index) {
  const std::vector<Cell> cells = cells_of(grid, layout.first + index, layout.columns);
  const bool apart = layout.columns == grid.moment.recording->phases.size();
  const float width = layout.cells.width / static_cast<float>(layout.columns);
  const float gap = apart && width >= canvas.px(kMinForGaps)
                        ? canvas.px(1)
                        : 0;  // Of a part of a pixel some would be seen, and others not
  const std::uint32_t launched = launched_lanes(*grid.moment.recording, grid.moment.warp);
  auto number =
      lane_number_look(canvas, canvas.palette().panel, inset(layout.cell(index, 0, 1), gap + canvas.px(1)));
  if (number) number->colour = canvas.palette().text;
  for (std::uint64_t column = 0; column < layout.columns;) {
    std::uint64_t end = column + 1;
    while (!apart && end < layout.columns && cells[end] == cells[column])
      ++end;  // Neighbours that look alike are drawn as one
    Rect box = layout.cell(index, column, end);
    box = {box.x + gap / 2, box.y + canvas.px(1), box.width - gap, box.height - canvas.px(2)};
    draw_cell(canvas, box, cells[column], launched);
    if (apart && number) draw_number(canvas, box, cells[column], *number);
    column = end;
  }
}

/// What can be pointed at: cell by cell where the cells are not too many to explain.
void name_cells(Canvas& canvas, const Layout& layout, const LaneGrid& grid, std::size_t index) {
  const std::size_t access = layout.first + index, phases = grid.moment.recording->phases.size();
  const std::int64_t site = grid.divergence.accesses[access].sites.front();
  if (layout.columns < phases || phases * layout.rows > kMaxTooltips) {
    canvas.grid_region(layout.row(layout.cells, index), 1, phases, {Target::Kind::site, 0, site},
                       row_tooltip(grid, access));
    return;
  }
  for (std::size_t phase = 0; phase < phases; ++phase) {
    canvas.region(layout.cell(index, phase, phase + 1),
                  {Target::Kind::site, static_cast<std::int64_t>(phase), site},
                  cell_tooltip(grid, access, phase));
  }
}

void draw_figures(Canvas& canvas, const Layout& layout, const LaneGrid& grid, std::size_t index) {
  if (layout.divergent.width == 0) return;
  const AccessLanes& row = grid.divergence.accesses[layout.first + index];
  canvas.fitted(layout.row(layout.mean, index), {formatted("{:.1f}", row.mean_lanes())},
                canvas.plain(layout.text_size, Align::right));
  const TextLook look{row.divergent_requests > 0 ? canvas.palette().costly : canvas.palette().good,
                      layout.text_size, Font::sans_bold, Align::right};
  Rect divergent = layout.row(layout.divergent, index);
  static_cast<void>(cut_right(divergent, canvas.px(4)));
  canvas.fitted(divergent, {with_thousands(row.divergent_requests)}, look);
}

void draw_header(Canvas& canvas, const Layout& layout, const LaneGrid& grid) {
  const Recording& recording = *grid.moment.recording;
  const Rect labels{layout.labels.x, layout.header.y, layout.labels.width - canvas.px(8),
                    layout.header.height};
  canvas.fitted(labels,
                {recording.phases_are_barriers || recording.phases.size() == 1 ? tr("phase") : tr("pass")},
                canvas.muted(kTinySize, Align::right));
  const TextLook look = canvas.muted(kTinySize, Align::centre);
  const std::size_t phases = recording.phases.size();
  const float pitch = layout.cells.width / static_cast<float>(phases);
  const float needed = canvas.width_of(std::to_string(phases), look) + canvas.px(5);
  std::size_t stride = 1;
  for (const std::size_t step : {2u, 5u, 10u, 20u, 50u, 100u, 200u, 500u, 1000u, 10000u, 100000u}) {
    if (pitch * static_cast<float>(stride) < needed) stride = step;
  }
  for (std::size_t phase = 0; phase < phases; ++phase) {
    if (phase != 0 && (phase + 1) % stride != 0) continue;
    if (phase == 0 && stride > 1 && pitch * static_cast<float>(stride - 1) < needed) continue;
    const float x = layout.cells.x + (static_cast<float>(phase) + 0.5f) * pitch, half = needed / 2;
    if (x - half < layout.labels.right() - canvas.px(8) || x + half > layout.cells.right() + canvas.px(8))
      continue;
    canvas.text({x, layout.header.y + layout.header.height / 2}, std::to_string(phase + 1), look);
  }
  if (layout.divergent.width == 0) return;
  const TextLook right = canvas.muted(kTinySize, Align::right);
  const Rect mean{layout.mean.x, layout.header.y, layout.mean.width, layout.header.height};
  const Rect divergent{layout.divergent.x, layout.header.y, layout.divergent.width - canvas.px(4),
                       layout.header.height};
  canvas.fitted(mean, {tr("mean lanes")}, right);
  canvas.fitted(divergent, {tr("divergent requests"), tr("divergent")}, right);
  canvas.region({mean.x, mean.y, layout.divergent.right() - mean.x, mean.height}, {},
                tr("Active lanes per request, and partially active requests: all blocks that were run"));
}

/// What the cells' looks mean, as far as there is room; before it how many rows are left out.
void draw_key(Canvas& canvas, const Layout& layout, const LaneGrid& grid) {
  Rect rest = layout.key;
  const TextLook look = canvas.muted(kSmallSize);
  const std::size_t left_out = grid.divergence.accesses.size() - layout.rows;
  if (left_out > 0) {
    Rect place = cut_left(rest, layout.labels.width);
    static_cast<void>(cut_left(place, canvas.px(8)));
    canvas.fitted(place,
                  {tr_n(left_out, "… {n} more access", "… {n} more accesses"), fmt::format("… {}", left_out)},
                  look);
  }
  const std::uint32_t launched = launched_lanes(*grid.moment.recording, grid.moment.warp);
  const int threads = std::popcount(launched);
  const std::pair<Cell, const char*> entries[] = {
      {{Cell::State::part, threads / 2.0}, tr("a part of the lanes")},
      {{Cell::State::all, static_cast<double>(threads)}, tr("all lanes")},
      {{Cell::State::none, 0}, tr("no lane of this warp")},
      {{Cell::State::never, 0}, tr("not executed")}};
  const float square = canvas.px(11);
  for (const auto& [cell, words] : entries) {
    const float needed = square + canvas.px(6) + canvas.width_of(words, look) + canvas.px(1);
    if (needed > rest.width) return;
    draw_cell(canvas, {rest.x, rest.y + (rest.height - square) / 2, square, square}, cell, launched);
    static_cast<void>(cut_left(rest, square + canvas.px(6)));
    canvas.fitted(cut_left(rest, canvas.width_of(words, look) + canvas.px(1)), {words}, look);
    static_cast<void>(cut_left(rest, canvas.px(16)));
  }
}

void draw_current_phase(Canvas& canvas, const Layout& layout, const LaneGrid& grid) {
  const auto phases = static_cast<float>(grid.moment.recording->phases.size());
  const float pitch = layout.cells.width / phases, width = std::max(pitch, canvas.px(5));
  const float at = layout.cells.x + (static_cast<float>(grid.moment.phase) + 0.5f) * pitch - width / 2;
  const float x = std::clamp(at, layout.cells.x, std::max(layout.cells.x, layout.cells.right() - width));
  canvas.outline({x, layout.cells.y, width, layout.cells.height}, canvas.palette().text, 2, 1.5f);
}

}  // namespace

std::string access_title(const Recording& recording, const AccessLanes& access) {
  const Site& site = recording.sites[access.sites.front()];
  const std::string words = access_words(site, access.of);
  return site.line == 0 ? tr("PTX line {line} · {access}", "line"_a = site.ptx_line, "access"_a = words)
                        : tr("line {line} · {access}", "line"_a = site.line, "access"_a = words);
}

void draw_lane_grid(Canvas& canvas, Rect box, const LaneGrid& grid) {
  const Layout layout = lay_out(canvas, box, grid);
  if (layout.rows == 0 || layout.columns == 0 || layout.cells.width < canvas.px(20)) return;
  draw_header(canvas, layout, grid);
  for (std::size_t row = 0; row < layout.rows; ++row) {
    draw_label(canvas, layout, grid, row);
    draw_cells(canvas, layout, grid, row);
    name_cells(canvas, layout, grid, row);
    draw_figures(canvas, layout, grid, row);
  }
  draw_current_phase(canvas, layout, grid);
  draw_key(canvas, layout, grid);
}

}  // namespace warplens::picture
