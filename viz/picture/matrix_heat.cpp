#include "viz/picture/matrix_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "viz/picture/canvas.h"
#include "viz/picture/lanes.h"
#include "viz/picture/matrix_map.h"

namespace warplens::picture {
namespace {

constexpr std::uint32_t kMostCells = 512;  // Rows or columns of a heat map; beyond it a cell stands for several elements
constexpr int kColours = 64;

/// The counts of one buffer, as the view shows them.
struct Heat {
  std::uint32_t buffer = 0;
  bool writes = false;
  std::uint32_t most = 0;
  bool even = false;  ///< Every element as often
  const analysis::ElementTable* counts = nullptr;
};

Heat heat_of(const Recording& recording, const analysis::ElementCounts& counts) {
  const bool writes = counts.max_reads == 0;
  const analysis::ElementTable& own = writes ? counts.writes : counts.reads;
  const std::uint32_t most = writes ? counts.max_writes : counts.max_reads;
  const Buffer& buffer = recording.buffers[counts.buffer];
  return {counts.buffer, writes, most, most == 0 || own.with(most) == buffer.rows * buffer.pitch, &own};
}

std::vector<Colour> table() {
  std::vector<Colour> colours;
  colours.reserve(kColours);
  for (int i = 0; i < kColours; ++i) colours.push_back(viridis(static_cast<float>(i) / (kColours - 1)));
  return colours;
}

HeatMap heat_map(const Canvas& canvas, Rect box, const Buffer& buffer, const Heat& heat) {
  HeatMap map{box,     std::min(buffer.rows, kMostCells),       static_cast<std::uint32_t>(std::min<std::uint64_t>(buffer.columns, kMostCells)), {},
              table(), with_alpha(canvas.palette().line, 0.45f)};
  map.values.assign(std::size_t{map.rows} * map.columns, std::numeric_limits<float>::quiet_NaN());
  heat.counts->for_each([&](std::uint64_t element, std::uint32_t count) {
    const std::uint64_t row = element / buffer.pitch, column = element % buffer.pitch;
    if (row >= buffer.rows || column >= buffer.columns) return;  // Padding between rows
    float& cell = map.values[row * map.rows / buffer.rows * map.columns + column * map.columns / buffer.columns];
    const float value = heat.most <= 1 ? 1.0f : static_cast<float>(count - 1) / static_cast<float>(heat.most - 1);
    if (std::isnan(cell) || value > cell) cell = value;
  });
  return map;
}

/// "[grey] 0   1 [bar] 64": the key to the colours, against the right end of `box`.
void draw_colour_key(Canvas& canvas, Rect box, const Heat& heat) {
  const TextLook look = canvas.muted(kSmallSize);
  const std::string most = with_thousands(heat.most);
  const float gap = canvas.px(6), square = canvas.px(9);
  const float digit = canvas.width_of("0", look), first = heat.most > 1 ? digit + gap : 0, last = canvas.width_of(most, look) + canvas.px(1);
  const float words = square + gap + digit + 2 * gap + first + gap + last;
  const float bar = heat.most > 1 ? std::clamp(box.width - words, 2 * square, canvas.px(56)) : square;
  const float width = words + bar;
  if (width > box.width) return;
  Rect place{box.right() - width, box.y, width, box.height};
  const auto level = [&](float extent) { return Rect{place.x, place.y + (place.height - square) / 2, extent, square}; };
  canvas.fill(level(square), canvas.palette().line);
  static_cast<void>(cut_left(place, square + gap));
  canvas.fitted(cut_left(place, digit), {"0"}, look);
  static_cast<void>(cut_left(place, 2 * gap));
  if (heat.most > 1) canvas.fitted(cut_left(place, first), {"1"}, look);
  HeatMap scale{level(bar), 1, kColours, {}, table(), canvas.palette().line};
  for (int i = 0; i < kColours; ++i) scale.values.push_back(heat.most > 1 ? static_cast<float>(i) / (kColours - 1) : 1.0f);
  canvas.add(std::move(scale));
  static_cast<void>(cut_left(place, bar + gap));
  canvas.fitted(place, {most}, look);
}

std::string heat_name(const Buffer& buffer, const Heat& heat) {
  if (heat.most == 0) return fmt::format("{}: not touched", buffer.name);
  const char* const verb = heat.writes ? "written" : "read";
  if (heat.most == 1) return fmt::format("{}: {} once{}", buffer.name, verb, heat.even ? "" : " at most");
  return fmt::format("{}: {} {}{}", buffer.name, verb, heat.even ? "" : "up to ", counted(heat.most, "time"));
}

/// One buffer in its slot: name and colour bar above, the map to scale below.
void draw_heat(Canvas& canvas, Rect slot, const Recording& recording, const Heat& heat, const Highlight& highlight) {
  const Buffer& buffer = recording.buffers[heat.buffer];
  const Rect bar = cut_bottom(slot, canvas.px(20));
  const Rect name = cut_top(slot, canvas.px(20));
  Rect box = slot;
  if (buffer.rows > 1) {
    const float scale = std::min(slot.width / static_cast<float>(buffer.columns), slot.height / static_cast<float>(buffer.rows));
    box.width = std::max(canvas.px(3), static_cast<float>(buffer.columns) * scale);
    box.height = std::max(canvas.px(3), static_cast<float>(buffer.rows) * scale);
  } else {
    box.height = std::min(box.height, canvas.px(26));
  }
  canvas.fitted(name, {heat_name(buffer, heat), buffer.name}, canvas.plain(kSmallSize + 1));
  canvas.add(heat_map(canvas, box, buffer, heat));
  canvas.grid_region(box, buffer.rows, buffer.columns, {Target::Kind::element, heat.buffer, 0, 0}, buffer.name);
  if (heat.most > 0) draw_colour_key(canvas, {box.x, box.bottom(), std::max(box.width, std::min(slot.width, canvas.px(150))), bar.height}, heat);
  if (highlight.element && highlight.element->buffer == heat.buffer && highlight.element->row < buffer.rows &&
      highlight.element->column < buffer.columns) {
    const Rect place = element_place(box, buffer, highlight.element->row, highlight.element->column, canvas.px(5));
    canvas.outline(place, canvas.palette().text, 2, 1);
  }
}

/// "All 64 blocks together read elements of A up to 8 times, of B up to 8 times".
std::string heat_sentence(const Recording& recording, const std::vector<Heat>& heats) {
  const std::size_t recorded = recording.event_blocks.size();
  std::string blocks = fmt::format("{} of {} blocks", recorded, with_thousands(recording.blocks_total));
  if (recorded == recording.blocks_total)
    blocks = recorded == 1 ? std::string("The only block") : fmt::format("All {} together", counted(recorded, "block"));
  std::string read;
  for (const Heat& heat : heats) {
    if (heat.writes || heat.most == 0) continue;
    const std::string& name = recording.buffers[heat.buffer].name;
    read += fmt::format("{} of {} up to {}", read.empty() ? " read elements" : ",", name, counted(heat.most, "time"));
  }
  if (read.empty()) return blocks + " read nothing from global memory";
  if (recorded == 1) read.replace(0, 5, " reads");
  return blocks + read;
}

}  // namespace

std::string history_in_words(const Recording& recording, const ElementAt& element) {
  constexpr std::size_t kMost = 100000;
  const Buffer& buffer = recording.buffers[element.buffer];
  const std::string name =
      buffer.rows <= 1 ? fmt::format("{}[{}]", buffer.name, element.column) : fmt::format("{}[{}][{}]", buffer.name, element.row, element.column);
  const auto touches = analysis::history(recording, element.buffer, element.row * buffer.pitch + element.column, kMost);
  if (touches.empty()) return name + ": not touched by the recorded blocks";
  std::set<std::uint32_t> blocks;
  std::set<std::pair<std::uint32_t, std::uint32_t>> warps;
  std::uint64_t reads = 0;
  for (const analysis::Touch& touch : touches) {
    const std::uint32_t block = recording.events.block[touch.event];
    blocks.insert(block);
    warps.insert({block, recording.events.warp[touch.event]});
    const AccessOp op = recording.sites[recording.events.site[touch.event]].op;
    if (op == AccessOp::load || op == AccessOp::cp_async || op == AccessOp::ldmatrix) ++reads;
  }
  const auto when = [&](const analysis::Touch& touch) {
    const Site& site = recording.sites[recording.events.site[touch.event]];
    return fmt::format("phase {}, line {}, lane {}", recording.events.phase[touch.event] + 1, site.line, touch.lane);
  };
  std::string what = reads > 0 ? "read " + counted(reads, "time") : std::string();
  if (touches.size() > reads) what += (what.empty() ? "" : ", ") + fmt::format("written {}", counted(touches.size() - reads, "time"));
  const char* more = touches.size() == kMost ? " or more" : "";
  const std::string last = touches.size() > 1 ? "; last: " + when(touches.back()) : std::string();
  return fmt::format("{}: {}{}, by {} of {}; first: {}{}", name, what, more, counted(warps.size(), "warp"), counted(blocks.size(), "block"),
                     when(touches.front()), last);
}

Picture make_matrix_heat(const Recording& recording, const std::vector<analysis::ElementCounts>& counts, const Highlight& highlight, Size size,
                         const Style& style) {
  if (recording.events.size() == 0) return no_events_picture("Matrix heat", size, style);
  if (!std::ranges::all_of(counts, &analysis::ElementCounts::complete)) {
    return empty_picture("Matrix heat", "The accesses are scattered over more elements than are counted.", "Record fewer blocks.", size, style);
  }
  std::vector<Heat> heats;
  for (const analysis::ElementCounts& one : counts) {
    if (recording.buffers[one.buffer].columns == 0) continue;
    heats.push_back(heat_of(recording, one));
  }
  if (heats.empty()) return empty_picture("Matrix heat", "This kernel has no buffers in global memory.", "Record one that has.", size, style);

  Canvas canvas(size, style);
  canvas.name("Matrix heat", fmt::format("{} · reads and writes by element", recording.kernel));
  Rect rest = canvas.inside();
  const bool chosen = highlight.element && highlight.element->buffer < recording.buffers.size();
  draw_sentence(canvas, rest, chosen ? history_in_words(recording, *highlight.element) : heat_sentence(recording, heats));
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  const float gap = canvas.px(22);
  const bool abreast = rest.width >= rest.height * 1.2f;
  const float count = static_cast<float>(heats.size());
  const Rect all = rest;
  for (const Heat& heat : heats) {
    const float width = (all.width - gap * (count - 1)) / count, height = (all.height - gap / 2 * (count - 1)) / count;
    const Rect slot = abreast ? cut_left(rest, width) : cut_top(rest, height);
    draw_heat(canvas, slot, recording, heat, highlight);
    static_cast<void>(abreast ? cut_left(rest, gap) : cut_top(rest, gap / 2));
  }
  return canvas.take();
}

}  // namespace warplens::picture
