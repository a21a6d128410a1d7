#include "viz/picture/matrix_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_map.h"
#include "viz/picture/tile_phases/tiling.h"

namespace warplens::picture {
namespace {

constexpr float kLowSlot = 56, kMinNameSize = kSmallSize + 1, kLargestNameSize = 30;
constexpr int kColours = 64;

/// Has each drawn to the size of its like beside it, which is the buffer of the same name; returns the
/// greatest count of those.
std::uint64_t take_sizes(std::vector<ElementHeat>& heats, const Recording& recording,
                         const CountedElements& beside) {
  std::uint64_t greatest = 0;
  for (const ElementHeat& other : element_heats(beside)) {
    greatest = std::max(greatest, other.max);
    const Buffer& buffer = beside.recording.buffers[other.buffer];
    const auto same = std::ranges::find_if(
        heats, [&](const ElementHeat& heat) { return recording.buffers[heat.buffer].name == buffer.name; });
    if (same != heats.end()) same->beside = &buffer;
  }
  return greatest;
}

/// `greatest`: of all that is drawn, as the matrices of a picture are of one scale.
float heat_value(std::uint64_t count, std::uint64_t greatest) {
  return greatest <= 1 ? 1.0f : static_cast<float>(count - 1) / static_cast<float>(greatest - 1);
}

std::vector<Colour> table(const Palette& palette) {
  std::vector<Colour> colours;
  colours.reserve(kColours);
  for (int i = 0; i < kColours; ++i) {
    const float t = static_cast<float>(i) / (kColours - 1),
                faint = palette.dark ? 0 : std::max(0.0f, t - 0.7f) * 0.8f;  // Yellow on white
    colours.push_back(mixed(viridis(t), palette.text, faint));
  }
  return colours;
}

void raise(float& cell, float value) {
  if (std::isnan(cell) || value > cell) cell = value;
}

/// Runs of fewer than `least` cells along a line of `count` of them, `step` apart, grow to that many as far
/// as there is room.
void widen_runs(float* line, std::size_t count, std::size_t step, std::size_t min) {
  for (std::size_t begin = 0, end = 0; begin < count; begin = end + 1) {
    while (begin < count && std::isnan(line[begin * step])) ++begin;
    if (begin == count) return;
    for (end = begin; end < count && !std::isnan(line[end * step]);) ++end;
    for (; end < count && end - begin < min && std::isnan(line[end * step]); ++end)
      line[end * step] = line[(end - 1) * step];
    for (; begin > 0 && end - begin < min && std::isnan(line[(begin - 1) * step]); --begin)
      line[(begin - 1) * step] = line[begin * step];
  }
}

/// A cell for every element; of a matrix of more elements than pixels one a pixel, with the greatest of its
/// values.
HeatMap heat_map(const Canvas& canvas, Rect box, const Buffer& buffer, const ElementHeat& heat,
                 std::uint64_t greatest) {
  const auto cells = [](std::uint64_t elements, float pixels) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        {elements, kMaxHeatCells, static_cast<std::uint64_t>(std::max(1.0f, pixels))}));
  };
  HeatMap map{box, cells(buffer.rows, box.height), cells(buffer.columns, box.width),
              {},  table(canvas.palette()),        untouched_colour(canvas.palette())};
  std::vector<float> values(std::size_t{map.rows} * map.columns, std::numeric_limits<float>::quiet_NaN());
  const std::uint64_t rows = heat.cells != nullptr ? heat.cells->rows : buffer.rows;
  const std::uint64_t columns = heat.cells != nullptr ? heat.cells->columns : buffer.columns;
  for_each_element(buffer, heat, [&](std::uint64_t row, std::uint64_t column, std::uint64_t count) {
    raise(values[row * map.rows / rows * map.columns + column * map.columns / columns],
          heat_value(count, greatest));
  });
  const auto min = [&](float pixels, std::uint32_t count) {
    return static_cast<std::size_t>(std::ceil(canvas.px(3) * static_cast<float>(count) / pixels));
  };
  if (map.columns < buffer.columns) {
    for (std::size_t row = 0; row < map.rows; ++row) {
      widen_runs(&values[row * map.columns], map.columns, 1, min(box.width, map.columns));
    }
  }
  if (map.rows < buffer.rows) {
    for (std::size_t column = 0; column < map.columns; ++column) {
      widen_runs(&values[column], map.rows, map.columns, min(box.height, map.rows));
    }
  }
  map.values = std::move(values);
  return map;
}

