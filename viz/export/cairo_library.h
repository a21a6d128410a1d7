// The functions of cairo and FreeType that write a PDF. They are loaded when the first PDF is made, so that
// Warplens starts where neither is installed.
#pragma once

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include "kernels/base/result.h"

// The functions of cairo, without the prefix of their names.
#define WARPLENS_CAIRO_FUNCTIONS(EACH)  \
  EACH(arc)                             \
  EACH(close_path)                      \
  EACH(create)                          \
  EACH(curve_to)                        \
  EACH(destroy)                         \
  EACH(fill)                            \
  EACH(ft_font_face_create_for_ft_face) \
  EACH(get_source)                      \
  EACH(image_surface_create)            \
  EACH(image_surface_get_data)          \
  EACH(image_surface_get_stride)        \
  EACH(line_to)                         \
  EACH(move_to)                         \
  EACH(new_sub_path)                    \
  EACH(pattern_set_filter)              \
  EACH(pdf_surface_create_for_stream)   \
  EACH(pdf_surface_restrict_to_version) \
  EACH(pdf_surface_set_metadata)        \
  EACH(rectangle)                       \
  EACH(restore)                         \
  EACH(save)                            \
  EACH(scale)                           \
  EACH(set_font_face)                   \
  EACH(set_font_size)                   \
  EACH(set_line_join)                   \
  EACH(set_line_width)                  \
  EACH(set_source_rgba)                 \
  EACH(set_source_surface)              \
  EACH(show_page)                       \
  EACH(show_text_glyphs)                \
  EACH(status_to_string)                \
  EACH(stroke)                          \
  EACH(surface_destroy)                 \
  EACH(surface_finish)                  \
  EACH(surface_mark_dirty)              \
  EACH(surface_status)                  \
  EACH(translate)

namespace warplens::viz {

/// cairo_arc is `arc`.
struct Cairo {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes none
#define WARPLENS_MEMBER(name) decltype(&::cairo_##name) name = nullptr;
  WARPLENS_CAIRO_FUNCTIONS(WARPLENS_MEMBER)
#undef WARPLENS_MEMBER
  decltype(&::FT_Get_Char_Index) char_index = nullptr;
  decltype(&::FT_Init_FreeType) init_freetype = nullptr;
  decltype(&::FT_New_Memory_Face) new_memory_face = nullptr;
};

/// Loaded once. The error says which library or function is missing, and what to install.
[[nodiscard]] const Result<Cairo>& cairo();

}  // namespace warplens::viz
