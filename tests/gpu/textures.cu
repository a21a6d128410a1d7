// What textures give on a GPU: writes the rows of tests/data/textures_h100.csv, which tests/replay/textures_test.cpp holds the replay to.
//
//   nvcc -arch=native tests/gpu/textures.cu -o textures && ./textures
//
// 4,096 coordinates for each combination of fetch, texels, filter, coordinates and address mode. Both programs make texels and coordinates by the
// same numbers.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kCoordinates = 4096;

#define KERNEL(name, value)                                                                \
  __global__ void name(cudaTextureObject_t t, const float* c, float4* out) {               \
    const int i = blockIdx.x * 256 + threadIdx.x;                                          \
    const float x = c[i], y = c[kCoordinates + i], z = c[2 * kCoordinates + i];            \
    out[i] = value;                                                                        \
    (void)x, (void)y, (void)z;                                                             \
  }
KERNEL(fetch_1, tex1D<float4>(t, x))
KERNEL(fetch_2, tex2D<float4>(t, x, y))
KERNEL(fetch_3, tex3D<float4>(t, x, y, z))
KERNEL(fetch_4, tex1DLayered<float4>(t, x, i % 5 - 1))
KERNEL(fetch_5, tex2DLayered<float4>(t, x, y, i % 5 - 1))
KERNEL(fetch_6, tex1Dfetch<float4>(t, i - 1000))

static uint64_t state;
static uint32_t next() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<uint32_t>(state >> 33);
}

/// Exponents of all sizes, near enough to each other to matter: a channel of any with infinities, one of the least, one of the largest, one of zeros.
static uint32_t any_float(uint32_t word, size_t channel) {
  constexpr uint32_t kFirst[] = {104, 0, 232, 110}, kSpread[] = {40, 12, 23, 20};
  if (channel == 3 && word % 3 != 0) return word & 0x80000000;
  if (channel == 0 && word % 61 == 0) return (word & 0x80000000) | 0x7f800000 | (word % 2 == 0 ? 0 : word & 0x7fffff);
  return (word & 0x807fffff) | (kFirst[channel] + (word >> 23 & 255) % kSpread[channel]) << 23;
}

/// Bits as they come, fewer infinities and more zeros.
static uint32_t any_half(uint32_t bits) {
  if ((bits & 0x7c00) == 0x7c00 && bits % 16 != 0) bits &= 0xbfff;
  if ((bits & 0x7c00) == 0x7c00 && bits % 32 == 0) bits &= 0xfc00;
  return bits % 11 == 0 ? bits & 0x8000 : bits;
}

static std::vector<uint32_t> make_texels(size_t words, int kind) {
  std::vector<uint32_t> texels(words);
  for (size_t i = 0; i < words; ++i) {
    uint32_t& word = texels[i];
    const uint32_t first = next();
    word = first * 2654435761u ^ next();
    if (kind == 4) word &= 0xbfffbfff;  // No infinity
    if (kind == 5) word = any_float(word, i % 4);
    if (kind == 6) word = any_half(word & 0xffff) | any_half(word >> 16) << 16;
    if (kind != 0) continue;
    const float value = word % 7 == 0 ? static_cast<float>(word % 3) : static_cast<float>(static_cast<int>(word >> 8)) / 65536.0f - 100;
    memcpy(&word, &value, sizeof word);
  }
  return texels;
}

static void make_coordinates(float* values, int extent, bool normalized) {
  for (int i = 0; i < kCoordinates; ++i) {
    float& x = values[i];
    if (i % 8 < 4) {
      x = static_cast<float>(next() % 100000) / 100000 * extent * 3 - extent;
    } else if (i % 8 < 6) {
      x = static_cast<float>(static_cast<int>(next() % (extent * 1024 + 1))) / 512 - extent / 2;
    } else if (i % 8 == 6) {
      x = static_cast<float>(static_cast<int>(next() % (4 * extent))) - extent;
    } else {
      const uint32_t bits = next() * 2;
      memcpy(&x, &bits, sizeof x);
      if (i % 16 == 7) x = static_cast<float>(next() % 4096) / 4096 * extent;
    }
    if (normalized) x /= extent;
  }
}