/// "times read or written: [grey] 0   1 [bar] 64", the key to all colours of the picture; the words where
/// there is room.
void draw_colour_key(Canvas& canvas, Rect box, float size, std::uint64_t greatest, std::string_view meaning) {
  const TextLook look = canvas.muted(size);
  const std::string max = with_thousands(greatest);
  const float gap = canvas.px(6), square = canvas.px(size * 0.82f);
  const float digit = canvas.width_of("0", look), first = greatest > 1 ? digit + gap : 0,
              last = canvas.width_of(max, look) + canvas.px(1);
  const float words = square + gap + digit + 2 * gap + first + gap + last;
  const float bar = greatest > 1 ? std::clamp(box.width - words, 2 * square, canvas.px(size * 11)) : square;
  const float width = words + bar;
  if (width > box.width) return;
  const TextLook said = look;
  const float room = canvas.width_of(meaning, said) + 2 * gap;
  if (width + room <= box.width) canvas.fitted(cut_left(box, room), {meaning}, said);
  Rect place{box.x, box.y, width, box.height};
  const auto level = [&](float extent) {
    return Rect{place.x, place.y + (place.height - square) / 2, extent, square};
  };
  canvas.fill(level(square), untouched_colour(canvas.palette()));
  static_cast<void>(cut_left(place, square + gap));
  canvas.fitted(cut_left(place, digit), {"0"}, look);
  static_cast<void>(cut_left(place, 2 * gap));
  if (greatest > 1) canvas.fitted(cut_left(place, first), {"1"}, look);
  HeatMap scale{level(bar), 1, kColours, {}, table(canvas.palette()), canvas.palette().line};
  std::vector<float> values;
  for (int i = 0; i < kColours; ++i)
    values.push_back(greatest > 1 ? static_cast<float>(i) / (kColours - 1) : 1.0f);
  scale.values = std::move(values);
  canvas.add(std::move(scale));
  static_cast<void>(cut_left(place, bar + gap));
  canvas.fitted(place, {max}, look);
}

std::string heat_name(const Buffer& buffer, const ElementHeat& heat) {
  if (heat.max == 0) return tr("{buffer}: not touched", "buffer"_a = buffer.name);
  if (heat.writes) {
    return heat.even ? tr_n(heat.max, "{buffer}: written once", "{buffer}: written {n} times",
                            "buffer"_a = buffer.name)
                     : tr_n(heat.max, "{buffer}: written once at most", "{buffer}: written up to {n} times",
                            "buffer"_a = buffer.name);
  }
  return heat.even
             ? tr_n(heat.max, "{buffer}: read once", "{buffer}: read {n} times", "buffer"_a = buffer.name)
             : tr_n(heat.max, "{buffer}: read once at most", "{buffer}: read up to {n} times",
                    "buffer"_a = buffer.name);
}

/// Draws the count in every cell, if there is room in all.
void draw_counts(Canvas& canvas, Rect box, const Buffer& buffer, const ElementHeat& heat,
                 const HeatMap& map) {
  if (map.rows != buffer.rows || map.columns != buffer.columns) return;
  const std::string widest = with_thousands(heat.max);
  const float width = box.width / static_cast<float>(map.columns),
              height = box.height / static_cast<float>(map.rows);
  if (!lane_number_look(canvas, canvas.palette().panel,
                        inset({0, 0, width, height}, canvas.px(3), canvas.px(1)), widest))
    return;
  for_each_element(buffer, heat, [&](std::uint64_t row, std::uint64_t column, std::uint64_t count) {
    const Rect cell{box.x + static_cast<float>(column) * width, box.y + static_cast<float>(row) * height,
                    width, height};
    const Colour ground = heat_colour(map, map.values[row * map.columns + column]);
    if (const auto look = lane_number_look(canvas, ground, inset(cell, canvas.px(3), canvas.px(1)), widest))
      canvas.fitted(cell, {with_thousands(count)}, *look);
  });
}

/// The height of a row of texts of a size.
float name_row(const Canvas& canvas, float size) {
  return canvas.px(size * 1.67f);
}

