#include "viz/canvas/changes.h"

#include <algorithm>
#include <array>

#include "kernels/base/texts.h"
#include "viz/canvas/canvas.h"

namespace warplens::picture {
namespace {

constexpr float kMinSize = 11, kLargestSize = 26;
constexpr float kMinNameEms = 6;
constexpr float kLow = 180;      ///< Below it, room is for rows alone
constexpr float kColumnGap = 3;  ///< Ems between columns of rows
constexpr std::size_t kMaxChangeColumns = 3;
constexpr float kMaxEms = 60;  ///< Wider, figures would stand too far from their names

/// A line of the table: a section's name, or a row.
struct TableLine {
  const std::string* section = nullptr;
  const Changes::Row* row = nullptr;
};

std::vector<TableLine> lines_of(const Changes& changes, bool with_same) {
  std::vector<TableLine> lines;
  const std::string* section = nullptr;
  for (const Changes::Row& row : changes.rows) {
    if (!with_same && row.same) continue;
    if (section == nullptr || *section != row.section) lines.push_back({&row.section, nullptr});
    section = &row.section;
    lines.push_back({nullptr, &row});
  }
  return lines;
}

class TablePainter {
 public:
  TablePainter(Canvas& canvas, const Changes& changes, float size, float width)
      : canvas_(canvas), size_(size), width_(std::min(width, canvas.px(size * kMaxEms))) {
    const TextLook look = canvas.plain(size);
    const auto widest = [&](std::string Changes::Row::* text, const std::string& title) {
      float max = canvas.width_of(title, look);
      for (const Changes::Row& row : changes.rows) max = std::max(max, canvas.width_of(row.*text, look));
      return max + canvas.px(size);
    };
    widths_ = {0, widest(&Changes::Row::a, "A"), widest(&Changes::Row::b, "B"),
               widest(&Changes::Row::change, tr("B against A"))};
    const auto left_for_names = [this] { return width_ - widths_[1] - widths_[2] - widths_[3]; };
    if (size <= kMinSize && left_for_names() < canvas.px(size * kMinNameEms))
      widths_[1] = widths_[2] = 0;  // Rather than figures without names
    widths_[0] = std::max(left_for_names(), 0.0f);
  }

  [[nodiscard]] float height() const { return canvas_.px(size_ * 1.7f); }
  [[nodiscard]] bool names_fit(const Changes& changes) const {
    return widths_[1] > 0 && std::ranges::all_of(changes.rows, [this](const Changes::Row& row) {
             return canvas_.width_of(row.name, canvas_.plain(size_)) <= widths_[0];
           });
  }

  void draw_head(Rect box, const std::string& section) {
    const Palette& palette = canvas_.palette();
    canvas_.line({box.x, box.bottom()}, {box.x + width_, box.bottom()}, palette.line);
    const std::array<std::string, 4> texts{section, "A", "B", tr("B against A")};
    const std::array colours{palette.muted, palette.accent, palette.fill, palette.muted};
    for (std::size_t i = 0; i < texts.size(); ++i)
      write(box, i, texts[i],
            {colours[i], size_ * 0.9f, Font::sans_bold, i == 0 ? Align::left : Align::right});
  }
  void draw(Rect box, const Changes::Row& row) {
    const Palette& palette = canvas_.palette();
    canvas_.region({box.x, box.y, width_, box.height}, {},
                   tr("{figure}: {a} and {b}. {change}", "figure"_a = row.name, "a"_a = row.a, "b"_a = row.b,
                      "change"_a = row.change));
    const float line = canvas_.line_height(size_);
    canvas_.wrapped({box.x, box.y + (box.height - line) / 2, widths_[0], line}, row.name,
                    canvas_.plain(size_));  // Or the beginning of it
    write(box, 1, row.a, canvas_.plain(size_, Align::right));
    write(box, 2, row.b, canvas_.plain(size_, Align::right));
    const bool told = row.tone != Changes::Tone::none;
    const Colour colour = row.tone == Changes::Tone::better  ? palette.good
                          : row.tone == Changes::Tone::worse ? palette.costly
                                                             : palette.muted;
    write(box, 3, row.change, {colour, size_, told ? Font::sans_bold : Font::sans, Align::right});
  }

