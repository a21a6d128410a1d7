// Owners of OpenGL's objects.
#pragma once

#include <cstdint>
#include <utility>

namespace warplens::render {

void delete_program(std::uint32_t name);
void delete_vertex_array(std::uint32_t name);
void delete_buffer(std::uint32_t name);
void delete_framebuffer(std::uint32_t name);
void delete_texture(std::uint32_t name);

/// Owns one object by its name, and deletes it in the context that is current then. 0: none.
template <void (*Delete)(std::uint32_t)>
class GlHandle {
 public:
  GlHandle() = default;
  explicit GlHandle(std::uint32_t name) : name_(name) {}
  GlHandle(GlHandle&& other) noexcept : name_(other.release()) {}
  GlHandle& operator=(GlHandle&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  GlHandle(const GlHandle&) = delete;
  GlHandle& operator=(const GlHandle&) = delete;
  ~GlHandle() {
    if (name_ != 0) Delete(name_);
  }

  [[nodiscard]] std::uint32_t get() const { return name_; }
  /// Leaves the object to its context.
  std::uint32_t release() { return std::exchange(name_, 0); }

 private:
  std::uint32_t name_ = 0;
};

using GlProgram = GlHandle<delete_program>;
using GlVertexArray = GlHandle<delete_vertex_array>;
using GlBuffer = GlHandle<delete_buffer>;
using GlFramebuffer = GlHandle<delete_framebuffer>;
using GlTexture = GlHandle<delete_texture>;

[[nodiscard]] GlVertexArray make_vertex_array();
[[nodiscard]] GlBuffer make_buffer();
[[nodiscard]] GlFramebuffer make_framebuffer();

}  // namespace warplens::render
