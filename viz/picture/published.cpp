#include "viz/picture/published.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/texts.h"

namespace warplens::picture {
namespace {

constexpr float kBarHeight = 13, kBarGap = 6, kFootMargin = 14;

bool has_own(const Compared& compared) {
  return std::any_of(compared.rows.begin(), compared.rows.end(),
                     [](const ComparedRow& row) { return row.own.value > 0; }) ||
         std::any_of(compared.lines.begin(), compared.lines.end(),
                     [](const ComparedLine& line) { return line.own; });
}

float row_height(const ComparedRow& row) {
  return kBarGap + kBarHeight * (row.own.value > 0 ? 2 : 1);
}

/// What to see: the best published figure, and how one's own compare where there are any.
std::string sentence_of(const Compared& compared) {
  const bool less_is_better = compared.unit == "ms";
  std::string best;
  double value = 0;
  const auto consider = [&](const std::string& name, double candidate) {
    if (candidate <= 0 || (value > 0 && (less_is_better ? candidate >= value : candidate <= value))) return;
    value = candidate;
    best = name;
  };
  for (const ComparedRow& row : compared.rows) consider(row.name, row.published.value);
  for (const ComparedLine& line : compared.lines) {
    if (line.own) continue;
    for (const ChartPoint& point : line.points) {
      consider(tr("{line}, {axis} {value}", "line"_a = line.name, "axis"_a = compared.axis,
                  "value"_a = in_figures(point.x)),
               point.y);
    }
  }
  if (!has_own(compared)) {
    return tr("Published, {machine}: {fastest} is fastest, {value} {unit}", "machine"_a = compared.machine,
              "fastest"_a = best, "value"_a = in_figures(value), "unit"_a = compared.unit);
  }
  return tr("Published, {machine}: {fastest} is fastest, {value} {unit}. Filled is {own}",
            "machine"_a = compared.machine, "fastest"_a = best, "value"_a = in_figures(value),
            "unit"_a = compared.unit, "own"_a = compared.own);
}

void draw_own_and_published_legend(Canvas& canvas, Rect row, const Compared& compared) {
  const TextLook look = canvas.muted();
  const auto entry = [&](const std::string& words, bool own) {
    const float width = canvas.width_of(words, look) + canvas.px(27);
    if (width > row.width || row.height < canvas.px(kSmallSize)) return;
    Rect place = cut_left(row, width);
    const Rect sample{place.x, centre(place).y - canvas.px(4), canvas.px(18), canvas.px(8)};
    if (compared.rows.empty()) {
      const Colour colour = own ? canvas.palette().accent : canvas.palette().muted;
      canvas.line({sample.x, centre(sample).y}, {sample.right(), centre(sample).y}, colour,
                  own ? 2.5f : 1.25f);
      draw_chart_mark(canvas, centre(sample), own ? ChartMark::disc : ChartMark::ring, colour, 3.2f);
    } else if (own) {
      canvas.fill(sample, canvas.palette().accent, 1);
    } else {
      canvas.hatch(sample, canvas.palette().muted, 4);
      canvas.outline(sample, canvas.palette().muted, 1);
    }
    static_cast<void>(cut_left(place, canvas.px(24)));
    canvas.fitted(place, {words}, look);
    static_cast<void>(cut_left(row, canvas.px(14)));
  };
  entry(tr("published: {machine}", "machine"_a = compared.machine), false);
  if (has_own(compared)) entry(tr("here: {device}", "device"_a = compared.own), true);
}

/// One bar with its figure at the right.
void draw_bar(Canvas& canvas, Rect row, float figures, double greatest, const ComparedFigure& figure,
              bool own) {
  const Palette& palette = canvas.palette();
  const Rect number = cut_right(row, figures);
  canvas.fitted(
      number, {in_figures(figure.value)},
      {own ? palette.text : palette.muted, kSmallSize, own ? Font::sans_bold : Font::sans, Align::right});
  Rect bar{row.x, row.y + canvas.px(2), row.width, std::max(1.0f, row.height - canvas.px(4))};
  bar.width = std::max(canvas.px(2), bar.width * static_cast<float>(figure.value / greatest));
  if (own) {
    canvas.fill(bar, palette.accent, 1);
  } else {
    canvas.hatch(bar, palette.muted, 5);
    canvas.outline(bar, palette.muted, 1);
  }
  canvas.region({row.x, row.y, row.width + figures, row.height}, {}, figure.explanation);
}

void draw_rows(Canvas& canvas, Rect rest, const Compared& compared) {
  double greatest = 0;
  float wanted = 0, names = 0, figures = 0;
  const TextLook name = canvas.plain(kSmallSize + 1), figure = canvas.muted(kSmallSize, Align::right);
  for (const ComparedRow& row : compared.rows) {
    greatest = std::max({greatest, row.published.value, row.own.value});
    wanted += canvas.px(row_height(row));
    names = std::max(names, canvas.width_of(row.name, name));
    for (const double value : {row.published.value, row.own.value})
      figures = std::max(figures, canvas.width_of(in_figures(value), figure));
  }
  names = std::min(names + canvas.px(10), rest.width * 0.42f);
  figures = std::min(figures + canvas.px(8), rest.width * 0.3f);
  const float squeeze = std::min(1.0f, rest.height / std::max(1.0f, wanted));
  for (const ComparedRow& row : compared.rows) {
    Rect place = cut_top(rest, canvas.px(row_height(row)) * squeeze);
    static_cast<void>(cut_bottom(place, canvas.px(kBarGap) * squeeze));
    Rect label = cut_left(place, names);
    label.width -= canvas.px(8);
    canvas.fitted(label, {row.name, row.short_name}, name);
    const bool own = row.own.value > 0;
    draw_bar(canvas, own ? cut_top(place, place.height / 2) : place, figures, greatest, row.published, false);
    if (own) draw_bar(canvas, place, figures, greatest, row.own, true);
  }
}

void draw_lines(Canvas& canvas, Rect rest, const Compared& compared) {
  const Palette& palette = canvas.palette();
  double min_x = 1e30, greatest_x = 0, min = 1e30, greatest = 0;
  for (const ComparedLine& line : compared.lines) {
    for (const ChartPoint& point : line.points) {
      min_x = std::min(min_x, point.x);
      greatest_x = std::max(greatest_x, point.x);
      min = std::min(min, point.y);
      greatest = std::max(greatest, point.y);
    }
  }
  if (greatest <= 0 || rest.height < canvas.px(kLowestChart)) return;
  // Room for the marks at the edges, and for names at the right.
  const double above = std::max(1.3, std::pow(greatest / min, 0.16)),
               beside = std::max(1.15, std::pow(greatest_x / min_x, 0.35));
  Chart chart(canvas, rest, {min_x / 1.15, greatest_x * beside, compared.axis, compared.axis, compared.marks},
              {min / above, greatest * above, compared.unit, compared.unit, {}});
  for (const ComparedLine& line : compared.lines)
    chart.line(line.points, line.own ? palette.accent : palette.muted, line.own ? 2.5f : 1.25f, !line.own);
  for (const ComparedLine& line : compared.lines) {
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      chart.mark(line.points[i], line.own ? ChartMark::disc : ChartMark::ring,
                 line.own ? palette.accent : palette.muted, line.explanations[i], 3.5f);
    }
  }
  for (const bool own : {true, false}) {
    for (const ComparedLine& line : compared.lines) {
      if (line.own != own || line.points.empty()) continue;
      chart.name(line.points.back(), {line.name}, own ? palette.accent : palette.text, own);
    }
  }
}

float lines_of(const Canvas& canvas, const std::string& words, const TextLook& look, float width) {
  constexpr float kRagged = 1.1f;  // Lines end at words
  return std::max(1.0f, std::ceil(canvas.width_of(words, look) * kRagged / std::max(1.0f, width)));
}

std::string note_of(const Compared& compared) {
  if (has_own(compared) || compared.why_no_own.empty()) return compared.note;
  return tr("{first_sentence} {second_sentence}", "first_sentence"_a = compared.note,
            "second_sentence"_a = compared.why_no_own);
}

}  // namespace

