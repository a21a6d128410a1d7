#include "viz/export/pdf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string_view>

#include "kernels/base/texts.h"
#include "viz/canvas/fonts.h"
#include "viz/export/cairo_library.h"
#include "viz/export/hatch.h"

namespace warplens::viz {
namespace {

struct Freed {
  void operator()(cairo_surface_t* surface) const { cairo()->surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo()->destroy(context); }
};
template <class Kind>
using Owned = std::unique_ptr<Kind, Freed>;

/// A font, for as long as the process runs: cairo keeps faces in a cache that outlives a document.
struct Face {
  FT_Face glyphs = nullptr;
  cairo_font_face_t* drawn = nullptr;
};
constexpr std::size_t kFonts = 3;
const Face& face_of(picture::Font font, bool stand_in) {
  static const std::array<Face, 2 * kFonts> faces = [] {  // Those of each font, then the stand-ins
    const Cairo& api = *cairo();
    std::array<Face, 2 * kFonts> made;
    FT_Library library = nullptr;
    if (api.init_freetype(&library) != 0) return made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto of = static_cast<picture::Font>(i % kFonts);
      const std::string_view bytes = i < kFonts ? picture::font_bytes(of) : picture::stand_in_bytes(of);
      const auto* const data = reinterpret_cast<const FT_Byte*>(bytes.data());
      if (api.new_memory_face(library, data, static_cast<FT_Long>(bytes.size()), 0, &made[i].glyphs) == 0)
        made[i].drawn = api.ft_font_face_create_for_ft_face(made[i].glyphs, FT_LOAD_NO_HINTING);
    }
    return made;
  }();
  return faces[static_cast<std::size_t>(font) + (stand_in ? kFonts : 0)];
}

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

class PagePainter {
 public:
  PagePainter(const Cairo& api, cairo_t* to) : api_(api), to_(to) {}

  void operator()(const picture::FilledRect& item) const {
    path(item.rect, item.rounding);
    fill(item.colour);
  }
  void operator()(const picture::OutlinedRect& item) const {
    path(item.rect, item.rounding);
    stroke(item.colour, item.thickness);
  }
  void operator()(const picture::Hatch& item) const {
    for (const auto& [from, to] : lines_of(item)) {
      api_.move_to(to_, from.x, from.y);
      api_.line_to(to_, to.x, to.y);
    }
    stroke(item.colour, thickness_of(item));
  }
  void operator()(const picture::Line& item) const {
    api_.move_to(to_, item.from.x, item.from.y);
    api_.line_to(to_, item.to.x, item.to.y);
    stroke(item.colour, item.thickness);
  }
  void operator()(const picture::Curve& item) const {
    api_.move_to(to_, item.from.x, item.from.y);
    api_.curve_to(to_, item.control1.x, item.control1.y, item.control2.x, item.control2.y, item.to.x,
                  item.to.y);
    stroke(item.colour, item.thickness);
  }
  void operator()(const picture::Polygon& item) const {
    path(item.points);
    api_.close_path(to_);
    fill(item.colour);
  }
  void operator()(const picture::Polyline& item) const {
    path(item.points);
    stroke(item.colour, item.thickness);
  }
  /// Glyph by glyph, where the picture was measured to have them; with the characters, so that a reader can
  /// search.
  void operator()(const picture::Text& item) const {
    const float width = picture::text_width(item.text, item.size, item.font);
    double x = item.at.x - (item.align == picture::Align::left     ? 0
                            : item.align == picture::Align::centre ? width / 2
                                                                   : width);
    const double y = item.at.y + picture::baseline_offset(item.size, item.font);
    colour(item.colour);
    for (std::string_view rest = item.text; !rest.empty();) {
      std::string_view next = rest;
      const bool stand_in = picture::is_of_stand_in(picture::take_code_point(next), item.font);
      const Face& face = face_of(item.font, stand_in);
      std::vector<cairo_glyph_t> glyphs;
      std::vector<cairo_text_cluster_t> clusters;
      const std::string_view run = rest;
      while (!rest.empty()) {  // As far as one face has the glyphs
        next = rest;
        const char32_t code_point = picture::take_code_point(next);
        if (picture::is_of_stand_in(code_point, item.font) != stand_in) break;
        const std::size_t bytes = rest.size() - next.size();
        glyphs.push_back({api_.char_index(face.glyphs, code_point), x, y});
        clusters.push_back({static_cast<int>(bytes), 1});
        x += picture::text_width(rest.substr(0, bytes), item.size, item.font);
        rest = next;
      }
      if (face.drawn == nullptr) continue;
      api_.set_font_face(to_, face.drawn);
      api_.set_font_size(to_, item.size);
      api_.show_text_glyphs(to_, run.data(), static_cast<int>(run.size() - rest.size()), glyphs.data(),
                            static_cast<int>(glyphs.size()), clusters.data(),
                            static_cast<int>(clusters.size()), static_cast<cairo_text_cluster_flags_t>(0));
    }
  }
  /// An image of a pixel a cell, not smoothed.
  void operator()(const picture::HeatMap& item) const {
    if (item.rows == 0 || item.columns == 0 || item.table.empty()) return;
    const auto rows = static_cast<int>(item.rows), columns = static_cast<int>(item.columns);
    const Owned<cairo_surface_t> image(api_.image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows));
    unsigned char* const pixels = api_.image_surface_get_data(image.get());
    if (pixels == nullptr) return;
    const auto stride = static_cast<std::size_t>(api_.image_surface_get_stride(image.get()));
    for (std::size_t row = 0; row < item.rows; ++row) {
      auto* const line = reinterpret_cast<std::uint32_t*>(pixels + row * stride);
      for (std::size_t column = 0; column < item.columns; ++column) {
        const float value = item.values[row * item.columns + column];
        const picture::Colour of = std::isnan(value) ? item.empty : picture::heat_colour(item, value);
        const auto weighed = [&of](std::uint8_t part) {
          return static_cast<std::uint32_t>(part * of.a / 255);
        };
        line[column] = std::uint32_t{of.a} << 24 | weighed(of.r) << 16 | weighed(of.g) << 8 | weighed(of.b);
      }
    }
    api_.surface_mark_dirty(image.get());
    api_.save(to_);
    api_.translate(to_, item.rect.x, item.rect.y);
    api_.scale(to_, item.rect.width / static_cast<float>(item.columns),
               item.rect.height / static_cast<float>(item.rows));
    api_.set_source_surface(to_, image.get(), 0, 0);
    api_.pattern_set_filter(api_.get_source(to_), CAIRO_FILTER_NEAREST);
    api_.rectangle(to_, 0, 0, columns, rows);
    api_.fill(to_);
    api_.restore(to_);
  }

