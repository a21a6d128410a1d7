// Heat maps by OpenGL 3.3: values in, a texture of pixels out. Needs a current context with its functions
// loaded.
#pragma once

#include <cstdint>

#include "kernels/base/result.h"
#include "viz/canvas/picture.h"
#include "viz/render/gl_handle.h"

namespace warplens::render {

/// The program and the textures that every heat map is drawn with. One a context.
class HeatPainter {
 public:
  [[nodiscard]] static Result<HeatPainter> make();
  /// Tells the contexts of a program's life apart; never 0. What was drawn in another is gone.
  [[nodiscard]] std::uint32_t context() const { return context_; }

 private:
  friend class HeatTexture;
  HeatPainter() = default;
  static inline std::uint32_t contexts = 0;  ///< So far
  std::uint32_t context_ = 0;
  GlProgram program_;
  GlVertexArray vertex_array_;
  GlFramebuffer framebuffer_;
  GlTexture values_, table_;
  int largest_ = 0, empty_colour_ = -1,
      target_size_ = -1;  ///< Texels along a side of a texture; places of the program's uniforms
};

/// One heat map's pixels, in the context that it was last drawn in. Row 0 of the map is row 0 of the texture.
class HeatTexture {
 public:
  HeatTexture() = default;
  HeatTexture(HeatTexture&&) noexcept = default;
  HeatTexture& operator=(HeatTexture&& other) noexcept;
  ~HeatTexture();

  /// Draws the map, `width` x `height` pixels, unless it has them already. The map needs rows x columns
  /// values, and a table of at least one colour. Maps larger than the context's largest texture are cut off
  /// there.
  void draw(const HeatPainter& painter, const picture::HeatMap& map, int width, int height);
  /// OpenGL's name of it in the lower half. The upper half is never 0, and another whenever its pixels are:
  /// who has drawn this has drawn these.
  [[nodiscard]] std::uint64_t id() const { return std::uint64_t{version_} << 32 | texture_.get(); }

 private:
  [[nodiscard]] bool shows(const picture::HeatMap& map) const;

  static inline std::uint32_t versions = 0;  ///< So far, of all
  GlTexture texture_;
  std::uint32_t context_ = 0, version_ = 0;
  int width_ = 0, height_ = 0;
  picture::HeatMap drawn_;  ///< What it shows
};

}  // namespace warplens::render
