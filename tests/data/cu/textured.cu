// An image seen through a texture, half a texel aside, and a palette read texel by texel.
#include <cuda_runtime.h>

// warplens: grid=(w+31)/32,h block=32 w=48 h=6
//   image=tex2d:f32[h][w]:iota,border palette=tex1d:i32[16]:iota,memory out=f32[h][w]
__global__ void shade(cudaTextureObject_t image, cudaTextureObject_t palette, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float seen = tex2D<float>(image, x + 1.5f, y + 0.5f);             // line 9: the texel to the right, 0 behind the edge
  out[y * w + x] = seen + 1000 * tex1Dfetch<int>(palette, x % 16);  // line 10
}
