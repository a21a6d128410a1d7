#include "viz/picture/comparison/source_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"
#include "viz/analysis/line_difference.h"
#include "viz/analysis/line_figures.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/comparison/difference.h"
#include "viz/picture/moment.h"
#include "viz/picture/source_margin.h"

namespace warplens::picture {
namespace {

using analysis::LineFigures;
using analysis::LinePair;

constexpr float kRowHeight = 19, kNumber = 30, kMark = 16, kNarrow = 560;

/// A row of the picture: a line, or what an access of it costs in both.
struct SourceRow {
  LinePair lines;
  bool is_figure = false;
  const LineFigures *a = nullptr, *b = nullptr;  ///< One may have none
  LinePair changed;                              ///< Of a line that was changed: it, and what it became
};

/// All that is drawn.
struct SourceScene {
  std::vector<std::string> lines_a, lines_b;
  std::vector<LineFigures> figures_a, figures_b;
  std::vector<SourceRow> rows;
  std::uint64_t same = 0, a_alone = 0, b_alone = 0;  ///< Lines
};

std::vector<const LineFigures*> of_line(const std::vector<LineFigures>& figures, std::uint32_t line) {
  std::vector<const LineFigures*> found;
  for (const LineFigures& figure : figures) {
    if (line != 0 && figure.line == line) found.push_back(&figure);
  }
  return found;
}

/// Adds the figures of a line in both, or of a line and the one in its place: accesses of one kind to one
/// array share a row.
void add_figures(SourceScene& scene, const LinePair& lines) {
  std::vector<const LineFigures*> in_b = of_line(scene.figures_b, lines.b);
  for (const LineFigures* const a : of_line(scene.figures_a, lines.a)) {
    const auto like = std::ranges::find_if(in_b, [a](const LineFigures* b) {
      return b->space == a->space && b->op == a->op && b->array == a->array;
    });
    scene.rows.push_back(
        {.lines = lines, .is_figure = true, .a = a, .b = like == in_b.end() ? nullptr : *like});
    if (like != in_b.end()) in_b.erase(like);
  }
  for (const LineFigures* const b : in_b) scene.rows.push_back({.lines = lines, .is_figure = true, .b = b});
}

/// Lines of A alone and then of B alone that stand in their place. As many of one as of the other are taken
/// for the same lines, changed.
void add_changed(SourceScene& scene, const std::vector<LinePair>& of_a, const std::vector<LinePair>& of_b) {
  scene.a_alone += of_a.size();
  scene.b_alone += of_b.size();
  if (of_a.size() == of_b.size()) {
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      const LinePair changed{of_a[i].a, of_b[i].b};
      scene.rows.push_back({.lines = of_a[i], .changed = changed});
      scene.rows.push_back({.lines = of_b[i], .changed = changed});
      add_figures(scene, changed);
    }
    return;
  }
  for (const auto* const lines : {&of_a, &of_b}) {
    for (const LinePair& line : *lines) {
      scene.rows.push_back({.lines = line});
      add_figures(scene, line);
    }
  }
}

/// Leaves lines that differ or make accesses, each with the line before it: letters of a hall leave no room
/// for others.
void leave_out_other_lines(SourceScene& scene) {
  const std::vector<SourceRow> all = std::move(scene.rows);
  const auto has_news = [&](std::size_t i) {
    const SourceRow& row = all[i];
    return row.is_figure || row.lines.a == 0 || row.lines.b == 0 ||
           (i + 1 < all.size() && all[i + 1].is_figure);
  };
  const auto is_blank = [&](const SourceRow& row) {
    return scene.lines_b[row.lines.b - 1].find_first_not_of(" \t\r") == std::string::npos;
  };
  scene.rows.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool stands_before = i + 1 < all.size() && has_news(i + 1) && !has_news(i) && !is_blank(all[i]);
    if (has_news(i) || stands_before) scene.rows.push_back(all[i]);
  }
  if (scene.rows.empty()) scene.rows = all;
}

