// double_buffered with asynchronous copies: cp.async copies from global to shared memory without a register in between, S - 1 steps ahead.
// The tiles lie in a ring of S stages. A step waits until its own stage has arrived, starts the copies to the stage that was used last, and computes.
// Each thread waits for its own copies, and the barrier after it makes those of all threads visible; it also tells that all warps have done with the
// stage that is filled anew. So one barrier a step is enough. A's tile is transposed while it is copied, in copies of 4 bytes. With 4 unused words a
// row, the lanes of a warp write to 32 banks.
//
// Needs compute capability 8.0: cp.async.
//
// m and n are multiples of 128, p of 8: the launcher pads with zeros.

constexpr int M = 128;       // Rows of C a block
constexpr int N = 128;       // Columns of C a block
constexpr int K = 8;         // Columns of A a step
constexpr int T = 8;         // Rows and columns of C a thread, in pieces of 4 x 4
constexpr int kPadding = 4;  // Words at the end of each row of A's tile
constexpr int kWarpM = 32;   // Rows of C a warp
constexpr int kWarpN = 64;   // Columns of C a warp
constexpr int kThreads = 256;

template <int S>
__global__ void async_copy(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ alignas(16) float as[S][K][M + kPadding];
  __shared__ alignas(16) float bs[S][K][N];

  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = warp % 2 * kWarpN + lane / 2 % 8 * 4;  // The thread's first column and row of the block's part of C
  const int y = warp / 2 * kWarpM + (lane % 2 + lane / 16 * 2) * 4;

  // cp.async takes addresses in the shared window. __cvta_generic_to_shared, a function of a header that calls this one, would make the line table
  // of the PTX differ from build to build.
  const auto shared = [](const float* word) { return static_cast<unsigned>(__nv_cvta_generic_to_shared_impl(word)); };
  const auto copy_tiles = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < M; i += kThreads / K) {
      const int a_row = i + thread / K;
      const int a_col = thread % K;
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(&as[stage][a_col][a_row])),
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

template __global__ void async_copy<2>(const float*, const float*, float*, int, int, int);
template __global__ void async_copy<3>(const float*, const float*, float*, int, int, int);
template __global__ void async_copy<4>(const float*, const float*, float*, int, int, int);
