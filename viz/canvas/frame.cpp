#include "viz/canvas/frame.h"

#include <algorithm>
#include <utility>

#include "viz/canvas/canvas.h"

namespace warplens::picture {
namespace {

constexpr float kBorder = 8, kHeader = 30;

struct PanelLayout {
  Rect panel, header, inside;
};

PanelLayout lay_out(Size size, const Style& style) {
  const float border = std::min({kBorder * style.scale, size.width / 40, size.height / 40});
  PanelLayout layout;
  layout.panel = inset({0, 0, size.width, size.height}, border);
  layout.inside = layout.panel;
  layout.header = cut_top(layout.inside, std::min(kHeader * style.scale, size.height / 4));
  return layout;
}

void move(Point& point, Point by) {
  point.x += by.x;
  point.y += by.y;
}
void move(Rect& rect, Point by) {
  rect.x += by.x;
  rect.y += by.y;
}

/// Moves an item, whatever it is.
struct Mover {
  Point by;
  void operator()(FilledRect& item) const { move(item.rect, by); }
  void operator()(OutlinedRect& item) const { move(item.rect, by); }
  void operator()(Hatch& item) const { move(item.rect, by); }
  void operator()(HeatMap& item) const { move(item.rect, by); }
  void operator()(Text& item) const { move(item.at, by); }
  void operator()(Line& item) const {
    move(item.from, by);
    move(item.to, by);
  }
  void operator()(Curve& item) const {
    for (Point* point : {&item.from, &item.control1, &item.control2, &item.to}) move(*point, by);
  }
  void operator()(Polygon& item) const {
    for (Point& point : item.points) move(point, by);
  }
  void operator()(Polyline& item) const {
    for (Point& point : item.points) move(point, by);
  }
};

}  // namespace

void add_picture(Picture& on, Picture added, Point at) {
  for (Item& item : added.items) {
    std::visit(Mover{at}, item);
    on.items.push_back(std::move(item));
  }
  for (Region& region : added.regions) {
    move(region.rect, at);
    on.regions.push_back(std::move(region));
  }
}

Size frame_inside(Size size, const Style& style) {
  const Rect inside = lay_out(size, style).inside;
  return {inside.width, inside.height};
}

Picture framed(Picture inner, Size size, const Style& style) {
  const PanelLayout layout = lay_out(size, style);
  Canvas canvas(size, style);
  const Palette& palette = canvas.palette();
  canvas.fill(layout.panel, palette.panel, 6);
  canvas.fill(layout.header, palette.header, 6);
  canvas.line({layout.header.x, layout.header.bottom()}, {layout.header.right(), layout.header.bottom()},
              palette.line);
  canvas.outline(layout.panel, palette.line, 1, 6);
  Rect header = inset(layout.header, 0);
  static_cast<void>(cut_left(header, canvas.px(12)));
  static_cast<void>(cut_right(header, canvas.px(12)));
  const TextLook bold{palette.text, kBaseSize, Font::sans_bold, Align::left};
  if (const auto title = canvas.fitted(header, {inner.title}, bold))
    static_cast<void>(cut_left(header, title->width + canvas.px(20)));
  // The parts that change least stand last in the subtitle: they are dropped first.
  std::string subtitle = inner.subtitle;
  while (!canvas.fitted(header, {subtitle}, canvas.muted(kSmallSize + 1, Align::right))) {
    const std::size_t cut = subtitle.rfind(" · ");
    if (cut == std::string::npos) break;
    subtitle.resize(cut);
  }

  Picture all = canvas.take();
  all.title = inner.title;
  all.subtitle = inner.subtitle;
  all.sentence = inner.sentence;
  add_picture(all, std::move(inner), {layout.inside.x, layout.inside.y});
  return all;
}

}  // namespace warplens::picture
