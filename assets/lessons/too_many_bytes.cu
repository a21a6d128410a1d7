// box_at_edge, with an mbarrier that expects twice the bytes that come: its phase never ends.
//
// Needs compute capability 9.0: TMA.
//
// warplens: grid=1 block=128 rows=100 columns=100 in=f32[rows][columns]:ints map=tensormap:f32[rows][columns]@in:box=32x32:swizzle=128B out=f32[32][32]

#include <cuda.h>

#include <cstdint>

constexpr int kBox = 32;
constexpr int kThreads = 128;
constexpr int kFirst = 32;  // Row and column of the tensor at which the box begins

// PTX takes addresses in the shared window.
__device__ unsigned shared(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

__global__ void too_many_bytes(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(1024) float box[kBox][kBox];
  __shared__ std::uint64_t full;
  const int thread = threadIdx.x;

  if (thread == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)),
                 "n"(2 * sizeof(box))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(box)),
        "l"(&map), "r"(kFirst), "r"(kFirst), "r"(shared(&full))
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{ .reg .pred ended;"
      "again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], 0;"
      "@!ended bra again; }" ::"r"(shared(&full))
      : "memory");
  for (int i = thread; i < kBox * kBox; i += kThreads) {
    out[i] = box[i / kBox][i % kBox];
  }
}
