// By how much more or less often one launch accesses each element than another.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/comparison/difference.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_heat.h"
#include "viz/picture/matrix_map.h"

namespace warplens::picture {
namespace {

constexpr float kLowSlot = 56;

/// The difference of a buffer that both have, element by element; beyond kMaxHeatCells rows or columns a cell
/// has the greatest counts of its elements.
struct ElementDifference {
  std::uint32_t buffer_a = 0, buffer_b = 0;  ///< In their recordings
  bool writes = false;
  std::string why_not;  ///< A sentence where there is no difference to draw
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::int64_t> values;
  std::vector<bool> is_touched;
  std::int64_t min = 0, max = 0;
  bool even = true;  ///< Every cell, touched or not, as much

  [[nodiscard]] std::uint64_t greatest() const { return static_cast<std::uint64_t>(std::max(-min, max)); }
};

std::vector<std::uint64_t> cells_of(const Buffer& buffer, const ElementHeat& heat, std::uint32_t rows,
                                    std::uint32_t columns) {
  std::vector<std::uint64_t> cells(std::size_t{rows} * columns);
  const std::uint64_t of_rows = heat.cells != nullptr ? heat.cells->rows : buffer.rows;
  const std::uint64_t of_columns = heat.cells != nullptr ? heat.cells->columns : buffer.columns;
  for_each_element(buffer, heat, [&](std::uint64_t row, std::uint64_t column, std::uint64_t count) {
    std::uint64_t& cell = cells[row * rows / of_rows * columns + column * columns / of_columns];
    cell = std::max(cell, count);
  });
  return cells;
}

std::string shape_of(const Buffer& buffer) {
  return tr("{rows} \u00d7 {columns}", "rows"_a = with_thousands(buffer.rows),
            "columns"_a = with_thousands(buffer.columns));
}

ElementDifference difference_of(const CountedElements& a, const ElementHeat& heat_a, const CountedElements& b,
                                const ElementHeat& heat_b) {
  const Buffer &buffer_a = a.recording.buffers[heat_a.buffer], &buffer_b = b.recording.buffers[heat_b.buffer];
  ElementDifference difference{.buffer_a = heat_a.buffer, .buffer_b = heat_b.buffer, .writes = heat_a.writes};
  if (buffer_a.rows != buffer_b.rows || buffer_a.columns != buffer_b.columns) {
    difference.why_not =
        tr("{buffer} has {a} elements in launch A and {b} in launch B: element by element there is no "
           "difference",
           "buffer"_a = buffer_b.name, "a"_a = shape_of(buffer_a), "b"_a = shape_of(buffer_b));
    return difference;
  }
  difference.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer_b.rows, kMaxHeatCells));
  difference.columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer_b.columns, kMaxHeatCells));
  const std::vector<std::uint64_t> of_a = cells_of(buffer_a, heat_a, difference.rows, difference.columns),
                                   of_b = cells_of(buffer_b, heat_b, difference.rows, difference.columns);
  difference.min = std::numeric_limits<std::int64_t>::max();
  difference.max = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < of_b.size(); ++i) {
    const std::int64_t value = static_cast<std::int64_t>(of_b[i]) - static_cast<std::int64_t>(of_a[i]);
    difference.values.push_back(value);
    difference.is_touched.push_back(of_a[i] != 0 || of_b[i] != 0);
    difference.min = std::min(difference.min, value);
    difference.max = std::max(difference.max, value);
  }
  difference.even = difference.min == difference.max;
  return difference;
}

/// Returns the differences of every buffer of B that A has, too.
std::vector<ElementDifference> differences_of(const CountedElements& a, const CountedElements& b) {
  const std::vector<ElementHeat> heats_a = element_heats(a), heats_b = element_heats(b);
  std::vector<ElementDifference> differences;
  for (const ElementHeat& heat_b : heats_b) {
    const std::string& name = b.recording.buffers[heat_b.buffer].name;
    const auto heat_a = std::ranges::find_if(
        heats_a, [&](const ElementHeat& heat) { return a.recording.buffers[heat.buffer].name == name; });
    if (heat_a == heats_a.end()) continue;
    const bool writes = heat_a->writes && heat_b.writes;  // What one alone reads is compared by its reads
    const auto again = [writes](const CountedElements& counted, const ElementHeat& heat) {
      return element_heat(
          counted, *std::ranges::find(counted.counts, heat.buffer, &analysis::ElementCounts::buffer), writes);
    };
    differences.push_back(difference_of(a, again(a, *heat_a), b, again(b, heat_b)));
  }
  return differences;
}

/// "A: −8 reads per element", "C: written as often", "B: −16 to +8 reads an element".
std::string difference_in_words(const std::string& buffer, const ElementDifference& difference) {
  if (!difference.why_not.empty()) return buffer;
  if (difference.even && difference.min == 0) {
    return difference.writes ? tr("{buffer}: written as often", "buffer"_a = buffer)
                             : tr("{buffer}: read as often", "buffer"_a = buffer);
  }
  const std::string min = difference_in_figures(difference.min), max = difference_in_figures(difference.max);
  if (difference.even) {
    return difference.writes
               ? tr("{buffer}: {difference} writes per element", "buffer"_a = buffer, "difference"_a = max)
               : tr("{buffer}: {difference} reads per element", "buffer"_a = buffer, "difference"_a = max);
  }
  return difference.writes ? tr("{buffer}: {least} to {most} writes per element", "buffer"_a = buffer,
                                "least"_a = min, "most"_a = max)
                           : tr("{buffer}: {least} to {most} reads per element", "buffer"_a = buffer,
                                "least"_a = min, "most"_a = max);
}

