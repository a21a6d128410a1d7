// The naive kernel with one change: x runs along the rows of C.
// Now each lane of a warp stands in another row. Its loads of A lie p elements apart and its stores to C n elements apart: up to 32 sectors a
// request, of which each lane uses 4 bytes of 32. Only B is cheap: all lanes read the same element.

__global__ void naive_uncoalesced(const float* A, const float* B, float* C, int m, int p, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;

  float sum = 0.0f;
  for (int k = 0; k < p; ++k) {
    sum += A[row * p + k] * B[k * n + col];
  }
  C[row * n + col] = sum;
}
