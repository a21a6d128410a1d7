#include "viz/picture/source_margin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "viz/picture/canvas.h"

namespace warplens::picture {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
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

/// The same kind of access at the same cost a request; fractions compared without rounding.
bool alike(const LineFigure& a, const LineFigure& b) {
  return a.space == b.space && a.op == b.op && a.cost * b.requests == b.cost * a.requests && a.ideal * b.requests == b.ideal * a.requests;
}

/// A row of the picture: a source line, or a figure beneath one.
struct Row {
  std::uint32_t line = 0;
  const LineFigure* figure = nullptr;  // nullptr: the source itself
};

std::vector<Row> rows_of(std::size_t lines, const std::vector<LineFigure>& figures) {
  std::vector<Row> rows;
  for (std::uint32_t line = 1; line <= lines; ++line) {
    rows.push_back({line, nullptr});
    for (const LineFigure& figure : figures) {
      if (figure.line == line) rows.push_back({line, &figure});
    }
  }
  return rows;
}

/// The first row to draw, so that the wanted line is in sight, and does not move while it is.
std::size_t first_row(const std::vector<Row>& rows, std::uint32_t wanted, std::size_t room) {
  if (rows.size() <= room) return 0;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.line == wanted; });
  const auto at = static_cast<std::size_t>(found - rows.begin());
  return std::min(at > room / 3 ? at - room / 3 : 0, rows.size() - room);
}

/// Right edges of the three columns of figures.
struct Columns {
  float requests, per_request, ideal;
};

void draw_figures(Canvas& canvas, Rect row, const Columns& columns, const LineFigure& figure) {
  const Palette& palette = canvas.palette();
  const float y = row.y + row.height / 2;
  const TextLook plain = canvas.muted(kSmallSize, Align::right);
  canvas.text({columns.requests, y}, with_thousands(figure.requests), plain);
  canvas.text({columns.per_request, y}, fmt::format("{:.1f} {}", figure.per_request(), figure.short_unit()),
              {figure.costly() ? palette.costly : palette.good, kSmallSize, Font::sans_bold, Align::right});
  canvas.text({columns.ideal, y}, fmt::format("{:.1f}", figure.ideal_per_request()), plain);
}

}  // namespace

std::vector<LineFigure> line_figures(const Recording& recording, const analysis::Report& report, std::uint32_t file) {
  std::vector<LineFigure> figures;
  for (const auto& [place, sites] : report.sites_by_line) {
    if (place.first != file) continue;
    const auto first_of_line = static_cast<std::ptrdiff_t>(figures.size());
    for (const std::uint32_t index : sites) {
      const Site& site = recording.sites[index];
      const analysis::Totals& totals = report.by_site[index];
      if (totals.requests == 0) continue;
      const bool shared = site.space == Space::shared;
      const LineFigure figure{.line = place.second,
                              .space = site.space,
                              .op = site.op,
                              .requests = totals.requests,
                              .cost = shared ? totals.cost.wavefronts : totals.cost.sectors,
                              .ideal = shared ? totals.cost.ideal_wavefronts : totals.cost.ideal_sectors};
      const auto known = std::find_if(figures.begin() + first_of_line, figures.end(), [&](const LineFigure& other) { return alike(figure, other); });
      if (known == figures.end()) {
        figures.push_back(figure);
      } else {
        known->requests += figure.requests;
        known->cost += figure.cost;
        known->ideal += figure.ideal;
      }
    }
  }
  return figures;
}

Picture make_source_margin(const Recording& recording, const analysis::Report& report, std::uint32_t file, std::uint32_t line, Size size,
                           const Style& style) {
  if (file >= recording.files.size() || recording.files[file].text.empty()) {
    return empty_picture("Source", "The source of this kernel is not in the recording.",
                         "Compile it with -lineinfo, and keep the .cu file beside the .ptx.", size, style);
  }
  const std::vector<LineFigure> figures = line_figures(recording, report, file);
  const std::vector<std::string> lines = lines_of(recording.files[file].text);
  const std::vector<Row> rows = rows_of(lines.size(), figures);
  if (line == 0 && !figures.empty()) line = figures.front().line;

  Canvas canvas(size, style);
  canvas.name("Source", recording.files[file].name);
  Rect rest = canvas.inside();
  const Columns columns{rest.right() - canvas.px(140), rest.right() - canvas.px(56), rest.right() - canvas.px(4)};
  const Rect header = cut_top(rest, canvas.px(20));
  const TextLook head = canvas.muted(kSmallSize, Align::right);
  canvas.text({columns.requests, header.y + header.height / 2}, "requests", head);
  canvas.text({columns.per_request, header.y + header.height / 2}, "per request", head);
  canvas.text({columns.ideal, header.y + header.height / 2}, "ideal", head);

  const float row_height = canvas.px(19);
  const auto room = static_cast<std::size_t>(std::max(0.0f, rest.height / row_height));
  const std::size_t begin = first_row(rows, line, room), end = std::min(rows.size(), begin + room);
  for (std::size_t i = begin; i < end; ++i) {
    Rect row = cut_top(rest, row_height);
    if (rows[i].figure != nullptr) {
      draw_figures(canvas, row, columns, *rows[i].figure);
      continue;
    }
    if (rows[i].line == line) {
      canvas.fill(row, with_alpha(canvas.palette().accent, 0.2f));
      canvas.fill({row.x, row.y, canvas.px(3), row.height}, canvas.palette().accent);
    }
    canvas.region(row, {Target::Kind::line, rows[i].line}, fmt::format("Line {}", rows[i].line));
    const Rect number = cut_left(row, canvas.px(34));
    canvas.text({number.right() - canvas.px(8), row.y + row.height / 2}, std::to_string(rows[i].line),
                {canvas.palette().muted, kSmallSize, Font::mono, Align::right});
    canvas.wrapped({row.x, row.y, row.width, row.height}, lines[rows[i].line - 1], {canvas.palette().text, kSmallSize + 1, Font::mono, Align::left});
  }
  const auto worst =
      std::max_element(figures.begin(), figures.end(), [](const LineFigure& x, const LineFigure& y) { return x.cost - x.ideal < y.cost - y.ideal; });
  if (worst != figures.end() && worst->costly()) {
    canvas.say(fmt::format("Line {} costs most above its ideal: {:.1f} {} a request instead of {:.1f}", worst->line, worst->per_request(),
                           worst->unit(), worst->ideal_per_request()));
  } else {
    canvas.say("Every line is at its ideal");
  }
  return canvas.take();
}

}  // namespace warplens::picture
