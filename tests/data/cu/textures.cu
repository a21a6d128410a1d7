// Textures and surfaces in loops, under guards, where lanes part, beside calls: what is recorded on a GPU is compared with the replay.
#include <cuda_runtime.h>

// A window of texels, each between four: the same steps each time, but at the edges.
__global__ void blur(cudaTextureObject_t picture, float* out, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int row = 0; row < 3; ++row) {
    float sum = 0;
    for (int dx = -radius; dx <= radius; ++dx) sum += tex2D<float>(picture, x + dx + 0.75f, row + 0.25f);
    out[row * gridDim.x * blockDim.x + x] = sum;
  }
}

// Rays through a volume: lanes leave the loop when they have seen enough, and some never enter it.
__global__ void march(cudaTextureObject_t volume, cudaTextureObject_t colours, float* out, float step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float light = 0, depth = 0;
  if (i % 5 != 3) {
    while (light < 4 && depth < 2) {
      light += tex3D<float>(volume, i * 0.0625f, 0.5f - depth * 0.25f, depth);
      depth += step;
    }
    const float4 colour = tex1D<float4>(colours, light * 0.25f);
    light += colour.x + colour.w;
  }
  out[i] = light;
}

// By number and by layer, under a guard.
__global__ void gather(cudaTextureObject_t table, cudaTextureObject_t layers, cudaTextureObject_t rows, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += tex1Dfetch<int>(table, i * 3 + k * 16 - 8);
  const uchar4 texel = tex2DLayered<uchar4>(layers, i % 9, i / 9 % 4, i % 5);
  if (texel.x % 2 == 0) sum += static_cast<int>(tex1DLayered<short>(rows, i % 20, i / 20));
  out[i] = sum + texel.y;
}

// Read, changed and written in place; beyond the edge nothing, and the nearest element.
__global__ void stamp(cudaSurfaceObject_t plane, cudaSurfaceObject_t slices, cudaSurfaceObject_t line, int shift) {
  const int x = threadIdx.x % 16 + shift, y = threadIdx.x / 16 + 2 * blockIdx.x;
  const int before = surf2Dread<int>(plane, x * 4, y, cudaBoundaryModeZero);
  surf2Dwrite(before + 1, plane, x * 4, y, cudaBoundaryModeZero);
  for (int z = 0; z < 3; ++z) {
    const short2 pair = surf3Dread<short2>(slices, (x & 7) * 4, y & 3, z, cudaBoundaryModeClamp);
    if (x % 3 == 0) surf3Dwrite(make_short2(pair.y, pair.x), slices, (x & 7) * 4, y & 3, z + 1, cudaBoundaryModeClamp);
  }
  surf1DLayeredwrite(static_cast<unsigned char>(x), line, x, y % 2, cudaBoundaryModeZero);
}

// Directions into cubes: most on a face, some along edges and through corners.
__global__ void look_around(cudaTextureObject_t sky, cudaTextureObject_t skies, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const float x = (i * 7 + k) % 17 - 8.0f, y = (i * 5 + k * 3) % 13 - 6.0f, z = (i + k * 11) % 19 - 9.0f;
    sum += texCubemap<float>(sky, x, y, z);
    if (k % 2 == 1) sum += texCubemapLayered<float2>(skies, z, -x, y, k % 4).y;
  }
  out[i] = sum;
}

// Four texels at a time, one channel of them.
__global__ void corners(cudaTextureObject_t picture, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 four = tex2Dgather<float4>(picture, i * 0.375f, i * 0.125f - 2, 1);
  out[i] = four.x + 2 * four.y + 4 * four.z + 8 * four.w;
}

__device__ __noinline__ float weigh(float value, const float* weights, int at) { return value * weights[at]; }

// A kernel that calls a function.
__global__ void weighed(cudaTextureObject_t picture, const float* weights, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += weigh(tex2D<float>(picture, x * 0.5f + k, k + 0.5f), weights, k);
  out[x] = sum;
}
