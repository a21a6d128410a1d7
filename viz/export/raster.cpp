#include "viz/export/raster.h"

#include <algorithm>
#include <cmath>

#include "viz/canvas/fonts.h"

namespace warplens::viz {
namespace {

using picture::Colour;
using picture::Point;
using picture::Rect;

constexpr int kCurveSegments = 32;

/// Part of a pixel that lies inside an edge `distance` pixels away from its centre (negative: inside).
float inside(float distance) {
  return std::clamp(0.5f - distance, 0.0f, 1.0f);
}

float distance_to_segment(Point p, Point a, Point b) {
  const float dx = b.x - a.x, dy = b.y - a.y;
  const float length_squared = dx * dx + dy * dy;
  const float along = length_squared > 0
                          ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length_squared, 0.0f, 1.0f)
                          : 0.0f;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

/// Signed distance to a rect with rounded corners.
float distance_to_rect(Point p, Rect rect, float rounding) {
  rounding = std::min({rounding, rect.width / 2, rect.height / 2});
  const float x = std::abs(p.x - rect.x - rect.width / 2) - rect.width / 2 + rounding;
  const float y = std::abs(p.y - rect.y - rect.height / 2) - rect.height / 2 + rounding;
  return std::hypot(std::max(x, 0.0f), std::max(y, 0.0f)) + std::min(std::max(x, y), 0.0f) - rounding;
}

/// How much of the pixel's unit square around `at` a sharp-cornered rect covers.
float covered_by_rect(Point at, Rect rect) {
  const float x = std::min(at.x + 0.5f, rect.right()) - std::max(at.x - 0.5f, rect.x);
  const float y = std::min(at.y + 0.5f, rect.bottom()) - std::max(at.y - 0.5f, rect.y);
  return std::max(x, 0.0f) * std::max(y, 0.0f);
}

/// Draws items one after another. Every shape is a coverage, 0..1, by pixel centre.
class Painter {
 public:
  Painter(const picture::Picture& picture, Colour background) {
    image_.width = std::max(1, static_cast<int>(std::lround(picture.width)));
    image_.height = std::max(1, static_cast<int>(std::lround(picture.height)));
    image_.rgba.resize(static_cast<std::size_t>(image_.width) * static_cast<std::size_t>(image_.height) * 4);
    for (std::size_t i = 0; i < image_.rgba.size(); i += 4) {
      image_.rgba[i] = background.r;
      image_.rgba[i + 1] = background.g;
      image_.rgba[i + 2] = background.b;
      image_.rgba[i + 3] = 255;
    }
  }
  [[nodiscard]] Image take() { return std::move(image_); }

