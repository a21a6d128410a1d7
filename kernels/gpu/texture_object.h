// Textures and surfaces on the GPU: an array, where they are no linear memory, and the object that a kernel
// is passed.
#pragma once

#include <cstdint>

#include "kernels/base/texture.h"
#include "kernels/gpu/context.h"

namespace warplens::gpu {

class TextureObject {
 public:
  /// `texels`: a buffer of Texture::bytes(), which lives as long; the texture is over it where it is in
  /// linear memory.
  [[nodiscard]] static Result<TextureObject> create(const ContextPointer& context, const Texture& texture,
                                                    CuDevicePointer texels);

  [[nodiscard]] std::uint64_t handle() const {
    return texture_.is_surface ? static_cast<std::uint64_t>(surface_object_.get()) : texture_object_.get();
  }
  /// What the buffer holds goes to the array, in the stream's order.
  [[nodiscard]] Result<Done> load(const Stream& stream) const;
  /// What a kernel may have written to a surface goes back to the buffer.
  [[nodiscard]] Result<Done> store(const Stream& stream) const;

 private:
  TextureObject(const Texture& texture, CuDevicePointer texels) : texture_(texture), texels_(texels) {}
  [[nodiscard]] Result<Done> copy(const Stream& stream, bool to_array) const;

  Texture texture_;
  CuDevicePointer texels_ = 0;
  ContextPointer context_;
  Owned<CuArray, &DriverApi::array_destroy> array_;  ///< Outlives the objects, which are released first
  Owned<CuTextureObject, &DriverApi::texture_destroy> texture_object_;
  Owned<CuSurfaceObject, &DriverApi::surface_destroy> surface_object_;
};

}  // namespace warplens::gpu