 private:
  void colour(picture::Colour of) const {
    api_.set_source_rgba(to_, of.r / 255.0, of.g / 255.0, of.b / 255.0, of.a / 255.0);
  }
  void fill(picture::Colour of) const {
    colour(of);
    api_.fill(to_);
  }
  void stroke(picture::Colour of, float thickness) const {
    colour(of);
    api_.set_line_width(to_, thickness);
    api_.set_line_join(to_, CAIRO_LINE_JOIN_ROUND);
    api_.stroke(to_);
  }
  void path(const std::vector<picture::Point>& points) const {
    for (const picture::Point point : points) api_.line_to(to_, point.x, point.y);
  }
  void path(const picture::Rect& rect, float rounding) const {
    const double radius = std::clamp(rounding, 0.0f, std::min(rect.width, rect.height) / 2);
    if (radius <= 0) return api_.rectangle(to_, rect.x, rect.y, rect.width, rect.height);
    constexpr double kQuarter = std::numbers::pi / 2;
    const double left = rect.x + radius, top = rect.y + radius, right = rect.right() - radius,
                 bottom = rect.bottom() - radius;
    api_.new_sub_path(to_);
    api_.arc(to_, right, top, radius, -kQuarter, 0);
    api_.arc(to_, right, bottom, radius, 0, kQuarter);
    api_.arc(to_, left, bottom, radius, kQuarter, 2 * kQuarter);
    api_.arc(to_, left, top, radius, 2 * kQuarter, 3 * kQuarter);
    api_.close_path(to_);
  }

  const Cairo& api_;
  cairo_t* to_;
};

}  // namespace

Result<std::string> to_pdf(const std::vector<picture::Picture>& pages, picture::Size page,
                           const std::string& title) {
  if (!cairo()) return cairo().error();
  const Cairo& api = *cairo();
  std::string document;
  const Owned<cairo_surface_t> surface(
      api.pdf_surface_create_for_stream(append, &document, page.width, page.height));
  api.pdf_surface_restrict_to_version(surface.get(),
                                      CAIRO_PDF_VERSION_1_4);  // Whatever reads or prints PDF reads that
  api.pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  api.pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "Warplens");
  {
    const Owned<cairo_t> to(api.create(surface.get()));
    for (const picture::Picture& picture : pages) {
      api.save(to.get());
      const double scale = std::min(page.width / picture.width, page.height / picture.height);
      api.scale(to.get(), scale, scale);
      const PagePainter painter(api, to.get());
      for (const picture::Item& item : picture.items) std::visit(painter, item);
      api.restore(to.get());
      api.show_page(to.get());
    }
  }
  api.surface_finish(surface.get());
  const cairo_status_t status = api.surface_status(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) return document;
  return Error{tr("the PDF cannot be made: {reason}", "reason"_a = api.status_to_string(status)), "", ""};
}

}  // namespace warplens::viz
