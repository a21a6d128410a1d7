#include "viz/picture/matrix_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

/// `count` of the `elements` from `begin` on, as cells of a footprint that has `cells` for `all` of them,
/// `stride` apart.
std::vector<std::size_t> spread(std::uint64_t begin, std::uint64_t elements, std::uint64_t count,
                                std::uint64_t cells, std::uint64_t all, std::size_t stride) {
  std::vector<std::size_t> places(count);
  for (std::uint64_t i = 0; i < count; ++i) places[i] = (begin + i * elements / count) * cells / all * stride;
  return places;
}

/// Whether they are 0, `stride`, 2 `stride` ..
bool are_apart(const std::vector<std::size_t>& places, std::size_t stride) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != i * stride) return false;
  }
  return true;
}

std::shared_ptr<const std::vector<float>> picked(const std::vector<float>& marks,
                                                 const std::vector<std::size_t>& rows,
                                                 const std::vector<std::size_t>& columns) {
  auto values = std::make_shared<std::vector<float>>(rows.size() * columns.size());
  auto value = values->begin();
  for (const std::size_t row : rows) {
    for (const std::size_t column : columns) *value++ = marks[row + column];
  }
  return values;
}

constexpr float kNarrowestTile = 6;  ///< Lines between narrower ones would hide what is in them
constexpr float kNarrowestArea = 3;  ///< A frame around a narrower one would swallow it

/// Elements between two lines: a tile of the launch's, never several. 0: tiles cannot be told apart over
/// `extent` pixels.
std::uint64_t line_pitch(const Canvas& canvas, float extent, std::uint64_t elements, std::uint64_t tile) {
  return extent * static_cast<float>(tile) < canvas.px(kNarrowestTile) * static_cast<float>(elements) ? 0
                                                                                                      : tile;
}

/// An area grown to a width and height that can be seen, within the box.
Rect at_least(Rect area, float min, const Rect& box) {
  const auto grow = [min](float& from, float& extent, float begin, float end) {
    const float grown = std::min(std::max(extent, min), end - begin);
    from = std::clamp(from - (grown - extent) / 2, begin, std::max(begin, end - grown));
    extent = grown;
  };
  grow(area.x, area.width, box.x, box.right());
  grow(area.y, area.height, box.y, box.bottom());
  return area;
}

}  // namespace

void draw_tile_lines(Canvas& canvas, Rect box, const Buffer& buffer, std::uint64_t tile_rows,
                     std::uint64_t tile_columns) {
  const Colour colour = with_alpha(canvas.palette().panel, 0.6f);
  const std::uint64_t columns = line_pitch(canvas, box.width, buffer.columns, tile_columns),
                      rows = line_pitch(canvas, box.height, buffer.rows, tile_rows);
  for (std::uint64_t column = columns; columns > 0 && column < buffer.columns; column += columns) {
    const float x = box.x + box.width * static_cast<float>(column) / static_cast<float>(buffer.columns);
    canvas.line({x, box.y}, {x, box.bottom()}, colour);
  }
  for (std::uint64_t row = rows; rows > 0 && row < buffer.rows; row += rows) {
    const float y = box.y + box.height * static_cast<float>(row) / static_cast<float>(buffer.rows);
    canvas.line({box.x, y}, {box.right(), y}, colour);
  }
}

Colour buffer_colour(const Palette& palette, std::uint32_t buffer) {
  const std::array<Colour, 4> colours{palette.accent, palette.fill, palette.good, palette.costly};
  return colours[buffer % colours.size()];
}

Colour untouched_colour(const Palette& palette) {
  return with_alpha(palette.line, 0.45f);
}

ElementBox transposed(ElementBox elements) {
  std::swap(elements.row_begin, elements.column_begin);
  std::swap(elements.row_end, elements.column_end);
  return elements;
}

Buffer transposed(Buffer buffer) {
  assert(buffer.columns <= std::numeric_limits<std::uint32_t>::max());
  const std::uint32_t rows = buffer.rows;
  buffer.rows = static_cast<std::uint32_t>(buffer.columns);
  buffer.columns = rows;
  return buffer;
}

Rect element_place(Rect box, const Buffer& buffer, std::uint64_t row, std::uint64_t column, float min) {
  const float width = box.width / static_cast<float>(buffer.columns),
              height = box.height / static_cast<float>(buffer.rows);
  const float drawn_width = std::min(std::max(width, min), box.width),
              drawn_height = std::min(std::max(height, min), box.height);
  const float x = box.x + (static_cast<float>(column) + 0.5f) * width - drawn_width / 2;
  const float y = box.y + (static_cast<float>(row) + 0.5f) * height - drawn_height / 2;
  const auto within = [](float at, float from, float to) { return std::max(from, std::min(at, to)); };
  return {within(x, box.x, box.right() - drawn_width), within(y, box.y, box.bottom() - drawn_height),
          drawn_width, drawn_height};
}

std::vector<LaneElement> touched_elements(const Moment& moment, std::size_t event,
                                          const std::vector<analysis::SharedWord>& shared) {
  const Recording& recording = *moment.recording;
  const Space space = moment.site_of(event).space;
  std::vector<LaneElement> touched;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((recording.events.mask[event] >> lane & 1u) == 0) continue;
    const std::uint64_t address = lane_address(recording, event, lane);
    analysis::ElementPlace place;
    if (space == Space::global && analysis::locate(recording, address, place)) {
      touched.push_back({lane, {place.buffer, place.row, place.column}});
    } else if (space == Space::shared && address / 4 < shared.size() && shared[address / 4].from_global) {
      const analysis::ElementPlace& source = shared[address / 4].source;
      touched.push_back({lane, {source.buffer, source.row, source.column}});
    }
  }
  return touched;
}

