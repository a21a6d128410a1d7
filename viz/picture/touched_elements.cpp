#include "viz/picture/touched_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/texts.h"
#include "viz/analysis/reuse.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"

namespace warplens::picture {
namespace {

constexpr std::uint64_t kBrokenRow = 64, kMinColumns = 32;
constexpr float kLowestRow = 5, kTallestRow = 56;

struct Place {
  int lane = 0;
  std::uint64_t row = 0, column = 0;
};

/// An array as it is drawn, and where in it lanes are.
struct Touched {
  std::string name;
  std::uint64_t rows = 1, columns = 1, elements_a_lane = 1;
  bool broken = false;  ///< Its rows are pieces of its only one
  std::vector<Place> places;

  [[nodiscard]] std::string title() const {
    return broken ? fmt::format("{}[{}]", name, rows * columns)
                  : fmt::format("{}[{}][{}]", name, rows, columns);
  }
  [[nodiscard]] std::string row_name(std::uint64_t row) const {
    return fmt::format("{}[{}]", name, broken ? row * columns : row);
  }
};

/// Returns an array of `rows` with `pitch` elements each.
Touched array_of_shape(std::string name, std::uint64_t rows, std::uint64_t pitch,
                       std::uint64_t elements_a_lane) {
  Touched touched{.name = std::move(name),
                  .rows = std::max<std::uint64_t>(rows, 1),
                  .columns = std::max<std::uint64_t>(pitch, 1),
                  .elements_a_lane = std::max<std::uint64_t>(elements_a_lane, 1),
                  .broken = rows <= 1,
                  .places = {}};
  if (touched.broken) {
    touched.rows = (touched.columns + kBrokenRow - 1) / kBrokenRow;
    touched.columns = std::min(touched.columns, kBrokenRow);
  }
  return touched;
}

std::optional<Touched> touched_by(const Moment& moment, std::size_t event) {
  const Recording& recording = *moment.recording;
  const analysis::WarpAccess access = moment.access(event);
  const bool shared = moment.site_of(event).space == Space::shared;
  std::optional<Touched> touched;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((access.mask >> lane & 1u) == 0) continue;
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    std::uint64_t index = 0;  // In the whole array, padding included
    if (shared) {
      const auto array = std::ranges::find_if(recording.shared_arrays, [&](const SharedArray& one) {
        return address >= one.offset && address < std::uint64_t{one.offset} + one.bytes;
      });
      if (array == recording.shared_arrays.end()) return std::nullopt;
      const std::uint64_t bytes = std::max<std::uint32_t>(array->element_bytes, 1),
                          pitch = array->rows > 1 ? array->pitch : array->bytes / bytes;
      if (!touched)
        touched =
            array_of_shape(array->name, array->rows, pitch, static_cast<std::uint64_t>(access.bytes) / bytes);
      index = (address - array->offset) / bytes;
    } else {
      analysis::ElementPlace place;
      if (!analysis::locate(recording, address, place)) return std::nullopt;
      const Buffer& buffer = recording.buffers[place.buffer];
      if (!touched)
        touched = array_of_shape(
            buffer.name, buffer.rows, buffer.columns,
            static_cast<std::uint64_t>(access.bytes / std::max(1, static_cast<int>(size_of(buffer.type)))));
      index = touched->broken ? place.column : place.row * touched->columns + place.column;
    }
    touched->places.push_back({lane, index / touched->columns, index % touched->columns});
  }
  return touched;
}

/// All rows from the first touched to the last where there is room for them, else those alone that are
/// touched, as many as fit.
std::vector<std::uint64_t> rows_shown(const Touched& touched, std::size_t max) {
  std::set<std::uint64_t> rows;
  for (const Place& place : touched.places) rows.insert(place.row);
  std::vector<std::uint64_t> shown;
  const bool all = *rows.rbegin() - *rows.begin() < max;
  if (!all) shown.assign(rows.begin(), rows.end());
  for (std::uint64_t row = *rows.begin(); all && row <= *rows.rbegin(); ++row) shown.push_back(row);
  if (shown.size() > max) shown.resize(max);
  return shown;
}

void draw_rows(Canvas& canvas, Rect box, const Touched& touched, const Highlight& highlight) {
  if (box.height < canvas.px(kLowestRow) || box.width < canvas.px(kLowestRow)) return;
  const auto max = static_cast<std::size_t>(std::max(1.0f, box.height / canvas.px(kLowestRow)));
  const std::vector<std::uint64_t> rows = rows_shown(touched, max);
  const auto [first, last] = std::ranges::minmax(touched.places, {}, &Place::column);
  std::uint64_t begin = first.column, end = std::min(last.column + touched.elements_a_lane, touched.columns);
  if (end - begin < kMinColumns) {  // What lies beside it
    const std::uint64_t wanted = std::min(kMinColumns, touched.columns);
    begin = std::min(begin - std::min(begin, (wanted - (end - begin)) / 2), touched.columns - wanted);
    end = begin + wanted;
  }
  const TextLook label = canvas.muted(kTinySize, Align::right);
  const Rect labels = cut_left(
      box, std::min(canvas.width_of(touched.row_name(rows.back()), label) + canvas.px(6), box.width * 0.3f));
  const float height = std::min(box.height / static_cast<float>(rows.size()), canvas.px(kTallestRow)),
              width = box.width / static_cast<float>(end - begin);
  const auto cell = [&](std::size_t row, std::uint64_t column, std::uint64_t columns) {
    const float gap = std::min({canvas.px(0.75f), height / 10, width / 10});
    return inset({box.x + static_cast<float>(column - begin) * width,
                  box.y + static_cast<float>(row) * height, width * static_cast<float>(columns), height},
                 gap);
  };
  const auto every = static_cast<std::size_t>(std::max(1.0f, std::ceil(canvas.px(kTinySize) / height)));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (width >= canvas.px(4)) {
      for (std::uint64_t column = begin; column < end; ++column)
        canvas.fill(cell(row, column, 1), with_alpha(canvas.palette().line, 0.6f), 1);
    } else {
      canvas.fill(cell(row, begin, end - begin), with_alpha(canvas.palette().line, 0.6f), 1);
    }
    const Rect name{labels.x, box.y + static_cast<float>(row) * height, labels.width - canvas.px(5),
                    std::max(height, canvas.px(kTinySize))};
    if (row % every == 0) canvas.fitted(name, {touched.row_name(rows[row])}, label);
  }
  for (const Place& place : touched.places) {
    const auto row = std::ranges::find(rows, place.row);
    if (row == rows.end()) continue;
    Rect box_of_lane = cell(static_cast<std::size_t>(row - rows.begin()), place.column,
                            std::min(touched.elements_a_lane, end - place.column));
    box_of_lane.width = std::max(box_of_lane.width, canvas.px(1.5f));
    canvas.fill(box_of_lane, lane_colour(place.lane), 2);
    if (highlight.lane == place.lane) canvas.outline(box_of_lane, canvas.palette().text, 2, 2);
    if (const auto look = lane_number_look(canvas, lane_colour(place.lane), box_of_lane))
      canvas.fitted(box_of_lane, {std::to_string(place.lane)}, *look);
    canvas.region(box_of_lane, {Target::Kind::lane, place.lane}, tr("Lane {lane}", "lane"_a = place.lane));
  }
}

}  // namespace

Picture make_touched_elements(const Moment& moment, const Highlight& highlight, Size size,
                              const Style& style) {
  const auto event = moment.event();
  const std::optional<Touched> touched = event ? touched_by(moment, *event) : std::nullopt;
  if (!touched || touched->places.empty()) return {};
  Canvas canvas(size, style);
  Rect rest = canvas.inside();
  const Rect said = cut_bottom(rest, 2 * canvas.line_height(kSmallSize));
  canvas.fitted(cut_top(rest, canvas.line_height(kBaseSize)), {touched->title(), touched->name},
                {canvas.palette().text, kBaseSize, Font::mono, Align::left});
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  draw_rows(canvas, rest, *touched, highlight);
  canvas.wrapped(
      said,
      tr("In colour: the elements that the warp's lanes touch. What it costs is uncovered with the answer."),
      canvas.muted(kSmallSize));
  return canvas.take();
}

}  // namespace warplens::picture