 private:
  void write(Rect line, std::size_t column, const std::string& text, const TextLook& look) {
    if (widths_[column] <= 0) return;
    for (std::size_t i = 0; i < column; ++i) static_cast<void>(cut_left(line, widths_[i]));
    canvas_.fitted({line.x, line.y, widths_[column], line.height}, {text}, look);
  }

  Canvas& canvas_;
  float size_, width_;
  std::array<float, 4> widths_{};
};

/// The lines of the section that begins at `line`.
std::size_t section_length(const std::vector<TableLine>& lines, std::size_t line) {
  std::size_t end = line + 1;
  while (end < lines.size() && lines[end].section == nullptr) ++end;
  return end - line;
}

std::size_t longest_section(const std::vector<TableLine>& lines) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < lines.size(); i += section_length(lines, i))
    longest = std::max(longest, section_length(lines, i));
  return longest;
}

/// Lines one beneath the other in columns of at most so many. Sections stay together, or, where they are
/// `broken`, go on in the next column, which has their name again.
std::vector<std::vector<TableLine>> flowed(const std::vector<TableLine>& lines, std::size_t max,
                                           bool broken) {
  std::vector<std::vector<TableLine>> columns(1);
  const std::string* section = nullptr;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const TableLine& line = lines[i];
    if (line.section != nullptr) section = line.section;
    const std::size_t needed = line.section == nullptr ? 1
                               : broken                ? 2
                                        : section_length(lines, i);  // A name does not stand alone
    if (columns.back().size() + needed > max && !columns.back().empty()) {
      columns.emplace_back();
      if (line.section == nullptr) columns.back().push_back({section, nullptr});
    }
    columns.back().push_back(line);
  }
  return columns;
}

struct TableLayout {
  float size = kMinSize;
  std::size_t columns = 1;  ///< That there is room for
  std::vector<std::vector<TableLine>> lines;

  [[nodiscard]] bool fits() const { return lines.size() <= columns; }
};

float width_of_column(float width, std::size_t columns, float gap) {
  return (width + gap) / static_cast<float>(columns) - gap;
}

/// As many as leave room for every name.
std::size_t columns_for(Canvas& canvas, const Changes& changes, float size, float width) {
  for (std::size_t columns = kMaxChangeColumns; columns > 1; --columns) {
    const float each = width_of_column(width, columns, canvas.px(size * kColumnGap));
    if (TablePainter(canvas, changes, size, each).names_fit(changes)) return columns;
  }
  return 1;
}

/// In the largest texts in which all lines have room, or else in small ones.
TableLayout layout_of(Canvas& canvas, const Changes& changes, const std::vector<TableLine>& lines,
                      Rect room) {
  TableLayout layout;
  for (const bool broken : {false, true}) {  // Rather small texts than sections that are torn apart
    for (float size = kLargestSize; size >= kMinSize; size -= 1) {
      layout.size = size;
      layout.columns = columns_for(canvas, changes, size, room.width);
      const TablePainter painter(canvas, changes, size,
                                 width_of_column(room.width, layout.columns, canvas.px(size * kColumnGap)));
      const std::size_t max =
          std::max<std::size_t>(2, static_cast<std::size_t>(room.height / painter.height()));
      layout.lines = flowed(lines, max, broken);
      if (layout.fits() && painter.names_fit(changes) && (broken || longest_section(lines) <= max))
        return layout;
    }
  }
  return layout;
}