float published_height(const Compared& compared, const Style& style) {
  const Canvas canvas({400, 300}, style);
  if (compared.rows.empty()) return canvas.px(130);
  float rows = 0;
  for (const ComparedRow& row : compared.rows) rows += canvas.px(row_height(row));
  return rows + canvas.px(28) + canvas.line_height(kSmallSize) + canvas.px(6);
}

Picture make_published(const Compared& compared, Size size, const Style& style) {
  Canvas canvas(size, style);
  canvas.name(tr("Throughput"), compared.title);
  canvas.say(sentence_of(compared));
  Rect rest = canvas.inside();
  Rect top = cut_top(rest, canvas.line_height(kSmallSize));
  if (!compared.rows.empty())
    canvas.fitted(cut_right(top, std::min(canvas.px(70), top.width / 3)), {compared.unit},
                  canvas.muted(kSmallSize, Align::right));
  draw_own_and_published_legend(canvas, top, compared);
  static_cast<void>(cut_top(rest, canvas.px(6)));
  compared.rows.empty() ? draw_lines(canvas, rest, compared) : draw_rows(canvas, rest, compared);
  return canvas.take();
}

float published_source_height(const Compared& compared, float width, const Style& style) {
  const Canvas canvas({width, 100}, style);
  const float inside = width - 2 * canvas.px(kFootMargin);
  return lines_of(canvas, sentence_of(compared), canvas.plain(kSmallSize + 1), inside) *
             canvas.line_height(kSmallSize + 1) +
         lines_of(canvas, note_of(compared), canvas.muted(), inside) * canvas.line_height(kSmallSize) +
         canvas.px(6);
}

Picture make_published_source(const Compared& compared, Size size, const Style& style) {
  Canvas canvas(size, style);
  canvas.name(tr("Throughput"), compared.title);
  const std::string sentence = sentence_of(compared), note = note_of(compared);
  canvas.say(sentence);
  const float margin = std::min(canvas.px(kFootMargin), size.width / 10);
  Rect rest{margin, 0, size.width - 2 * margin, size.height};
  const TextLook look{canvas.palette().fill, kSmallSize + 1, Font::sans, Align::left};
  canvas.wrapped(cut_top(rest, lines_of(canvas, sentence, look, rest.width) * canvas.line_height(look.size)),
                 sentence, look);
  canvas.wrapped(rest, note, canvas.muted());
  canvas.region({0, 0, size.width, size.height}, {},
                tr("{sentence}.\n{note}", "sentence"_a = sentence, "note"_a = note));
  return canvas.take();
}

}  // namespace warplens::picture
