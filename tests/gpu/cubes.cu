// What cubes and gathers give on a GPU: writes the rows of tests/data/cubes_h100.csv and, behind a blank line, of gathers_h100.csv, which
// tests/replay/textures_test.cpp holds the replay to.
//
//   nvcc -arch=native tests/gpu/cubes.cu -o cubes && ./cubes
//
// Both programs make texels, directions and places by the same numbers.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kDirections = 4096, kPlaces = 2048, kWidth = 16, kHeight = 9;

__global__ void look(cudaTextureObject_t t, const float* c, float4* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = texCubemap<float4>(t, c[3 * i], c[3 * i + 1], c[3 * i + 2]);
}
__global__ void look_layered(cudaTextureObject_t t, const float* c, float4* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = texCubemapLayered<float4>(t, c[3 * i], c[3 * i + 1], c[3 * i + 2], i % 5 - 1);
}
template <int kComponent>
__global__ void gather(cudaTextureObject_t t, const float* c, float4* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = tex2Dgather<float4>(t, c[3 * i], c[3 * i + 1], kComponent);
}

static uint64_t state;
static uint32_t next() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<uint32_t>(state >> 33);
}
static float unit() { return static_cast<float>(static_cast<int>(next() % 200001) - 100000) / 100000; }
static float sign() { return (next() & 1) != 0 ? 1.0f : -1.0f; }
static float any_bits() {
  const uint32_t bits = next() * 2;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static std::vector<uint32_t> make_texels(size_t words, int kind) {
  std::vector<uint32_t> texels(words);
  for (uint32_t& word : texels) {
    const uint32_t first = next();
    word = first * 2654435761u ^ next();
    if (kind == 4) word &= 0xbfffbfff;  // No infinity
    if (kind != 0) continue;
    const float value = word % 7 == 0 ? static_cast<float>(word % 3) : static_cast<float>(static_cast<int>(word >> 8)) / 65536.0f - 100;
    memcpy(&word, &value, sizeof word);
  }
  return texels;
}

/// Any, where components are equal or nearly so, at texels' borders, and of bits of any kind.
static std::vector<float> make_directions() {
  std::vector<float> directions(3 * kDirections);
  for (int i = 0; i < kDirections; ++i) {
    for (int k = 0; k < 3; ++k) {
      float& x = directions[3 * i + k];
      const int kind = i % 8;
      if (kind == 3) {
        x = static_cast<float>(static_cast<int>(next() % 9) - 4) / 4;
      } else if (kind == 4) {
        x = static_cast<float>(static_cast<int>(next() % 2049) - 1024) / 1024;
      } else if (kind == 5) {
        const float aside = unit() * 0.125f;
        x = aside + sign();
      } else if (kind == 6 && k != i / 8 % 3) {
        const float side = sign();
        x = side * (1 + static_cast<float>(static_cast<int>(next() % 65) - 32) / 256);
      } else {
        x = kind == 7 ? any_bits() : unit();
      }
      if (i % 16 == 7) x = unit() * 1000;
    }
  }
  return directions;
}

static std::vector<float> make_places(bool normalized) {
  std::vector<float> places(3 * kPlaces);
  for (int i = 0; i < kPlaces; ++i) {
    for (int k = 0; k < 2; ++k) {
      const int extent = k == 0 ? kWidth : kHeight;
      float& x = places[3 * i + k];
      if (i % 4 < 2) {
        x = static_cast<float>(next() % 100000) / 100000 * extent * 3 - extent;
      } else if (i % 4 == 2) {
        x = static_cast<float>(static_cast<int>(next() % (extent * 1024 + 1))) / 512 - extent / 2;
      } else if (i % 8 == 3) {
        x = static_cast<float>(static_cast<int>(next() % (4 * extent))) - extent;
      } else {
        x = any_bits();
      }
      if (normalized) x /= extent;
    }
  }
  return places;
}

static uint64_t hash_of(const std::vector<float>& values) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const float value : values) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (std::isnan(value)) bits = 0x7fc00000;
    hash = (hash ^ bits) * 0x100000001b3ull;
  }
  return hash;
}

struct Texture {
  int width, height, slices, kind, mode;
  unsigned flags;
  bool linear, normalized;
};

