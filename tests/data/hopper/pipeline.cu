// warplens: grid=2 block=128 n=1024 in=f32[2*n]:iota out=f32[256] arch=sm_90a
#include <cooperative_groups.h>
#include <cuda/pipeline>

/// Sums columns of rows that a pipeline of libcu++ fetches: of asynchronous copies and mbarriers.
__global__ void sums(const float* in, float* out, int n) {
  __shared__ float row[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  float sum = 0;
  int rows = n / 128, fetched = 0;
  for (int i = 0; i < rows; i++) {
    for (; fetched < rows && fetched < i + 2; fetched++) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, row[fetched % 2], in + n * blockIdx.x + 128 * fetched, sizeof row[0], pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += row[i % 2][threadIdx.x ^ 1];
    pipeline.consumer_release();
  }
  out[128 * blockIdx.x + threadIdx.x] = sum;
}
