#include <fmt/format.h>

#include <algorithm>

#include "viz/picture/occupancy_parts.h"

namespace warplens::picture {
namespace {

using analysis::Occupancy;
using analysis::OccupancyLimit;

constexpr float kRow = 19, kLargestRow = 34, kName = 104, kTakes = 132, kFigure = 108, kLeastBar = 60;

/// "8,192 of 65,536": what a block takes of what the SM has.
std::string takes_in_words(OccupancyLimit which, const Occupancy::Limit& limit) {
  const bool bytes = which == OccupancyLimit::shared && limit.of % 1024 == 0;
  if (which == OccupancyLimit::blocks) return fmt::format("{} places", limit.of);
  if (bytes) return fmt::format("{} B of {} KiB", with_thousands(limit.a_block), limit.of / 1024);
  return fmt::format("{} of {}", with_thousands(limit.a_block), with_thousands(limit.of));
}

std::string tooltip(OccupancyLimit which, const Occupancy::Limit& limit, const OccupancyScene& scene) {
  const analysis::LaunchNeeds& needs = scene.question.needs;
  switch (which) {
    case OccupancyLimit::threads:
      return fmt::format("A block has {} threads, which take the places of {}; an SM has places for {}.", with_thousands(needs.threads),
                         with_thousands(limit.a_block), with_thousands(limit.of));
    case OccupancyLimit::registers:
      if (!needs.registers) return scene.subject.registers_note(scene.question.cc);
      return fmt::format("{} registers a thread are {} a block, given out in portions; an SM has {}. {}", *needs.registers,
                         with_thousands(limit.a_block), with_thousands(limit.of),
                         scene.question.as_recorded ? "The " + scene.subject.registers_note(scene.question.cc) + "." : std::string());
    case OccupancyLimit::shared:
      return fmt::format("A block asks for {} bytes of shared memory and takes {}{}; an SM has at most {}.", with_thousands(needs.shared_bytes),
                         with_thousands(limit.a_block), scene.model.shared_bytes_reserved != 0 ? ", 1 KiB of them for the system" : "",
                         with_thousands(limit.of));
    case OccupancyLimit::blocks: break;
  }
  return fmt::format("An SM has places for {} blocks, whatever they take.", limit.of);
}

std::string figure_in_words(OccupancyLimit which, const Occupancy::Limit& limit) {
  if (limit.blocks) return counted(*limit.blocks, "block");
  return which == OccupancyLimit::registers ? "not known" : "none taken";
}

/// One piece a block, where they can be told apart.
void draw_pieces(Canvas& canvas, Rect bar, std::uint32_t blocks, std::uint32_t greatest, bool binds) {
  const Palette& palette = canvas.palette();
  const Colour colour = binds ? palette.costly : with_alpha(palette.accent, 0.75f);
  canvas.fill(bar, with_alpha(palette.line, 0.6f), 2);
  if (blocks == 0 || greatest == 0) return;
  const float step = bar.width / static_cast<float>(greatest);
  const Rect filled{bar.x, bar.y, step * static_cast<float>(blocks), bar.height};
  if (step < canvas.px(5)) {
    canvas.fill(filled, colour, 2);
  } else {
    const float gap = canvas.px(1);
    for (std::uint32_t i = 0; i < blocks; ++i) canvas.fill({bar.x + step * static_cast<float>(i), bar.y, step - gap, bar.height}, colour, 2);
  }
  if (binds) canvas.hatch(filled, with_alpha(palette.panel, 0.5f), 6);
}

}  // namespace

float limits_height(const Canvas& canvas, float height) {
  return std::clamp(height * 0.05f, canvas.px(kRow), canvas.px(kLargestRow)) * static_cast<float>(analysis::kOccupancyLimits.size());
}

void draw_limits(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  std::uint32_t greatest = 1;
  for (const Occupancy::Limit& limit : scene.found.limits) greatest = std::max(greatest, std::min(limit.blocks.value_or(0), scene.model.blocks));
  const float row_height = box.height / static_cast<float>(analysis::kOccupancyLimits.size());
  const bool with_takes = box.width >= canvas.px(kName + kTakes + kFigure + kLeastBar), with_bar = box.width >= canvas.px(kName + kFigure + 20);
  for (const OccupancyLimit which : analysis::kOccupancyLimits) {
    const Occupancy::Limit& limit = scene.found.limit(which);
    Rect row = cut_top(box, row_height);
    canvas.region(row, {}, tooltip(which, limit, scene));
    const Colour colour = limit.binds ? canvas.palette().costly : canvas.palette().text;
    const Rect name = cut_left(row, canvas.px(kName));
    canvas.fitted(name, {analysis::name_of(which), which == OccupancyLimit::shared ? "shared" : ""},
                  {colour, kBaseSize, limit.binds ? Font::sans_bold : Font::sans, Align::left});
    if (with_takes) canvas.fitted(cut_left(row, canvas.px(kTakes)), {takes_in_words(which, limit)}, canvas.muted());
    const std::string figure = figure_in_words(which, limit), said = limit.binds ? figure + ", binds" : figure;
    const Rect place = cut_right(row, std::min(canvas.px(kFigure), row.width));
    canvas.fitted(place, {said, figure}, {colour, kSmallSize + 1, limit.binds ? Font::sans_bold : Font::sans, Align::right});
    if (!with_bar) continue;
    static_cast<void>(cut_right(row, canvas.px(10)));
    Rect bar = inset(row, std::min(canvas.px(5), row.height / 4));
    bar.x = row.x;
    bar.width = row.width;
    if (limit.blocks) draw_pieces(canvas, bar, std::min(*limit.blocks, greatest), greatest, limit.binds);
  }
}

}  // namespace warplens::picture
