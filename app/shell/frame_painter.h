// Draws what Dear ImGui has laid out, where OpenGL is done in software: there each pixel takes the
// processor's time, so only those are drawn that the frame before has not left in the window. Elsewhere Dear
// ImGui's own renderer does.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "app/shell/frame_plan.h"
#include "kernels/base/result.h"
#include "viz/render/gl_handle.h"

namespace warplens::app {

/// Belongs to one context of OpenGL, which is current in all that it does.
class FramePainter {
 public:
  [[nodiscard]] static Result<FramePainter> make();
  /// It has to be drawn at a scale of 1.
  void draw(const ImDrawData& draw_data);
  /// What the last frame was made of.
  [[nodiscard]] const FramePlanner& planner() const { return planner_; }

 private:
  FramePainter() = default;
  /// Whether the window still holds the frame that was drawn last. OpenGL promises nothing; what it does is
  /// seen by a mark in one pixel's opacity, which is not shown.
  [[nodiscard]] bool is_kept() const;
  void leave_mark();
  void upload(const ImDrawData& draw_data);
  void draw_batch(const Batch& batch) const;
  void clip(const PixelRect& rect) const;

  FramePlanner planner_;
  render::GlProgram plain_, textured_;
  render::GlVertexArray vertex_array_;
  render::GlBuffer vertex_buffer_, index_buffer_;
  int width_ = 0, height_ = 0;
  unsigned frames_of_size_ = 0;
  std::uint8_t mark_ = 0;  ///< Of the last frame; 0: none yet
  std::vector<ImDrawVert> vertices_;
};

}  // namespace warplens::app
