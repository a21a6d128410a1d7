#include "viz/picture/source_margin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kernels/base/texts.h"
#include "viz/analysis/line_figures.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/fonts.h"
#include "viz/picture/moment.h"

namespace warplens::picture {
namespace {

using analysis::LineFigures;

constexpr float kLineNumbers = 34;

/// A row of the picture: a source line, or a figure beneath one.
struct Row {
  std::uint32_t line = 0;
  const LineFigures* figure = nullptr;  // nullptr: the source itself
};

/// `figures` are by line.
std::vector<Row> rows_of(std::size_t lines, const std::vector<LineFigures>& figures) {
  std::vector<Row> rows;
  auto figure = std::ranges::lower_bound(figures, 1u, {}, &LineFigures::line);
  for (std::uint32_t line = 1; line <= lines; ++line) {
    rows.push_back({line, nullptr});
    for (; figure != figures.end() && figure->line == line; ++figure) rows.push_back({line, &*figure});
  }
  return rows;
}

/// The first row to draw, so that the wanted line is in sight, and does not move while it is.
std::size_t first_row(const std::vector<Row>& rows, std::uint32_t wanted, std::size_t room) {
  if (rows.size() <= room) return 0;
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.line == wanted; });
  const auto at = static_cast<std::size_t>(found - rows.begin());
  return std::min(at > room / 3 ? at - room / 3 : 0, rows.size() - room);
}

/// Places of the columns of figures in a row. Narrow pictures keep the middle one, which says most, or none.
struct Columns {
  Rect requests, per_request, ideal, excess;
};

Columns lay_out_columns(const Canvas& canvas, Rect row) {
  Columns columns{};
  const auto column = [&](const char* heading, float min) {
    return cut_right(row, std::max(canvas.px(min), canvas.width_of(heading, canvas.muted()) + canvas.px(8)));
  };
  if (row.width >= canvas.px(360)) columns.excess = column(tr("excess"), 88);
  if (row.width >= canvas.px(280)) columns.ideal = column(tr("ideal"), 50);
  if (row.width >= canvas.px(120)) columns.per_request = column(tr("per request"), 88);
  if (row.width >= canvas.px(140)) columns.requests = column(tr("requests"), 88);
  return columns;
}

Rect at_height(Rect column, Rect row) {
  return {column.x, row.y, column.width, row.height};
}

void draw_headings(Canvas& canvas, Rect row, const Columns& columns) {
  const TextLook look = canvas.muted(kSmallSize, Align::right);
  canvas.fitted(at_height(columns.requests, row), {tr("requests")}, look);
  canvas.fitted(at_height(columns.per_request, row), {tr("per request")}, look);
  canvas.fitted(at_height(columns.ideal, row), {tr("ideal")}, look);
  canvas.fitted(at_height(columns.excess, row), {tr("excess")}, look);
}

/// The access, its figures, and below its excess a bar, a part of `scale`.
void draw_figures(Canvas& canvas, Rect row, const Columns& columns, const LineFigures& figure, double share,
                  const analysis::TotalExcess& scale) {
  const Palette& palette = canvas.palette();
  const TextLook plain = canvas.muted(kSmallSize, Align::right);
  const TextLook rate{figure.costly() ? palette.costly : palette.good, kSmallSize, Font::sans_bold,
                      Align::right};
  canvas.fitted(at_height(columns.requests, row), {with_thousands(figure.totals.requests)}, plain);
  canvas.fitted(at_height(columns.per_request, row),
                {formatted("{:.1f} {}", figure.cost_per_request(), figure.short_unit())}, rate);
  canvas.fitted(at_height(columns.ideal, row), {formatted("{:.1f}", figure.ideal_per_request())}, plain);
  Rect access = row;
  static_cast<void>(cut_left(access, canvas.px(42)));
  access.width = std::max(0.0f, columns.requests.width > 0 ? columns.requests.x - access.x : access.width);
  LineFigures of_any = figure;
  of_any.array.clear();
  canvas.fitted(access, {access_words(figure), access_words(of_any)}, canvas.muted(kSmallSize));
  if (columns.excess.width <= 0 || figure.excess() == 0) return;
  Rect figure_box = at_height(columns.excess, row);
  const float width = std::max(figure_box.width * static_cast<float>(scale.share(figure)), canvas.px(2)),
              thickness = canvas.px(2);
  const float bar = figure_box.bottom() - canvas.px(1) - thickness;
  canvas.fill({figure_box.x, bar, figure_box.width, thickness}, with_alpha(palette.costly, 0.2f));
  canvas.fill({figure_box.right() - width, bar, width, thickness}, palette.costly);
  canvas.fitted(figure_box, {with_thousands(figure.excess())},
                {palette.costly, kSmallSize, Font::sans_bold, Align::right});
  canvas.region(row, {},
                tr("Beyond the ideal: {count} {unit}, {share} of the kernel's",
                   "count"_a = with_thousands(figure.excess()), "unit"_a = tr(figure.unit()),
                   "share"_a = formatted("{:.1f} %", 100 * share)));
}

