#include "app/shell/frame_painter.h"

#include <imgui_impl_opengl3.h>

#include <array>
#include <cstddef>
#include <utility>

#include "viz/render/gl.h"
#include "viz/render/shader.h"

namespace warplens::app {
namespace {

constexpr unsigned kUnsettledFrames = 3;  ///< After a change of size OpenGL may hear of it late
constexpr std::uint8_t kMarks = 200;      ///< 1 to that many, in turns: an opaque pixel's 255 is none

const void* offset(std::size_t bytes) {
  return reinterpret_cast<const void*>(bytes);
}

void describe_vertices() {
  constexpr auto kStride = static_cast<GLsizei>(sizeof(ImDrawVert));
  for (const GLuint attribute : {0U, 1U, 2U}) glEnableVertexAttribArray(attribute);
  glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, kStride, offset(offsetof(ImDrawVert, pos)));
  glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, kStride, offset(offsetof(ImDrawVert, uv)));
  glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, offset(offsetof(ImDrawVert, col)));
}

/// The same arithmetic as in Dear ImGui's own renderer, so that edges fall on the same pixels.
void set_window(std::uint32_t program, const ImDrawData& draw_data) {
  const float left = draw_data.DisplayPos.x, right = left + draw_data.DisplaySize.x;
  const float top = draw_data.DisplayPos.y, bottom = top + draw_data.DisplaySize.y;
  glUseProgram(program);
  glUniform2f(glGetUniformLocation(program, "scale"), 2 / (right - left), 2 / (top - bottom));
  glUniform2f(glGetUniformLocation(program, "origin"), (right + left) / (left - right),
              (top + bottom) / (bottom - top));
}

void set_state(const ImDrawData& draw_data) {
  for (const GLenum capability : {GL_CULL_FACE, GL_DEPTH_TEST, GL_STENCIL_TEST}) glDisable(capability);
  glEnable(GL_SCISSOR_TEST);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glActiveTexture(GL_TEXTURE0);
  glViewport(0, 0, static_cast<GLsizei>(draw_data.DisplaySize.x),
             static_cast<GLsizei>(draw_data.DisplaySize.y));
}

void update_textures(const ImDrawData& draw_data) {
  if (draw_data.Textures == nullptr) return;
  for (ImTextureData* const texture : *draw_data.Textures) {
    if (texture->Status != ImTextureStatus_OK) ImGui_ImplOpenGL3_UpdateTexture(texture);
  }
}

}  // namespace

Result<FramePainter> FramePainter::make() {
  const auto plain = render::link_program("frame.vert", "frame_plain.frag");
  if (!plain) return plain.error();
  FramePainter painter;
  painter.plain_ = render::GlProgram(*plain);
  const auto textured = render::link_program("frame.vert", "frame_textured.frag");
  if (!textured) return textured.error();
  painter.textured_ = render::GlProgram(*textured);
  painter.vertex_array_ = render::make_vertex_array();
  painter.vertex_buffer_ = render::make_buffer();
  painter.index_buffer_ = render::make_buffer();
  return painter;
}

void FramePainter::draw(const ImDrawData& draw_data) {
  update_textures(draw_data);
  const auto width = static_cast<int>(draw_data.DisplaySize.x),
             height = static_cast<int>(draw_data.DisplaySize.y);
  if (width != width_ || height != height_) frames_of_size_ = 0;
  width_ = width;
  height_ = height;
  planner_.plan(draw_data, frames_of_size_++ > kUnsettledFrames && is_kept());
  set_state(draw_data);
  upload(draw_data);
  for (const std::uint32_t program : {plain_.get(), textured_.get()}) set_window(program, draw_data);
  for (const FramePart& part : planner_.parts()) {
    if (part.bare) {
      clip(part.rect);
      glClearColor(0, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
    }
    for (const Batch& batch : part.batches) draw_batch(batch);
  }
  leave_mark();
  glBindVertexArray(0);
  glDisable(GL_SCISSOR_TEST);
}

bool FramePainter::is_kept() const {
  if (mark_ == 0) return false;
  std::array<std::uint8_t, 4> corner{};
  glReadBuffer(GL_BACK);
  glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, corner.data());
  return corner[3] == mark_;
}

void FramePainter::leave_mark() {
  mark_ = static_cast<std::uint8_t>(mark_ % kMarks + 1);
  glScissor(0, 0, 1, 1);
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
  glClearColor(0, 0, 0, static_cast<float>(mark_) / 255);
  glClear(GL_COLOR_BUFFER_BIT);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void FramePainter::upload(const ImDrawData& draw_data) {
  vertices_.clear();
  for (const ImDrawList* const list : draw_data.CmdLists)
    vertices_.insert(vertices_.end(), list->VtxBuffer.begin(), list->VtxBuffer.end());
  const std::vector<ImU32>& indices = planner_.indices();
  glBindVertexArray(vertex_array_.get());
  glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer_.get());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices_.size() * sizeof(ImDrawVert)),
               vertices_.data(), GL_STREAM_DRAW);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer_.get());
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size() * sizeof(ImU32)),
               indices.data(), GL_STREAM_DRAW);
  describe_vertices();
}

void FramePainter::draw_batch(const Batch& batch) const {
  if (batch.kind == Batch::Kind::opaque) {
    glDisable(GL_BLEND);
  } else {
    glEnable(GL_BLEND);
  }
  const bool textured = batch.kind == Batch::Kind::textured;
  glUseProgram(textured ? textured_.get() : plain_.get());
  if (textured) glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(batch.texture));
  clip(batch.clip);
  glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(batch.indices), GL_UNSIGNED_INT,
                 offset(batch.first_index * sizeof(ImU32)));
}

void FramePainter::clip(const PixelRect& rect) const {
  glScissor(rect.left, height_ - rect.bottom, rect.right - rect.left, rect.bottom - rect.top);
}

}  // namespace warplens::app
