// volkov_transposed with one unused word at the end of each row of A's tile.
// The lanes that store a row of the tile are now 17 words apart instead of 16. 17 and 32 have no common divisor, so the 32 lanes meet 32 different
// banks: no conflicts, for 128 bytes of shared memory.
//
// m, p and n are multiples of 16, 32 and 64: the launcher pads with zeros.

constexpr int M = 16;  // Rows of C a block; also the elements of C a thread
constexpr int N = 64;  // Columns of C a block, one a thread
constexpr int K = 32;  // Columns of A a step
constexpr int kPadding = 1;

__global__ void volkov_padded(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[K][M + kPadding];

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
