#include "viz/picture/tile_phases/shared_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/base/texts.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_map.h"

namespace warplens::picture {
namespace {

constexpr float kLargestCell = 44;
constexpr std::uint32_t kWordsARow =
    32;  // An array of unknown shape is drawn as rows that hold every bank once

/// The shape in which an array is drawn: elements, of element_words 4-byte words each.
struct Layout {
  std::uint32_t rows = 1, columns = 1;
  std::uint32_t element_bytes = 4;
  bool guessed = false;  // The rows are ours, not the kernel's
};

Layout layout_of(const SharedArray& array) {
  Layout layout{.element_bytes = std::max(1u, array.element_bytes)};
  const std::uint32_t elements = array.bytes / layout.element_bytes;
  if (array.rows > 1 && array.pitch > 0) {
    layout.rows = array.rows;
    layout.columns = array.pitch;
  } else {
    layout.columns = std::clamp(kWordsARow * 4 / layout.element_bytes, 1u, std::max(1u, elements));
    layout.rows = std::max(1u, (elements + layout.columns - 1) / layout.columns);
    layout.guessed = layout.rows > 1;
  }
  return layout;
}

/// What an array holds, in words: "A[96..127][32..63]"; and whether it has other values, too: zeros for what
/// is beyond the matrix, computed ones.
struct Contents {
  std::string words;
  bool others = false;
};
Contents contents_of(const Recording& recording, const SharedArray& array,
                     const std::vector<analysis::SharedWord>& shared) {
  std::vector<analysis::ElementBox> boxes(recording.buffers.size());
  bool written = false, others = false;
  for (std::size_t word = array.offset / 4;
       word < std::min<std::size_t>(shared.size(), (array.offset + array.bytes) / 4); ++word) {
    written = written || shared[word].written;
    others = others || (shared[word].written && !shared[word].from_global);
    if (shared[word].from_global)
      boxes[shared[word].source.buffer].include(shared[word].source.row, shared[word].source.column);
  }
  std::string name;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    if (!boxes[b].empty())
      name += (name.empty() ? "" : ", ") + analysis::box_name(recording.buffers[b], boxes[b]);
  }
  if (!name.empty()) return {name, others};
  return {written ? tr("computed values") : tr("nothing yet")};
}

std::string shape_name(const SharedArray& array, const Layout& layout) {
  if (layout.guessed || layout.rows == 1)
    return fmt::format("{} [{}]", array.name, array.bytes / layout.element_bytes);
  return fmt::format("{} [{}][{}]", array.name, layout.rows, layout.columns);
}

/// An array with its place on the picture.
struct Tile {
  const SharedArray* array = nullptr;
  Layout layout;
  Rect label, grid;
  [[nodiscard]] Rect cell(std::uint32_t element) const {
    const std::uint32_t row = element / layout.columns, column = element % layout.columns;
    const float width = grid.width / static_cast<float>(layout.columns),
                height = grid.height / static_cast<float>(layout.rows);
    return {grid.x + static_cast<float>(column) * width, grid.y + static_cast<float>(row) * height, width,
            height};
  }
};

/// Side by side or one below the other, whichever lets the cells be larger.
struct Arrangement {
  std::vector<Tile> tiles;
  std::uint32_t widest = 1, total_columns = 0, total_rows = 0, tallest = 1;
  float cell = 0;  ///< A side of it; 0: there is no room
  bool below = false;
};

Arrangement arrange(const Canvas& canvas, Rect box, const Recording& recording, float label, float gap) {
  Arrangement made;
  for (const SharedArray& array : recording.shared_arrays) {
    if (array.bytes == 0) continue;
    const Layout layout = layout_of(array);
    made.tiles.push_back({&array, layout, {}, {}});
    made.widest = std::max(made.widest, layout.columns);
    made.tallest = std::max(made.tallest, layout.rows);
    made.total_columns += layout.columns;
    made.total_rows += layout.rows;
  }
  const auto count = static_cast<float>(made.tiles.size());
  const float gaps = gap * std::max(count - 1, 0.0f);
  const float stacked =
      std::min(box.width / static_cast<float>(made.widest),
               (box.height - gaps - label * count) / static_cast<float>(std::max(1u, made.total_rows)));
  const float abreast = std::min((box.width - gaps) / static_cast<float>(std::max(1u, made.total_columns)),
                                 (box.height - label) / static_cast<float>(made.tallest));
  made.cell = std::max(0.0f, std::min(std::max(stacked, abreast), canvas.px(kLargestCell)));
  made.below = stacked >= abreast;
  return made;
}

std::vector<Tile> lay_out(const Canvas& canvas, Rect box, const Recording& recording,
                          const Recording* beside) {
  const float label = canvas.px(19), gap = canvas.px(12);
  Arrangement made = arrange(canvas, box, recording, label, gap);
  if (beside != nullptr && !beside->shared_arrays.empty())
    made.cell = std::min(made.cell, arrange(canvas, box, *beside, label, gap).cell);
  if (made.cell <= 0) return {};
  const auto count = static_cast<float>(made.tiles.size());
  const float height_used = made.below ? made.cell * static_cast<float>(made.total_rows) + label * count +
                                             gap * std::max(count - 1, 0.0f)
                                       : made.cell * static_cast<float>(made.tallest) + label;
  Rect rest = box;
  static_cast<void>(cut_top(rest, (box.height - height_used) / 2));
  for (Tile& tile : made.tiles) {
    const float width = made.cell * static_cast<float>(tile.layout.columns),
                height = made.cell * static_cast<float>(tile.layout.rows);
    Rect place = made.below ? cut_top(rest, label + height) : cut_left(rest, width);
    tile.label = cut_top(place, label);
    tile.grid = {place.x, place.y, width, height};
    static_cast<void>(made.below ? cut_top(rest, gap) : cut_left(rest, gap));
  }
  return std::move(made.tiles);
}

/// Every cell by where its value came from.
void draw_contents(Canvas& canvas, const Tile& tile, const Recording& recording,
                   const std::vector<analysis::SharedWord>& shared) {
  const Palette& palette = canvas.palette();
  HeatMap map{tile.grid, tile.layout.rows, tile.layout.columns, {}, {}, with_alpha(palette.line, 0.45f)};
  for (std::uint32_t b = 0; b < recording.buffers.size(); ++b)
    map.table.push_back(with_alpha(buffer_colour(palette, b), 0.38f));
  map.table.push_back(with_alpha(palette.muted, 0.38f));  // Computed
  const float last = static_cast<float>(std::max<std::size_t>(1, map.table.size() - 1));
  std::vector<float> values;
  for (std::uint32_t element = 0; element < tile.layout.rows * tile.layout.columns; ++element) {
    const std::uint64_t word = (tile.array->offset + std::uint64_t{element} * tile.layout.element_bytes) / 4;
    const bool inside = element * tile.layout.element_bytes < tile.array->bytes && word < shared.size();
    if (!inside || !shared[word].written) {
      values.push_back(std::numeric_limits<float>::quiet_NaN());
    } else {
      values.push_back(
          static_cast<float>(shared[word].from_global ? shared[word].source.buffer : map.table.size() - 1) /
          last);
    }
  }
  map.values = std::move(values);
  canvas.add(std::move(map));
  const float pitch = tile.grid.width / static_cast<float>(tile.layout.columns);
  if (pitch < canvas.px(5)) return;
  for (std::uint32_t column = 1; column < tile.layout.columns; ++column) {
    const float x = tile.grid.x + static_cast<float>(column) * pitch;
    canvas.line({x, tile.grid.y}, {x, tile.grid.bottom()}, with_alpha(palette.panel, 0.7f));
  }
  for (std::uint32_t row = 1; row < tile.layout.rows; ++row) {
    const float y = tile.grid.y + static_cast<float>(row) * pitch;
    canvas.line({tile.grid.x, y}, {tile.grid.right(), y}, with_alpha(palette.panel, 0.7f));
  }
}

/// Hatches elements whose copies are in flight in this phase, with the padding between them. Returns whether
/// there are any.
bool draw_in_flight(Canvas& canvas, const Tile& tile, const std::vector<analysis::SharedWord>& shared,
                    std::uint32_t phase) {
  const auto word_of = [&](std::uint32_t element) {
    const std::uint64_t word = (tile.array->offset + std::uint64_t{element} * tile.layout.element_bytes) / 4;
    return word < shared.size() ? shared[word] : analysis::SharedWord{};
  };
  bool any = false;
  for (std::uint32_t row = 0; row < tile.layout.rows; ++row) {
    const std::uint32_t first = row * tile.layout.columns, end = first + tile.layout.columns;
    std::optional<std::uint32_t> begin, last;  // Of a run in flight
    const auto finish = [&] {
      if (begin) canvas.hatch(united(tile.cell(*begin), tile.cell(*last)), canvas.palette().fill);
      any = any || begin;
      begin.reset();
    };
    for (std::uint32_t element = first; element < end; ++element) {
      const analysis::SharedWord word = word_of(element);
      if (word.written && word.landed > phase) {
        if (!begin) begin = element;
        last = element;
      } else if (word.written) {
        finish();
      }
    }
    finish();
  }
  return any;
}

/// By element, the lowest lane that accesses it in an event; -1: none does.
std::vector<int> accessing_lanes(const Tile& tile, const Moment& moment, std::optional<std::size_t> event) {
  std::vector<int> lanes(std::size_t{tile.layout.rows} * tile.layout.columns, -1);
  if (!event || moment.site_of(*event).space != Space::shared) return lanes;
  const Recording& recording = *moment.recording;
  const std::uint32_t count = std::max(1u, moment.site_of(*event).bytes / tile.layout.element_bytes);
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    if ((recording.events.mask[*event] >> lane & 1u) == 0) continue;
    const std::uint64_t address = lane_address(recording, *event, lane);
    if (address < tile.array->offset || address >= std::uint64_t{tile.array->offset} + tile.array->bytes)
      continue;
    const std::uint64_t first = (address - tile.array->offset) / tile.layout.element_bytes;
    for (std::uint64_t element = first; element < std::min<std::uint64_t>(first + count, lanes.size());
         ++element)
      lanes[element] = lane;
  }
  return lanes;
}

