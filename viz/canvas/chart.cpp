#include "viz/canvas/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::picture {
namespace {

constexpr float kMarkForLeader = 5;  // Where a leader begins, from the middle of its mark
constexpr float kBesideMark = 14;    // So near to a mark a name is read as its own
constexpr float kSmallestForWords = 70, kLowestForTwoRows = 150;  // Pixels at scale 1, of the box
constexpr float kNearestNumber = 14,
                kFarthestNumber = 90;            // Of the middle of a number from the middle of its mark
constexpr int kDirections = 24;                  // In which numbers are tried
constexpr int kCorners = 20, kFarthestName = 6;  // kFarthestName: in lines of text

double part_of(double value, const ChartAxis& axis) {
  return std::log(value / axis.from) / std::log(axis.to / axis.from);
}

/// Powers of ten; with 2 and 5 between them where these would be too few.
std::vector<double> marks_of(const ChartAxis& axis) {
  if (!axis.marks.empty()) return axis.marks;
  const double decades = std::log10(axis.to / axis.from);
  const int every = decades > 8 ? 2 : 1;
  std::vector<double> marks;
  for (int power = static_cast<int>(std::floor(std::log10(axis.from)));
       power <= static_cast<int>(std::ceil(std::log10(axis.to))); power += every) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit != 1.0 && decades > 2.2) continue;
      const double value = digit * std::pow(10.0, power);
      if (value >= axis.from * 0.999 && value <= axis.to * 1.001) marks.push_back(value);
    }
  }
  return marks;
}

std::string mark_text(double value) {
  return value >= 1000 ? with_thousands(static_cast<std::uint64_t>(std::llround(value)))
                       : formatted("{:.4g}", value);
}

/// The part of a segment within a rect (Liang and Barsky: "A new concept and method for line clipping",
/// 1984).
std::optional<std::pair<Point, Point>> clipped(Point from, Point to, const Rect& area) {
  const float dx = to.x - from.x, dy = to.y - from.y;
  float begin = 0, end = 1;
  const std::array<std::pair<float, float>, 4> edges{{{-dx, from.x - area.x},
                                                      {dx, area.right() - from.x},
                                                      {-dy, from.y - area.y},
                                                      {dy, area.bottom() - from.y}}};
  for (const auto& [towards, distance] : edges) {
    if (towards == 0) {
      if (distance < 0) return std::nullopt;
    } else if (towards < 0) {
      begin = std::max(begin, distance / towards);
    } else {
      end = std::min(end, distance / towards);
    }
  }
  if (begin > end) return std::nullopt;
  return std::pair{Point{from.x + begin * dx, from.y + begin * dy},
                   Point{from.x + end * dx, from.y + end * dy}};
}