/// `number`: 0 where a line goes on.
void draw_source_line(Canvas& canvas, Rect row, std::uint32_t number, const std::string& text, bool current) {
  if (current) {
    canvas.fill(row, with_alpha(canvas.palette().accent, 0.2f));
    canvas.fill({row.x, row.y, canvas.px(3), row.height}, canvas.palette().accent);
  }
  if (number != 0) canvas.region(row, {Target::Kind::line, number}, tr("Line {line}", "line"_a = number));
  Rect margin = cut_left(row, canvas.px(kLineNumbers));
  static_cast<void>(cut_right(margin, canvas.px(8)));
  if (number != 0)
    canvas.fitted(margin, {std::to_string(number)},
                  {canvas.palette().muted, kSmallSize, Font::mono, Align::right});
  canvas.wrapped(row, text, {canvas.palette().text, kSmallSize + 1, Font::mono, Align::left});
}

/// Breaks a line into as many pieces as it takes at this width, between words, or within one that is wider.
std::vector<std::string> pieces_of(const Canvas& canvas, const std::string& line, float width) {
  const TextLook code{canvas.palette().text, kSmallSize + 1, Font::mono, Align::left};
  const auto letters = std::max<std::size_t>(static_cast<std::size_t>(width / canvas.width_of("0", code)), 1);
  std::vector<std::string> pieces;
  std::string_view rest = line;
  do {
    std::size_t end = end_of_line(rest, width, canvas.px(code.size), code.font);
    if (rest.find_first_not_of(' ') >= end) {  // Not even a word
      end = std::min(letters, rest.size());
      while (end < rest.size() && (static_cast<unsigned char>(rest[end]) & 0xc0) == 0x80)
        ++end;  // Not within a character of several bytes
    }
    pieces.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  } while (!rest.empty());
  return pieces;
}

/// What to see: the line that costs most above its ideal. (A broadcast costs less than its ideal.)
std::string worst_line(const std::vector<LineFigures>& figures) {
  const auto worst = std::ranges::max_element(figures, {}, &LineFigures::excess);
  if (worst == figures.end()) return tr("No line of this file makes an access to memory");
  if (!worst->costly()) return tr("Every line is at its ideal");
  const double cost = worst->cost_per_request(), ideal = worst->ideal_per_request();
  if (worst->space == Space::shared) {
    return tr(
        "Line {line} costs most above its ideal: {cost:.1f} wavefronts per request instead of {ideal:.1f}",
        "line"_a = worst->line, "cost"_a = cost, "ideal"_a = ideal);
  }
  return worst->counts_sectors ? tr("Line {line} costs most above its ideal: {cost:.1f} sectors per request "
                                    "instead of {ideal:.1f}",
                                    "line"_a = worst->line, "cost"_a = cost, "ideal"_a = ideal)
                               : tr("Line {line} costs most above its ideal: {cost:.1f} transactions per "
                                    "request instead of {ideal:.1f}",
                                    "line"_a = worst->line, "cost"_a = cost, "ideal"_a = ideal);
}

}  // namespace

