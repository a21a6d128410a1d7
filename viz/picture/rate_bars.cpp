#include "viz/picture/rate_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"

namespace warplens::picture {
namespace {

std::string rate_text(double value) {
  return value >= 100 ? with_thousands(static_cast<std::uint64_t>(std::llround(value)))
                      : formatted("{:.3g}", value);
}

}  // namespace

Picture make_rate_bars(const std::vector<Rate>& rates, const std::string& unit, const std::string& where,
                       Size size, const Style& style) {
  if (rates.empty())
    return empty_picture(tr("Throughput"), tr("Nothing has been measured yet."),
                         tr("Run a kernel to see its rate."), size, style);
  Canvas canvas(size, style);
  canvas.name(tr("Throughput"), where);
  Rect rest = canvas.inside();
  const auto fastest = std::max_element(rates.begin(), rates.end(),
                                        [](const Rate& a, const Rate& b) { return a.value < b.value; });
  draw_sentence(canvas, rest,
                tr("Fastest: {what}, {rate} {unit}", "what"_a = fastest->name,
                   "rate"_a = rate_text(fastest->value), "unit"_a = unit));
  canvas.fitted(cut_top(rest, canvas.px(20)), {unit}, canvas.muted());

  const TextLook name = canvas.plain(), figure = canvas.muted(kBaseSize, Align::right);
  float names = 0, figures = 0;
  for (const Rate& rate : rates) {
    names = std::max(names, canvas.width_of(rate.name, name));
    figures = std::max(figures, canvas.width_of(rate_text(rate.value), figure));
  }
  names = std::min(names + canvas.px(14), rest.width * 0.4f);
  const float height = std::min(canvas.px(32), rest.height / static_cast<float>(rates.size()));
  for (const Rate& rate : rates) {
    Rect row = cut_top(rest, height);
    Rect label = cut_left(row, names);
    label.width -= canvas.px(8);
    const float line = canvas.line_height(kBaseSize);
    if (label.height >= line)
      canvas.wrapped({label.x, label.y + (label.height - line) / 2, label.width, line}, rate.name, name);
    canvas.fitted(cut_right(row, figures + canvas.px(10)), {rate_text(rate.value)}, figure);
    Rect bar = inset(row, std::min(canvas.px(8), row.height / 4));
    bar.x = row.x;
    bar.width = row.width;
    canvas.fill(bar, canvas.palette().line, 2);
    bar.width *= fastest->value > 0 ? static_cast<float>(rate.value / fastest->value) : 0.0f;
    canvas.fill(bar, rate.reference ? canvas.palette().good : canvas.palette().accent, 2);
  }
  return canvas.take();
}

Picture make_ladder_bars(const LadderBars& ladder, Size size, const Style& style) {
  constexpr float kHighestRow = 44, kLowRow = 14, kWideEnoughForTwo = 420, kLettersOfRow = 0.62f,
                  kLargest = 22, kSmallest = 7;
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Throughput"), ladder.where);
  Rect rest = canvas.inside();
  if (!ladder.note.empty()) {
    canvas.fitted(cut_bottom(rest, canvas.line_height(kSmallSize)),
                  {ladder.note, ladder.note.substr(0, ladder.note.find(". ") + 1)}, canvas.muted());
  }
  canvas.wrapped(cut_top(rest, canvas.line_height(kSmallSize)), tr("% of cuBLAS") + (" · " + ladder.where),
                 canvas.muted());
  const auto best = std::ranges::max_element(
      ladder.bars, {}, [](const LadderBars::Bar& bar) { return bar.reference ? 0 : bar.percent; });
  if (best == ladder.bars.end()) return canvas.take();
  canvas.say(tr("{kernel} reaches {percent} % of cuBLAS", "kernel"_a = best->name,
                "percent"_a = formatted("{:.1f}", best->percent)));
  // In low pictures two columns, rather than letters that nobody reads.
  const bool two = rest.height / static_cast<float>(ladder.bars.size()) < canvas.px(kLowRow) &&
                   rest.width >= canvas.px(kWideEnoughForTwo);
  const std::size_t rows = (ladder.bars.size() + (two ? 1 : 0)) / (two ? 2 : 1);
  const float gap = canvas.px(two ? 18 : 0), width = two ? (rest.width - gap) / 2 : rest.width;
  const float height = std::min(canvas.px(kHighestRow), rest.height / static_cast<float>(rows));
  float letters = std::clamp(height * kLettersOfRow / canvas.px(1), kSmallest, kLargest);
  float names = 0;
  for (const LadderBars::Bar& bar : ladder.bars)
    names = std::max(names, canvas.width_of(bar.name, canvas.plain(letters)));
  // Shortened names of different kernels would be equal.
  const float room = width * 0.45f - canvas.px(10);
  if (names > room) letters = std::max(letters * room / names, kSmallest);
  names = std::min(names, room) + canvas.px(10);
  TextLook name = canvas.plain(letters), figure = canvas.plain(letters, Align::right);
  name.besides = figure.besides = true;  // Texts of any size are drawn: the bars say which is longer
  for (std::size_t i = 0; i < ladder.bars.size(); ++i) {
    const LadderBars::Bar& bar = ladder.bars[i];
    const std::size_t column = i / rows;
    const float x = rest.x + static_cast<float>(column) * (width + gap),
                y = rest.y + static_cast<float>(i % rows) * height;
    Rect row{x, y, width, height};
    canvas.region(row, {}, bar.explanation);
    canvas.fitted(cut_left(row, names), {bar.name}, name);
    canvas.fitted(cut_right(row, canvas.width_of("100.0", figure) + canvas.px(8)),
                  {formatted("{:.1f}", bar.percent)}, figure);
    Rect place = inset(row, 0, std::min(canvas.px(4), row.height / 6));
    canvas.fill(place, with_alpha(canvas.palette().line, 0.5f), 2);
    place.width =
        std::max(canvas.px(2), place.width * static_cast<float>(std::min(bar.percent, 100.0) / 100));
    const Colour colour = bar.reference ? canvas.palette().good : canvas.palette().accent;
    canvas.fill(place, with_alpha(colour, ladder.measured_here ? 1 : 0.3f), 2);
    if (!ladder.measured_here) canvas.hatch(place, colour, 6);
  }
  return canvas.take();
}

}  // namespace warplens::picture
