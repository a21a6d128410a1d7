// Texels that coordinates mean, by the rules of the replay (kernels/replay/texels.h).
#pragma once

#include "kernels/gpu/recorder/lanes.cuh"
#include "kernels/replay/texels.h"

using namespace warplens::replay;

namespace {

__device__ __forceinline__ float as_float(u32 bits) {
  return __uint_as_float(bits);
}

__device__ __forceinline__ float reciprocal_of(float value) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}

/// The one that is accessed; kNoTexel: none is.
__device__ __forceinline__ u64 find_single(const TexelSite& site, const u32* coordinates) {
  if (site.by_index) return offset_by_index(site.texture, static_cast<std::int32_t>(coordinates[0]));
  const u32 first = site.texture.is_layered() ? 1 : 0, dimensions = site.texture.dimensions();
  const std::int32_t y = dimensions > 1 ? static_cast<std::int32_t>(coordinates[first + 1]) : 0;
  const std::int32_t z = dimensions > 2 ? static_cast<std::int32_t>(coordinates[first + 2]) : 0;
  const SurfaceElement element = surface_element(
      site.texture, site.element_bytes, static_cast<std::int32_t>(coordinates[first]), y, z, coordinates[0]);
  return element.is_aligned & (element.is_inside | site.clamps) ? element.offset : kNoTexel;
}

__device__ __forceinline__ void find_texels(const TexelSite& site, RecordTexels& texels) {
  const u32* const coordinates = texels.coordinates;
  if (site.by_index | site.texture.is_surface) {
    const u64 offset = find_single(site, coordinates);
    texels.addresses[0] = offset == kNoTexel ? kNoLane : site.base + offset;
    return;
  }
  const u32 first = site.texture.is_layered() ? 1 : 0;
  const float x = as_float(coordinates[first]), y = as_float(coordinates[first + 1]),
              z = as_float(coordinates[first + 2]);
  const TexelBox box =
      site.texture.is_cube()
          ? cube_box_of(site.texture, x, y, z, reciprocal_of(largest_of(x, y, z)), coordinates[0])
          : box_of(site.texture, x, y, z, coordinates[0]);
  u32 found = 0;
#pragma unroll 1
  for (u32 corner = 0; corner < 8; ++corner) {
    const u64 offset = box.offset(site.texture, corner);
    bool is_new = offset != kNoTexel;
#pragma unroll 1
    for (u32 t = 0; t < found; ++t) is_new &= texels.addresses[t] != site.base + offset;
    if (is_new) texels.addresses[found++] = site.base + offset;
  }
#pragma unroll 1
  for (; found < site.texels; ++found) texels.addresses[found] = kNoLane;
}

}  // namespace
