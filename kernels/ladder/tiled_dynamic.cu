// Tiles in shared memory, with nothing known when compiled: the tile's edge is the block's, both tiles share one dynamic array, every load is
// guarded, and blocks stride over C, so that any grid does for any size. Each of these freedoms is paid for in the inner loop: it cannot be unrolled,
// and every element of a tile is found by a multiplication.

__global__ void tiled_dynamic(const float* A, const float* B, float* C, int m, int p, int n) {
  extern __shared__ float tiles[];  // A's tile, then B's

  const int T = blockDim.x;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  float* as = tiles;
  float* bs = tiles + T * T;

  for (int top = blockIdx.y * T; top < m; top += gridDim.y * T) {
    for (int left = blockIdx.x * T; left < n; left += gridDim.x * T) {
      const int row = top + y;
      const int col = left + x;

      float sum = 0.0f;
      for (int k = 0; k < p; k += T) {
        if (row < m && k + x < p) as[y * T + x] = A[row * p + k + x];
        if (k + y < p && col < n) bs[y * T + x] = B[(k + y) * n + col];
        __syncthreads();
        if (row < m && col < n) {
          for (int i = 0; i < T && k + i < p; ++i) {
            sum += as[y * T + i] * bs[i * T + x];
          }
        }
        __syncthreads();
      }
      if (row < m && col < n) C[row * n + col] = sum;
    }
  }
}
