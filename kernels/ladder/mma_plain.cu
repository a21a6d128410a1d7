// Tensor cores by the instructions themselves, ldmatrix and mma: fragments are registers with known elements, and shared memory is laid out for them.
// ldmatrix loads 4 matrices of 8 x 8 values: each lane names one row, 16 bytes, of one of them. .trans gives each lane what it needs of B, which lies
// row by row but is wanted by columns. mma multiplies 16 x 16 values of A and 16 x 8 of B. What lane l has:
//
//   A   a[0]: row l / 4, columns 2 (l mod 4) and the next    a[1]: 8 rows below    a[2], a[3]: the same, 8 columns on
//   B   b[0]: column l / 4, rows 2 (l mod 4) and the next    b[1]: 8 rows below
//   C   c[0], c[1]: row l / 4, columns 2 (l mod 4) and the next    c[2], c[3]: 8 rows below
//
// Here the tiles are plain arrays. A row of A's takes 128 bytes, all banks once, and one of B's 256: the 8 rows of a matrix lie on the same 4 banks, so
// each matrix takes 8 wavefronts instead of one.
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
__global__ void mma_plain(const Value* A, const Value* B, float* C, int m, int p, int n) {
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

  float sum[kWarpM / 16][kWarpN / 8][4] = {};
  for (int k = 0; k < p; k += K) {
#pragma unroll
    for (int i = 0; i < M * K; i += kThreads * kPiece) {
      const int a_row = i / K + thread / (K / kPiece);
      const int a_col = thread % (K / kPiece) * kPiece;
      *reinterpret_cast<uint4*>(&as[a_row][a_col]) = *reinterpret_cast<const uint4*>(&A[(row + a_row) * p + k + a_col]);
    }
#pragma unroll
    for (int i = 0; i < K * N; i += kThreads * kPiece) {
      const int b_row = i / N + thread / (N / kPiece);
      const int b_col = thread % (N / kPiece) * kPiece;
      *reinterpret_cast<uint4*>(&bs[b_row][b_col]) = *reinterpret_cast<const uint4*>(&B[(k + b_row) * n + col + b_col]);
    }
    __syncthreads();
#pragma unroll
    for (int term = 0; term < K; term += 16) {
      unsigned a[kWarpM / 16][4], b[kWarpN / 8][2];
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(shared(&as[y + i * 16 + lane % 16][term + lane / 16 * kPiece]))
                     : "memory");
      }
#pragma unroll
      for (int j = 0; j < kWarpN / 8; j += 2) {  // 16 columns at once
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(shared(&bs[term + lane % 16][x + j * 8 + lane / 16 * kPiece]))
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

template __global__ void mma_plain<__half>(const __half*, const __half*, float*, int, int, int);
template __global__ void mma_plain<__nv_bfloat16>(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int);
