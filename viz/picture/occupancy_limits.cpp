#include <algorithm>

#include "kernels/base/texts.h"
#include "viz/picture/occupancy_parts.h"

namespace warplens::picture {
namespace {

using analysis::Occupancy;
using analysis::OccupancyLimit;

constexpr float kLimitRow = 19, kLargestLimitRow = 54, kName = 104, kTakes = 132, kFigure = 108, kMinBar = 60,
                kLargestLimitText = 20;

/// "8,192 of 65,536": what a block takes of what the SM has.
std::string takes_in_words(OccupancyLimit which, const Occupancy::Limit& limit) {
  const bool bytes = which == OccupancyLimit::shared && limit.of % 1024 == 0;
  if (which == OccupancyLimit::blocks) return tr_n(limit.of, "{n} place", "{n} places");
  if (which == OccupancyLimit::registers && !limit.blocks) return {};  // Not known
  if (bytes)
    return tr("{taken} B of {all} KiB", "taken"_a = with_thousands(limit.a_block), "all"_a = limit.of / 1024);
  return tr("{taken} of {all}", "taken"_a = with_thousands(limit.a_block),
            "all"_a = with_thousands(limit.of));
}

std::string registers_in_words(const Occupancy::Limit& limit, const OccupancyScene& scene) {
  const std::optional<std::uint32_t>& registers = scene.question.needs.registers;
  if (!registers) return scene.subject.registers_note(scene.question.cc);
  std::string taken = tr_n(
      *registers, "{n} register per thread is {a_block} a block, given out in portions; an SM has {all}.",
      "{n} registers per thread are {a_block} a block, given out in portions; an SM has {all}.",
      "a_block"_a = with_thousands(limit.a_block), "all"_a = with_thousands(limit.of));
  if (!scene.question.as_recorded) return taken;
  return tr("{first_sentence} {second_sentence}", "first_sentence"_a = taken,
            "second_sentence"_a = scene.subject.registers_sentence(scene.question.cc));
}

std::string shared_in_words(const Occupancy::Limit& limit, const OccupancyScene& scene) {
  const std::uint32_t asked = scene.question.needs.shared_bytes;
  const std::string taken = with_thousands(limit.a_block), all = with_thousands(limit.of);
  if (scene.model.shared_bytes_reserved == 0) {
    return tr_n(asked,
                "A block asks for {n} byte of shared memory and takes {taken}; an SM has at most {all}.",
                "A block asks for {n} bytes of shared memory and takes {taken}; an SM has at most {all}.",
                "taken"_a = taken, "all"_a = all);
  }
  return tr_n(asked,
              "A block asks for {n} byte of shared memory and takes {taken}, 1 KiB of them for the system; "
              "an SM has at most {all}.",
              "A block asks for {n} bytes of shared memory and takes {taken}, 1 KiB of them for the system; "
              "an SM has at most {all}.",
              "taken"_a = taken, "all"_a = all);
}

std::string tooltip(OccupancyLimit which, const Occupancy::Limit& limit, const OccupancyScene& scene) {
  switch (which) {
    case OccupancyLimit::threads:
      return tr_n(scene.question.needs.threads,
                  "A block has {n} thread, which takes the places of {places}; an SM has places for {all}.",
                  "A block has {n} threads, which take the places of {places}; an SM has places for {all}.",
                  "places"_a = with_thousands(limit.a_block), "all"_a = with_thousands(limit.of));
    case OccupancyLimit::registers: return registers_in_words(limit, scene);
    case OccupancyLimit::shared: return shared_in_words(limit, scene);
    case OccupancyLimit::blocks: break;
  }
  return tr_n(limit.of, "An SM has places for {n} block, whatever it takes.",
              "An SM has places for {n} blocks, whatever they take.");
}

std::string figure_in_words(OccupancyLimit which, const Occupancy::Limit& limit) {
  if (limit.blocks) return tr_n(*limit.blocks, "{n} block", "{n} blocks");
  return which == OccupancyLimit::registers ? tr("not known") : tr("none taken");
}

std::string binding_in_words(const Occupancy::Limit& limit) {
  return limit.binds && limit.blocks ? tr_n(*limit.blocks, "{n} block, the limit", "{n} blocks, the limit")
                                     : std::string();
}

/// How large their texts are, and their widths: more where a language needs more.
struct Columns {
  float size = kBaseSize, name = 0, takes = 0, figure = 0;
  [[nodiscard]] float small() const { return std::max(size, kBaseSize) * kSmallSize / kBaseSize; }
};

Columns lay_out(const Canvas& canvas, const OccupancyScene& scene, float size) {
  const TextLook bold{canvas.palette().text, size, Font::sans_bold, Align::left};
  const float gap = canvas.px(6), larger = size / kBaseSize;
  Columns columns{size, canvas.px(kName * larger), canvas.px(kTakes * larger), canvas.px(kFigure * larger)};
  for (const OccupancyLimit which : analysis::kOccupancyLimits) {
    const char* const name = which == OccupancyLimit::shared ? tr("shared") : analysis::name_of(which);
    columns.name = std::max(columns.name, canvas.width_of(name, bold) + gap);
    columns.takes = std::max(columns.takes, canvas.width_of(takes_in_words(which, scene.found.limit(which)),
                                                            canvas.muted(columns.small())) +
                                                gap);
  }
  return columns;
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
    for (std::uint32_t i = 0; i < blocks; ++i)
      canvas.fill({bar.x + step * static_cast<float>(i), bar.y, step - gap, bar.height}, colour, 2);
  }
  if (binds) canvas.hatch(filled, with_alpha(palette.panel, 0.5f), 6);
}

}  // namespace

