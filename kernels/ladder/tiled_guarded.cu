// The textbook kernel for matrices of any size: a thread outside of A or B puts a zero into the tile, and one outside of C stores nothing.
// Both barriers stay outside of every condition, for all threads of a block must come to them. In the boundary tiles some lanes of a warp load and
// others do not: control divergence, which matters little where there are many tiles inside.

constexpr int T = 16;

__global__ void tiled_guarded(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[T][T];
  __shared__ float bs[T][T];

  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * T + y;
  const int col = blockIdx.x * T + x;

  float sum = 0.0f;
  for (int k = 0; k < p; k += T) {
    as[y][x] = row < m && k + x < p ? A[row * p + k + x] : 0.0f;
    bs[y][x] = k + y < p && col < n ? B[(k + y) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += as[y][i] * bs[i][x];
    }
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