/// Returns the size of the names above all maps: they grow with the slots, as far as the longest has room.
float name_size(const Canvas& canvas, Size slot, const Recording& recording,
                const std::vector<ElementHeat>& heats) {
  const float wanted = std::min(slot.width * 0.045f, slot.height * 0.06f) / canvas.px(1);
  float size = std::clamp(wanted, kMinNameSize, kLargestNameSize);
  for (const ElementHeat& heat : heats) {
    const float width = canvas.width_of(heat_name(recording.buffers[heat.buffer], heat), canvas.plain(1));
    size = std::clamp(slot.width / std::max(width, 1.0f), kMinNameSize, size);
  }
  return size;
}

/// Returns the height of the tallest of matrices beside each other in slots of a width, with its name, which
/// takes `name`.
float tallest_of(const Recording& recording, const std::vector<ElementHeat>& heats, float width, float name,
                 float max) {
  float tallest = 0;
  for (const ElementHeat& heat : heats) {
    const Buffer& buffer = recording.buffers[heat.buffer];
    const float scale =
        std::min(width / static_cast<float>(buffer.columns), (max - name) / static_cast<float>(buffer.rows));
    tallest = std::max(tallest, buffer.rows > 1 ? static_cast<float>(buffer.rows) * scale : max);
  }
  return std::min(tallest + name, max);
}

/// One buffer in its slot: the name above its map to scale. Where it is low, a single row's name stands
/// beside it.
void draw_heat(Canvas& canvas, Rect slot, float text_size, const Recording& recording,
               const ElementHeat& heat, std::uint64_t greatest, std::pair<std::uint64_t, std::uint64_t> tile,
               const Highlight& highlight) {
  const Buffer& buffer = recording.buffers[heat.buffer];
  const bool low = slot.height < canvas.px(kLowSlot);
  const Rect name = low && buffer.rows == 1 ? cut_left(slot, std::min(canvas.px(130), slot.width * 0.3f))
                                            : cut_top(slot, name_row(canvas, text_size));
  Rect box = slot;
  if (buffer.rows > 1) {
    float scale = std::min(slot.width / static_cast<float>(buffer.columns),
                           slot.height / static_cast<float>(buffer.rows));
    if (heat.beside != nullptr && heat.beside->rows > 1)
      scale = std::min({scale, slot.width / static_cast<float>(heat.beside->columns),
                        slot.height / static_cast<float>(heat.beside->rows)});
    box.width = std::max(canvas.px(3), static_cast<float>(buffer.columns) * scale);
    box.height = std::max(canvas.px(3), static_cast<float>(buffer.rows) * scale);
  } else {
    if (heat.beside != nullptr && heat.beside->columns > buffer.columns)
      box.width *= static_cast<float>(buffer.columns) / static_cast<float>(heat.beside->columns);
    box.height = low ? std::max(slot.height - canvas.px(3), 0.0f)
                     : std::min(box.height, std::max(canvas.px(26), box.height * 0.8f));
  }
  canvas.fitted(name, {heat_name(buffer, heat), buffer.name}, canvas.plain(text_size));
  const HeatMap map = heat_map(canvas, box, buffer, heat, greatest);
  canvas.add(map);
  draw_tile_lines(canvas, box, buffer, tile.first, tile.second);
  draw_counts(canvas, box, buffer, heat, map);
  canvas.grid_region(box, buffer.rows, buffer.columns, {Target::Kind::element, heat.buffer, 0, 0},
                     buffer.name);
  if (highlight.element && highlight.element->buffer == heat.buffer && highlight.element->row < buffer.rows &&
      highlight.element->column < buffer.columns) {
    const Rect place =
        element_place(box, buffer, highlight.element->row, highlight.element->column, canvas.px(5));
    canvas.outline(place, canvas.palette().text, 2, 1);
  }
}

/// "every element of A 8 times, of B up to 16 times"; empty if none are read.
std::string elements_read(const Recording& recording, const std::vector<ElementHeat>& heats) {
  std::string elements;
  for (const ElementHeat& heat : heats) {
    if (heat.writes || heat.max == 0) continue;
    // Translators: how often the elements of a matrix are read; "All 64 blocks together read elements of A
    // {times}, of B {times}"
    const std::string times =
        heat.even ? tr_n(heat.max, "once", "{n} times") : tr_n(heat.max, "at most once", "up to {n} times");
    const std::string& name = recording.buffers[heat.buffer].name;
    if (!elements.empty()) {
      elements = tr("{elements}, of {buffer} {times}", "elements"_a = elements, "buffer"_a = name,
                    "times"_a = times);
    } else {
      elements = heat.even ? tr("every element of {buffer} {times}", "buffer"_a = name, "times"_a = times)
                           : tr("elements of {buffer} {times}", "buffer"_a = name, "times"_a = times);
    }
  }
  return elements;
}

