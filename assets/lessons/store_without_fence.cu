// Warps write a tile to shared memory, and one thread has TMA store it. A barrier orders threads; it does not order
// their stores with TMA, which accesses shared memory by the async proxy: a fence.proxy.async is missing.
//
// Needs compute capability 9.0: TMA.
//
// warplens: grid=1 block=128 out=f32[32][32] map=tensormap:f32[32][32]@out:box=32x32:swizzle=none

#include <cuda.h>

#include <cstdint>

constexpr int kBox = 32;
constexpr int kThreads = 128;

// PTX takes addresses in the shared window.
__device__ unsigned shared(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

__global__ void store_without_fence(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[kBox][kBox];
  const int thread = threadIdx.x;

  for (int i = thread; i < kBox * kBox; i += kThreads) {
    tile[i / kBox][i % kBox] = static_cast<float>(i);
  }
  __syncthreads();
  if (thread == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {0, 0}], [%1];" ::"l"(&map),
        "r"(shared(tile))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