SourceScene scene_of(const SourceSide& a, const SourceSide& b, const Style& style) {
  SourceScene scene;
  scene.lines_a = source_lines(a.recording.files[a.file].text);
  scene.lines_b = source_lines(b.recording.files[b.file].text);
  scene.figures_a = analysis::file_figures(a.recording, a.report, a.file, arrays_of_sites(a.recording));
  scene.figures_b = analysis::file_figures(b.recording, b.report, b.file, arrays_of_sites(b.recording));
  std::vector<LinePair> of_a, of_b;
  for (const LinePair& pair : analysis::line_difference(scene.lines_a, scene.lines_b)) {
    if (pair.b == 0) {
      of_a.push_back(pair);
    } else if (pair.a == 0) {
      of_b.push_back(pair);
    } else {
      add_changed(scene, std::exchange(of_a, {}), std::exchange(of_b, {}));
      ++scene.same;
      scene.rows.push_back({.lines = pair});
      add_figures(scene, pair);
    }
  }
  add_changed(scene, of_a, of_b);
  if (style.min_text > 0) leave_out_other_lines(scene);
  return scene;
}

/// Places of the columns of figures; narrow pictures have no change in full. A and B are there together, or
/// neither is: one alone compares nothing.
struct SourceColumns {
  Rect a, b, change;
};

SourceColumns columns_of(const Canvas& canvas, Rect row) {
  SourceColumns columns{};
  const auto column = [&](const std::string& heading, float min) {
    return cut_right(row, std::max(canvas.px(min), canvas.width_of(heading, canvas.muted()) + canvas.px(8)));
  };
  if (row.width >= canvas.px(300))
    columns.change = column(tr("B against A"), row.width >= canvas.px(kNarrow) ? 150 : 62);
  if (row.width >= canvas.px(180)) {
    columns.b = column("B", 78);
    columns.a = column("A", 78);
  }
  return columns;
}

Rect in_row(Rect column, Rect row) {
  return {column.x, row.y, column.width, row.height};
}

void draw_headings(Canvas& canvas, Rect row, const SourceColumns& columns) {
  const Palette& palette = canvas.palette();
  canvas.fitted(in_row(columns.a, row), {tr("A per request"), "A"},
                {palette.accent, kSmallSize, Font::sans_bold, Align::right});
  canvas.fitted(in_row(columns.b, row), {tr("B per request"), "B"},
                {palette.fill, kSmallSize, Font::sans_bold, Align::right});
  canvas.fitted(in_row(columns.change, row), {tr("B against A")}, canvas.muted(kSmallSize, Align::right));
}

bool is_one_measure(const SourceRow& row) {
  return row.a != nullptr && row.b != nullptr &&
         (row.a->space == Space::shared || row.a->counts_sectors == row.b->counts_sectors);
}

std::string cost_of(const LineFigures* figure) {
  return figure == nullptr ? "-" : formatted("{:.1f} {}", figure->cost_per_request(), figure->short_unit());
}

std::string in_full(const LineFigures* figure) {
  if (figure == nullptr) return tr("none");
  return tr("{requests}, {cost} {unit}",
            "requests"_a = tr_n(figure->totals.requests, "{n} request", "{n} requests"),
            "cost"_a = with_thousands(figure->cost()), "unit"_a = tr(figure->unit()));
}

/// What the access costs in both. `row.lines` were drawn above.
void draw_figures(Canvas& canvas, Rect place, const SourceColumns& columns, const SourceRow& row) {
  const Palette& palette = canvas.palette();
  const auto look = [&](const LineFigures* figure) {
    const Colour colour = figure == nullptr  ? palette.muted
                          : figure->costly() ? palette.costly
                                             : palette.good;
    return TextLook{colour, kSmallSize, Font::sans_bold, Align::right};
  };
  canvas.fitted(in_row(columns.a, place), {cost_of(row.a)}, look(row.a));
  canvas.fitted(in_row(columns.b, place), {cost_of(row.b)}, look(row.b));
  std::string change;
  if (is_one_measure(row)) {
    change = with_minus(change_in_words(row.a->cost(), row.b->cost()));
    const Colour colour = row.b->cost() < row.a->cost()   ? palette.good
                          : row.b->cost() > row.a->cost() ? palette.costly
                                                          : palette.muted;
    const std::string ratio = row.a->cost() == row.b->cost() || row.a->cost() == 0
                                  ? change
                                  : with_minus(ratio_in_words(static_cast<double>(row.a->cost()),
                                                              static_cast<double>(row.b->cost())));
    const Font font = row.a->cost() == row.b->cost() ? Font::sans : Font::sans_bold;
    canvas.fitted(in_row(columns.change, place), {change, ratio}, {colour, kSmallSize, font, Align::right});
  }
  const LineFigures& either = row.b != nullptr ? *row.b : *row.a;
  LineFigures of_any = either;
  of_any.array.clear();
  Rect access = place;
  static_cast<void>(cut_left(access, canvas.px(2 * kNumber + kMark + 8)));
  const float end = columns.a.width > 0 ? columns.a.x : columns.b.width > 0 ? columns.b.x : place.right();
  access.width = std::max(0.0f, end - access.x);
  canvas.fitted(access, {access_words(either), access_words(of_any)}, canvas.muted());
  canvas.region(place, {},
                tr("{access}: {a} in A, {b} in B. {change}", "access"_a = access_words(either),
                   "a"_a = in_full(row.a), "b"_a = in_full(row.b), "change"_a = change));
}

