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

namespace {

/// How the bars of a ladder are placed: so that every name can be read where the height allows it.
struct LadderLayout {
  bool two_columns = false, names_above = false;
  std::size_t rows = 0;
  float letters = 0;      ///< Size of names and figures
  float least_row = 0;    ///< Height with which names have `kReadable` letters, in pixels
  float names_width = 0;  ///< Beside the bars, in pixels
};

constexpr float kReadable = 8.5f, kTwoColumnsGap = 18, kHighestLadderRow = 44, kLadderMargin = 4;

/// `rest`: what of the picture the bars have.
LadderLayout layout_of(const LadderBars& ladder, const Canvas& canvas, Rect rest) {
  constexpr float kLowRow = 15, kWideEnoughForTwo = 420, kLettersBeside = 0.62f, kLettersAbove = 0.45f,
                  kLargest = 22, kSmallest = 7, kShareOfNames = 0.45f, kGap = 10;
  LadderLayout layout;
  // In low pictures two columns, rather than letters that nobody reads.
  layout.two_columns = rest.height / static_cast<float>(ladder.bars.size()) < canvas.px(kLowRow) &&
                       rest.width >= canvas.px(kWideEnoughForTwo);
  layout.rows = (ladder.bars.size() + (layout.two_columns ? 1 : 0)) / (layout.two_columns ? 2 : 1);
  const auto names_at = [&](float letters) {
    float widest = 0;
    for (const LadderBars::Bar& bar : ladder.bars)
      widest = std::max(widest, canvas.width_of(bar.name, canvas.plain(letters)));
    return widest;
  };
  // Shortened names of different kernels would be equal.
  const float width = layout.two_columns ? (rest.width - canvas.px(kTwoColumnsGap)) / 2 : rest.width,
              room = width * kShareOfNames - canvas.px(kGap);
  layout.names_above = names_at(kReadable) > room;
  const float letters_of_row = layout.names_above ? kLettersAbove : kLettersBeside;
  layout.least_row = std::ceil(canvas.px(kReadable / letters_of_row));
  const float height = std::min(canvas.px(kHighestLadderRow), rest.height / static_cast<float>(layout.rows));
  layout.letters = std::clamp(height * letters_of_row / canvas.px(1), kSmallest, kLargest);
  const float names = names_at(layout.letters);
  if (!layout.names_above && names > room)
    layout.letters = std::max(layout.letters * room / names, kSmallest);
  layout.names_width = std::min(names, room) + canvas.px(kGap);
  return layout;
}

/// Where the parts of the picture lie: what was measured, the bars, and the note.
struct LadderParts {
  Rect where, bars, note;
};
LadderParts parts_of(const LadderBars& ladder, const Canvas& canvas) {
  LadderParts parts;
  parts.bars = canvas.inside();
  const float margin = std::min(parts.bars.y, canvas.px(kLadderMargin));
  parts.bars.height += 2 * (parts.bars.y - margin);  // In a low panel every row counts
  parts.bars.y = margin;
  if (!ladder.note.empty()) parts.note = cut_bottom(parts.bars, canvas.line_height(kSmallSize));
  parts.where = cut_top(parts.bars, canvas.line_height(kSmallSize));
  return parts;
}

void draw_ladder_bar(Canvas& canvas, Rect row, const LadderBars::Bar& bar, const LadderLayout& layout,
                     bool measured_here) {
  TextLook name = canvas.plain(layout.letters), figure = canvas.plain(layout.letters, Align::right);
  name.besides = figure.besides = true;  // Texts of any size are drawn: the bars say which is longer
  canvas.region(row, {}, bar.explanation);
  Rect words = layout.names_above ? cut_top(row, row.height * 0.62f) : row;
  const float figures = canvas.width_of("100.0", figure) + canvas.px(8);
  canvas.fitted(cut_right(words, figures), {formatted("{:.1f}", bar.percent)}, figure);
  canvas.fitted(layout.names_above ? words : cut_left(words, layout.names_width), {bar.name}, name);
  Rect place = layout.names_above ? row : words;
  place = inset(place, 0, std::min(canvas.px(4), place.height / 6));
  canvas.fill(place, with_alpha(canvas.palette().line, 0.5f), 2);
  place.width = std::max(canvas.px(2), place.width * static_cast<float>(std::min(bar.percent, 100.0) / 100));
  const Colour colour = bar.reference ? canvas.palette().good : canvas.palette().accent;
  canvas.fill(place, with_alpha(colour, measured_here ? 1 : 0.3f), 2);
  if (!measured_here) canvas.hatch(place, colour, 6);
}

}  // namespace

Picture make_ladder_bars(const LadderBars& ladder, Size size, const Style& style) {
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Throughput"), ladder.where);
  const auto [where, rest, note] = parts_of(ladder, canvas);
  if (!ladder.note.empty())
    canvas.fitted(note, {ladder.note, ladder.note.substr(0, ladder.note.find(". ") + 1)}, canvas.muted());
  canvas.wrapped(where, tr("% of cuBLAS") + (" · " + ladder.where), canvas.muted());
  const auto best = std::ranges::max_element(
      ladder.bars, {}, [](const LadderBars::Bar& bar) { return bar.reference ? 0 : bar.percent; });
  if (best == ladder.bars.end()) return canvas.take();
  canvas.say(tr("{kernel} reaches {percent} % of cuBLAS", "kernel"_a = best->name,
                "percent"_a = formatted("{:.1f}", best->percent)));
  const LadderLayout layout = layout_of(ladder, canvas, rest);
  const float gap = canvas.px(layout.two_columns ? kTwoColumnsGap : 0),
              width = layout.two_columns ? (rest.width - gap) / 2 : rest.width;
  const float height = std::min(canvas.px(kHighestLadderRow), rest.height / static_cast<float>(layout.rows));
  for (std::size_t i = 0; i < ladder.bars.size(); ++i) {
    const std::size_t column = i / layout.rows, row = i % layout.rows;
    draw_ladder_bar(canvas,
                    {rest.x + static_cast<float>(column) * (width + gap),
                     rest.y + static_cast<float>(row) * height, width, height},
                    ladder.bars[i], layout, ladder.measured_here);
  }
  return canvas.take();
}

float ladder_bars_height(const LadderBars& ladder, Size room, const Style& style) {
  if (ladder.bars.empty()) return room.height;
  const Canvas canvas(room, roomy(style, room));
  const Rect rest = parts_of(ladder, canvas).bars;
  const LadderLayout layout = layout_of(ladder, canvas, rest);
  const float wanted = layout.least_row * static_cast<float>(layout.rows);
  if (wanted <= rest.height) return room.height;
  // Margins are smaller in low pictures.
  const Canvas high({room.width, room.height + 10 * wanted}, roomy(style, room));
  return std::ceil(room.height + 10 * wanted - parts_of(ladder, high).bars.height + wanted);
}

}  // namespace warplens::picture
