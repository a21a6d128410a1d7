#include "kernels/gpu/texture_object.h"

namespace warplens::gpu {
namespace {

// Numbers of CUarray_format, CUresourcetype, CUmemorytype, and flags of arrays and textures.
constexpr int kArrayResource = 0, kLinearResource = 2, kPitchResource = 3;
constexpr int kDeviceMemory = 2, kArrayMemory = 3;
constexpr unsigned kLayered = 1, kLoadsAndStores = 2, kCube = 4, kGathers = 8, kReadAsInteger = 1,
                   kNormalizedCoordinates = 2;

int format_of(TexelType type) {
  switch (type) {
    case TexelType::u8: return 1;
    case TexelType::u16: return 2;
    case TexelType::u32: return 3;
    case TexelType::i8: return 8;
    case TexelType::i16: return 9;
    case TexelType::i32: return 10;
    case TexelType::f16: return 16;
    case TexelType::f32: break;
  }
  return 32;
}

/// CUDA driver API, CUDA_ARRAY3D_TEXTURE_GATHER: arrays of two dimensions, the maximum of
/// CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH.
bool may_be_gathered(const Texture& texture) {
  constexpr std::uint32_t kMax = 32768;
  return texture.shape == TextureShape::two && !texture.is_surface && texture.width <= kMax &&
         texture.height <= kMax;
}

CuArrayDescription array_of(const Texture& texture) {
  const bool has_slices = texture.is_layered() || texture.is_cube() || texture.shape == TextureShape::three;
  return {.width = texture.width,
          .height = texture.dimensions() > 1 ? texture.height : 0,
          .depth = has_slices ? texture.depth : 0,
          .format = format_of(texture.type),
          .channels = texture.channels,
          .flags = (texture.is_layered() ? kLayered : 0) | (texture.is_cube() ? kCube : 0) |
                   (may_be_gathered(texture) ? kGathers : 0) | (texture.is_surface ? kLoadsAndStores : 0)};
}

CuResourceDescription resource_of(const Texture& texture, CuDevicePointer texels, CuArray array) {
  CuResourceDescription resource{};
  if (array != nullptr) {
    resource.type = kArrayResource;
    resource.array = array;
    return resource;
  }
  const int format = format_of(texture.type);
  if (texture.dimensions() == 1) {
    resource.type = kLinearResource;
    resource.linear = {
        .address = texels, .format = format, .channels = texture.channels, .bytes = texture.bytes()};
  } else {
    resource.type = kPitchResource;
    resource.pitched = {.address = texels,
                        .format = format,
                        .channels = texture.channels,
                        .width = texture.width,
                        .height = texture.height,
                        .pitch_bytes = texture.pitch_bytes};
  }
  return resource;
}

CuTextureDescription description_of(const Texture& texture) {
  CuTextureDescription description{};
  for (int& mode : description.address_modes)
    mode = static_cast<int>(texture.address_mode);  // Numbered alike
  description.filter = texture.linear_filter ? 1 : 0;
  const bool keeps_integers = !texture.reads_floats();
  description.flags =
      (keeps_integers ? kReadAsInteger : 0) | (texture.normalized_coordinates ? kNormalizedCoordinates : 0);
  return description;
}

}  // namespace

Result<TextureObject> TextureObject::create(const ContextPointer& context, const Texture& texture,
                                            CuDevicePointer texels) {
  TextureObject made(texture, texels);
  made.context_ = context;
  const DriverApi& api = context->enter();
  if (!texture.in_memory) {
    const CuArrayDescription description = array_of(texture);
    CuArray array = nullptr;
    if (auto created = context->check(api.array_create(&array, &description), "cuArray3DCreate");
        !created.ok())
      return created.error();
    made.array_ = {context, array};
  }
  const CuResourceDescription resource = resource_of(texture, texels, made.array_.get());
  if (texture.is_surface) {
    CuSurfaceObject surface{};
    if (auto created = context->check(api.surface_create(&surface, &resource), "cuSurfObjectCreate");
        !created.ok())
      return created.error();
    made.surface_object_ = {context, surface};
  } else {
    const CuTextureDescription description = description_of(texture);
    CuTextureObject object = 0;
    auto created =
        context->check(api.texture_create(&object, &resource, &description, nullptr), "cuTexObjectCreate");
    if (!created.ok()) return created.error();
    made.texture_object_ = {context, object};
  }
  return made;
}

Result<Done> TextureObject::load(const Stream& stream) const {
  return texture_.in_memory ? Result<Done>(Done{}) : copy(stream, true);
}

Result<Done> TextureObject::store(const Stream& stream) const {
  return texture_.is_surface ? copy(stream, false) : Result<Done>(Done{});
}

Result<Done> TextureObject::copy(const Stream& stream, bool to_array) const {
  const CuCopyEnd buffer{.memory = kDeviceMemory,
                         .device = texels_,
                         .pitch_bytes = texture_.pitch_bytes,
                         .height = texture_.height},
      array{.memory = kArrayMemory, .array = array_.get()};
  const CuCopy3d copy{.from = to_array ? buffer : array,
                      .to = to_array ? array : buffer,
                      .width_bytes = std::size_t{texture_.width} * texture_.texel_bytes(),
                      .height = texture_.height,
                      .depth = texture_.depth};
  return context_->check(context_->enter().copy_3d(&copy, stream.handle()), "cuMemcpy3DAsync");
}

}  // namespace warplens::gpu