/// What of a line is not in the other that stands for it: from `begin` on `length` letters.
struct ChangedPart {
  std::size_t begin = 0, length = 0;
};

ChangedPart changed_part(const std::string& text, const std::string& other) {
  const std::size_t shorter = std::min(text.size(), other.size());
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
  };  // Within a letter of UTF-8
  std::size_t begin = 0, behind = 0;
  while (begin < shorter && text[begin] == other[begin]) ++begin;
  while (begin > 0 && begin < text.size() && continues(begin)) --begin;
  while (behind < shorter - begin && text[text.size() - 1 - behind] == other[other.size() - 1 - behind])
    ++behind;
  while (behind > 0 && continues(text.size() - behind)) --behind;
  return {begin, text.size() - behind - begin};
}

/// Replaces all but the last characters before the changed part by an ellipsis.
void leave_out_beginning(std::string& text, ChangedPart& part) {
  constexpr std::size_t kKept = 11;  // The ellipsis included, of 3 bytes
  const std::size_t behind = text.size() - part.begin;
  text = cut_at_begin(text, behind + kKept);
  part.begin = text.size() - behind;
}

/// A line of both, of A alone or of B alone; the latter two on the ground of their side, marked.
void draw_line(Canvas& canvas, Rect place, const SourceScene& scene, const SourceRow& row, bool current) {
  const Palette& palette = canvas.palette();
  const LinePair& lines = row.lines;
  const bool a_alone = lines.b == 0, b_alone = lines.a == 0;
  const Colour side = a_alone ? palette.accent : palette.fill;
  if (a_alone || b_alone) canvas.fill(place, with_alpha(side, 0.14f));
  if (current) {
    canvas.fill(place, with_alpha(palette.text, 0.1f));
    canvas.fill({place.x, place.y, canvas.px(3), place.height}, palette.text);
  }
  if (!a_alone) {
    canvas.region(place, {Target::Kind::line, lines.b},
                  b_alone ? tr("Line {line} of B, which A does not have", "line"_a = lines.b)
                          : tr("Line {b} of B, line {a} of A", "b"_a = lines.b, "a"_a = lines.a));
  } else {
    canvas.region(place, {}, tr("Line {line} of A, which B does not have", "line"_a = lines.a));
  }
  const TextLook number{palette.muted, kSmallSize, Font::mono, Align::right};
  canvas.fitted(cut_left(place, canvas.px(kNumber)), {lines.a == 0 ? "" : std::to_string(lines.a)}, number);
  canvas.fitted(cut_left(place, canvas.px(kNumber)), {lines.b == 0 ? "" : std::to_string(lines.b)}, number);
  const Rect mark = cut_left(place, canvas.px(kMark));
  if (a_alone || b_alone)
    canvas.fitted(mark, {a_alone ? "\u2212" : "+"}, {side, kSmallSize + 1, Font::mono, Align::centre});
  const TextLook look{palette.text, kSmallSize + 1, Font::mono, Align::left};
  std::string text = a_alone ? scene.lines_a[lines.a - 1] : scene.lines_b[lines.b - 1];
  if (row.changed.a != 0) {
    ChangedPart part =
        changed_part(text, a_alone ? scene.lines_b[row.changed.b - 1] : scene.lines_a[row.changed.a - 1]);
    if (canvas.width_of(std::string_view(text).substr(0, part.begin + part.length + 1), look) > place.width)
      leave_out_beginning(text, part);
    const float from = canvas.width_of(std::string_view(text).substr(0, part.begin), look);
    const float to = canvas.width_of(std::string_view(text).substr(0, part.begin + part.length), look);
    const Rect ground{place.x + from, place.y + canvas.px(1), std::min(to, place.width) - from,
                      place.height - canvas.px(2)};
    if (part.length > 0 && ground.width > 0) canvas.fill(ground, with_alpha(side, 0.4f), 2);
  }
  canvas.wrapped(place, text, look);
}