std::vector<Point> circle(Point centre, float radius) {
  std::vector<Point> points;
  for (int i = 0; i < kCorners; ++i) {
    const float angle = 6.2831853f * static_cast<float>(i) / kCorners;
    points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return points;
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

/// Whether two segments do, touching included.
bool cross(Point a, Point b, Point c, Point d) {
  const auto side = [](Point from, Point to, Point of) {
    return (to.x - from.x) * (of.y - from.y) - (to.y - from.y) * (of.x - from.x);
  };
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

Point nearest_of(const Rect& box, Point to) {
  return {std::clamp(to.x, box.x, box.right()), std::clamp(to.y, box.y, box.bottom())};
}

}  // namespace

std::string in_figures(double value) {
  if (value >= 1000) return with_thousands(static_cast<std::uint64_t>(std::llround(value)));
  return value >= 100 ? formatted("{:.0f}", value) : formatted("{:.3g}", value);
}

void draw_chart_mark(Canvas& canvas, Point at, ChartMark mark, Colour colour, float radius) {
  const float r = canvas.px(radius);
  switch (mark) {
    case ChartMark::disc: return canvas.add(Polygon{circle(at, r), colour});
    case ChartMark::diamond:
      return canvas.add(Polygon{{{at.x, at.y - r * 1.3f},
                                 {at.x + r * 1.3f, at.y},
                                 {at.x, at.y + r * 1.3f},
                                 {at.x - r * 1.3f, at.y}},
                                colour});
    case ChartMark::square:
      return canvas.fill({at.x - r * 0.9f, at.y - r * 0.9f, r * 1.8f, r * 1.8f}, colour);
    case ChartMark::ring: break;
  }
  std::vector<Point> ring = circle(at, r);
  canvas.add(Polygon{ring, canvas.palette().panel});
  ring.push_back(ring.front());
  canvas.add(Polyline{std::move(ring), colour, canvas.px(1.5f)});
}

Chart::Chart(Canvas& canvas, Rect box, ChartAxis x, ChartAxis y)
    : canvas_(canvas), x_(std::move(x)), y_(std::move(y)), area_(box) {
  const bool words = box.width >= canvas.px(kSmallestForWords) && box.height >= canvas.px(kSmallestForWords);
  if (!words) {
    canvas_.outline(area_, canvas_.palette().line);
    return;
  }
  const TextLook small = canvas_.muted(kTinySize);
  float widest = 0;
  for (const double value : marks_of(y_))
    widest = std::max(widest, canvas_.width_of(mark_text(value), small));
  const float row = canvas_.line_height(kTinySize);
  Rect top = cut_top(area_, row);
  const bool low = box.height < canvas.px(kLowestForTwoRows);
  const Rect bottom = low ? Rect{} : cut_bottom(area_, row), below = cut_bottom(area_, row);
  const Rect left = cut_left(area_, std::min(widest + canvas_.px(6), box.width * 0.4f));
  static_cast<void>(cut_right(area_, canvas_.px(6)));
  const TextLook at_right{small.colour, small.size, small.font, Align::right};
  if (low) {
    const auto named = canvas_.fitted(
        cut_right(top, top.width * 0.7f),
        {tr("across: {axis}", "axis"_a = x_.title), tr("across: {axis}", "axis"_a = x_.short_title)},
        at_right);
    if (named) top.width = named->x - canvas_.px(10) - top.x;
  }
  canvas_.fitted(top, {y_.title, y_.short_title}, small);
  canvas_.fitted({area_.x, bottom.y, area_.width, bottom.height}, {x_.title, x_.short_title}, at_right);
  draw_x_axis(below);
  draw_y_axis(left);
  canvas_.outline(area_, canvas_.palette().line);
}

Point Chart::at(ChartPoint point) const {
  return {area_.x + area_.width * static_cast<float>(part_of(point.x, x_)),
          area_.bottom() - area_.height * static_cast<float>(part_of(point.y, y_))};
}

void Chart::draw_x_axis(Rect row) {
  const TextLook look = canvas_.muted(kTinySize, Align::centre);
  float free_from = area_.x - canvas_.px(2);
  for (const double value : marks_of(x_)) {
    const float x = at({value, y_.from}).x;
    canvas_.line({x, area_.y}, {x, area_.bottom()}, with_alpha(canvas_.palette().line, 0.6f));
    const std::string text = mark_text(value);
    const float half = canvas_.width_of(text, look) / 2;
    if (x - half < free_from || x + half > area_.right() + canvas_.px(6)) continue;
    canvas_.text({x, centre(row).y}, text, look);
    free_from = x + half + canvas_.px(6);
  }
}

void Chart::draw_y_axis(Rect column) {
  const TextLook look = canvas_.muted(kTinySize, Align::right);
  float free_to = area_.bottom() + canvas_.px(kTinySize);
  for (const double value : marks_of(y_)) {
    const float y = at({x_.from, value}).y, half = canvas_.px(kTinySize) * 0.6f;
    canvas_.line({area_.x, y}, {area_.right(), y}, with_alpha(canvas_.palette().line, 0.6f));
    if (y + half > free_to || y - half < area_.y - canvas_.px(2)) continue;  // The title is there
    if (canvas_.fitted({column.x, y - half, column.width - canvas_.px(5), 2 * half}, {mark_text(value)},
                       look))
      free_to = y - half - canvas_.px(2);
  }
}

void Chart::line(const std::vector<ChartPoint>& points, Colour colour, float thickness, bool dashed) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto segment = clipped(at(points[i - 1]), at(points[i]), area_);
    if (!segment) continue;
    const Point from = segment->first, to = segment->second;
    lines_.emplace_back(from, to);
    if (!dashed) {
      canvas_.line(from, to, colour, thickness);
      continue;
    }
    const float length = std::hypot(to.x - from.x, to.y - from.y), step = canvas_.px(7), dash = canvas_.px(4);
    for (float begin = 0; begin < length; begin += step) {
      const float end = std::min(begin + dash, length);
      const auto along = [&](float distance) {
        return Point{from.x + (to.x - from.x) * distance / length,
                     from.y + (to.y - from.y) * distance / length};
      };
      canvas_.line(along(begin), along(end), colour, thickness);
    }
  }
}