/// Returns a map of at most a cell a pixel, with the greatest of its differences.
HeatMap difference_map(const Canvas& canvas, Rect box, const ElementDifference& difference) {
  const auto cells = [](std::uint32_t all, float pixels) {
    return std::min(all, static_cast<std::uint32_t>(std::max(1.0f, pixels)));
  };
  HeatMap map{box, cells(difference.rows, box.height), cells(difference.columns, box.width),
              {},  difference_table(canvas.palette()), untouched_colour(canvas.palette())};
  std::vector<std::optional<std::int64_t>> greatest(std::size_t{map.rows} * map.columns);
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    if (!difference.is_touched[i]) continue;
    const std::size_t row = i / difference.columns * map.rows / difference.rows,
                      column = i % difference.columns * map.columns / difference.columns;
    std::optional<std::int64_t>& cell = greatest[row * map.columns + column];
    if (!cell || std::abs(difference.values[i]) > std::abs(*cell)) cell = difference.values[i];
  }
  std::vector<float> values;
  for (const std::optional<std::int64_t>& cell : greatest)
    values.push_back(cell ? difference_value(*cell, difference.greatest())
                          : std::numeric_limits<float>::quiet_NaN());
  map.values = std::move(values);
  return map;
}

/// Draws the difference in every cell, if there is room in all.
void draw_figures(Canvas& canvas, const HeatMap& map, const Buffer& buffer,
                  const ElementDifference& difference) {
  if (map.rows != buffer.rows || map.columns != buffer.columns) return;
  const float width = map.rect.width / static_cast<float>(map.columns),
              height = map.rect.height / static_cast<float>(map.rows);
  const std::string widest = difference_in_figures(-static_cast<std::int64_t>(difference.greatest()));
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    if (!difference.is_touched[i]) continue;
    const std::size_t row = i / map.columns, column = i % map.columns;
    const Rect cell{map.rect.x + static_cast<float>(column) * width,
                    map.rect.y + static_cast<float>(row) * height, width, height};
    const auto look = lane_number_look(canvas, heat_colour(map, map.values[i]),
                                       inset(cell, canvas.px(3), canvas.px(1)), widest);
    if (!look) return;
    canvas.fitted(cell, {difference_in_figures(difference.values[i])}, *look);
  }
}

struct DifferenceSlot {
  const CountedElements& b;
  const ElementDifference& difference;
  std::pair<std::uint64_t, std::uint64_t> tile;
  const Highlight& highlight;
};

void draw_slot(Canvas& canvas, Rect slot, const DifferenceSlot& shown) {
  const ElementDifference& difference = shown.difference;
  const Buffer& buffer = shown.b.recording.buffers[difference.buffer_b];
  const bool low = slot.height < canvas.px(kLowSlot);
  const Rect bar = low ? Rect{} : cut_bottom(slot, canvas.px(20));
  const Rect name = low && buffer.rows == 1 ? cut_left(slot, std::min(canvas.px(130), slot.width * 0.3f))
                                            : cut_top(slot, canvas.px(20));
  canvas.fitted(name, {difference_in_words(buffer.name, difference), buffer.name},
                canvas.plain(kSmallSize + 1));
  if (!difference.why_not.empty()) return canvas.wrapped(slot, difference.why_not, canvas.muted());
  Rect box = slot;
  if (buffer.rows > 1) {
    const float scale = std::min(slot.width / static_cast<float>(buffer.columns),
                                 slot.height / static_cast<float>(buffer.rows));
    box.width = std::max(canvas.px(3), static_cast<float>(buffer.columns) * scale);
    box.height = std::max(canvas.px(3), static_cast<float>(buffer.rows) * scale);
  } else {
    box.height = low ? std::max(slot.height - canvas.px(3), 0.0f)
                     : std::min(box.height, std::max(canvas.px(26), box.height * 0.6f));
  }
  const HeatMap map = difference_map(canvas, box, difference);
  canvas.add(map);
  draw_tile_lines(canvas, box, buffer, shown.tile.first, shown.tile.second);
  draw_figures(canvas, map, buffer, difference);
  canvas.grid_region(box, buffer.rows, buffer.columns, {Target::Kind::element, difference.buffer_b, 0, 0},
                     buffer.name);
  const std::optional<ElementAt>& element = shown.highlight.element;
  if (element && element->buffer == difference.buffer_b && element->row < buffer.rows &&
      element->column < buffer.columns)
    canvas.outline(element_place(box, buffer, element->row, element->column, canvas.px(5)),
                   canvas.palette().text, 2, 1);
  if (low || difference.greatest() == 0) return;
  draw_difference_key(
      canvas, {box.x, box.bottom(), std::max(box.width, std::min(slot.width, canvas.px(170))), bar.height},
      difference.greatest());
}