std::size_t digits_of(std::uint64_t number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

/// Draws, in every cell that no lane is in, which row and column its value is of, if there is room in all.
void draw_sources(Canvas& canvas, const Tile& tile, const std::vector<analysis::SharedWord>& shared,
                  const std::vector<int>& lanes) {
  const auto elements = tile.layout.rows * tile.layout.columns;
  const auto word_of = [&](std::uint32_t element) -> const analysis::SharedWord* {
    const std::uint64_t word = (tile.array->offset + std::uint64_t{element} * tile.layout.element_bytes) / 4;
    return word < shared.size() && shared[word].from_global ? &shared[word] : nullptr;
  };
  const auto name_of = [](const analysis::ElementPlace& source) {
    return fmt::format("{},{}", source.row, source.column);
  };
  std::size_t max_digits = 0;
  const analysis::SharedWord* longest = nullptr;
  for (std::uint32_t element = 0; element < elements; ++element) {
    const analysis::SharedWord* const word = word_of(element);
    if (word == nullptr) continue;
    const std::size_t digits = digits_of(word->source.row) + digits_of(word->source.column);
    if (digits > max_digits) longest = word;
    max_digits = std::max(max_digits, digits);
  }
  if (longest == nullptr) return;
  const std::string widest = name_of(longest->source);
  for (std::uint32_t element = 0; element < elements; ++element) {
    const analysis::SharedWord* const word = word_of(element);
    const Rect cell = inset(tile.cell(element), canvas.px(1.5f));
    const auto look = lane_number_look(canvas, canvas.palette().panel, cell, widest);
    if (!look) return;
    if (word == nullptr || lanes[element] >= 0) continue;
    canvas.fitted(cell, {name_of(word->source)},
                  {canvas.palette().text, look->size, Font::sans, Align::centre});
  }
}

/// The words of the current access in its lanes' colours, numbered where there is room, and a frame around
/// all of them.
void draw_accessed(Canvas& canvas, const Tile& tile, const std::vector<int>& lanes,
                   const Highlight& highlight) {
  std::optional<Rect> frame;
  for (std::uint32_t element = 0; element < lanes.size(); ++element) {
    const int lane = lanes[element];
    if (lane < 0) continue;
    const Rect cell = tile.cell(element);
    canvas.fill(cell, lane_colour(lane));
    if (const auto look = lane_number_look(canvas, lane_colour(lane), inset(cell, canvas.px(1))))
      canvas.fitted(cell, {std::to_string(lane)}, *look);
    if (highlight.lane == lane) canvas.outline(cell, canvas.palette().text, 2);
    frame = frame ? united(*frame, cell) : cell;
  }
  if (frame) canvas.outline(inset(*frame, -canvas.px(1)), canvas.palette().text, 1.5f, 1);
}

}  // namespace