float limits_height(const Canvas& canvas, float height) {
  return std::clamp(height * 0.055f, canvas.px(kLimitRow), canvas.px(kLargestLimitRow)) *
         static_cast<float>(analysis::kOccupancyLimits.size());
}

void draw_limits(Canvas& canvas, Rect box, const OccupancyScene& scene) {
  const std::uint32_t greatest = scene.greatest_limit;
  const float row_height = box.height / static_cast<float>(analysis::kOccupancyLimits.size());
  // High rows have larger texts, as far as the bars keep most of the width, and low ones smaller.
  const float row_pixels = row_height / canvas.px(1);
  float size = std::min(std::clamp(row_pixels * 0.42f, kBaseSize, kLargestLimitText),
                        std::max(row_pixels, kSmallSize));
  Columns columns = lay_out(canvas, scene, size);
  while (size > kBaseSize && columns.name + columns.takes + columns.figure > box.width / 2) {
    size = std::max(kBaseSize, size - 1);
    columns = lay_out(canvas, scene, size);
  }
  const bool with_takes = box.width >= columns.name + columns.takes + columns.figure + canvas.px(kMinBar);
  const bool with_bar = box.width >= columns.name + columns.figure + canvas.px(20);
  for (const OccupancyLimit which : analysis::kOccupancyLimits) {
    const Occupancy::Limit& limit = scene.found.limit(which);
    Rect row = cut_top(box, row_height);
    canvas.region(row, {}, tooltip(which, limit, scene));
    const bool costs =
        limit.binds && scene.found.warps < scene.found.max_warps;  // Else it binds nothing that there is
    const Colour colour = costs ? canvas.palette().costly : canvas.palette().text;
    canvas.fitted(cut_left(row, columns.name),
                  {analysis::name_of(which), which == OccupancyLimit::shared ? tr("shared") : ""},
                  {colour, columns.size, limit.binds ? Font::sans_bold : Font::sans, Align::left});
    if (with_takes)
      canvas.fitted(cut_left(row, columns.takes), {takes_in_words(which, limit)},
                    canvas.muted(columns.small()));
    const Rect place = cut_right(row, std::min(columns.figure, row.width));
    canvas.fitted(place, {binding_in_words(limit), figure_in_words(which, limit)},
                  {colour, std::min(columns.small() + 1, columns.size),
                   limit.binds ? Font::sans_bold : Font::sans, Align::right});
    if (!with_bar) continue;
    static_cast<void>(cut_right(row, canvas.px(10)));
    Rect bar = inset(row, std::clamp(row.height / 6, std::min(canvas.px(5), row.height / 4), canvas.px(9)));
    bar.x = row.x;
    bar.width = row.width;
    if (limit.blocks) draw_pieces(canvas, bar, std::min(*limit.blocks, scene.model.blocks), greatest, costs);
  }
}

}  // namespace warplens::picture
