// What must hold of every picture, whatever is on it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "viz/picture/canvas.h"
#include "viz/picture/picture.h"

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
  Rect operator()(const Curve& item) const { return bounds_of({item.from, item.control1, item.control2, item.to}); }
  Rect operator()(const Polygon& item) const { return bounds_of(item.points); }
  Rect operator()(const Polyline& item) const { return bounds_of(item.points); }
  Rect operator()(const Text& item) const { return text_box(item); }
};

/// Overlap of two boxes in pixels, the smaller of both directions; negative: apart.
inline float overlap(Rect a, Rect b) {
  return std::min(std::min(a.right(), b.right()) - std::max(a.x, b.x), std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y));
}

inline std::vector<const Text*> texts_of(const Picture& picture) {
  std::vector<const Text*> texts;
  for (const Item& item : picture.items) {
    if (const auto* text = std::get_if<Text>(&item)) texts.push_back(text);
  }
  return texts;
}

/// Nothing leaves the picture, and no text lies on another.
inline void expect_sound(const Picture& picture, float scale) {
  const Rect page{-scale, -scale, picture.width + 2 * scale, picture.height + 2 * scale};
  for (const Item& item : picture.items) {
    const Rect box = std::visit(Bounds{}, item);
    EXPECT_FALSE(std::isnan(box.x) || std::isnan(box.y) || std::isnan(box.width) || std::isnan(box.height));
    EXPECT_GE(box.width, 0) << "item " << item.index();
    EXPECT_GE(box.height, 0) << "item " << item.index();
    const auto* text = std::get_if<Text>(&item);
    const bool inside = box.x >= page.x && box.y >= page.y && box.right() <= page.right() && box.bottom() <= page.bottom();
    EXPECT_TRUE(inside) << "item of kind " << item.index() << " at " << box.x << "," << box.y << " " << box.width << " x " << box.height << " "
                        << (text ? text->text : "");
    if (const auto* map = std::get_if<HeatMap>(&item)) {
      EXPECT_EQ(map->values.size(), std::size_t{map->rows} * map->columns);
    }
  }
  const auto texts = texts_of(picture);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      // Letters are lower than the em box that text_box gives: a sixth of it may overlap.
      const float allowed = 0.17f * std::max(texts[i]->size, texts[j]->size);
      EXPECT_LE(overlap(text_box(*texts[i]), text_box(*texts[j])), allowed) << "`" << texts[i]->text << "` lies on `" << texts[j]->text << "`";
    }
  }
}

}  // namespace warplens::picture
