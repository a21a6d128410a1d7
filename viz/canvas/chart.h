// A chart within a picture: two axes with marked values, lines and points in it, and names beside the points
// where there is room.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viz/canvas/canvas.h"

namespace warplens::picture {

/// A point in the axes' own units.
struct ChartPoint {
  double x = 0, y = 0;
  friend bool operator==(const ChartPoint&, const ChartPoint&) = default;
};

/// Logarithmic, from one positive value to a greater one.
struct ChartAxis {
  double from = 1, to = 10;
  std::string title, short_title;  ///< With the unit; the short one where there is no room for the other
  std::vector<double>
      marks;  ///< Values to mark; empty: powers of ten, and values between where these are few
};

/// No chart is drawn lower than this, in pixels at scale 1.
inline constexpr float kLowestChart = 36;

/// The form says what a point is, so that colour need not.
enum class ChartMark : std::uint8_t { disc, ring, diamond, square };
void draw_chart_mark(Canvas& canvas, Point at, ChartMark mark, Colour colour, float radius);

class Chart {
 public:
  /// Draws the axes into `box`. In a very small box they have no words.
  Chart(Canvas& canvas, Rect box, ChartAxis x, ChartAxis y);

  [[nodiscard]] const Rect& area() const { return area_; }
  /// Where a point lies; outside of the area if it is beyond the axes.
  [[nodiscard]] Point at(ChartPoint point) const;

  /// Cut off at the area's edges. All lines come before the first name.
  void line(const std::vector<ChartPoint>& points, Colour colour, float thickness = 1.5f,
            bool dashed = false);
  /// Nothing for a point beyond the axes. All marks come before the first name.
  void mark(ChartPoint point, ChartMark mark, Colour colour, const std::string& tooltip, float radius = 4);
  /// The first of the variants (long to short) that finds room beside the point, clear of lines, marks and
  /// other names; false if none does. The most important names come first.
  bool name(ChartPoint point, std::initializer_list<std::string_view> variants, Colour colour,
            bool bold = false);
  /// The same of a number, which finds room where a name has none.
  bool number(ChartPoint point, std::uint64_t number, Colour colour);
  /// The same beside a line from one point to another, wherever along it there is room.
  void name_line(ChartPoint from, ChartPoint to, std::initializer_list<std::string_view> variants,
                 Colour colour);

 private:
  void draw_x_axis(Rect row);
  void draw_y_axis(Rect column);
  [[nodiscard]] bool is_free(const Rect& box) const;
  [[nodiscard]] std::pair<float, float> distances_to(const Rect& box, Point own) const;
  /// A thin line from a point to its name that had to go elsewhere; only where no name, no other mark and no
  /// other such line is in between, nor a line of the chart's unless `over_lines`.
  [[nodiscard]] bool can_lead(Point from, Point to, bool over_lines) const;
  void lead(Point from, Point to, Colour colour);
  /// `farthest`: in lines of text from the point.
  /// Draws a text in `box` if it is free there and reads as that of the point; from `away` only with a
  /// leader.
  bool put(std::string_view text, const Rect& box, Point beside, const TextLook& look, bool away,
           bool over_lines);
  bool place(std::string_view text, Point beside, const TextLook& look, int farthest, bool over_lines);

  Canvas& canvas_;
  ChartAxis x_, y_;
  Rect area_;
  std::vector<Rect> taken_;
  std::vector<Point> marks_;
  std::vector<std::pair<Point, Point>> lines_, leaders_;
};

/// An entry of a legend: a mark, or a line, and what it stands for.
struct LegendEntry {
  ChartMark mark = ChartMark::disc;
  Colour colour;
  std::string_view meaning;
};
/// In one row, as many as fit.
void draw_legend(Canvas& canvas, Rect row, const std::vector<LegendEntry>& entries);

/// "1,500", "7.5", "0.25": three significant figures below a thousand.
[[nodiscard]] std::string in_figures(double value);

}  // namespace warplens::picture
