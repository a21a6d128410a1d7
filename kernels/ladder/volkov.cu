// After Volkov: fewer threads, more work each. A thread holds a column of 16 elements of C in registers; a value of B goes straight to a register and
// is used 16 times, by an outer product with a column of A's tile in shared memory. 64 threads do the work of 1,024.
// The tile lies as A does, row by row: it is stored without conflicts. But the column that one value of B meets is 16 words, 32 apart. ptxas can
// merge reads only along the rows, four columns ahead, and holds more in registers for it: 90 a thread on an H200.
//
// m, p and n are multiples of 16, 32 and 64: the launcher pads with zeros.

constexpr int M = 16;  // Rows of C a block; also the elements of C a thread
constexpr int N = 64;  // Columns of C a block, one a thread
constexpr int K = 32;  // Columns of A a step

__global__ void volkov(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[M][K];

  const int x = threadIdx.x;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N + x;

  float sum[M] = {};
  for (int k = 0; k < p; k += K) {
#pragma unroll
    for (int i = 0; i < M; i += N / K) {
      as[i + x / K][x % K] = A[(row + i + x / K) * p + k + x % K];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const float b = B[(k + j) * n + col];
#pragma unroll
      for (int i = 0; i < M; ++i) {
        sum[i] += as[i][j] * b;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < M; ++i) {
    C[(row + i) * n + col] = sum[i];
  }
}