void draw_shared_tiles(Canvas& canvas, Rect box, const Moment& moment,
                       const std::vector<analysis::SharedWord>& shared, std::optional<std::size_t> event,
                       const Highlight& highlight, const Recording* beside) {
  const Recording& recording = *moment.recording;
  for (const Tile& tile : lay_out(canvas, box, recording, beside)) {
    const Contents contents = contents_of(recording, *tile.array, shared);
    const std::string shape = shape_name(*tile.array, tile.layout), holds = contents.words;
    draw_contents(canvas, tile, recording, shared);
    const bool in_flight = draw_in_flight(canvas, tile, shared, moment.phase);
    const auto with_grey = [&](const std::string& words) {
      const std::string with =
          contents.others ? tr("{contents}; grey: other values", "contents"_a = words) : words;
      return in_flight ? tr("{contents}; hatched: in flight", "contents"_a = with) : with;
    };
    canvas.fitted(
        {tile.label.x, tile.label.y, std::max(tile.label.width, tile.grid.width), tile.label.height},
        {with_grey(tr("{array} holds {contents}", "array"_a = shape, "contents"_a = holds)),
         with_grey(tr("{array}: {contents}", "array"_a = tile.array->name, "contents"_a = holds)),
         with_grey(shape), with_grey(tile.array->name), tile.array->name},
        canvas.muted());
    const std::vector<int> lanes = accessing_lanes(tile, moment, event);
    draw_sources(canvas, tile, shared, lanes);
    // A row of narrow elements that does not end with a word's end cannot be pointed at word by word.
    const std::uint32_t row_bytes = tile.layout.columns * tile.layout.element_bytes;
    if (row_bytes % 4 == 0 && tile.array->offset % 4 == 0) {
      canvas.grid_region(
          tile.grid, tile.layout.rows, row_bytes / 4, {Target::Kind::shared_word, tile.array->offset / 4},
          tr("Word of {array}, which lies from shared address {address} on and holds {contents}",
             "array"_a = shape, "address"_a = shared_address_name(recording, tile.array->offset),
             "contents"_a = holds));
    }
    draw_accessed(canvas, tile, lanes, highlight);
    if (highlight.shared_word && *highlight.shared_word >= tile.array->offset / 4 &&
        *highlight.shared_word < (tile.array->offset + tile.array->bytes) / 4) {
      canvas.outline(tile.cell((*highlight.shared_word * 4 - tile.array->offset) / tile.layout.element_bytes),
                     canvas.palette().text, 2);
    }
  }
}

}  // namespace warplens::picture
