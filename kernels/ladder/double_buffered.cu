// warp_tile with two buffers for each tile: the next tiles are loaded while these are used.
// A step loads the next tiles from global memory to registers, and stores them to the other buffer only after its own terms: the multiply-adds run
// while the loads are under way, and do not wait for them. Between the last reads of a buffer and the stores to it lies the barrier of one step: one
// a step is enough.
//
// m and n are multiples of 128, p of 8: the launcher pads with zeros.

constexpr int M = 128;       // Rows of C a block
constexpr int N = 128;       // Columns of C a block
constexpr int K = 8;         // Columns of A a step
constexpr int T = 8;         // Rows and columns of C a thread, in pieces of 4 x 4
constexpr int kPadding = 4;  // Words at the end of each row of A's tile
constexpr int kWarpM = 32;   // Rows of C a warp
constexpr int kWarpN = 64;   // Columns of C a warp

__global__ void double_buffered(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ alignas(16) float as[2][K][M + kPadding];
  __shared__ alignas(16) float bs[2][K][N];

  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = warp % 2 * kWarpN + lane / 2 % 8 * 4;  // The thread's first column and row of the block's part of C
  const int y = warp / 2 * kWarpM + (lane % 2 + lane / 16 * 2) * 4;
  const int a_row = thread / 2;  // The 16 bytes that the thread copies to A's tile ..
  const int a_col = thread % 2 * 4;
  const int b_row = thread / 32;  // .. and to B's
  const int b_col = thread % 32 * 4;

  float4 a_words = *reinterpret_cast<const float4*>(&A[(row + a_row) * p + a_col]);
  float4 b_words = *reinterpret_cast<const float4*>(&B[b_row * n + col + b_col]);
  as[0][a_col + 0][a_row] = a_words.x;
  as[0][a_col + 1][a_row] = a_words.y;
  as[0][a_col + 2][a_row] = a_words.z;
  as[0][a_col + 3][a_row] = a_words.w;
  *reinterpret_cast<float4*>(&bs[0][b_row][b_col]) = b_words;
  __syncthreads();

  alignas(16) float sum[T][T] = {};
  int used = 0;  // The buffer of this step
  for (int k = 0; k < p; k += K) {
    const bool has_next = k + K < p;
    if (has_next) {
      a_words = *reinterpret_cast<const float4*>(&A[(row + a_row) * p + k + K + a_col]);
      b_words = *reinterpret_cast<const float4*>(&B[(k + K + b_row) * n + col + b_col]);
    }
#pragma unroll
    for (int term = 0; term < K; ++term) {
      alignas(16) float a[T], b[T];
#pragma unroll
      for (int i = 0; i < T; i += 4) {
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&as[used][term][y + i / 4 * (kWarpM / 2)]);
        *reinterpret_cast<float4*>(&b[i]) = *reinterpret_cast<const float4*>(&bs[used][term][x + i / 4 * (kWarpN / 2)]);
      }
#pragma unroll
      for (int i = 0; i < T; ++i) {
#pragma unroll
        for (int j = 0; j < T; ++j) {
          sum[i][j] += a[i] * b[j];
        }
      }
    }
    if (has_next) {
      used ^= 1;
      as[used][a_col + 0][a_row] = a_words.x;
      as[used][a_col + 1][a_row] = a_words.y;
      as[used][a_col + 2][a_row] = a_words.z;
      as[used][a_col + 3][a_row] = a_words.w;
      *reinterpret_cast<float4*>(&bs[used][b_row][b_col]) = b_words;
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < T; ++i) {
#pragma unroll
    for (int j = 0; j < T; j += 4) {
      const int c_row = row + y + i / 4 * (kWarpM / 2) + i % 4;
      const int c_col = col + x + j / 4 * (kWarpN / 2);
      *reinterpret_cast<float4*>(&C[c_row * n + c_col]) = *reinterpret_cast<const float4*>(&sum[i][j]);
    }
  }
}
