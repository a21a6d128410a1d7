#include "viz/render/heat_texture.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "viz/render/gl.h"
#include "viz/render/shader.h"

namespace warplens::render {
namespace {

GlTexture make_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
  return GlTexture(texture);
}

void upload_values(std::uint32_t texture, const picture::HeatMap& map, int largest) {
  const auto columns = std::min(static_cast<GLsizei>(map.columns), largest);
  const auto rows = std::min(static_cast<GLsizei>(map.rows), largest);
  glBindTexture(GL_TEXTURE_2D, texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(map.columns));
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, columns, rows, 0, GL_RED, GL_FLOAT, map.values.data());
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

void upload_table(std::uint32_t texture, const std::vector<picture::Colour>& table) {
  static_assert(sizeof(picture::Colour) == 4, "colours are uploaded as they lie");
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(table.size()), 1, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, table.data());
}

}  // namespace

Result<HeatPainter> HeatPainter::make() {
  auto program = link_program("heat.vert", "heat.frag");
  if (!program) return program.error();
  HeatPainter painter;
  painter.context_ = ++contexts;
  painter.program_ = GlProgram(*program);
  painter.vertex_array_ = make_vertex_array();
  painter.framebuffer_ = make_framebuffer();
  painter.values_ = make_texture();
  painter.table_ = make_texture();
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &painter.largest_);
  painter.empty_colour_ = glGetUniformLocation(*program, "empty_colour");
  painter.target_size_ = glGetUniformLocation(*program, "target_size");
  glUseProgram(*program);
  glUniform1i(glGetUniformLocation(*program, "values"), 0);
  glUniform1i(glGetUniformLocation(*program, "table"), 1);
  return painter;
}

/// Each keeps its texture with the context that it is of.
HeatTexture& HeatTexture::operator=(HeatTexture&& other) noexcept {
  std::swap(texture_, other.texture_);
  std::swap(context_, other.context_);
  std::swap(version_, other.version_);
  std::swap(width_, other.width_);
  std::swap(height_, other.height_);
  std::swap(drawn_, other.drawn_);
  return *this;
}

HeatTexture::~HeatTexture() {
  if (context_ != HeatPainter::contexts) texture_.release();  // Its context is gone
}

/// Whether the texture has the map's pixels, wherever in the picture it lies.
bool HeatTexture::shows(const picture::HeatMap& map) const {
  return map.rows == drawn_.rows && map.columns == drawn_.columns && map.empty == drawn_.empty &&
         map.table == drawn_.table && map.values.same(drawn_.values);
}

void HeatTexture::draw(const HeatPainter& painter, const picture::HeatMap& map, int width, int height) {
  assert(map.values.size() == std::size_t{map.rows} * map.columns && !map.table.empty());
  const bool is_new = context_ != painter.context_;
  if (!is_new && width == width_ && height == height_ && shows(map)) return;
  drawn_ = map;
  version_ = versions = std::max(versions + 1, std::uint32_t{1});
  if (is_new) {
    texture_.release();  // Of another context
    texture_ = make_texture();
  }
  context_ = painter.context_;
  if (is_new || width != width_ || height != height_) {
    glBindTexture(GL_TEXTURE_2D, texture_.get());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    width_ = width;
    height_ = height;
  }
  upload_values(painter.values_.get(), map, painter.largest_);
  upload_table(painter.table_.get(), map.table);

  glBindFramebuffer(GL_FRAMEBUFFER, painter.framebuffer_.get());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
  glViewport(0, 0, width, height);
  for (const GLenum capability : {GL_BLEND, GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_CULL_FACE})
    glDisable(capability);

  glUseProgram(painter.program_.get());
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, painter.table_.get());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, painter.values_.get());
  glUniform4f(painter.empty_colour_, static_cast<float>(map.empty.r) / 255,
              static_cast<float>(map.empty.g) / 255, static_cast<float>(map.empty.b) / 255,
              static_cast<float>(map.empty.a) / 255);
  glUniform2f(painter.target_size_, static_cast<float>(width), static_cast<float>(height));
  glBindVertexArray(painter.vertex_array_.get());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindVertexArray(0);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

}  // namespace warplens::render
