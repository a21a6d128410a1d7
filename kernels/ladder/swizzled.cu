// async_copy with an XOR in place of the padding: a swizzle.
// A's tile is transposed while it is copied. The lanes of a warp write 4 rows of A to 8 rows of the tile: in rows of 128 words, all 8 to the same
// 4 banks. Padding moves each row of the tile on by 4 banks, and costs memory. Here the word of row r in line k of the tile is r xor 4 k instead: the
// words of a line change places among themselves, in groups of 4, so that 16-byte loads still find theirs side by side. Whoever reads knows the line,
// and looks in the same place.
//
//   line of the tile   words 0 to 3   4 to 7   8 to 11   12 to 15 ..
//   0                  rows 0 to 3    4 to 7   8 to 11   12 to 15 ..
//   1                  rows 4 to 7    0 to 3   12 to 15  8 to 11 ..
//   2                  rows 8 to 11   12 to 15 0 to 3    4 to 7 ..
//
// Needs compute capability 8.0: cp.async.
//
// m and n are multiples of 128, p of 8: the launcher pads with zeros.

constexpr int M = 128;      // Rows of C a block
constexpr int N = 128;      // Columns of C a block
constexpr int K = 8;        // Columns of A a step
constexpr int S = 3;        // Stages
constexpr int T = 8;        // Rows and columns of C a thread, in pieces of 4 x 4
constexpr int kWarpM = 32;  // Rows of C a warp
constexpr int kWarpN = 64;  // Columns of C a warp
constexpr int kThreads = 256;

__global__ __launch_bounds__(kThreads, 2) void swizzled(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ alignas(16) float as[S][K][M];
  __shared__ alignas(16) float bs[S][K][N];

  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = warp % 2 * kWarpN + lane / 2 % 8 * 4;  // The thread's first column and row of the block's part of C
  const int y = warp / 2 * kWarpM + (lane % 2 + lane / 16 * 2) * 4;

  // cp.async takes addresses in the shared window: see async_copy.
  const auto shared = [](const float* word) { return static_cast<unsigned>(__nv_cvta_generic_to_shared_impl(word)); };
  const auto copy_tiles = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < M; i += kThreads / K) {
      const int a_row = i + thread / K;
      const int a_col = thread % K;
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(&as[stage][a_col][a_row ^ 4 * a_col])),
                   "l"(&A[(row + a_row) * p + k + a_col])
                   : "memory");
    }
    const int b_row = thread / 32;
    const int b_col = thread % 32 * 4;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&bs[stage][b_row][b_col])),
                 "l"(&B[(k + b_row) * n + col + b_col])
                 : "memory");
  };

#pragma unroll
  for (int stage = 0; stage < S - 1; ++stage) {
    if (stage * K < p) {
      copy_tiles(stage, stage * K);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  alignas(16) float sum[T][T] = {};
  int used = 0;  // The stage of this step
  for (int k = 0; k < p; k += K) {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 2) : "memory");
    __syncthreads();
    if (k + (S - 1) * K < p) {
      copy_tiles((used + S - 1) % S, k + (S - 1) * K);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // An empty group where there is nothing left to copy
#pragma unroll
    for (int term = 0; term < K; ++term) {
      alignas(16) float a[T], b[T];
#pragma unroll
      for (int i = 0; i < T; i += 4) {
        const int a_row = y + i / 4 * (kWarpM / 2);
        *reinterpret_cast<float4*>(&a[i]) = *reinterpret_cast<const float4*>(&as[used][term][a_row ^ 4 * term]);
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
    used = (used + 1) % S;
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
