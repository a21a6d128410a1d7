#include <cuda_fp16.h>
#include <cuda_pipeline.h>
// What is there from sm_80 on; elsewhere the kernels are empty.
__global__ void asynchronous_copies(const float4* in, float4* out) {
  __shared__ float4 stage[2][32];
#if __CUDA_ARCH__ >= 800
  __pipeline_memcpy_async(&stage[0][threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&reinterpret_cast<float*>(stage[1])[threadIdx.x], &in[threadIdx.x + 32], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
  __syncthreads();
  out[threadIdx.x] = stage[1][31 - threadIdx.x];
}

__global__ void matrix_product(const __half* a, const __half* b, float* c) {
  __shared__ __half tile_a[16 * 16], tile_b[16 * 8];
  for (int i = threadIdx.x; i < 256; i += 32) tile_a[i] = a[i];
  for (int i = threadIdx.x; i < 128; i += 32) tile_b[i] = b[i];
  __syncthreads();
#if __CUDA_ARCH__ >= 800
  unsigned ra[4], rb[2];
  float rc[4] = {};
  const unsigned address_a = __cvta_generic_to_shared(&tile_a[threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8]);
  const unsigned address_b = __cvta_generic_to_shared(&tile_b[threadIdx.x % 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(address_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(address_b));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(rc[0]), "+f"(rc[1]), "+f"(rc[2]), "+f"(rc[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = rc[i];
#endif
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address_a), "r"(ra[0]));
#endif
}