void draw_lines(Canvas& canvas, Rect rest, const Changes& changes, const TableLayout& layout) {
  const std::size_t columns = std::min(layout.columns, layout.lines.size());
  const float gap = canvas.px(layout.size * kColumnGap), width = width_of_column(rest.width, columns, gap);
  TablePainter painter(canvas, changes, layout.size, width);
  std::size_t left = 0;
  for (std::size_t i = 0; i < layout.lines.size(); ++i) {
    Rect column{rest.x + static_cast<float>(i) * (width + gap), rest.y, width, rest.height};
    for (const TableLine& line : layout.lines[i]) {
      if (i >= columns) {
        left += line.row != nullptr ? 1 : 0;
      } else if (line.section != nullptr) {
        painter.draw_head(cut_top(column, painter.height()), *line.section);
      } else {
        painter.draw(cut_top(column, painter.height()), *line.row);
      }
    }
  }
  if (left > 0)
    canvas.fitted({rest.x, rest.bottom(), rest.width, canvas.line_height(kSmallSize)},
                  {tr_n(left, "and {n} more", "and {n} more")}, canvas.muted());
}

}  // namespace

float changes_height(const Changes& changes, float width, const Style& style) {
  constexpr float kLinesBeside = 5.5f;  // The sentence's two, the note, what is the same, and margins
  Canvas canvas({width, 0}, style);
  const Rect inside = canvas.inside();
  const std::size_t columns = columns_for(canvas, changes, kMinSize, inside.width);
  const TablePainter painter(canvas, changes, kMinSize,
                             width_of_column(inside.width, columns, canvas.px(kMinSize * kColumnGap)));
  const std::vector<TableLine> lines = lines_of(changes, false);
  std::size_t rows =
      std::max({std::size_t{2}, (lines.size() + columns - 1) / columns, longest_section(lines)});
  while (flowed(lines, rows, false).size() > columns) ++rows;
  return painter.height() * static_cast<float>(rows) + canvas.line_height(kBaseSize) * kLinesBeside +
         canvas.px(12);
}

Picture make_changes(const Changes& changes, Size size, const Style& style) {
  Canvas canvas(size, style);
  canvas.name(tr("What changed"), tr("A: {a}; B: {b}", "a"_a = changes.a, "b"_a = changes.b));
  Rect rest = canvas.inside();
  const bool low = size.height < canvas.px(kLow);
  canvas.say(changes.sentence);
  if (!low) draw_sentence(canvas, rest, changes.sentence);
  if (!changes.note.empty())
    canvas.fitted(cut_bottom(rest, canvas.line_height(kSmallSize)), {changes.note}, canvas.muted());
  if (!changes.rows.empty() && std::ranges::all_of(changes.rows, &Changes::Row::same)) {
    canvas.wrapped(cut_top(rest, canvas.line_height(kBaseSize)),
                   tr_n(changes.rows.size(), "A and B are equal in the {n} figure that is counted",
                        "A and B are equal in all {n} figures"),
                   {canvas.palette().good, kBaseSize, Font::sans_bold, Align::left});
    static_cast<void>(cut_top(rest, canvas.px(4)));
  }
  TableLayout layout = layout_of(canvas, changes, lines_of(changes, true), rest);
  if (!layout.fits()) {  // What is the same is left out where there is no room for all, and what has changed
                         // comes first
    const float line = canvas.line_height(kSmallSize);
    const auto same = static_cast<std::uint64_t>(std::ranges::count(changes.rows, true, &Changes::Row::same));
    if (same > 0 && !low)
      canvas.fitted(cut_bottom(rest, line),
                    {tr_n(same, "{n} figure is the same for both", "{n} figures are the same for both")},
                    canvas.muted());
    layout = layout_of(canvas, changes, lines_of(changes, false), rest);
    if (!layout.fits()) {
      static_cast<void>(cut_bottom(rest, line));
      layout = layout_of(canvas, changes, lines_of(changes, false), rest);
    }
  }
  draw_lines(canvas, rest, changes, layout);
  return canvas.take();
}

}  // namespace warplens::picture
