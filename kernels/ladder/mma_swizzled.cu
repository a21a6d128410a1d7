// mma_plain with swizzled tiles: the 16 bytes of piece c in row r of a tile lie where piece c xor (r mod 8) would.
// The 8 rows of a matrix are 8 consecutive rows of a tile, and the same piece of each: now they lie in 8 different places of 16 bytes, on all 32 banks,
// and a matrix takes one wavefront. A row keeps its pieces among themselves, so what is copied to a tile still takes as few wavefronts as it can.
//
//   row   piece 0   1   2   3   4   5   6   7 is of columns
//   0             0   8  16  24  32  40  48  56
//   1             8   0  24  16  40  32  56  48
//   2            16  24   0   8  48  56  32  40   ..
//
// Needs compute capability 8.0: mma.m16n8k16.
//
// m and n are multiples of 128, p of 64: the launcher pads with zeros.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int M = 128;      // Rows of C a block
constexpr int N = 128;      // Columns of C a block
constexpr int K = 64;       // Columns of A a step
constexpr int kWarpM = 64;  // Rows of C a warp
constexpr int kWarpN = 32;  // Columns of C a warp
constexpr int kThreads = 256;
constexpr int kPiece = 8;   // Values of 16 bytes

__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned* b, __half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned* b, __nv_bfloat16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <class Value>
__global__ __launch_bounds__(kThreads, 2) void mma_swizzled(const Value* A, const Value* B, float* C, int m, int p, int n) {
  __shared__ alignas(16) Value as[M][K];
  __shared__ alignas(16) Value bs[K][N];

  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = warp % 4 * kWarpN;  // The warp's first column and row of the block's part of C
  const int y = warp / 4 * kWarpM;

  // ldmatrix takes addresses in the shared window: see async_copy.
  const auto shared = [](const Value* value) { return static_cast<unsigned>(__nv_cvta_generic_to_shared_impl(value)); };

  // Where a column of a row lies. Fragments begin at multiples of 8 rows, so there the row mod 8 is the lane mod 8.
  const auto swizzle = [](int of_row, int column) { return column ^ of_row % 8 * kPiece; };

  float sum[kWarpM / 16][kWarpN / 8][4] = {};
  for (int k = 0; k < p; k += K) {
#pragma unroll
    for (int i = 0; i < M * K; i += kThreads * kPiece) {
      const int a_row = i / K + thread / (K / kPiece);
      const int a_col = thread % (K / kPiece) * kPiece;
      *reinterpret_cast<uint4*>(&as[a_row][swizzle(a_row, a_col)]) =
          *reinterpret_cast<const uint4*>(&A[(row + a_row) * p + k + a_col]);
    }
#pragma unroll
    for (int i = 0; i < K * N; i += kThreads * kPiece) {
      const int b_row = i / N + thread / (N / kPiece);
      const int b_col = thread % (N / kPiece) * kPiece;
      *reinterpret_cast<uint4*>(&bs[b_row][swizzle(b_row, b_col)]) =
          *reinterpret_cast<const uint4*>(&B[(k + b_row) * n + col + b_col]);
    }
    __syncthreads();
#pragma unroll
    for (int term = 0; term < K; term += 16) {
      unsigned a[kWarpM / 16][4], b[kWarpN / 8][2];
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i) {
        const int a_row = y + i * 16 + lane % 16;
        const int a_col = swizzle(lane, term + lane / 16 * kPiece);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(shared(&as[a_row][a_col]))
                     : "memory");
      }
#pragma unroll
      for (int j = 0; j < kWarpN / 8; j += 2) {  // 16 columns at once
        const int b_row = term + lane % 16;
        const int b_col = swizzle(lane, x + j * 8 + lane / 16 * kPiece);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(shared(&bs[b_row][b_col]))
                     : "memory");
      }
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i) {
#pragma unroll
        for (int j = 0; j < kWarpN / 8; ++j) {
          multiply_add(sum[i][j], a[i], b[j], Value());
        }
      }
    }
    __syncthreads();
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

template __global__ __launch_bounds__(kThreads, 2) void mma_swizzled<__half>(const __half*, const __half*, float*, int, int, int);
template __global__ __launch_bounds__(kThreads, 2) void mma_swizzled<__nv_bfloat16>(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int);
