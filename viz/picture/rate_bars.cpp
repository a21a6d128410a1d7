#include "viz/picture/rate_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/texts.h"
#include "viz/picture/canvas.h"

namespace warplens::picture {
namespace {

std::string rate_text(double value) {
  return value >= 100 ? with_thousands(static_cast<std::uint64_t>(std::llround(value))) : formatted("{:.3g}", value);
}

}  // namespace

Picture make_rate_bars(const std::vector<Rate>& rates, const std::string& unit, const std::string& where, Size size, const Style& style) {
  if (rates.empty()) return empty_picture(tr("Throughput"), tr("Nothing has been measured yet."), tr("Run a kernel to see its rate."), size, style);
  Canvas canvas(size, style);
  canvas.name(tr("Throughput"), where);
  Rect rest = canvas.inside();
  const auto fastest = std::max_element(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) { return a.value < b.value; });
  draw_sentence(canvas, rest, tr("Fastest: {what}, {rate} {unit}", "what"_a = fastest->name, "rate"_a = rate_text(fastest->value), "unit"_a = unit));
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
    if (label.height >= line) canvas.wrapped({label.x, label.y + (label.height - line) / 2, label.width, line}, rate.name, name);
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

}  // namespace warplens::picture
