// The PNG encoder is stb's; this is the one file that holds it.
#include "viz/export/raster.h"
#include "viz/export/stb_image_write_private.h"

namespace warplens::viz {

std::vector<std::byte> to_png(const Image& image) {
  std::vector<std::byte> bytes;
  const auto append = [](void* context, void* data, int size) {
    auto& out = *static_cast<std::vector<std::byte>*>(context);
    const auto* begin = static_cast<const std::byte*>(data);
    out.insert(out.end(), begin, begin + size);
  };
  stbi_write_png_to_func(append, &bytes, image.width, image.height, 4, image.rgba.data(), image.width * 4);
  return bytes;
}

}  // namespace warplens::viz
