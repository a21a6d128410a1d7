// register_block with 16-byte accesses: a quarter of the instructions that access memory.
// A thread loads four neighbours in a row of A at once and stores them one below the other: A's tile lies transposed in shared memory, where four
// rows of A are neighbours too. A thread's elements of C are 2 x 2 pieces of 4 x 4, 64 rows and columns apart, so that its operands of a term are two
// 16-byte loads from each tile. The two lanes that load a row of A store 4 rows of the tile apart. Each row has 4 unused words, so that 4 rows are 16
// banks: no conflicts.
//
// m and n are multiples of 128, p of 8: the launcher pads with zeros.

constexpr int M = 128;       // Rows of C a block
constexpr int N = 128;       // Columns of C a block
constexpr int K = 8;         // Columns of A a step
constexpr int T = 8;         // Rows and columns of C a thread, in pieces of 4 x 4
constexpr int kPadding = 4;  // Words at the end of each row of A's tile

__global__ void vector_load(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ alignas(16) float as[K][M + kPadding];
  __shared__ alignas(16) float bs[K][N];

  const int thread = threadIdx.x;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = thread % 16 * 4;  // The thread's first column and row of the block's part of C
  const int y = thread / 16 * 4;
  const int a_row = thread / 2;  // The 16 bytes that the thread copies to A's tile ..
  const int a_col = thread % 2 * 4;
  const int b_row = thread / 32;  // .. and to B's
  const int b_col = thread % 32 * 4;

  alignas(16) float sum[T][T] = {};
  for (int k = 0; k < p; k += K) {
    const float4 a_words = *reinterpret_cast<const float4*>(&A[(row + a_row) * p + k + a_col]);
    as[a_col + 0][a_row] = a_words.x;
    as[a_col + 1][a_row] = a_words.y;
    as[a_col + 2][a_row] = a_words.z;
    as[a_col + 3][a_row] = a_words.w;
    const float4 b_words = *reinterpret_cast<const float4*>(&B[(k + b_row) * n + col + b_col]);
    *reinterpret_cast<float4*>(&bs[b_row][b_col]) = b_words;
    __syncthreads();
#pragma unroll
    for (int term = 0; term < K; ++term) {
      alignas(16) float a[T], b[T];
#pragma unroll
      for (int i = 0; i < T; i += 4) {
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&as[term][y + i / 4 * (M / 2)]);
        *reinterpret_cast<float4*>(&b[i]) = *reinterpret_cast<const float4*>(&bs[term][x + i / 4 * (N / 2)]);
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
    for (int j = 0; j < T; j += 4) {
      const int c_row = row + y + i / 4 * (M / 2) + i % 4;
      const int c_col = col + x + j / 4 * (N / 2);
      *reinterpret_cast<float4*>(&C[c_row * n + c_col]) = *reinterpret_cast<const float4*>(&sum[i][j]);
    }
  }
}