/// B's line; without one, the first that makes an access.
std::uint32_t line_in_sight(const SourceScene& scene, const SourceSide& b) {
  return b.line == 0 && !scene.figures_b.empty() ? scene.figures_b.front().line : b.line;
}

std::size_t row_of_line(const std::vector<SourceRow>& rows, std::uint32_t line) {
  const auto found = std::ranges::find_if(rows, [&](const SourceRow& row) { return row.lines.b == line; });
  return found == rows.end() ? 0 : static_cast<std::size_t>(found - rows.begin());
}

std::uint64_t apart_by(const SourceRow& row) {
  if (!row.is_figure || !is_one_measure(row)) return 0;
  return row.a->cost() > row.b->cost() ? row.a->cost() - row.b->cost() : row.b->cost() - row.a->cost();
}

std::string sentence_of(const SourceScene& scene) {
  if (scene.same == 0) return tr("No line of A's source is a line of B's");
  const std::string same = tr_n(scene.same, "{n} line is the same", "{n} lines are the same");
  std::string lines = scene.a_alone + scene.b_alone == 0
                          ? tr_n(scene.same, "The only line is the same", "All {n} lines are the same")
                          : tr("{same}, {a} in A alone, {b} in B alone", "same"_a = same,
                               "a"_a = with_thousands(scene.a_alone), "b"_a = with_thousands(scene.b_alone));
  const auto max = std::ranges::max_element(scene.rows, {}, apart_by);
  if (apart_by(*max) == 0) return lines;
  const auto change = static_cast<std::int64_t>(max->b->cost()) - static_cast<std::int64_t>(max->a->cost());
  return tr("{lines}; line {line} changes most: {change} {unit}", "lines"_a = lines, "line"_a = max->b->line,
            "change"_a = difference_in_figures(change), "unit"_a = tr(max->b->unit()));
}

bool has_source(const SourceSide& side) {
  return side.file < side.recording.files.size() && !side.recording.files[side.file].text.empty();
}

}  // namespace

Picture make_source_difference(const SourceSide& a, const SourceSide& b, Size size, const Style& style,
                               std::optional<std::size_t> first_row) {
  if (!has_source(a) || !has_source(b)) {
    return empty_picture(
        tr("Source"),
        tr("The source of {launch} is not in its recording.", "launch"_a = has_source(a) ? "B" : "A"),
        tr("Compile it with -lineinfo, and keep the .cu file beside the .ptx."), size, style);
  }
  const SourceScene scene = scene_of(a, b, style);
  const std::uint32_t line = line_in_sight(scene, b);

  Canvas canvas(size, style);
  canvas.name(tr("Source"),
              fmt::format("{} \u2192 {}", a.recording.files[a.file].name, b.recording.files[b.file].name));
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, sentence_of(scene));
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  const SourceColumns columns = columns_of(canvas, rest);
  draw_headings(canvas, cut_top(rest, canvas.px(20)), columns);
  const float row_height = canvas.px(kRowHeight);
  const std::size_t count = scene.rows.size(),
                    room =
                        std::min(count, static_cast<std::size_t>(std::max(0.0f, rest.height / row_height)));
  const std::size_t current = row_of_line(scene.rows, line),
                    around = current > room / 3 ? current - room / 3 : 0;
  const std::size_t begin = std::min(first_row.value_or(around), count - room);
  for (std::size_t i = begin; i < begin + room; ++i) {
    const SourceRow& row = scene.rows[i];
    const Rect place = cut_top(rest, row_height);
    row.is_figure ? draw_figures(canvas, place, columns, row)
                  : draw_line(canvas, place, scene, row, row.lines.b != 0 && row.lines.b == line);
  }
  return canvas.take();
}

ListRows source_difference_rows(const SourceSide& a, const SourceSide& b, const Style& style) {
  if (!has_source(a) || !has_source(b)) return {};
  const SourceScene scene = scene_of(a, b, style);
  return {scene.rows.size(), row_of_line(scene.rows, line_in_sight(scene, b)), kRowHeight * style.scale};
}

}  // namespace warplens::picture
