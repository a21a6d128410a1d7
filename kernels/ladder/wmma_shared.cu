// wmma_naive with tiles in shared memory: a block computes 128 x 128 elements of C, a warp 32 x 64 of them.
// A step copies 128 x 64 values of A and 64 x 128 of B, 16 bytes at once. A warp then loads 2 fragments of A and 4 of B for 8 multiply-adds: each
// value from global memory serves 128 terms, each fragment 4 or 2 products. The hardware loads a fragment by rows of 16 bytes, 8 at a time. In rows of
// 128 or 256 bytes these fall on the same banks; 16 bytes of padding move each row on by 4 banks.
//
// A and B are f16 or bf16. Of bf16 fragments nvcc 13.0 does not see that they lie in shared memory, and load_matrix_sync would be generic loads of 4 bytes:
// these are loaded by the instruction itself, which says where they lie.
//
// Needs compute capability 8.0: bf16.
//
// m and n are multiples of 128, p of 64: the launcher pads with zeros.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

constexpr int M = 128;       // Rows of C a block
constexpr int N = 128;       // Columns of C a block
constexpr int K = 64;        // Columns of A a step
constexpr int T = 16;        // Rows, columns and terms of a fragment
constexpr int kPadding = 8;  // Values at the end of each row of a tile
constexpr int kWarpM = 32;   // Rows of C a warp
constexpr int kWarpN = 64;   // Columns of C a warp
constexpr int kThreads = 256;
constexpr int kPiece = 8;    // Values of 16 bytes

template <class Fragment>
__device__ void load(Fragment& fragment, const __half* tile, int pitch) {
  wmma::load_matrix_sync(fragment, tile, pitch);
}
__device__ void load(wmma::fragment<wmma::matrix_a, T, T, T, __nv_bfloat16, wmma::row_major>& fragment, const __nv_bfloat16* tile, int pitch) {
  unsigned* registers = reinterpret_cast<unsigned*>(&fragment);
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(static_cast<unsigned>(__nv_cvta_generic_to_shared_impl(tile))), "r"(pitch));
}
__device__ void load(wmma::fragment<wmma::matrix_b, T, T, T, __nv_bfloat16, wmma::row_major>& fragment, const __nv_bfloat16* tile, int pitch) {
  unsigned* registers = reinterpret_cast<unsigned*>(&fragment);
  asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.shared.bf16 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(static_cast<unsigned>(__nv_cvta_generic_to_shared_impl(tile))), "r"(pitch));
}

template <class Value>
__global__ __launch_bounds__(kThreads, 2) void wmma_shared(const Value* A, const Value* B, float* C, int m, int p, int n) {
  __shared__ alignas(32) Value as[M][K + kPadding];
  __shared__ alignas(32) Value bs[K][N + kPadding];

  const int thread = threadIdx.x;
  const int warp = thread / 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int x = warp % 2 * kWarpN;  // The warp's first column and row of the block's part of C
  const int y = warp / 2 * kWarpM;

  wmma::fragment<wmma::accumulator, T, T, T, float> sum[kWarpM / T][kWarpN / T];
#pragma unroll
  for (int i = 0; i < kWarpM / T; ++i) {
#pragma unroll
    for (int j = 0; j < kWarpN / T; ++j) {
      wmma::fill_fragment(sum[i][j], 0.0f);
    }
  }
  for (int k = 0; k < p; k += K) {
#pragma unroll
    for (int i = thread * kPiece; i < M * K; i += kThreads * kPiece) {
      const int a_row = i / K;
      const int a_col = i % K;
      *reinterpret_cast<uint4*>(&as[a_row][a_col]) = *reinterpret_cast<const uint4*>(&A[(row + a_row) * p + k + a_col]);
    }
#pragma unroll
    for (int i = thread * kPiece; i < K * N; i += kThreads * kPiece) {
      const int b_row = i / N;
      const int b_col = i % N;
      *reinterpret_cast<uint4*>(&bs[b_row][b_col]) = *reinterpret_cast<const uint4*>(&B[(k + b_row) * n + col + b_col]);
    }
    __syncthreads();
#pragma unroll
    for (int term = 0; term < K; term += T) {
      wmma::fragment<wmma::matrix_a, T, T, T, Value, wmma::row_major> a[kWarpM / T];
      wmma::fragment<wmma::matrix_b, T, T, T, Value, wmma::row_major> b[kWarpN / T];
#pragma unroll
      for (int i = 0; i < kWarpM / T; ++i) {
        load(a[i], &as[y + i * T][term], K + kPadding);
      }
#pragma unroll
      for (int j = 0; j < kWarpN / T; ++j) {
        load(b[j], &bs[term][x + j * T], N + kPadding);
      }
#pragma unroll
      for (int i = 0; i < kWarpM / T; ++i) {
#pragma unroll
        for (int j = 0; j < kWarpN / T; ++j) {
          wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kWarpM / T; ++i) {
#pragma unroll
    for (int j = 0; j < kWarpN / T; ++j) {
      wmma::store_matrix_sync(&C[(row + y + i * T) * n + col + x + j * T], sum[i][j], n, wmma::mem_row_major);
    }
  }
}

template __global__ void wmma_shared(const __half*, const __half*, float*, int, int, int);
template __global__ void wmma_shared(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int);
