// The sum of a block's elements by halves, with a mistake: there is no barrier between the halves.
// The next round reads what other warps wrote in this one, or were about to write: a race. Whether the sum is right depends on which warp was
// quicker, so it may be right for years.

constexpr int kThreads = 256;

__global__ void missing_barrier(const float* in, float* sums, int n) {
  __shared__ float values[kThreads];

  const int x = threadIdx.x;
  const int i = blockIdx.x * kThreads + x;
  values[x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (x < half) {
      values[x] += values[x + half];
    }
  }
  if (x == 0) sums[blockIdx.x] = values[0];
}
