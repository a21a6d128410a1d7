// After Volkov: fewer threads, more work each. A thread holds a column of 16 elements of C in registers; a value of B goes straight to a register and
// is used 16 times, by an outer product with a column of A that lies in shared memory.
// A's tile is stored transposed, so that the column of A is 16 neighbouring words. The price is paid by the stores: a warp stores a row of the tile,
// its lanes 16 words apart, which is two banks for 32 lanes: 16-way conflicts.
//
// m, p and n are multiples of 16, 32 and 64: the launcher pads with zeros.

constexpr int M = 16;  // Rows of C a block; also the elements of C a thread
constexpr int N = 64;  // Columns of C a block, one a thread
constexpr int K = 32;  // Columns of A a step

__global__ void volkov_transposed(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[K][M];

  const int x = threadIdx.x;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N + x;

  float sum[M] = {};
  for (int k = 0; k < p; k += K) {
#pragma unroll
    for (int i = 0; i < M; i += N / K) {
      as[x % K][i + x / K] = A[(row + i + x / K) * p + k + x % K];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const float b = B[(k + j) * n + col];
#pragma unroll
      for (int i = 0; i < M; ++i) {
        sum[i] += as[j][i] * b;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < M; ++i) {
    C[(row + i) * n + col] = sum[i];
  }
}