/// What a kernel gives at coordinates.
static std::vector<float> given_by(void (*kernel)(cudaTextureObject_t, const float*, float4*), const Texture& texture,
                                   const std::vector<uint32_t>& texels, const std::vector<float>& coordinates) {
  const int kind = texture.kind, bits = kind == 0 ? 32 : kind == 1 || kind == 3 ? 8 : 16;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(
      bits, bits, bits, bits, kind == 0 || kind == 4 ? cudaChannelFormatKindFloat : kind == 1 ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindSigned);
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(texture.width, texture.height, texture.slices), texture.flags);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<uint32_t*>(texels.data()), texture.width * bits / 2, texture.width, texture.height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(texture.width, texture.height, texture.slices == 0 ? 1 : texture.slices);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  for (cudaTextureAddressMode& one : description.addressMode) one = static_cast<cudaTextureAddressMode>(texture.mode);
  description.filterMode = texture.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.normalizedCoords = texture.normalized;
  description.readMode = kind == 0 || kind == 4 ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &description, nullptr);
  const size_t count = coordinates.size() / 3;
  std::vector<float> given(4 * count);
  float* c;
  float4* out;
  cudaMalloc(&c, coordinates.size() * sizeof(float));
  cudaMalloc(&out, given.size() * sizeof(float));
  cudaMemcpy(c, coordinates.data(), coordinates.size() * sizeof(float), cudaMemcpyHostToDevice);
  kernel<<<count / 256, 256>>>(object, c, out);
  const cudaError_t launched = cudaGetLastError(), error = cudaMemcpy(given.data(), out, given.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (launched != cudaSuccess || error != cudaSuccess) fprintf(stderr, "%s, %s\n", cudaGetErrorString(launched), cudaGetErrorString(error));
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
  cudaFree(c);
  cudaFree(out);
  return given;
}

static size_t words_of(int texels, int kind) { return static_cast<size_t>(texels) * (kind == 0 ? 4 : kind == 1 || kind == 3 ? 1 : 2); }

static void measure_cube(int size, int layers, int kind, bool linear, bool normalized, int mode) {
  state = size * 1000 + layers * 100 + kind;
  const std::vector<uint32_t> texels = make_texels(words_of(size * size * 6 * layers, kind), kind);
  state = size * 7919 + layers;
  const Texture texture{size, size, 6 * layers, kind, mode, cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0u), linear, normalized};
  const std::vector<float> given = given_by(layers > 1 ? look_layered : look, texture, texels, make_directions());
  printf("%d,%d,%d,%d,%d,%d,%016llx\n", size, layers, kind, linear, normalized, mode,
         static_cast<unsigned long long>(hash_of(given)));
}

static void measure_gather(int kind, bool normalized, int mode, int component) {
  state = 5000 + kind;
  const std::vector<uint32_t> texels = make_texels(words_of(kWidth * kHeight, kind), kind);
  state = 77;
  const std::vector<float> places = make_places(normalized);
  Texture texture{kWidth, kHeight, 0, kind, mode, cudaArrayTextureGather, false, normalized};
  const uint64_t hash = hash_of(given_by(component == 0 ? gather<0> : gather<3>, texture, texels, places));
  texture.linear = true;
  if (hash_of(given_by(component == 0 ? gather<0> : gather<3>, texture, texels, places)) != hash) fprintf(stderr, "the filter makes a difference\n");
  printf("%d,%d,%d,%d,%016llx\n", kind, normalized, mode, component, static_cast<unsigned long long>(hash));
}

int main() {
  for (const int size : {16, 9, 1}) {
    for (const int layers : {1, 3}) {
      for (int kind = 0; kind < 5; ++kind) {
        for (int c = 0; c < 4; ++c) measure_cube(size, layers, kind, (c & 1) != 0, c > 1, c == 2 ? cudaAddressModeBorder : cudaAddressModeClamp);
      }
    }
  }
  for (const int mode : {0, 2, 3}) {
    for (const bool linear : {false, true}) measure_cube(16, 1, 0, linear, true, mode);
  }
  printf("\n");
  for (int kind = 0; kind < 5; ++kind) {
    for (const bool normalized : {false, true}) {
      for (int mode = 0; mode < 4; ++mode) {
        for (const int component : {0, 3}) measure_gather(kind, normalized, mode, component);
      }
    }
  }
}