void Chart::mark(ChartPoint point, ChartMark mark, Colour colour, const std::string& tooltip, float radius) {
  const Point place = at(point);
  const float r = canvas_.px(radius) * 1.3f;
  const Rect box{place.x - r, place.y - r, 2 * r, 2 * r};
  constexpr float kOnTheEdge = 0.5f;
  if (place.x < area_.x - kOnTheEdge || place.x > area_.right() + kOnTheEdge ||
      place.y < area_.y - kOnTheEdge || place.y > area_.bottom() + kOnTheEdge) {
    return;
  }
  draw_chart_mark(canvas_, place, mark, colour, radius);
  taken_.push_back(box);
  marks_.push_back(place);
  const float reach = canvas_.px(3);
  canvas_.region(inset(box, -reach), {}, tooltip);
}

bool Chart::is_free(const Rect& box) const {
  if (box.x < area_.x || box.right() > area_.right() || box.y < area_.y || box.bottom() > area_.bottom())
    return false;
  const Rect around = inset(box, -canvas_.px(1.5f));
  return std::ranges::none_of(taken_, [&](const Rect& other) { return overlap(box, other); }) &&
         std::ranges::none_of(
             lines_,
             [&](const auto& line) { return clipped(line.first, line.second, around).has_value(); }) &&
         std::ranges::none_of(leaders_, [&](const auto& line) {
           return clipped(line.first, line.second, around).has_value();
         });
}

bool Chart::can_lead(Point from, Point to, bool over_lines) const {
  // From outside its own mark, which lines may go through.
  const float length = std::hypot(to.x - from.x, to.y - from.y),
              mark = std::min(canvas_.px(kMarkForLeader), length);
  const Point begin{from.x + (to.x - from.x) * mark / std::max(length, 1.0f),
                    from.y + (to.y - from.y) * mark / std::max(length, 1.0f)};
  const auto crosses = [&](const auto& line) { return cross(begin, to, line.first, line.second); };
  if (std::ranges::any_of(leaders_, crosses) || (!over_lines && std::ranges::any_of(lines_, crosses)))
    return false;
  return std::ranges::none_of(taken_, [&](const Rect& other) {
    const Point middle = centre(other);
    const bool own_mark = std::hypot(middle.x - from.x, middle.y - from.y) < canvas_.px(1);
    return !own_mark && clipped(begin, to, other).has_value();
  });
}

void Chart::lead(Point from, Point to, Colour colour) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), mark = canvas_.px(kMarkForLeader);
  if (length <= mark) return;
  const Point begin{from.x + (to.x - from.x) * mark / length, from.y + (to.y - from.y) * mark / length};
  canvas_.line(begin, to, with_alpha(colour, 0.7f));
  leaders_.emplace_back(begin, to);
}

/// From the own mark, and from the nearest of the others; infinity without one.
std::pair<float, float> Chart::distances_to(const Rect& box, Point own) const {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::pair<float, float> nearest{kNone, kNone};
  for (const Point mark : marks_) {
    const Point to = nearest_of(box, mark);
    const bool is_own = std::hypot(mark.x - own.x, mark.y - own.y) < canvas_.px(1);
    float& min = is_own ? nearest.first : nearest.second;
    min = std::min(min, std::hypot(to.x - mark.x, to.y - mark.y));
  }
  return nearest;
}