/// "All 64 blocks together read elements of A up to 8 times, of B up to 8 times".
std::string heat_sentence(const Recording& recording, const std::vector<ElementHeat>& heats,
                          std::uint64_t recorded) {
  const std::string elements = elements_read(recording, heats),
                    total = with_thousands(recording.blocks_total);
  const bool all = recorded == recording.blocks_total;
  if (elements.empty()) {
    return all ? tr_n(recorded, "The only block reads nothing from global memory",
                      "All {n} blocks together read nothing from global memory")
               : tr_n(recorded, "{n} of {total} blocks reads nothing from global memory",
                      "{n} of {total} blocks read nothing from global memory", "total"_a = total);
  }
  return all ? tr_n(recorded, "The only block reads {elements}", "All {n} blocks together read {elements}",
                    "elements"_a = elements)
             : tr_n(recorded, "{n} of {total} blocks reads {elements}",
                    "{n} of {total} blocks read {elements}", "total"_a = total, "elements"_a = elements);
}

/// "read 64 times, written 2 times".
std::string touches_in_words(std::uint64_t reads, std::uint64_t writes) {
  std::string read = tr_n(reads, "read once", "read {n} times"),
              written = tr_n(writes, "written once", "written {n} times");
  if (writes == 0) return read;
  return reads == 0 ? written : tr("{read}, {written}", "read"_a = read, "written"_a = written);
}

}  // namespace

std::string history_in_words(const Recording& recording, const ElementAt& element) {
  constexpr std::size_t kMax = 100000;
  const Buffer& buffer = recording.buffers[element.buffer];
  const std::string name = buffer.rows <= 1
                               ? fmt::format("{}[{}]", buffer.name, element.column)
                               : fmt::format("{}[{}][{}]", buffer.name, element.row, element.column);
  const auto touches =
      analysis::history(recording, element.buffer, element.row * buffer.pitch + element.column, kMax);
  if (touches.empty()) return tr("{element}: not touched by the recorded blocks", "element"_a = name);
  std::set<std::uint32_t> blocks;
  std::set<std::pair<std::uint32_t, std::uint32_t>> warps;
  std::uint64_t reads = 0;
  for (const analysis::Touch& touch : touches) {
    const std::uint32_t block = recording.events.block[touch.event];
    blocks.insert(block);
    warps.insert({block, recording.events.warp[touch.event]});
    const AccessOp op = recording.sites[recording.events.site[touch.event]].op;
    if (!writes(op, Space::global)) ++reads;
  }
  const auto when = [&](const analysis::Touch& touch) {
    const Site& site = recording.sites[recording.events.site[touch.event]];
    return tr("{phase}, line {line}, lane {lane}",
              "phase"_a = phase_name(recording, recording.events.phase[touch.event]), "line"_a = site.line,
              "lane"_a = touch.lane);
  };
  const std::string what = touches_in_words(reads, touches.size() - reads), first = when(touches.front()),
                    last = when(touches.back());
  const std::string by_warps = tr_n(warps.size(), "{n} warp", "{n} warps"),
                    of_blocks = tr_n(blocks.size(), "{n} block", "{n} blocks");
  if (touches.size() == 1) {
    return tr("{element}: {touches}, by {warps} of {blocks}; first: {first}", "element"_a = name,
              "touches"_a = what, "warps"_a = by_warps, "blocks"_a = of_blocks, "first"_a = first);
  }
  if (touches.size() == kMax) {
    return tr("{element}: {touches} or more, by {warps} of {blocks}; first: {first}; last: {last}",
              "element"_a = name, "touches"_a = what, "warps"_a = by_warps, "blocks"_a = of_blocks,
              "first"_a = first, "last"_a = last);
  }
  return tr("{element}: {touches}, by {warps} of {blocks}; first: {first}; last: {last}", "element"_a = name,
            "touches"_a = what, "warps"_a = by_warps, "blocks"_a = of_blocks, "first"_a = first,
            "last"_a = last);
}

