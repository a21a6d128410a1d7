// What must hold of every picture, whatever is on it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "viz/canvas/canvas.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

inline Rect bounds_of(const std::vector<Point>& points) {
  Rect bounds{points[0].x, points[0].y, 0, 0};
  for (const Point p : points) bounds = united(bounds, {p.x, p.y, 0, 0});
  return bounds;
}

struct Bounds {
  Rect operator()(const FilledRect& item) const { return item.rect; }
  Rect operator()(const OutlinedRect& item) const { return inset(item.rect, -item.thickness / 2); }
  Rect operator()(const Hatch& item) const { return item.rect; }
  Rect operator()(const HeatMap& item) const { return item.rect; }
  Rect operator()(const Line& item) const { return bounds_of({item.from, item.to}); }
  Rect operator()(const Curve& item) const {
    return bounds_of({item.from, item.control1, item.control2, item.to});
  }
  Rect operator()(const Polygon& item) const { return bounds_of(item.points); }
  Rect operator()(const Polyline& item) const { return bounds_of(item.points); }
  Rect operator()(const Text& item) const { return text_box(item); }
};

/// Overlap of two boxes in pixels, the smaller of both directions; negative: apart.
inline float overlap(Rect a, Rect b) {
  return std::min(std::min(a.right(), b.right()) - std::max(a.x, b.x),
                  std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y));
}

inline std::vector<const Text*> texts_of(const Picture& picture) {
  std::vector<const Text*> texts;
  for (const Item& item : picture.items) {
    if (const auto* text = std::get_if<Text>(&item)) texts.push_back(text);
  }
  return texts;
}

/// Where the letters of a text are, of which the em box leaves some air.
inline Rect letters_of(const Text& text) {
  const Rect box = text_box(text);
  const float height = 0.7f * text.size;
  return {box.x + 0.5f, text.at.y - height / 2, std::max(0.0f, box.width - 1), height};
}

inline bool crosses(Point from, Point to, const Rect& box) {
  const auto inside = [&](float t) {
    return box.contains({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)});
  };
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  const int steps = static_cast<int>(length) + 1;
  if (std::max(from.x, to.x) < box.x || std::min(from.x, to.x) > box.right() ||
      std::max(from.y, to.y) < box.y || std::min(from.y, to.y) > box.bottom())
    return false;
  for (int i = 0; i <= steps; ++i) {
    if (inside(static_cast<float>(i) / static_cast<float>(steps))) return true;
  }
  return false;
}

/// Whether a drawn line goes through a box.
struct Crosses {
  const Rect& box;
  bool operator()(const Line& item) const { return crosses(item.from, item.to, box); }
  bool operator()(const Polyline& item) const {
    for (std::size_t i = 1; i < item.points.size(); ++i) {
      if (crosses(item.points[i - 1], item.points[i], box)) return true;
    }
    return false;
  }
  bool operator()(const Curve& item) const {
    constexpr int kSteps = 32;
    const auto at = [&](float t) {
      const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
      return Point{a * item.from.x + b * item.control1.x + c * item.control2.x + d * item.to.x,
                   a * item.from.y + b * item.control1.y + c * item.control2.y + d * item.to.y};
    };
    for (int i = 0; i < kSteps; ++i) {
      if (crosses(at(static_cast<float>(i) / kSteps), at(static_cast<float>(i + 1) / kSteps), box))
        return true;
    }
    return false;
  }
  bool operator()(const OutlinedRect& item) const {
    const Rect& r = item.rect;
    const Point corners[] = {{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}};
    for (int i = 0; i < 4; ++i) {
      if (crosses(corners[i], corners[(i + 1) % 4], box)) return true;
    }
    return false;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

/// Whether an item hides all that lies under a box.
inline bool hides(const Item& item, const Rect& box) {
  const auto* fill = std::get_if<FilledRect>(&item);
  return fill != nullptr && fill->colour.a == 255 && fill->rect.x <= box.x + 1 &&
         fill->rect.right() >= box.right() - 1 && fill->rect.y <= box.y + 1 &&
         fill->rect.bottom() >= box.bottom() - 1;
}

/// No line, curve or frame goes through a text, but under something that hides it there.
inline void expect_no_line_through_texts(const Picture& picture) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < picture.items.size(); ++i) {
    const Item& item = picture.items[i];
    if (std::get_if<Line>(&item) || std::get_if<Polyline>(&item) || std::get_if<Curve>(&item) ||
        std::get_if<OutlinedRect>(&item))
      lines.push_back(i);
  }
  for (std::size_t t = 0; t < picture.items.size(); ++t) {
    const auto* text = std::get_if<Text>(&picture.items[t]);
    if (text == nullptr) continue;
    const Rect box = letters_of(*text);
    for (const std::size_t i : lines) {
      if (!std::visit(Crosses{box}, picture.items[i])) continue;
      bool hidden = false;
      for (std::size_t over = i + 1; over < t && !hidden; ++over) hidden = hides(picture.items[over], box);
      EXPECT_TRUE(hidden) << "an item of kind " << picture.items[i].index() << " goes through `" << text->text
                          << "`";
    }
  }
}

/// Nothing leaves the picture, no text lies on another, and no line goes through one.
inline void expect_sound(const Picture& picture, float scale) {
  const Rect page{-scale, -scale, picture.width + 2 * scale, picture.height + 2 * scale};
  for (const Item& item : picture.items) {
    const Rect box = std::visit(Bounds{}, item);
    EXPECT_FALSE(std::isnan(box.x) || std::isnan(box.y) || std::isnan(box.width) || std::isnan(box.height));
    EXPECT_GE(box.width, 0) << "item " << item.index();
    EXPECT_GE(box.height, 0) << "item " << item.index();
    const auto* text = std::get_if<Text>(&item);
    const bool inside =
        box.x >= page.x && box.y >= page.y && box.right() <= page.right() && box.bottom() <= page.bottom();
    EXPECT_TRUE(inside) << "item of kind " << item.index() << " at " << box.x << "," << box.y << " "
                        << box.width << " x " << box.height << " " << (text ? text->text : "");
    if (const auto* map = std::get_if<HeatMap>(&item)) {
      EXPECT_EQ(map->values.size(), std::size_t{map->rows} * map->columns);
    }
  }
  const auto texts = texts_of(picture);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      // Letters are lower than the em box that text_box gives: a sixth of it may overlap.
      const float allowed = 0.17f * std::max(texts[i]->size, texts[j]->size);
      EXPECT_LE(overlap(text_box(*texts[i]), text_box(*texts[j])), allowed)
          << "`" << texts[i]->text << "` lies on `" << texts[j]->text << "`";
    }
  }
  expect_no_line_through_texts(picture);
}

}  // namespace warplens::picture