static uint64_t hash_of(const std::vector<float>& values, bool exact) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const float value : values) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (std::isnan(value) && !exact) bits = 0x7fc00000;
    hash = (hash ^ bits) * 0x100000001b3ull;
  }
  return hash;
}

static void measure(int source, int kind, bool linear, bool normalized, int mode) {
  state = source * 1000 + kind * 100;
  const bool is_row = source == 1 || source == 4 || source == 6, has_slices = source >= 3 && source <= 5;
  const int w = source == 6 ? 1024 : 16, h = is_row ? 1 : 9, d = has_slices ? 3 : 1, bytes = kind == 0 || kind == 5 ? 16 : kind == 1 || kind == 3 ? 4 : 8;
  std::vector<uint32_t> texels = make_texels(static_cast<size_t>(w) * h * d * bytes / 4, kind);
  std::vector<float> coordinates(3 * kCoordinates), given(4 * kCoordinates);
  make_coordinates(&coordinates[0], w, normalized);
  make_coordinates(&coordinates[kCoordinates], h, normalized);
  make_coordinates(&coordinates[2 * kCoordinates], d, normalized);
  float* c;
  float4* out;
  cudaMalloc(&c, coordinates.size() * sizeof(float));
  cudaMalloc(&out, given.size() * sizeof(float));
  cudaMemcpy(c, coordinates.data(), coordinates.size() * sizeof(float), cudaMemcpyHostToDevice);
  const bool is_float = kind == 0 || kind >= 4;
  const int bits = kind == 0 || kind == 5 ? 32 : kind == 1 || kind == 3 ? 8 : 16;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(
      bits, bits, bits, bits, is_float ? cudaChannelFormatKindFloat : kind == 1 ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindSigned);
  cudaResourceDesc resource = {};
  void* memory = nullptr;
  cudaArray_t array = nullptr;
  if (source == 6) {
    cudaMalloc(&memory, texels.size() * 4);
    cudaMemcpy(memory, texels.data(), texels.size() * 4, cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {memory, format, texels.size() * 4};
  } else if (source == 7) {
    size_t pitch;
    cudaMallocPitch(&memory, &pitch, w * bytes, h);
    cudaMemcpy2D(memory, pitch, texels.data(), w * bytes, w * bytes, h, cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {memory, format, static_cast<size_t>(w), static_cast<size_t>(h), pitch};
  } else {
    cudaMalloc3DArray(&array, &format, make_cudaExtent(w, is_row ? 0 : h, has_slices ? d : 0), source > 3 ? cudaArrayLayered : 0);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), w * bytes, w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
  }
  cudaTextureDesc description = {};
  for (cudaTextureAddressMode& one : description.addressMode) one = static_cast<cudaTextureAddressMode>(mode);
  description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.normalizedCoords = normalized;
  description.readMode = is_float ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  void (*const kernels[])(cudaTextureObject_t, const float*, float4*) = {fetch_1, fetch_2, fetch_3, fetch_4, fetch_5, fetch_6, fetch_2};
  kernels[source - 1]<<<kCoordinates / 256, 256>>>(texture, c, out);
  const cudaError_t error = cudaMemcpy(given.data(), out, given.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  printf("%d,%d,%d,%d,%d,%016llx\n", source, kind, linear, normalized, mode, static_cast<unsigned long long>(hash_of(given, kind > 4 && linear)));
  cudaDestroyTextureObject(texture);
  cudaFree(memory);
  cudaFreeArray(array);
  cudaFree(c);
  cudaFree(out);
}

int main() {
  for (int source = 1; source <= 7; ++source) {
    for (int kind = 0; kind < 7; ++kind) {
      for (int combination = 0; combination < 16; ++combination) measure(source, kind, combination >> 3, combination >> 2 & 1, combination & 3);
    }
  }
}