std::vector<std::string> source_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line;
    for (const char c : rest.substr(0, end)) {
      if (c == '\t')
        line += "  ";
      else if (c != '\r')
        line += c;
    }
    lines.push_back(std::move(line));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

Picture make_source_margin(const Recording& recording, const analysis::Report& report, std::uint32_t file,
                           std::uint32_t line, Size size, const Style& style,
                           const analysis::TotalExcess& total_beside) {
  if (file >= recording.files.size() || recording.files[file].text.empty()) {
    return empty_picture(tr("Source"), tr("The source of this kernel is not in the recording."),
                         tr("Compile it with -lineinfo, and keep the .cu file beside the .ptx."), size,
                         style);
  }
  const std::vector<LineFigures> figures =
      analysis::file_figures(recording, report, file, arrays_of_sites(recording));
  const analysis::TotalExcess total = analysis::total_excess(recording, report);
  const analysis::TotalExcess scale{std::max(total.sectors, total_beside.sectors),
                                    std::max(total.wavefronts, total_beside.wavefronts)};
  const std::vector<std::string> lines = source_lines(recording.files[file].text);
  const std::vector<Row> rows = rows_of(lines.size(), figures);
  if (line == 0 && !figures.empty()) line = figures.front().line;

  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Source"), recording.files[file].name);
  Rect rest = canvas.inside();
  draw_sentence(canvas, rest, worst_line(figures));
  static_cast<void>(cut_bottom(rest, canvas.px(6)));
  const Columns columns = lay_out_columns(canvas, rest);
  draw_headings(canvas, cut_top(rest, canvas.px(20)), columns);
  const float row_height = canvas.px(19);
  const auto room = static_cast<std::size_t>(std::max(0.0f, rest.height / row_height));
  const std::size_t begin = first_row(rows, line, room), end = std::min(rows.size(), begin + room);
  for (std::size_t i = begin; i < end; ++i) {
    const Rect row = cut_top(rest, row_height);
    if (rows[i].figure != nullptr) {
      draw_figures(canvas, row, columns, *rows[i].figure, total.share(*rows[i].figure), scale);
    } else {
      draw_source_line(canvas, row, rows[i].line, lines[rows[i].line - 1], rows[i].line == line);
    }
  }
  return canvas.take();
}

Picture make_source_code(const Recording& recording, std::uint32_t file, std::uint32_t line, Size size,
                         const Style& style) {
  if (file >= recording.files.size() || recording.files[file].text.empty()) return {};
  const std::vector<std::string> lines = source_lines(recording.files[file].text);
  Canvas canvas(size, roomy(style, size));
  canvas.name(tr("Source"), recording.files[file].name);
  Rect rest = canvas.inside();
  const float row_height = canvas.px(19), room = rest.width - canvas.px(kLineNumbers);
  std::vector<std::vector<std::string>> pieces;
  for (const std::string& each : lines) pieces.push_back(pieces_of(canvas, each, room));
  const auto height_of = [&](std::size_t index) {
    return row_height * static_cast<float>(pieces[index].size());
  };
  // Around the line that is meant, a third of the picture before it.
  std::size_t begin = std::min<std::size_t>(line > 0 ? line - 1 : 0, lines.size() - 1);
  for (float above = height_of(begin); begin > 0 && above + height_of(begin - 1) <= rest.height / 3; --begin)
    above += height_of(begin - 1);
  float after = 0;
  for (std::size_t i = begin; i < lines.size(); ++i) after += height_of(i);
  for (; begin > 0 && after + height_of(begin - 1) <= rest.height; --begin) after += height_of(begin - 1);
  for (std::size_t i = begin; i < lines.size() && rest.height >= row_height; ++i) {
    for (std::size_t piece = 0; piece < pieces[i].size() && rest.height >= row_height; ++piece) {
      const std::uint32_t number = piece == 0 ? static_cast<std::uint32_t>(i + 1) : 0;
      draw_source_line(canvas, cut_top(rest, row_height), number, pieces[i][piece], i + 1 == line);
    }
  }
  return canvas.take();
}

}  // namespace warplens::picture
