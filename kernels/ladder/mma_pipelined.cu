// mma_swizzled with S stages that cp.async fills, and larger tiles: 128 x 256 elements of C a block, 64 x 64 a warp.
// A warp loads 16 + 16 registers of fragments for 32 mma: half as much for each as in mma_swizzled. Those of the next 16 terms are loaded while these
// are multiplied, those of the next stage's first terms too: so the barrier of a step lies between two series of mma, and tensor cores work on while
// warps meet there. Copies are S - 1 steps ahead. A block takes 24 KiB of shared memory a stage: more than 48 KiB has to be asked for when it is launched.
//
// A row of A's tile takes 64 bytes, so two rows lie on all banks: piece c of row r is at c xor (r / 2 mod 4).
// A row of B's takes 512: piece c of row r is at c xor (r mod 8).
//
// Needs compute capability 8.0: cp.async, mma.m16n8k16.
//
// m is a multiple of 128, n of 256, p of 32: the launcher pads with zeros.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int M = 128;      // Rows of C a block
constexpr int N = 256;      // Columns of C a block
constexpr int K = 32;       // Columns of A a step: the terms of two mma
constexpr int kWarpM = 64;  // Rows of C a warp
constexpr int kWarpN = 64;  // Columns of C a warp
constexpr int kThreads = 256;
constexpr int kPiece = 8;   // Values of 16 bytes

template <class Value>
struct Stage {
  Value a[M][K];
  Value b[K][N];
};

__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], __half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], __nv_bfloat16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <class Value, int S>
__global__ __launch_bounds__(kThreads) void mma_pipelined(const Value* A, const Value* B, float* C, int m, int p, int n) {
  extern __shared__ uint4 stages[];
  Stage<Value>* const tiles = reinterpret_cast<Stage<Value>*>(stages);

  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = warp % 4 * kWarpN;  // The warp's first column and row of the block's part of C
  const int y = warp / 4 * kWarpM;

  // cp.async and ldmatrix take addresses in the shared window: see async_copy.
  const auto shared = [](const Value* value) { return static_cast<unsigned>(__nv_cvta_generic_to_shared_impl(value)); };
  const auto swizzle_a = [](int of_row, int column) { return column ^ of_row / 2 % 4 * kPiece; };
  const auto swizzle_b = [](int of_row, int column) { return column ^ of_row % 8 * kPiece; };

  const auto copy_tiles = [&](int stage, int k) {
#pragma unroll
    for (int i = 0; i < M * K; i += kThreads * kPiece) {
      const int a_row = i / K + thread / (K / kPiece);
      const int a_col = thread % (K / kPiece) * kPiece;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&tiles[stage].a[a_row][swizzle_a(a_row, a_col)])),
                   "l"(&A[(row + a_row) * p + k + a_col])
                   : "memory");
    }
#pragma unroll
    for (int i = 0; i < K * N; i += kThreads * kPiece) {
      const int b_row = i / N + thread / (N / kPiece);
      const int b_col = thread % (N / kPiece) * kPiece;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&tiles[stage].b[b_row][swizzle_b(b_row, b_col)])),
                   "l"(&B[(k + b_row) * n + col + b_col])
                   : "memory");
    }
  };

  unsigned a[2][kWarpM / 16][4], b[2][kWarpN / 8][2];  // Of these 16 terms and of the next
  const auto load_fragments = [&](int to, int stage, int term) {
#pragma unroll
    for (int i = 0; i < kWarpM / 16; ++i) {
      const int a_row = y + i * 16 + lane % 16;
      const int a_col = swizzle_a(a_row, term + lane / 16 * kPiece);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[to][i][0]), "=r"(a[to][i][1]), "=r"(a[to][i][2]), "=r"(a[to][i][3])
                   : "r"(shared(&tiles[stage].a[a_row][a_col]))
                   : "memory");
    }
#pragma unroll
    for (int j = 0; j < kWarpN / 8; j += 2) {  // 16 columns at once
      const int b_row = term + lane % 16;
      const int b_col = swizzle_b(b_row, x + j * 8 + lane / 16 * kPiece);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(b[to][j][0]), "=r"(b[to][j][1]), "=r"(b[to][j + 1][0]), "=r"(b[to][j + 1][1])
                   : "r"(shared(&tiles[stage].b[b_row][b_col]))
                   : "memory");
    }
  };
  float sum[kWarpM / 16][kWarpN / 8][4] = {};
  const auto multiply = [&](int of) {
#pragma unroll
    for (int i = 0; i < kWarpM / 16; ++i) {
#pragma unroll
      for (int j = 0; j < kWarpN / 8; ++j) {
        multiply_add(sum[i][j], a[of][i], b[of][j], Value());
      }
    }
  };
  // All but the last S - 2 groups of copies have arrived, for all threads.
  const auto wait_for_stage = [] {
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 2) : "memory");
    __syncthreads();
  };

#pragma unroll
  for (int stage = 0; stage < S - 1; ++stage) {
    if (stage * K < p) {
      copy_tiles(stage, stage * K);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  wait_for_stage();
  load_fragments(0, 0, 0);

  int used = 0;  // The stage of this step
  for (int k = 0; k < p; k += K) {
    load_fragments(1, used, 16);
    if (k + (S - 1) * K < p) {
      copy_tiles((used + S - 1) % S, k + (S - 1) * K);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // An empty group where there is nothing left to copy
    multiply(0);
    if (k + K < p) {
      used = (used + 1) % S;
      wait_for_stage();
      load_fragments(0, used, 0);
    }
    multiply(1);
  }
#pragma unroll
  for (int i = 0; i < kWarpM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kWarpN / 8; ++j) {
      const int c_row = row + y + i * 16 + lane / 4;
      const int c_col = col + x + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(&C[c_row * n + c_col]) = {sum[i][j][0], sum[i][j][1]};
      *reinterpret_cast<float2*>(&C[(c_row + 8) * n + c_col]) = {sum[i][j][2], sum[i][j][3]};
    }
  }
}

template __global__ void mma_pipelined<__half, 3>(const __half*, const __half*, float*, int, int, int);
template __global__ void mma_pipelined<__half, 4>(const __half*, const __half*, float*, int, int, int);
template __global__ void mma_pipelined<__nv_bfloat16, 3>(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int);
template __global__ void mma_pipelined<__nv_bfloat16, 4>(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int);
