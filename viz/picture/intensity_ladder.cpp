#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "kernels/base/texts.h"
#include "viz/canvas/chart.h"
#include "viz/picture/roofline.h"

namespace warplens::picture {
namespace {

constexpr float kRowHeight = 19, kLowestRow = 13, kTallestRow = 46, kLargestText = 18;

/// The columns of the table that there is room for, from the right edge inwards; empty ones are left out.
/// `text`: the size of what is in them.
struct Columns {
  float text = kSmallSize;
  Rect name, loads, formula, bar, intensity, reach, measured;
};

Columns lay_out(const Canvas& canvas, Rect row, const std::vector<FormulaKernel>& ladder, bool measured,
                float text) {
  Columns columns{.text = text};
  const float width = row.width, grown = text / kSmallSize;
  float names = 0;
  for (const FormulaKernel& ladder_kernel : ladder) {
    names = std::max(names, canvas.width_of(ladder_kernel.name,
                                            {canvas.palette().text, text + 1, Font::sans_bold, Align::left}) +
                                canvas.px(16));
  }
  const auto right = [&](float needed, const char* heading) {
    const float own = std::max(canvas.px(112), canvas.width_of(heading, canvas.muted(text)) + canvas.px(8));
    return width >= canvas.px(needed * grown) ? cut_right(row, own) : Rect{};
  };
  if (measured) columns.measured = right(480, tr("measured GFLOP/s"));
  columns.reach = right(340, tr("GFLOP/s by CGMA"));
  columns.intensity = cut_right(row, std::min(canvas.px(64 * grown), row.width * 0.4f));
  columns.name = cut_left(row, names);
  if (width >= canvas.px(760 * grown)) columns.loads = cut_left(row, canvas.px(210 * grown));
  if (width >= canvas.px(560 * grown)) columns.formula = cut_left(row, canvas.px(84 * grown));
  if (row.width >= canvas.px(60)) columns.bar = row;
  return columns;
}

Rect at_height(Rect column, Rect row) {
  return {column.x, row.y, column.width, row.height};
}

void draw_headings(Canvas& canvas, Rect row, const Columns& columns) {
  const TextLook left = canvas.muted(columns.text), right = canvas.muted(columns.text, Align::right);
  const auto heading = [&](Rect column, std::initializer_list<std::string_view> words, const TextLook& look,
                           const char* meaning) {
    const Rect cell = at_height(column, row);
    if (canvas.fitted(cell, words, look)) canvas.region(cell, {}, meaning);
  };
  heading(columns.name, {tr("kernel")}, left, tr("Kernels of the ladder, with the tile that is set"));
  heading(
      columns.loads, {tr("elements loaded, by formula")}, left,
      tr("Elements of A and B that all threads load from global memory, for matrices of m x p and p x n"));
  heading(columns.formula, {tr("CGMA")}, left,
          tr("The ratio of compute to global memory accesses: flops of the product over bytes that are "
             "loaded from global memory"));
  Rect bar = columns.bar;
  static_cast<void>(cut_left(bar, canvas.px(6)));  // As the bars below it
  heading(bar, {tr("flop/B, logarithmic"), tr("logarithmic")}, left,
          tr("The CGMA as a bar: outlined by formula, filled as counted"));
  heading(columns.intensity, {"flop/B"}, right, tr("The CGMA at the size that is shown"));
  heading(columns.reach, {tr("GFLOP/s by CGMA")}, right,
          tr("What the device's memory and its peak allow at that ratio, if no cache helps"));
  heading(columns.measured, {tr("measured GFLOP/s")}, right,
          tr("The latest run of the kernel on this GPU, if there was one"));
}

/// From a quarter of the least ratio to the greatest, logarithmic.
struct BarScale {
  double min = 0.1, greatest = 1;
  [[nodiscard]] float part(double intensity) const {
    return static_cast<float>(std::clamp(std::log(intensity / min) / std::log(greatest / min), 0.0, 1.0));
  }
};

BarScale scale_of(const Arithmetic& arithmetic) {
  double min = 1e30, greatest = 0;
  for (const FormulaKernel& ladder_kernel : arithmetic.ladder) {
    min = std::min(min, ladder_kernel.intensity);
    greatest = std::max(greatest, ladder_kernel.intensity);
  }
  return {min / 4, greatest};
}

void draw_bar(Canvas& canvas, Rect bar, const BarScale& scale, double intensity, Colour colour,
              bool counted) {
  if (bar.width <= 0) return;
  Rect track = inset(bar, std::min(canvas.px(5), bar.height / 3));
  track.x = bar.x + canvas.px(6);
  track.width = std::max(0.0f, bar.width - canvas.px(12));
  canvas.fill(track, with_alpha(canvas.palette().line, 0.6f), 2);
  track.width *= scale.part(intensity);
  // By formula: outlined; counted: filled.
  counted ? canvas.fill(track, colour, 2) : canvas.outline(track, colour, 1, 2);
}

std::string tooltip_of(const Arithmetic& arithmetic, const FormulaKernel& ladder_kernel) {
  const std::string intensity = in_figures(ladder_kernel.intensity),
                    attainable = in_figures(arithmetic.roof.attainable(ladder_kernel.intensity));
  if (!ladder_kernel.measured) {
    return tr(
        "{kernel} at {size}: {formula} elements loaded by formula, {intensity} flop/B; {attainable} GFLOP/s "
        "attainable",
        "kernel"_a = ladder_kernel.name, "size"_a = arithmetic.size, "formula"_a = ladder_kernel.loads,
        "intensity"_a = intensity, "attainable"_a = attainable);
  }
  return tr(
      "{kernel} at {size}: {formula} elements loaded by formula, {intensity} flop/B; {attainable} GFLOP/s "
      "attainable. Measured: {run}, {rate} "
      "GFLOP/s",
      "kernel"_a = ladder_kernel.name, "size"_a = arithmetic.size, "formula"_a = ladder_kernel.loads,
      "intensity"_a = intensity, "attainable"_a = attainable, "run"_a = ladder_kernel.measured->what,
      "rate"_a = in_figures(ladder_kernel.measured->gflops));
}

void draw_row(Canvas& canvas, Rect row, const Columns& columns, const Arithmetic& arithmetic,
              const FormulaKernel& ladder_kernel, const BarScale& scale) {
  const Palette& palette = canvas.palette();
  TextLook name{palette.text, columns.text + 1, ladder_kernel.recorded ? Font::sans_bold : Font::sans,
                Align::left};
  if (ladder_kernel.recorded) canvas.fill(row, with_alpha(palette.accent, 0.16f), 2);
  const TextLook right = canvas.muted(columns.text, Align::right), left = canvas.muted(columns.text);
  const bool counted =
      ladder_kernel.recorded && arithmetic.counted.has_value() && arithmetic.counted->requested_bytes > 0;
  const double intensity = counted ? arithmetic.counted->requested_intensity() : ladder_kernel.intensity;
  const Rect named = at_height(columns.name, row);
  if (row.height < canvas.line_height(name.size)) name.size = kSmallSize;
  const float line = canvas.line_height(name.size);  // Of a low row a little more than it has
  canvas.wrapped({named.x + canvas.px(4), named.y + (row.height - line) / 2,
                  std::max(0.0f, named.width - canvas.px(8)), line},
                 ladder_kernel.name, name);
  canvas.fitted(at_height(columns.loads, row), {ladder_kernel.loads}, left);
  canvas.fitted(at_height(columns.formula, row), {ladder_kernel.intensity_text}, left);
  const bool bound = arithmetic.roof.bound_by_memory(intensity);
  draw_bar(canvas, at_height(columns.bar, row), scale, intensity, bound ? palette.costly : palette.good,
           counted);
  canvas.fitted(at_height(columns.intensity, row), {in_figures(intensity)},
                {counted ? palette.accent : palette.text, columns.text,
                 counted ? Font::sans_bold : Font::sans, Align::right});
  canvas.fitted(at_height(columns.reach, row), {in_figures(arithmetic.roof.attainable(intensity))}, right);
  if (ladder_kernel.measured)
    canvas.fitted(at_height(columns.measured, row), {in_figures(ladder_kernel.measured->gflops)}, right);
  canvas.region(row, {}, tooltip_of(arithmetic, ladder_kernel));
}

std::string sentence_of(const Arithmetic& arithmetic) {
  const auto recorded =
      std::find_if(arithmetic.ladder.begin(), arithmetic.ladder.end(),
                   [](const FormulaKernel& ladder_kernel) { return ladder_kernel.recorded; });
  if (arithmetic.counted && recorded != arithmetic.ladder.end() && arithmetic.counted->requested_bytes > 0) {
    const double counted = arithmetic.counted->requested_intensity();
    const bool equal = std::abs(counted - recorded->intensity) <= 1e-9 * counted;
    return equal
               ? tr("{kernel}: {counted} flop/B counted, {by_formula} by formula, the same. The others are "
                    "by formula",
                    "kernel"_a = recorded->name, "counted"_a = in_figures(counted),
                    "by_formula"_a = in_figures(recorded->intensity))
               : tr("{kernel}: {counted} flop/B counted, {by_formula} by formula. The others are by formula",
                    "kernel"_a = recorded->name, "counted"_a = in_figures(counted),
                    "by_formula"_a = in_figures(recorded->intensity));
  }
  const auto bound = std::count_if(arithmetic.ladder.begin(), arithmetic.ladder.end(),
                                   [&](const FormulaKernel& ladder_kernel) {
                                     return arithmetic.roof.bound_by_memory(ladder_kernel.intensity);
                                   });
  return tr_n(arithmetic.ladder.size(),
              "By formula {bound} of {n} kernel is bound by memory if no cache helps",
              "By formula {bound} of {n} kernels are bound by memory if no cache helps", "bound"_a = bound);
}

}  // namespace

float intensity_ladder_height(const Arithmetic& arithmetic, const Style& style) {
  const Canvas canvas({400, 300}, style);
  return canvas.px(kRowHeight) * static_cast<float>(arithmetic.ladder.size() + 1) +
         canvas.line_height(kBaseSize) * 3 + canvas.px(28);
}

Picture make_intensity_ladder(const Arithmetic& arithmetic, Size size, const Style& style) {
  if (arithmetic.ladder.empty()) {
    return empty_picture(tr("Roofline"), tr("No kernel of the ladder can be launched at this size."),
                         tr("Choose smaller matrices."), size, style);
  }
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Roofline"),
              tr("size {size} · {device}", "size"_a = arithmetic.size, "device"_a = arithmetic.device));
  Rect rest = canvas.inside();
  // On top: the rows may go on below what one sees of the picture.
  const std::string sentence = sentence_of(arithmetic);
  canvas.say(sentence);
  const Rect top = cut_top(rest, canvas.line_height(kSmallSize + 1));
  canvas.wrapped(top, sentence, {canvas.palette().fill, kSmallSize + 1, Font::sans, Align::left});
  canvas.region(top, {}, sentence);
  const bool measured =
      std::any_of(arithmetic.ladder.begin(), arithmetic.ladder.end(),
                  [](const FormulaKernel& ladder_kernel) { return ladder_kernel.measured.has_value(); });
  // As many rows as can be read, the recorded one among them; below them how many are left out.
  const std::size_t all = arithmetic.ladder.size(),
                    lines = static_cast<std::size_t>(rest.height / canvas.px(kLowestRow));
  const std::size_t rows = lines > all ? all : lines > 2 ? lines - 2 : 0;
  const float height =
      std::min(canvas.px(kTallestRow),
               rest.height / static_cast<float>(std::max<std::size_t>(1, std::min(lines, all + 1))));
  const Columns columns = lay_out(canvas, rest, arithmetic.ladder, measured,
                                  std::clamp(height / canvas.px(1) * 0.42f, kSmallSize, kLargestText));
  draw_headings(canvas, cut_top(rest, height), columns);
  const BarScale scale = scale_of(arithmetic);
  const auto recorded =
      std::find_if(arithmetic.ladder.begin(), arithmetic.ladder.end(),
                   [](const FormulaKernel& ladder_kernel) { return ladder_kernel.recorded; });
  const bool beyond = recorded != arithmetic.ladder.end() &&
                      recorded - arithmetic.ladder.begin() >= static_cast<std::ptrdiff_t>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    draw_row(canvas, cut_top(rest, height), columns, arithmetic,
             beyond && i + 1 == rows ? *recorded : arithmetic.ladder[i], scale);
  }
  if (rows < all)
    canvas.fitted(cut_top(rest, height), {tr_n(all - rows, "and {n} more", "and {n} more")}, canvas.muted());
  return canvas.take();
}

}  // namespace warplens::picture
