// vector_load with a part of C for each warp, 32 x 64 elements, on which its lanes stand 4 x 8.
// The hardware takes a 16-byte load by half-warps where neighbouring lanes (all l and l xor 1, or all l and l xor 2) read the same 16 bytes, else by
// quarter-warps. In vector_load 16 lanes side by side read 16 places of B's tile: 4 wavefronts. Here lanes 0 and 1 stand one below the other and
// share their columns, lanes 0 and 2 side by side and share their rows: every load takes 2. A term takes 8 wavefronts instead of 12.
//
//   lanes of a warp:   0  2  4  6  8 10 12 14
//                      1  3  5  7  9 11 13 15
//                     16 18 20 22 24 26 28 30
//                     17 19 21 23 25 27 29 31
//
// m and n are multiples of 128, p of 8: the launcher pads with zeros.

constexpr int M = 128;       // Rows of C a block
constexpr int N = 128;       // Columns of C a block
constexpr int K = 8;         // Columns of A a step
constexpr int T = 8;         // Rows and columns of C a thread, in pieces of 4 x 4
constexpr int kPadding = 4;  // Words at the end of each row of A's tile
constexpr int kWarpM = 32;   // Rows of C a warp
constexpr int kWarpN = 64;   // Columns of C a warp

__global__ void warp_tile(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ alignas(16) float as[K][M + kPadding];
  __shared__ alignas(16) float bs[K][N];

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
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&as[term][y + i / 4 * (kWarpM / 2)]);
        *reinterpret_cast<float4*>(&b[i]) = *reinterpret_cast<const float4*>(&bs[term][x + i / 4 * (kWarpN / 2)]);
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
      const int c_row = row + y + i / 4 * (kWarpM / 2) + i % 4;
      const int c_col = col + x + j / 4 * (kWarpN / 2);
      *reinterpret_cast<float4*>(&C[c_row * n + c_col]) = *reinterpret_cast<const float4*>(&sum[i][j]);
    }
  }
}