std::string touches_in_words(const Recording& recording, const analysis::GridCounts& counts,
                             const ElementAt& element) {
  using Access = analysis::GridCounts::Access;
  const std::uint64_t place = element.row * recording.buffers[element.buffer].pitch + element.column;
  const std::string touches = touches_in_words(counts.count(element.buffer, Access::read, place),
                                               counts.count(element.buffer, Access::write, place));
  if (counts.blocks() == recording.blocks_total) {
    return tr_n(counts.blocks(), "By the only block: {touches}", "By all {n} blocks: {touches}",
                "touches"_a = touches);
  }
  return tr_n(counts.blocks(), "By {n} of {total} blocks: {touches}", "By {n} of {total} blocks: {touches}",
              "total"_a = with_thousands(recording.blocks_total), "touches"_a = touches);
}

Picture make_matrix_heat(const CountedElements& counted, const Highlight& highlight, Size size,
                         const Style& style, const CountedElements* beside) {
  const Recording& recording = counted.recording;
  const std::vector<analysis::ElementCounts>& counts = counted.counts;
  const analysis::GridCounts* const of_grid = counted.of_grid;
  if (recording.events.size() == 0) return no_events_picture(tr("Matrix heat"), size, style);
  if (of_grid == nullptr && !std::ranges::all_of(counts, &analysis::ElementCounts::complete)) {
    return empty_picture(tr("Matrix heat"),
                         tr("The accesses are scattered over more elements than are counted."),
                         tr("Record fewer blocks."), size, style);
  }
  std::vector<ElementHeat> heats = element_heats(counted);
  const std::uint64_t greatest_beside = beside != nullptr ? take_sizes(heats, recording, *beside) : 0;
  if (heats.empty())
    return empty_picture(tr("Matrix heat"), tr("This kernel has no buffers in global memory."),
                         tr("Record one that has."), size, style);

  const std::optional<Product> product = product_of(recording);
  const Tiling tiling = product ? tiling_of(recording, *product, analysis::phase_kinds(recording)) : Tiling();
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Matrix heat"), tr("{kernel} · reads and writes by element", "kernel"_a = recording.kernel));
  Rect rest = canvas.inside();
  const bool chosen = highlight.element && highlight.element->buffer < recording.buffers.size();
  std::string sentence =
      chosen ? history_in_words(recording, *highlight.element)
             : heat_sentence(recording, heats,
                             of_grid != nullptr ? of_grid->blocks() : recording.event_blocks.size());
  if (chosen && of_grid != nullptr) {
    sentence = tr("{by_all_blocks}. By those drawn: {history}",
                  "by_all_blocks"_a = touches_in_words(recording, *of_grid, *highlight.element),
                  "history"_a = sentence);
  }
  draw_sentence(canvas, rest, sentence);
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  const float gap = canvas.px(22);
  const bool matrices = std::ranges::any_of(
      heats, [&](const ElementHeat& heat) { return recording.buffers[heat.buffer].rows > 1; });
  const bool abreast = matrices && rest.width >= rest.height * 1.2f;
  const float count = static_cast<float>(heats.size());
  const std::uint64_t greatest =
      std::max(std::ranges::max(heats, {}, &ElementHeat::max).max, greatest_beside);
  const auto slot_of = [&](const Rect& room) {
    return abreast ? Size{(room.width - gap * (count - 1)) / count, room.height}
                   : Size{room.width, (room.height - gap / 2 * (count - 1)) / count};
  };
  const float names = name_size(canvas, slot_of(rest), recording, heats);
  if (slot_of(rest).height >= canvas.px(kLowSlot) && greatest > 0) {
    // Beside each other matrices may leave room below them: the key follows them, and both stand in the
    // middle.
    const float key_size = std::max(kSmallSize, names * 0.75f), key = canvas.px(key_size + 9),
                max = rest.height - key;
    const float tallest =
        abreast ? tallest_of(recording, heats, slot_of(rest).width, name_row(canvas, names), max) : max;
    static_cast<void>(cut_top(rest, (max - tallest) / 2));
    static_cast<void>(cut_bottom(rest, (max - tallest) / 2));
    draw_colour_key(canvas, cut_bottom(rest, key), key_size, greatest,
                    tr("times an element is read or written:"));
  }
  const auto [width, height] = slot_of(rest);
  for (const ElementHeat& heat : heats) {
    const Rect slot = abreast ? cut_left(rest, width) : cut_top(rest, height);
    draw_heat(canvas, slot, names, recording, heat, greatest, tile_of_buffer(heat.buffer, product, tiling),
              highlight);
    static_cast<void>(abreast ? cut_left(rest, gap) : cut_top(rest, gap / 2));
  }
  return canvas.take();
}

}  // namespace warplens::picture