bool Chart::place(std::string_view text, Point beside, const TextLook& look, int farthest, bool over_lines) {
  const float width = canvas_.width_of(text, look) + canvas_.px(4), height = canvas_.px(look.size * 1.3f),
              gap = canvas_.px(7);
  const float left = beside.x - gap - width, right = beside.x + gap, middle = beside.x - width / 2;
  for (int away = 0; away <= farthest; ++away) {
    const float further = static_cast<float>(away) * height, above = beside.y - gap / 2 - height - further,
                below = beside.y + gap / 2 + further;
    // First clear of a line that rises, or goes on to the right.
    const std::array<Point, 8> corners{{{right, below},
                                        {left, above},
                                        {right, above},
                                        {right, above + height / 2},
                                        {left, above + height / 2},
                                        {left, below},
                                        {middle, above},
                                        {middle, below}}};
    for (const Point corner : corners) {
      if (put(text, {corner.x, corner.y, width, height}, beside, look, away > 0, over_lines)) return true;
    }
  }
  return false;
}

bool Chart::put(std::string_view text, const Rect& box, Point beside, const TextLook& look, bool away,
                bool over_lines) {
  if (!is_free(box)) return false;
  const auto [own, other] = distances_to(box, beside);
  const bool of_mark = std::isfinite(own);
  if (of_mark && other < canvas_.px(kBesideMark) && other < own)
    return false;  // It would be taken for the other's name, leader or not
  if (away || (of_mark && other < own + canvas_.px(4))) {
    const Point to = nearest_of(box, beside);
    if (!can_lead(beside, to, over_lines)) return false;
    lead(beside, to, look.colour);
  }
  canvas_.fill(box, canvas_.palette().panel, 2);  // The axes' lines end at it
  canvas_.text({box.x + canvas_.px(2), centre(box).y}, std::string(text), look);
  taken_.push_back(box);
  return true;
}

bool Chart::number(ChartPoint point, std::uint64_t number, Colour colour) {
  const TextLook look{colour, kSmallSize, Font::sans_bold, Align::left};
  const std::string text = std::to_string(number);
  const float width = canvas_.width_of(text, look) + canvas_.px(4), height = canvas_.px(look.size * 1.3f);
  const Point beside = at(point);
  for (float distance = kNearestNumber; distance <= kFarthestNumber; distance += 4) {
    for (int turn = 0; turn < kDirections; ++turn) {
      const float angle = 6.2831853f * static_cast<float>(turn) / kDirections, away = canvas_.px(distance);
      const Rect box{beside.x + away * std::cos(angle) - width / 2,
                     beside.y + away * std::sin(angle) - height / 2, width, height};
      if (put(text, box, beside, look, distance > kBesideMark, true)) return true;
    }
  }
  return false;
}

bool Chart::name(ChartPoint point, std::initializer_list<std::string_view> variants, Colour colour,
                 bool bold) {
  const Point beside = at(point);
  const TextLook look{colour, kSmallSize, bold ? Font::sans_bold : Font::sans, Align::left};
  for (const std::string_view variant : variants) {
    if (variant.empty()) continue;
    if (place(variant, beside, look, kFarthestName, false) ||
        place(variant, beside, look, kFarthestName / 2, true))
      return true;
  }
  return false;
}

void Chart::name_line(ChartPoint from, ChartPoint to, std::initializer_list<std::string_view> variants,
                      Colour colour) {
  const TextLook look{colour, kSmallSize, Font::sans, Align::left};
  const Point begin = at(from), end = at(to);
  for (const std::string_view variant : variants) {
    for (const float part : {0.5f, 0.65f, 0.35f, 0.8f, 0.2f, 0.9f, 0.1f}) {
      if (place(variant, {begin.x + (end.x - begin.x) * part, begin.y + (end.y - begin.y) * part}, look, 0,
                false))
        return;
    }
  }
}

void draw_legend(Canvas& canvas, Rect row, const std::vector<LegendEntry>& entries) {
  const TextLook look = canvas.muted(kSmallSize);
  for (const LegendEntry& entry : entries) {
    const float width = canvas.width_of(entry.meaning, look) + canvas.px(13);
    if (width > row.width || row.height < canvas.px(kSmallSize)) return;
    Rect place = cut_left(row, width);
    draw_chart_mark(canvas, {place.x + canvas.px(4), centre(place).y}, entry.mark, entry.colour, 3.2f);
    static_cast<void>(cut_left(place, canvas.px(12)));
    canvas.fitted(place, {entry.meaning}, look);
    static_cast<void>(cut_left(row, canvas.px(14)));
  }
}

}  // namespace warplens::picture
