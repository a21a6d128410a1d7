#include "viz/picture/changes.h"

#include <algorithm>
#include <array>

#include "kernels/base/texts.h"
#include "viz/picture/canvas.h"

namespace warplens::picture {
namespace {

constexpr float kLeastSize = 11, kLargestSize = 26;
constexpr float kLow = 180;     ///< Below it, room is for rows alone
constexpr float kMostEms = 60;  ///< Wider, figures would stand too far from their names

/// A line of the table: a section's name, or a row.
struct TableLine {
  const std::string* section = nullptr;
  const Changes::Row* row = nullptr;
};

bool is_same(const Changes::Row& row) {
  return row.a == row.b;
}

std::vector<TableLine> lines_of(const Changes& changes, bool with_same) {
  std::vector<TableLine> lines;
  const std::string* section = nullptr;
  for (const Changes::Row& row : changes.rows) {
    if (!with_same && is_same(row)) continue;
    if (section == nullptr || *section != row.section) lines.push_back({&row.section, nullptr});
    section = &row.section;
    lines.push_back({nullptr, &row});
  }
  return lines;
}

class TablePainter {
 public:
  TablePainter(Canvas& canvas, const Changes& changes, float size, float width)
      : canvas_(canvas), size_(size), width_(std::min(width, canvas.px(size * kMostEms))) {
    const TextLook look = canvas.plain(size);
    const auto widest = [&](std::string Changes::Row::*text, const std::string& title) {
      float most = canvas.width_of(title, look);
      for (const Changes::Row& row : changes.rows) most = std::max(most, canvas.width_of(row.*text, look));
      return most + canvas.px(size);
    };
    widths_ = {0, widest(&Changes::Row::a, "A"), widest(&Changes::Row::b, "B"), widest(&Changes::Row::change, tr("B against A"))};
    widths_[0] = width_ - widths_[1] - widths_[2] - widths_[3];
  }

  [[nodiscard]] float height() const { return canvas_.px(size_ * 1.7f); }
  [[nodiscard]] bool names_fit(const Changes& changes) const {
    return std::ranges::all_of(changes.rows,
                               [this](const Changes::Row& row) { return canvas_.width_of(row.name, canvas_.plain(size_)) <= widths_[0]; });
  }

  void draw_head(Rect box, const std::string& section) {
    const Palette& palette = canvas_.palette();
    canvas_.line({box.x, box.bottom()}, {box.x + width_, box.bottom()}, palette.line);
    const std::array<std::string, 4> texts{section, "A", "B", tr("B against A")};
    const std::array colours{palette.muted, palette.accent, palette.fill, palette.muted};
    for (std::size_t i = 0; i < texts.size(); ++i)
      write(box, i, texts[i], {colours[i], size_ * 0.9f, Font::sans_bold, i == 0 ? Align::left : Align::right});
  }
  void draw(Rect box, const Changes::Row& row) {
    const Palette& palette = canvas_.palette();
    canvas_.region({box.x, box.y, width_, box.height}, {},
                   tr("{figure}: {a} and {b}. {change}", "figure"_a = row.name, "a"_a = row.a, "b"_a = row.b, "change"_a = row.change));
    write(box, 0, row.name, canvas_.plain(size_));
    write(box, 1, row.a, canvas_.plain(size_, Align::right));
    write(box, 2, row.b, canvas_.plain(size_, Align::right));
    const bool told = row.tone != Changes::Tone::none;
    const Colour colour = row.tone == Changes::Tone::better ? palette.good : row.tone == Changes::Tone::worse ? palette.costly : palette.muted;
    write(box, 3, row.change, {colour, size_, told ? Font::sans_bold : Font::sans, Align::right});
  }

 private:
  void write(Rect line, std::size_t column, const std::string& text, const TextLook& look) {
    for (std::size_t i = 0; i < column; ++i) static_cast<void>(cut_left(line, widths_[i]));
    canvas_.fitted({line.x, line.y, widths_[column], line.height}, {text}, look);
  }

  Canvas& canvas_;
  float size_, width_;
  std::array<float, 4> widths_{};
};

TablePainter painter_for(Canvas& canvas, const Changes& changes, std::size_t lines, Rect room) {
  for (float size = kLargestSize; size > kLeastSize; size -= 1) {
    const TablePainter painter(canvas, changes, size, room.width);
    if (painter.names_fit(changes) && painter.height() * static_cast<float>(lines) <= room.height) return painter;
  }
  return {canvas, changes, kLeastSize, room.width};
}

void draw_lines(Canvas& canvas, Rect rest, TablePainter painter, const std::vector<TableLine>& lines) {
  const float more = canvas.line_height(kSmallSize);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (painter.height() > rest.height - (i + 1 == lines.size() ? 0 : more)) {
      const auto left =
          std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end(), [](const TableLine& line) { return line.row != nullptr; });
      canvas.fitted(cut_top(rest, more), {tr_n(static_cast<std::uint64_t>(left), "and {n} more", "and {n} more")}, canvas.muted());
      return;
    }
    const Rect box = cut_top(rest, painter.height());
    if (lines[i].section != nullptr) {
      painter.draw_head(box, *lines[i].section);
    } else {
      painter.draw(box, *lines[i].row);
    }
  }
}

}  // namespace

Picture make_changes(const Changes& changes, Size size, const Style& style) {
  Canvas canvas(size, style);
  canvas.name(tr("What changed"), tr("A: {a}; B: {b}", "a"_a = changes.a, "b"_a = changes.b));
  Rect rest = canvas.inside();
  const bool low = size.height < canvas.px(kLow);
  if (!low) draw_sentence(canvas, rest, changes.sentence);
  if (!changes.note.empty()) canvas.fitted(cut_bottom(rest, canvas.line_height(kSmallSize)), {changes.note}, canvas.muted());
  const float more = canvas.line_height(kSmallSize);
  std::vector<TableLine> lines = lines_of(changes, true);
  if (painter_for(canvas, changes, lines.size(), rest).height() * static_cast<float>(lines.size()) > rest.height) {
    // What is the same is left out where there is no room for all.
    const auto same = static_cast<std::uint64_t>(std::ranges::count_if(changes.rows, is_same));
    lines = lines_of(changes, false);
    if (same > 0 && !low)
      canvas.fitted(cut_bottom(rest, more), {tr_n(same, "{n} figure is the same for both", "{n} figures are the same for both")}, canvas.muted());
  }
  draw_lines(canvas, rest, painter_for(canvas, changes, lines.size(), rest), lines);
  return canvas.take();
}

}  // namespace warplens::picture
