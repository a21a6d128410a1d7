#include "picture/decode_png.h"

#include "picture/stb_image_private.h"

namespace warplens::test {

viz::Image decode_png(const std::vector<std::byte>& bytes) {
  viz::Image image;
  int channels = 0;
  stbi_uc* pixels =
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()), static_cast<int>(bytes.size()),
                            &image.width, &image.height, &channels, 4);
  if (pixels == nullptr) return {};
  image.rgba.assign(
      pixels, pixels + static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  stbi_image_free(pixels);
  return image;
}

}  // namespace warplens::test
