#include "viz/render/gl_handle.h"

#include "viz/render/gl.h"

namespace warplens::render {

void delete_program(std::uint32_t name) {
  glDeleteProgram(name);
}

void delete_vertex_array(std::uint32_t name) {
  glDeleteVertexArrays(1, &name);
}

void delete_buffer(std::uint32_t name) {
  glDeleteBuffers(1, &name);
}

void delete_framebuffer(std::uint32_t name) {
  glDeleteFramebuffers(1, &name);
}

void delete_texture(std::uint32_t name) {
  glDeleteTextures(1, &name);
}

GlVertexArray make_vertex_array() {
  GLuint name = 0;
  glGenVertexArrays(1, &name);
  return GlVertexArray(name);
}

GlBuffer make_buffer() {
  GLuint name = 0;
  glGenBuffers(1, &name);
  return GlBuffer(name);
}

GlFramebuffer make_framebuffer() {
  GLuint name = 0;
  glGenFramebuffers(1, &name);
  return GlFramebuffer(name);
}

}  // namespace warplens::render
