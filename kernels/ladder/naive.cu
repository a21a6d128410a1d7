// One thread, one element of C, straight from global memory.
// x runs along the columns of C, so the 32 lanes of a warp read one element of A (a broadcast: 1 sector) and 32 neighbours of B (coalesced: 4
// sectors). Both loads repeat for each of the p terms: 2 * p loads an element, and nothing is kept for the neighbours that need the same values.

__global__ void naive(const float* A, const float* B, float* C, int m, int p, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;

  float sum = 0.0f;
  for (int k = 0; k < p; ++k) {
    sum += A[row * p + k] * B[k * n + col];
  }
  C[row * n + col] = sum;
}
