// Kernels that wait at mbarriers, as the C++ library makes them: cuda::barrier, cuda::pipeline, memcpy_async.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kThreads = 128, kConsumers = 96;

// Each thread adds up what the thread at the other end of the block has copied.
__global__ void sum_by_barrier(const int* in, int* out, int tiles) {
  __shared__ int tile[kThreads];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    cuda::memcpy_async(tile + threadIdx.x, in + t * kThreads + threadIdx.x, cuda::aligned_size_t<4>(4), barrier);
    barrier.arrive_and_wait();
    sum += tile[kThreads - 1 - threadIdx.x];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

__global__ void sum_by_pipeline(const int* in, int* out, int tiles) {
  __shared__ int tile[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const cg::thread_block group = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(group, &state);
  int sum = 0;
  for (int t = 0, copied = 0; t < tiles; ++t) {
    for (; copied < tiles && copied < t + 2; ++copied) {
      pipeline.producer_acquire();
      cuda::memcpy_async(group, tile[copied % 2], in + copied * kThreads, sizeof tile[0], pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += tile[t % 2][kThreads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// The first warp fills two stages in turn, the others add up.
__global__ void sum_by_roles(const int* in, int* out, int tiles) {
  __shared__ int tile[2][kConsumers];
  __shared__ Barrier empty[2], full[2];
  if (threadIdx.x < 2) {
    init(empty + threadIdx.x, kThreads);
    init(full + threadIdx.x, kThreads);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; ++t) {
      empty[t % 2].arrive_and_wait();
      for (int k = threadIdx.x; k < kConsumers; k += 32) tile[t % 2][k] = in[t * kConsumers + k];
      (void)full[t % 2].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
      full[t % 2].arrive_and_wait();
      sum += tile[t % 2][kThreads - 1 - threadIdx.x];
      (void)empty[t % 2].arrive();
    }
    out[threadIdx.x - 32] = sum;
  }
}
