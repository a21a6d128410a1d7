// A warpgroup multiplies two small matrices of ones and stores its sums before it has waited for them: wgmma works on
// while the warps go on.
//
// Needs compute capability 9.0a: wgmma.
//
// warplens: grid=1 block=128 out=f32[64][8]

#include <cuda_fp16.h>

#include <cstdint>

constexpr int M = 64;
constexpr int N = 8;
constexpr int K = 16;
constexpr int kThreads = 128;

// PTX takes addresses in the shared window.
__device__ unsigned shared(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}
// Describes a matrix whose pieces of 8 x 8 values take 128 bytes each, those along K next to each other.
__device__ std::uint64_t describe(const void* matrix) {
  constexpr std::uint64_t kAlongK = 128, kRows8 = 256;
  return (shared(matrix) & 0x3ffff) >> 4 | kAlongK >> 4 << 16 | kRows8 >> 4 << 32;
}

__global__ void sums_too_early(float* out) {
  __shared__ alignas(128) __half a[M * K];
  __shared__ alignas(128) __half b[N * K];
  const int thread = threadIdx.x;
  for (int i = thread; i < M * K; i += kThreads) {
    a[i] = __half(1.0f);
  }
  b[thread] = __half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  float sum[4];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
               : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
               : "l"(describe(a)), "l"(describe(b))
               : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");

  const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
  out[row * N + column] = sum[0];  // Too early
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  out[row * N + column + 1] = sum[1];
  out[(row + 8) * N + column] = sum[2];
  out[(row + 8) * N + column + 1] = sum[3];
}