  void operator()(const picture::FilledRect& item) {
    if (item.rounding < 0.5f) {
      paint(item.rect, item.colour, [&](Point p) { return covered_by_rect(p, item.rect); });
    } else {
      paint(item.rect, item.colour,
            [&](Point p) { return inside(distance_to_rect(p, item.rect, item.rounding)); });
    }
  }
  void operator()(const picture::OutlinedRect& item) {
    const float half = item.thickness / 2;
    paint(grown(item.rect, half), item.colour,
          [&](Point p) { return inside(std::abs(distance_to_rect(p, item.rect, item.rounding)) - half); });
  }
  void operator()(const picture::Hatch& item) {
    const float thickness = std::max(1.0f, item.spacing / 5);
    paint(item.rect, item.colour, [&](Point p) {
      const float phase =
          std::fmod(p.x + p.y, item.spacing);  // Lines x + y = n * spacing, rising to the right
      const float off = std::min(phase, item.spacing - phase) * 0.70711f;
      return inside(off - thickness / 2) * covered_by_rect(p, item.rect);
    });
  }
  void operator()(const picture::Line& item) { stroke({item.from, item.to}, item.colour, item.thickness); }
  void operator()(const picture::Polyline& item) { stroke(item.points, item.colour, item.thickness); }
  void operator()(const picture::Curve& item) {
    std::vector<Point> points;
    for (int i = 0; i <= kCurveSegments; ++i) {
      const float t = static_cast<float>(i) / kCurveSegments, s = 1 - t;
      const float a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
      points.push_back({a * item.from.x + b * item.control1.x + c * item.control2.x + d * item.to.x,
                        a * item.from.y + b * item.control1.y + c * item.control2.y + d * item.to.y});
    }
    stroke(points, item.colour, item.thickness);
  }
  void operator()(const picture::Polygon& item) {
    if (item.points.size() < 3) return;
    float area = 0;
    Rect bounds{item.points[0].x, item.points[0].y, 0, 0};
    for (std::size_t i = 0; i < item.points.size(); ++i) {
      const Point a = item.points[i], b = item.points[(i + 1) % item.points.size()];
      area += a.x * b.y - b.x * a.y;
      bounds = united(bounds, a);
    }
    const float turn = area < 0 ? -1.0f : 1.0f;
    paint(bounds, item.colour, [&](Point p) {
      float worst = -1e9f;  // Distance outside the edge that is farthest away
      for (std::size_t i = 0; i < item.points.size(); ++i) {
        const Point a = item.points[i], b = item.points[(i + 1) % item.points.size()];
        const float length = std::hypot(b.x - a.x, b.y - a.y);
        if (length > 0)
          worst = std::max(worst, turn * ((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length);
      }
      return inside(worst);
    });
  }
  void operator()(const picture::HeatMap& item) {
    if (item.rows == 0 || item.columns == 0 || item.table.empty()) return;
    for_pixels(item.rect, [&](int x, int y, Point p) {
      const float coverage = covered_by_rect(p, item.rect);
      const auto cell = [](float at, float from, float extent, std::uint32_t count) {
        const float part = (at - from) / extent;  // Of no extent: not a number, or infinite
        return part > 0
                   ? std::min(count - 1,
                              static_cast<std::uint32_t>(std::min(part, 1.0f) * static_cast<float>(count)))
                   : 0;
      };
      const std::size_t row = cell(p.y, item.rect.y, item.rect.height, item.rows),
                        column = cell(p.x, item.rect.x, item.rect.width, item.columns);
      const float value = item.values[row * item.columns + column];
      blend(x, y, std::isnan(value) ? item.empty : picture::heat_colour(item, value), coverage);
    });
  }
  void operator()(const picture::Text& item) {
    const Rect box = text_extent(item);
    float pen = box.x;
    const float baseline = std::round(item.at.y + picture::baseline_offset(item.size, item.font));
    for (std::string_view rest = item.text; !rest.empty();) {
      const float whole = std::floor(pen);
      const picture::GlyphImage glyph =
          picture::draw_glyph(picture::take_code_point(rest), item.size, item.font, pen - whole);
      for (int row = 0; row < glyph.height; ++row) {
        for (int column = 0; column < glyph.width; ++column) {
          const std::uint8_t coverage =
              glyph.coverage[static_cast<std::size_t>(row) * static_cast<std::size_t>(glyph.width) +
                             static_cast<std::size_t>(column)];
          blend(static_cast<int>(whole) + glyph.left + column, static_cast<int>(baseline) + glyph.top + row,
                item.colour, static_cast<float>(coverage) / 255.0f);
        }
      }
      pen += glyph.advance;
    }
  }

 private:
  static Rect grown(Rect rect, float by) {
    return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by};
  }
  static Rect united(Rect rect, Point p) {
    const float x = std::min(rect.x, p.x), y = std::min(rect.y, p.y);
    return {x, y, std::max(rect.right(), p.x) - x, std::max(rect.bottom(), p.y) - y};
  }
  static Rect text_extent(const picture::Text& item) {
    const float width = picture::text_width(item.text, item.size, item.font);
    const float left = item.align == picture::Align::left    ? 0
                       : item.align == picture::Align::right ? width
                                                             : width / 2;
    return {item.at.x - left, item.at.y - item.size / 2, width, item.size};
  }

  template <class Visit>
  void for_pixels(Rect bounds, Visit visit) {
    const int x0 = std::max(0, static_cast<int>(std::floor(bounds.x)) - 1),
              x1 = std::min(image_.width, static_cast<int>(std::ceil(bounds.right())) + 1);
    const int y0 = std::max(0, static_cast<int>(std::floor(bounds.y)) - 1),
              y1 = std::min(image_.height, static_cast<int>(std::ceil(bounds.bottom())) + 1);
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x)
        visit(x, y, Point{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f});
    }
  }
  template <class Coverage>
  void paint(Rect bounds, Colour colour, Coverage coverage) {
    for_pixels(bounds, [&](int x, int y, Point p) { blend(x, y, colour, coverage(p)); });
  }

  /// A line through the points, with round ends. Where its pieces overlap a pixel counts once, so that a
  /// translucent line stays even.
  void stroke(const std::vector<Point>& points, Colour colour, float thickness) {
    if (points.size() < 2) return;
    Rect bounds{points[0].x, points[0].y, 0, 0};
    for (const Point p : points) bounds = united(bounds, p);
    const float half = std::max(thickness, 1.0f) / 2, thin = std::min(thickness, 1.0f);
    bounds = grown(bounds, half);
    mask_.resize(static_cast<std::size_t>(image_.width) * static_cast<std::size_t>(image_.height));
    for_pixels(bounds, [&](int x, int y, Point) { mask_[pixel_index(x, y)] = 0; });
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const Rect piece = grown(united({points[i].x, points[i].y, 0, 0}, points[i + 1]), half);
      for_pixels(piece, [&](int x, int y, Point p) {
        float& kept = mask_[pixel_index(x, y)];
        kept = std::max(kept, thin * inside(distance_to_segment(p, points[i], points[i + 1]) - half));
      });
    }
    for_pixels(bounds, [&](int x, int y, Point) { blend(x, y, colour, mask_[pixel_index(x, y)]); });
  }

  void blend(int x, int y, Colour colour, float coverage) {
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
    const float alpha = coverage * static_cast<float>(colour.a) / 255.0f;
    if (alpha <= 0) return;
    std::uint8_t* pixel = &image_.rgba[pixel_index(x, y) * 4];
    const auto over = [alpha](std::uint8_t below, std::uint8_t above) {
      return static_cast<std::uint8_t>(
          std::lround(static_cast<float>(below) * (1 - alpha) + static_cast<float>(above) * alpha));
    };
    pixel[0] = over(pixel[0], colour.r);
    pixel[1] = over(pixel[1], colour.g);
    pixel[2] = over(pixel[2], colour.b);
  }

  [[nodiscard]] std::size_t pixel_index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + static_cast<std::size_t>(x);
  }

  Image image_;
  std::vector<float> mask_;  // Coverage of the stroke being drawn
};

}  // namespace

Image rasterise(const picture::Picture& picture, Colour background) {
  Painter painter(picture, background);
  for (const picture::Item& item : picture.items) std::visit(painter, item);
  return painter.take();
}

}  // namespace warplens::viz