/// Returns the sentence about the buffer that differs most.
std::string sentence_of(const CountedElements& b, const std::vector<ElementDifference>& differences) {
  const auto size = [](const ElementDifference& difference) {
    return difference.why_not.empty() ? difference.greatest() : 0;
  };
  const auto max = std::ranges::max_element(differences, {}, size);
  const auto undrawn = std::ranges::find_if(
      differences, [](const ElementDifference& difference) { return !difference.why_not.empty(); });
  if (size(*max) == 0 && undrawn != differences.end()) return undrawn->why_not;
  if (size(*max) == 0) return tr("Every element is accessed as often by both");
  const std::string& name = b.recording.buffers[max->buffer_b].name;
  const bool fewer = static_cast<std::uint64_t>(-max->min) == max->greatest();
  if (max->even) {
    return fewer
               ? tr_n(size(*max),
                      "Launch B makes {n} access fewer than launch A to every element of {buffer}",
                      "Launch B makes {n} accesses fewer than launch A to every element of {buffer}",
                      "buffer"_a = name)
               : tr_n(size(*max), "Launch B makes {n} access more than launch A to every element of {buffer}",
                      "Launch B makes {n} accesses more than launch A to every element of {buffer}",
                      "buffer"_a = name);
  }
  return fewer ? tr_n(size(*max), "Launch B makes {n} access fewer than launch A to elements of {buffer}",
                      "Launch B makes up to {n} accesses fewer than launch A to elements of {buffer}",
                      "buffer"_a = name)
               : tr_n(size(*max), "Launch B makes {n} access more than launch A to elements of {buffer}",
                      "Launch B makes up to {n} accesses more than launch A to elements of {buffer}",
                      "buffer"_a = name);
}

std::uint64_t blocks_of(const CountedElements& counted) {
  return counted.of_grid != nullptr ? counted.of_grid->blocks() : counted.recording.event_blocks.size();
}

/// What is compared, where it is not all blocks of both.
std::string blocks_in_words(const CountedElements& a, const CountedElements& b) {
  const auto whole = [](const CountedElements& counted) {
    return blocks_of(counted) == counted.recording.blocks_total;
  };
  if (whole(a) && whole(b)) return tr("all blocks of both");
  return tr(
      "{counted_a} of {all_a} blocks of launch A, {counted_b} of {all_b} of launch B",
      "counted_a"_a = with_thousands(blocks_of(a)), "all_a"_a = with_thousands(a.recording.blocks_total),
      "counted_b"_a = with_thousands(blocks_of(b)), "all_b"_a = with_thousands(b.recording.blocks_total));
}

bool is_counted(const CountedElements& counted) {
  return counted.of_grid != nullptr ||
         std::ranges::all_of(counted.counts, &analysis::ElementCounts::complete);
}

}  // namespace

Picture make_heat_difference(const CountedElements& a, const CountedElements& b, const Highlight& highlight,
                             Size size, const Style& style) {
  if (a.recording.events.size() == 0 || b.recording.events.size() == 0)
    return no_events_picture(tr("Matrix heat"), size, style);
  if (!is_counted(a) || !is_counted(b)) {
    return empty_picture(tr("Matrix heat"),
                         tr("The accesses are scattered over more elements than are counted."),
                         tr("Record fewer blocks."), size, style);
  }
  const std::vector<ElementDifference> differences = differences_of(a, b);
  if (differences.empty())
    return empty_picture(tr("Matrix heat"), tr("The launches have no buffers of the same names."),
                         tr("Choose side by side."), size, style);

  const std::optional<Product> product = product_of(b.recording);
  const Tiling tiling =
      product ? tiling_of(b.recording, *product, analysis::phase_kinds(b.recording)) : Tiling();
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Matrix heat"), blocks_in_words(a, b));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(b, differences));
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  canvas.fitted(
      cut_top(rest, canvas.line_height(kSmallSize)),
      {tr("accesses to each element, launch B \u2212 launch A, {blocks}", "blocks"_a = blocks_in_words(a, b)),
       tr("B \u2212 A")},
      canvas.muted());
  const float gap = canvas.px(22), count = static_cast<float>(differences.size());
  const bool matrices = std::ranges::any_of(differences, [&](const ElementDifference& difference) {
    return b.recording.buffers[difference.buffer_b].rows > 1;
  });
  const bool abreast = matrices && rest.width >= rest.height * 1.2f;
  const Rect all = rest;
  for (const ElementDifference& difference : differences) {
    const float width = (all.width - gap * (count - 1)) / count,
                height = (all.height - gap / 2 * (count - 1)) / count;
    const Rect slot = abreast ? cut_left(rest, width) : cut_top(rest, height);
    draw_slot(canvas, slot, {b, difference, tile_of_buffer(difference.buffer_b, product, tiling), highlight});
    static_cast<void>(abreast ? cut_left(rest, gap) : cut_top(rest, gap / 2));
  }
  return canvas.take();
}

}  // namespace warplens::picture