void draw_marks(Canvas& canvas, Rect box, const MatrixMap& map, const ElementBox& part) {
  const Palette& palette = canvas.palette();
  const Colour colour = buffer_colour(palette, map.buffer);
  const analysis::BufferFootprint& footprint = *map.footprint;
  const Buffer& buffer = map.recording->buffers[map.buffer];
  const Buffer drawn = map.transposed ? transposed(buffer) : buffer;
  const std::uint64_t all_rows = map.transposed ? footprint.columns : footprint.rows,
                      all_columns = map.transposed ? footprint.rows : footprint.columns;
  const std::uint64_t rows = part.row_end - part.row_begin, columns = part.column_end - part.column_begin;
  HeatMap heat{box,
               static_cast<std::uint32_t>(std::min(rows, all_rows)),
               static_cast<std::uint32_t>(std::min(columns, all_columns)),
               {},
               {with_alpha(colour, kWrittenLater), with_alpha(colour, kBefore), colour},
               untouched_colour(palette)};
  // Where in `marks` each drawn row and column begins: there are as many divisions, not as many as cells.
  const std::size_t next_row = map.transposed ? 1 : footprint.columns,
                    next_column = map.transposed ? footprint.columns : 1;
  const std::vector<std::size_t> row_places =
                                     spread(part.row_begin, rows, heat.rows, all_rows, drawn.rows, next_row),
                                 column_places = spread(part.column_begin, columns, heat.columns, all_columns,
                                                        drawn.columns, next_column);
  const bool as_they_lie = std::size_t{heat.rows} * heat.columns == footprint.marks->size() &&
                           are_apart(row_places, heat.columns) && are_apart(column_places, 1);
  heat.values = as_they_lie ? footprint.marks : picked(*footprint.marks, row_places, column_places);
  canvas.add(std::move(heat));
}

Rect draw_area(Canvas& canvas, Rect box, const MatrixMap& map, const ElementBox& part) {
  const Buffer& buffer = map.recording->buffers[map.buffer];
  const Buffer drawn = map.transposed ? transposed(buffer) : buffer;
  const Rect exact = united(element_place(box, drawn, part.row_begin, part.column_begin, 0),
                            element_place(box, drawn, part.row_end - 1, part.column_end - 1, 0));
  const Rect area = at_least(exact, canvas.px(kNarrowestArea), box);
  if (area.width <= exact.width && area.height <= exact.height) return exact;
  canvas.fill(area, canvas.palette().panel);
  draw_marks(canvas, area, map, part);
  return area;
}

bool is_first_at_its_element(const std::vector<LaneElement>& touched, const LaneElement& one) {
  const auto first = std::ranges::find(touched, one.element, &LaneElement::element);
  return first != touched.end() && first->lane == one.lane;
}

void draw_lane(Canvas& canvas, Rect cell, int lane) {
  canvas.fill(cell, lane_colour(lane));
  if (const auto look = lane_number_look(canvas, lane_colour(lane), inset(cell, canvas.px(1))))
    canvas.fitted(cell, {std::to_string(lane)}, *look);
}

void draw_matrix_map(Canvas& canvas, Rect box, const MatrixMap& map, const std::vector<LaneElement>& touched,
                     const Highlight& highlight) {
  const Palette& palette = canvas.palette();
  const Buffer& buffer = map.recording->buffers[map.buffer];
  const Buffer drawn = map.transposed ? transposed(buffer) : buffer;
  const auto place_of = [&](const ElementAt& element, float min) {
    return map.transposed ? element_place(box, drawn, element.column, element.row, min)
                          : element_place(box, drawn, element.row, element.column, min);
  };
  draw_marks(canvas, box, map, {0, drawn.rows, 0, drawn.columns});
  draw_tile_lines(canvas, box, drawn, map.tile_rows, map.tile_columns);
  canvas.grid_region(box, drawn.rows, drawn.columns, {Target::Kind::element, map.buffer, 0, 0}, buffer.name,
                     map.transposed);

  const ElementBox now = map.footprint->now();
  if (!now.empty()) {
    const Rect area = draw_area(canvas, box, map, map.transposed ? transposed(now) : now);
    canvas.outline(inset(area, -canvas.px(1)), palette.text, 1.5f, 1);
  }
  for (const LaneElement& one : touched) {
    if (one.element.buffer != map.buffer) continue;
    const Rect place = place_of(one.element, canvas.px(2));
    if (is_first_at_its_element(touched, one)) draw_lane(canvas, place, one.lane);
    if (highlight.lane == one.lane) canvas.outline(inset(place, -canvas.px(1.5f)), palette.text, 2, 1);
  }
  if (highlight.element && highlight.element->buffer == map.buffer && highlight.element->row < buffer.rows &&
      highlight.element->column < buffer.columns) {
    const Rect place = place_of(*highlight.element, canvas.px(5));
    canvas.outline(place, palette.text, 2, 1);
  }
}

}  // namespace warplens::picture
