#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/texts.h"
#include "viz/canvas/chart.h"
#include "viz/picture/roofline.h"

namespace warplens::picture {
namespace {

using analysis::AccessesPerMultiplyAdd;
using analysis::AccessTimes;

constexpr double kGreatestEdge = 128;

std::optional<AccessesPerMultiplyAdd> accesses_of(const Arithmetic& arithmetic) {
  if (!arithmetic.counted || arithmetic.counted->global_loads == 0) return std::nullopt;
  return AccessesPerMultiplyAdd{arithmetic.counted->per_multiply_add(arithmetic.counted->global_loads),
                                arithmetic.counted->per_multiply_add(arithmetic.counted->shared_loads)};
}

std::vector<ChartPoint> curve_of_tiles(const AccessTimes& times) {
  std::vector<ChartPoint> points;
  for (double edge = 1; edge <= kGreatestEdge * 1.01; edge *= std::pow(2, 0.125))
    points.push_back({edge, analysis::gain_of_tiles(times, edge)});
  return points;
}

std::string sentence_of(const Arithmetic& arithmetic, const AccessTimes& times) {
  const auto accesses = accesses_of(arithmetic);
  const std::string max = in_figures(times.global / times.shared);
  if (!accesses) {
    return tr(
        "Tiles with s = 2 gain t_g / (t_g / B + t_s): at most B, and at most t_g / t_s = {limit}. "
        "{what_to_do}",
        "limit"_a = max, "what_to_do"_a = arithmetic.what_to_do);
  }
  return tr(
      "{kernel}: {global_loads} global and {shared_loads} shared loads per multiply-add, naive 2 and 0: "
      "{gain} ×, if loads alone took time",
      "kernel"_a = arithmetic.kernel, "global_loads"_a = in_figures(accesses->global),
      "shared_loads"_a = in_figures(accesses->shared),
      "gain"_a = in_figures(analysis::gain(times, *accesses)));
}

/// "2.00 shared loads" with what the formula puts there.
void draw_counted(Canvas& canvas, Rect column, const Arithmetic& arithmetic) {
  const float row = canvas.line_height(kSmallSize);
  const auto line = [&](const std::string& name, const std::string& figure, bool strong,
                        const char* meaning = "") {
    Rect place = cut_top(column, row);
    if (place.height < row * 0.9f) return;
    const TextLook figures{strong ? canvas.palette().text : canvas.palette().muted, kSmallSize,
                           strong ? Font::sans_bold : Font::sans, Align::right};
    const auto box = canvas.fitted(place, {figure}, figures);
    if (box) canvas.fitted({place.x, place.y, box->x - place.x - canvas.px(6), row}, {name}, canvas.muted());
    if (*meaning != '\0') canvas.region(place, {}, meaning);
  };
  const auto accesses = accesses_of(arithmetic);
  if (accesses) {
    line(tr("Counted, per multiply-add"), " ", false);
    line(tr("global loads, g"), in_figures(accesses->global), true,
         tr("Elements that lanes load from global memory, for each multiply-add of the product"));
    line(tr("shared loads, s"), in_figures(accesses->shared), true,
         tr("Elements that lanes load from shared memory, for each multiply-add of the product"));
    line(tr("shared stores"),
         in_figures(arithmetic.counted->per_multiply_add(arithmetic.counted->shared_stores)), false);
  } else {
    const std::string why_not = arithmetic.why_not.empty()
                                    ? tr("Nothing is loaded.")
                                    : tr("Not counted: {reason}.", "reason"_a = arithmetic.why_not);
    canvas.wrapped(cut_top(column, 2 * row), why_not, canvas.muted());
  }
  static_cast<void>(cut_top(column, row * 0.5f));
  line(tr("g and s of the formula"), " ", false);
  line("naive", "2, 0", false);
  line("buffered_row", "1, 1", false);
  line(tr("tiles of edge B"), "2 / B, 2", false);
  static_cast<void>(cut_top(column, row * 0.5f));
  canvas.wrapped(column,
                 tr("Gain: 2 t_g / (g t_g + s t_s). Stores are left out, as in the textbook. A kernel with s "
                    "below 2 can gain more than tiles can by formula."),
                 canvas.muted());
}

void draw_chart(Canvas& canvas, Rect box, const Arithmetic& arithmetic, const AccessTimes& times) {
  const Palette& palette = canvas.palette();
  const auto accesses = accesses_of(arithmetic);
  const double limit = times.global / times.shared, buffered = analysis::gain_of_buffering(times);
  double min = std::min({1.0, analysis::gain_of_tiles(times, 1), buffered}),
         max = std::max({2.0, analysis::gain_of_tiles(times, kGreatestEdge), limit});
  const double own = accesses ? analysis::gain(times, *accesses) : 1;
  const double reuse = accesses ? accesses->reuse() : 1;
  min = std::min(min, own);
  max = std::max(max, own);
  Chart chart(canvas, box,
              {std::min(0.8, reuse / 1.2),
               std::max(kGreatestEdge, reuse) * 1.2,
               tr("B: operands that one global load serves"),
               "B",
               {1, 2, 4, 8, 16, 32, 64, 128}},
              {min / 1.3, max * 1.5, tr("gain over naive"), tr("gain"), {}});
  chart.line({{1, 1}, {1000, 1000}}, palette.muted, 1, true);
  chart.line({{0.1, limit}, {1000, limit}}, palette.muted, 1, true);
  chart.line(curve_of_tiles(times), palette.text, 2);
  chart.mark({1, 1}, ChartMark::ring, palette.muted,
             tr("naive: 2 global loads per multiply-add, the measure of the others"));
  chart.mark(
      {2, buffered}, ChartMark::ring, palette.muted,
      tr("buffered_row: 1 global and 1 shared load per multiply-add; 2 t_g / (t_g + t_s) = {gain}, at most 2",
         "gain"_a = in_figures(buffered)));
  if (accesses) {
    chart.mark({reuse, own}, ChartMark::disc, palette.accent,
               tr("{kernel}, as counted: g = {global_loads}, s = {shared_loads}; gain {gain}",
                  "kernel"_a = arithmetic.kernel, "global_loads"_a = in_figures(accesses->global),
                  "shared_loads"_a = in_figures(accesses->shared), "gain"_a = in_figures(own)),
               5);
    chart.name({reuse, own},
               {tr("{kernel}, counted: {gain} ×", "kernel"_a = arithmetic.kernel, "gain"_a = in_figures(own)),
                in_figures(own) + " ×"},
               palette.accent, true);
  }
  chart.name({2, buffered}, {tr("buffered: at most 2"), tr("buffered")}, palette.muted);
  chart.name({1, 1}, {"naive"}, palette.muted);
  chart.name_line({1, limit}, {kGreatestEdge, limit},
                  {tr("limit of tiles with s = 2: t_g / t_s = {limit}", "limit"_a = in_figures(limit)),
                   fmt::format("t_g / t_s = {}", in_figures(limit)), "t_g / t_s"},
                  palette.muted);
  const double far = std::min(max, 90.0);
  chart.name_line({1, 1}, {far, far}, {"t_s = 0: B", "B"}, palette.muted);
  chart.name({16, analysis::gain_of_tiles(times, 16)},
             {tr("tiles with s = 2, by formula"), tr("tiles, by formula"), tr("tiles")},
             palette.text);  // Further on it nears its limit's line
}

}  // namespace

Picture make_gain(const Arithmetic& arithmetic, const AccessTimes& times, Size size, const Style& style) {
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Roofline"),
              tr("t_g = {global_time}, t_s = {shared_time}: chosen, not measured",
                 "global_time"_a = in_figures(times.global), "shared_time"_a = in_figures(times.shared)));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(arithmetic, times));
  const Rect headline = cut_top(rest, figure_height(canvas, size.height));
  const auto accesses = accesses_of(arithmetic);
  if (accesses) {
    const double own = analysis::gain(times, *accesses);
    draw_figure(canvas, headline, tr("{gain} × naive", "gain"_a = in_figures(own)), own < 1,
                {tr("as counted"),
                 tr("tiles that read 2 shared words per multiply-add: at most {gain} ×",
                    "gain"_a = in_figures(times.global / times.shared)),
                 tr("buffering {gain} ×", "gain"_a = in_figures(analysis::gain_of_buffering(times)))});
  } else {
    canvas.fitted(headline, {tr("What shared memory can gain, by formula"), tr("Gain by formula")},
                  canvas.plain());
  }
  static_cast<void>(cut_bottom(rest, canvas.px(4)));
  if (rest.width >= canvas.px(430) && rest.height >= canvas.px(110)) {
    const Rect column = cut_right(rest, canvas.px(190));
    static_cast<void>(cut_right(rest, canvas.px(16)));
    draw_counted(canvas, column, arithmetic);
  }
  if (rest.height >= canvas.px(kLowestChart)) draw_chart(canvas, rest, arithmetic, times);
  return canvas.take();
}

}  // namespace warplens::picture
