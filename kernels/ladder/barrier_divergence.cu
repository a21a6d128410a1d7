// The sum of a block's elements by halves, with a mistake: the barrier stands inside the branch.
// A barrier is for all threads of a block. As soon as half of a warp adds and the other half does not, the barrier waits for lanes that never come to
// it. What a GPU makes of that is undefined: it may hang, or go on with what happens to be there.

constexpr int kThreads = 256;

__global__ void barrier_divergence(const float* in, float* sums, int n) {
  __shared__ float values[kThreads];

  const int x = threadIdx.x;
  const int i = blockIdx.x * kThreads + x;
  values[x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (x < half) {
      values[x] += values[x + half];
      __syncthreads();
    }
  }
  if (x == 0) sums[blockIdx.x] = values[0];
}
