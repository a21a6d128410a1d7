#include <algorithm>
#include <cmath>

#include "kernels/base/texts.h"
#include "viz/picture/lanes.h"
#include "viz/picture/occupancy_parts.h"

namespace warplens::picture {
namespace {

using analysis::Occupancy;
using analysis::OccupancyLimit;

constexpr float kLabel = 18, kStrip = 20, kLargestStrip = 40, kWave = 16, kLargestWave = 54, kStripName = 104,
                kMinSlots = 24, kLargestSlot = 40, kSlotByWidth = 0.6f;

/// Places of warps, row by row, as many in a row as make the cells most nearly square.
std::uint32_t columns_of(std::uint32_t warps, Rect box) {
  std::uint32_t best = warps;
  float nearest = 1e9f;
  for (std::uint32_t columns = 1; columns <= warps; ++columns) {
    if (warps % columns != 0 || warps / columns > 8) continue;
    const float cell_width = box.width / static_cast<float>(columns),
                cell_height = box.height * static_cast<float>(columns) / static_cast<float>(warps);
    const float off = std::abs(std::log(std::max(cell_width, 1e-3f) / std::max(2 * cell_height, 1e-3f)));
    if (off < nearest) {
      nearest = off;
      best = columns;
    }
  }
  return best;
}

void draw_slot(Canvas& canvas, Rect cell, std::uint32_t slot, const OccupancyScene& scene) {
  const Palette& palette = canvas.palette();
  const std::uint32_t warps = (scene.question.needs.threads + 31) / 32;
  const std::uint32_t taken =
      std::max(warps, (warps + scene.model.warp_unit - 1) / scene.model.warp_unit * scene.model.warp_unit);
  const std::uint32_t block = slot / taken;
  const Rect inner = inset(cell, std::min(canvas.px(1), cell.width / 6));
  if (block >= scene.found.blocks) {
    canvas.outline(inner, palette.line, 1, 2);
    return;
  }
  if (slot % taken >= warps) {  // rounded up: the place is taken by nobody
    canvas.outline(inner, palette.line, 1, 2);
    canvas.hatch(inner, palette.muted, 5);
    return;
  }
  const Colour colour = block_colour(palette, block);
  canvas.fill(inner, colour, 2);
  const Colour text = readable_on({palette.accent.r, palette.accent.g, palette.accent.b, 255});
  const bool full = block % 2 == 0;
  auto look = lane_number_look(canvas, colour, inner);
  if (!look) return;
  look->colour = full ? text : palette.text;
  canvas.fitted(inner, {std::to_string(block + 1)}, *look);
}

/// Returns where they end.
float draw_slots(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  const std::uint32_t warps = scene.model.warps, columns = columns_of(scene.most_warps, box),
                      rows = scene.most_warps / columns;
  const float width = box.width / static_cast<float>(columns);
  const float height = std::min(box.height / static_cast<float>(rows),
                                std::max(canvas.px(kLargestSlot), width * kSlotByWidth));
  for (std::uint32_t slot = 0; slot < warps; ++slot) {
    const std::uint32_t column = slot % columns, row = slot / columns;
    draw_slot(
        canvas,
        {box.x + width * static_cast<float>(column), box.y + height * static_cast<float>(row), width, height},
        slot, scene);
  }
  canvas.region(
      {box.x, box.y, box.width, height * static_cast<float>(rows)}, {},
      tr("Each cell is a place for a warp, with the number of the block that takes it: {blocks} of {warps}.",
         "blocks"_a = tr_n(scene.found.blocks, "{n} block", "{n} blocks"),
         "warps"_a = tr_n((scene.question.needs.threads + 31) / 32, "{n} warp", "{n} warps")));
  return box.y + height * static_cast<float>(rows);
}

/// One resource of the SM as a strip, a piece for each block's share.
void draw_resource(Canvas& canvas, Rect row, OccupancyLimit which, const OccupancyScene& scene) {
  const Palette& palette = canvas.palette();
  const Occupancy::Limit& limit = scene.found.limit(which);
  if (row.height < canvas.px(kStrip) - 1) return;
  const bool known = limit.blocks.has_value();
  const double share =
      known && limit.of != 0 ? static_cast<double>(limit.a_block) / static_cast<double>(limit.of) : 0;
  const std::string used =
      known ? tr("{share} taken", "share"_a = analysis::percent(share * scene.found.blocks))
      : which == OccupancyLimit::registers ? tr("not known")
                                           : tr("none taken");
  const TextLook figure = canvas.muted(kSmallSize, Align::right);
  canvas.fitted(cut_left(row, std::min(canvas.px(kStripName), row.width)),
                {analysis::name_of(which), which == OccupancyLimit::shared ? tr("shared") : ""},
                canvas.muted());
  canvas.fitted(cut_right(row, std::min(std::max(canvas.px(90), canvas.width_of(used, figure) + canvas.px(1)),
                                        row.width)),
                {used}, figure);
  static_cast<void>(cut_right(row, canvas.px(10)));
  const Rect bar{row.x, row.y + canvas.px(4), row.width, row.height - canvas.px(8)};
  canvas.fill(bar, with_alpha(palette.line, 0.6f), 2);
  const float step = bar.width * static_cast<float>(share);
  for (std::uint32_t block = 0; block < scene.found.blocks && step > 0; ++block) {
    canvas.fill({bar.x + step * static_cast<float>(block), bar.y, std::max(step - canvas.px(1), step / 2),
                 bar.height},
                block_colour(palette, block));
  }
}

/// SMs with one block more than the others come first: blocks are drawn as if dealt out evenly.
void draw_wave(Canvas& canvas, Rect bar, std::uint64_t blocks, const OccupancyScene& scene) {
  const Palette& palette = canvas.palette();
  const std::uint32_t sms = scene.model.multiprocessors;
  const std::uint64_t each = blocks / sms, more = blocks % sms;
  const float step = bar.width / static_cast<float>(sms);
  canvas.fill(bar, with_alpha(palette.line, 0.6f));
  const auto part = [&](float from, float to, std::uint64_t held) {
    const float height =
        bar.height * static_cast<float>(held) / static_cast<float>(std::max(1u, scene.found.blocks));
    if (held != 0 && to > from)
      canvas.fill({bar.x + from * step, bar.bottom() - height, (to - from) * step, height}, palette.accent);
  };
  part(0, static_cast<float>(more), each + 1);
  part(static_cast<float>(more), static_cast<float>(sms), each);
  if (step < canvas.px(3)) return;
  for (std::uint32_t sm = 1; sm < sms; ++sm) {
    const float x = bar.x + step * static_cast<float>(sm);
    canvas.line({x, bar.y}, {x, bar.bottom()}, palette.panel);
  }
}

}  // namespace

float draw_multiprocessor(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  if (box.height < canvas.px(kLabel + kMinSlots)) return box.y;
  canvas.fitted(cut_top(box, canvas.px(kLabel)),
                {tr_n(scene.model.warps, "An SM: {n} place for warps, numbered by the block that takes it",
                      "An SM: {n} places for warps, numbered by the block that takes them"),
                 tr_n(scene.model.warps, "An SM's {n} place for warps, by block",
                      "An SM's {n} places for warps, by block"),
                 tr("An SM's places for warps")},
                canvas.muted());
  const float strip = std::clamp(box.height * 0.06f, canvas.px(kStrip), canvas.px(kLargestStrip)),
              strips = 2 * strip + canvas.px(4);
  const bool with_strips = box.height >= strips + canvas.px(2 * kMinSlots);
  if (with_strips) box.height -= strips;
  const float end = draw_slots(canvas, box, scene);
  if (!with_strips) return end;
  draw_resource(canvas, {box.x, end + canvas.px(4), box.width, strip}, OccupancyLimit::registers, scene);
  draw_resource(canvas, {box.x, end + canvas.px(4) + strip, box.width, strip}, OccupancyLimit::shared, scene);
  return end + strips;
}

void draw_places(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  constexpr float kLowest = 6;
  if (box.height >= canvas.px(kLowest)) draw_slots(canvas, box, scene);
}

float waves_height(const Canvas& canvas, const OccupancyScene& scene, float height) {
  const float row = std::clamp(height * 0.055f, canvas.px(kWave + 4), canvas.px(kLargestWave + 4));
  return canvas.px(kLabel) + row * (scene.found.waves > 1 ? 2.0f : 1.0f);
}

void draw_waves(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  const Occupancy& found = scene.found;
  const float rows = found.waves > 1 ? 2 : 1;
  if (found.waves == 0 || box.height < canvas.px(kWave) * rows) return;
  const bool titled = box.height >= waves_height(canvas, scene, 0) - 1;
  const std::string sms = tr_n(scene.model.multiprocessors, "{n} SM ({card})", "{n} SMs ({card})",
                               "card"_a = tr(scene.model.card));
  const std::string waves = tr_n(found.waves, "{n} wave", "{n} waves");
  if (titled) {
    const std::string blocks = tr_n(scene.question.needs.blocks, "{n} block", "{n} blocks");
    canvas.fitted(cut_top(box, canvas.px(kLabel)),
                  {tr("{blocks} in {waves} over {sms}: a column an SM, as high as it is full",
                      "blocks"_a = blocks, "waves"_a = waves, "sms"_a = sms),
                   tr("{waves} over {sms}", "waves"_a = waves, "sms"_a = sms), waves},
                  canvas.muted());
  }
  const float height = std::min(box.height / rows, canvas.px(kLargestWave + 4));
  const std::string full =
      found.waves > 1 ? tr_n(found.waves - 1, "wave {n}", "waves 1 to {n}") : std::string();
  const std::string last = tr("wave {number}", "number"_a = with_thousands(found.waves));
  const float names = std::max({canvas.px(kStripName), canvas.width_of(full, canvas.muted()) + canvas.px(6),
                                canvas.width_of(last, canvas.muted())});
  const std::string all = with_thousands(found.blocks_a_wave);
  const auto in_blocks = [&](const std::string& blocks) {
    return tr_n(found.blocks_a_wave, "{held} of {n} block", "{held} of {n} blocks", "held"_a = blocks);
  };
  const float figures = std::clamp(canvas.width_of(in_blocks(all), canvas.muted()), canvas.px(110),
                                   std::max(canvas.px(110), box.width * 0.3f));
  const auto row = [&](const std::string& name, std::uint64_t held) {
    Rect line = cut_top(box, height);
    canvas.fitted(cut_left(line, std::min(names, line.width)), {name}, canvas.muted());
    const std::string blocks = with_thousands(held);
    canvas.fitted(cut_right(line, std::min(figures, line.width)),
                  {in_blocks(blocks), tr("{taken} of {all}", "taken"_a = blocks, "all"_a = all)},
                  canvas.muted(kSmallSize, Align::right));
    static_cast<void>(cut_right(line, canvas.px(10)));
    if (line.width < canvas.px(20)) return;
    const Rect bar{line.x, line.y + canvas.px(2), line.width, line.height - canvas.px(4)};
    draw_wave(canvas, bar, held, scene);
    canvas.region(bar, {},
                  tr_n(held,
                       "{wave}: {n} block of the {all} that {sms} hold. Blocks are taken to last equally "
                       "long and drawn as if dealt out evenly; a GPU "
                       "gives an SM its next block as soon as one ends.",
                       "{wave}: {n} blocks of the {all} that {sms} hold. Blocks are taken to last equally "
                       "long and drawn as if dealt out evenly; a GPU "
                       "gives an SM its next block as soon as one ends.",
                       "wave"_a = name, "all"_a = all, "sms"_a = sms));
  };
  if (found.waves > 1) row(full, found.blocks_a_wave);
  row(last, found.blocks_in_last_wave);
}

}  // namespace warplens::picture
