#include "viz/export/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/base/text.h"
#include "viz/canvas/fonts.h"
#include "viz/export/hatch.h"
#include "viz/export/raster.h"

namespace warplens::viz {
namespace {

using picture::Colour;
using picture::Rect;

constexpr std::size_t kMaxCellsAsRects = 4096;

/// As XML takes it, which has no control characters, not even as references; those are shown by their
/// escapes.
std::string as_xml(std::string_view text) {
  std::string blank(text);
  std::ranges::replace(blank, '\t', ' ');
  return as_markup(escaped(blank));
}

std::string base64(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at]) : 0u;
    };
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
  return out;
}

/// `fill="#rrggbb" fill-opacity="0.5"`, or stroke.
std::string paint(const char* what, Colour colour) {
  std::string attributes = fmt::format("{}=\"#{:02x}{:02x}{:02x}\"", what, colour.r, colour.g, colour.b);
  if (colour.a != 255)
    attributes += fmt::format(" {}-opacity=\"{:.3f}\"", what, static_cast<float>(colour.a) / 255.0f);
  return attributes;
}

std::string place(Rect rect) {
  return fmt::format("x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", rect.x, rect.y,
                     rect.width, rect.height);
}

class Writer {
 public:
  void operator()(const picture::FilledRect& item) {
    put("<rect {} rx=\"{:.2f}\" {}/>\n", place(item.rect), item.rounding, paint("fill", item.colour));
  }
  void operator()(const picture::OutlinedRect& item) {
    put("<rect {} rx=\"{:.2f}\" fill=\"none\" {} stroke-width=\"{:.2f}\"/>\n", place(item.rect),
        item.rounding, paint("stroke", item.colour), item.thickness);
  }
  /// Line by line: patterns are what viewers and slide programs draw worst.
  void operator()(const picture::Hatch& item) {
    std::string path;
    for (const auto& [from, to] : lines_of(item))
      path += fmt::format("M{:.2f} {:.2f}L{:.2f} {:.2f}", from.x, from.y, to.x, to.y);
    if (!path.empty())
      put("<path d=\"{}\" {} stroke-width=\"{:.2f}\"/>\n", path, paint("stroke", item.colour),
          thickness_of(item));
  }
  void operator()(const picture::Line& item) {
    put("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {} stroke-width=\"{:.2f}\"/>\n",
        item.from.x, item.from.y, item.to.x, item.to.y, paint("stroke", item.colour), item.thickness);
  }
  void operator()(const picture::Curve& item) {
    put("<path d=\"M{:.2f} {:.2f}C{:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f}\" fill=\"none\" {} "
        "stroke-width=\"{:.2f}\"/>\n",
        item.from.x, item.from.y, item.control1.x, item.control1.y, item.control2.x, item.control2.y,
        item.to.x, item.to.y, paint("stroke", item.colour), item.thickness);
  }
  void operator()(const picture::Polygon& item) {
    put("<polygon points=\"{}\" {}/>\n", points(item.points), paint("fill", item.colour));
  }
  void operator()(const picture::Polyline& item) {
    put("<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{:.2f}\" stroke-linejoin=\"round\"/>\n",
        points(item.points), paint("stroke", item.colour), item.thickness);
  }
  void operator()(const picture::Text& item) {
    constexpr const char* kClasses[] = {"sans", "bold", "mono"};
    constexpr const char* kAnchors[] = {"start", "middle", "end"};
    if (item.text.empty()) return;
    put("<text class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" text-anchor=\"{}\" "
        "textLength=\"{:.2f}\" "
        "lengthAdjust=\"spacingAndGlyphs\" {}>{}</text>\n",
        kClasses[static_cast<int>(item.font)], item.at.x,
        item.at.y + picture::baseline_offset(item.size, item.font), item.size,
        kAnchors[static_cast<int>(item.align)], picture::text_width(item.text, item.size, item.font),
        paint("fill", item.colour), as_xml(item.text));
  }
  void operator()(const picture::HeatMap& item) {
    if (item.rows == 0 || item.columns == 0 || item.table.empty()) return;
    if (std::size_t{item.rows} * item.columns > kMaxCellsAsRects) return heat_as_image(item);
    const float width = item.rect.width / static_cast<float>(item.columns),
                height = item.rect.height / static_cast<float>(item.rows);
    put("<g shape-rendering=\"crispEdges\"><rect {} {}/>\n", place(item.rect), paint("fill", item.empty));
    for (std::uint32_t row = 0; row < item.rows; ++row) {
      const float* values = &item.values[std::size_t{row} * item.columns];
      for (std::uint32_t column = 0; column < item.columns;) {
        std::uint32_t end = column + 1;
        while (end < item.columns && values[end] == values[column]) ++end;
        if (!std::isnan(values[column])) {
          const Rect run{item.rect.x + static_cast<float>(column) * width,
                         item.rect.y + static_cast<float>(row) * height,
                         width * static_cast<float>(end - column), height};
          put("<rect {} {}/>\n", place(run), paint("fill", picture::heat_colour(item, values[column])));
        }
        column = end;
      }
    }
    out_ += "</g>\n";
  }

  [[nodiscard]] std::string take() { return std::exchange(out_, {}); }

  [[nodiscard]] std::string document(const picture::Picture& picture, Colour background) const {
    const std::string size =
        fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\"", picture.width,
                    picture.height);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
           "xmlns:xlink=\"http://www.w3.org/1999/xlink\" " +
           size + ">\n<title>" + as_xml(picture.title) + "</title>\n<desc>" + as_xml(picture.sentence) +
           "</desc>\n<style>text{font-kerning:none;white-space:pre}.sans{font-family:Inter,'Helvetica "
           "Neue',Arial,sans-serif}"
           ".bold{font-family:Inter,'Helvetica "
           "Neue',Arial,sans-serif;font-weight:600}.mono{font-family:'JetBrains "
           "Mono',Menlo,Consolas,monospace}"
           "</style>\n<rect width=\"100%\" height=\"100%\" " +
           paint("fill", background) + "/>\n" + out_ + "</svg>\n";
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...);
  }

  static std::string points(const std::vector<picture::Point>& all) {
    std::string text;
    for (const picture::Point p : all) text += fmt::format("{:.2f},{:.2f} ", p.x, p.y);
    return text;
  }

  void heat_as_image(const picture::HeatMap& item) {
    Image image{static_cast<int>(item.columns), static_cast<int>(item.rows), {}};
    for (const float value : item.values) {
      const Colour colour = std::isnan(value) ? item.empty : picture::heat_colour(item, value);
      image.rgba.insert(image.rgba.end(), {colour.r, colour.g, colour.b, colour.a});
    }
    put("<image {} preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
        "xlink:href=\"data:image/png;base64,{}\"/>\n",
        place(item.rect), base64(to_png(image)));
  }

  std::string out_;
};

}  // namespace

std::string as_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string to_svg(const picture::Picture& picture, Colour background) {
  Writer writer;
  for (const picture::Item& item : picture.items) std::visit(writer, item);
  return writer.document(picture, background);
}

std::vector<std::string> svg_elements(const picture::Picture& picture) {
  std::vector<std::string> elements;
  elements.reserve(picture.items.size());
  Writer writer;
  for (const picture::Item& item : picture.items) {
    std::visit(writer, item);
    elements.push_back(writer.take());
  }
  return elements;
}

}  // namespace warplens::viz
