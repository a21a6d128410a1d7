#include <cuda_fp16.h>
#include <mma.h>
// Instructions that the typed module has no form for: textures, and whole-matrix fragments.
__global__ void textures(cudaTextureObject_t image, float* out, int x) {
  const float4 texel = tex2D<float4>(image, x + 0.5f, 1.5f);
  out[threadIdx.x] = texel.x + tex1Dfetch<float>(image, x);
}

__global__ void fragments(const __half* a, const __half* b, float* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void environment(unsigned* out) {
  asm volatile("mov.u32 %0, %%envreg3;" : "=r"(out[0]));
  asm volatile("pmevent 1;");
}
