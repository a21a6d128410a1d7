// A block of 256 threads computes 128 x 128 elements of C out of tiles in shared memory, and each thread 8 x 8 of them in registers.
// Per term a thread reads 8 words of A's tile and 8 of B's for 64 multiply-adds, where the textbook kernel reads 2 words for one: loads from shared
// memory fall to an eighth. Each value of A or B that a block loads from global memory is used 128 times.
// A thread's elements are 16 rows and 16 columns apart, so that the lanes of a warp read neighbouring words: no bank conflicts.
//
// m and n are multiples of 128, p of 8: the launcher pads with zeros.

constexpr int M = 128;        // Rows of C a block
constexpr int N = 128;        // Columns of C a block
constexpr int K = 8;          // Columns of A a step
constexpr int T = 8;          // Rows and columns of C a thread
constexpr int kEdge = M / T;  // Threads along a row or column of C
constexpr int kThreads = kEdge * kEdge;

__global__ void register_block(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[M][K];
  __shared__ float bs[K][N];

  const int thread = threadIdx.x;
  const int x = thread % kEdge;
  const int y = thread / kEdge;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;

  float sum[T][T] = {};
  for (int k = 0; k < p; k += K) {
#pragma unroll
    for (int i = 0; i < M; i += kThreads / K) {
      as[i + thread / K][thread % K] = A[(row + i + thread / K) * p + k + thread % K];
    }
#pragma unroll
    for (int i = 0; i < K; i += kThreads / N) {
      bs[i + thread / N][thread % N] = B[(k + i + thread / N) * n + col + thread % N];
    }
    __syncthreads();
#pragma unroll
    for (int term = 0; term < K; ++term) {
      float a[T], b[T];
#pragma unroll
      for (int i = 0; i < T; ++i) {
        a[i] = as[y + i * kEdge][term];
        b[i] = bs[term][x + i * kEdge];
      }
#pragma unroll
      for (int i = 0; i < T; ++i) {
#pragma unroll
        for (int j = 0; j < T; ++j) {
          sum[i][j] += a[i] * b[j];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < T; ++i) {
#pragma unroll
    for (int j = 0; j < T; ++j) {
      C[(row + y + i * kEdge) * n + col + x + j * kEdge] = sum[i][j];
    }
  }
}
