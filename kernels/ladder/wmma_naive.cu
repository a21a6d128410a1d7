// Tensor cores by the C++ API, with nothing in between: a warp computes 16 x 16 elements of C from fragments that it loads straight from global memory.
// A fragment is a matrix spread over the registers of a warp: which lane has which elements is the hardware's matter, and load, multiply-add and store
// are for all 32 lanes together. One mma_sync is 4,096 multiply-adds of f16, for which naive takes 128 instructions of a warp. So what is left is
// memory: as in naive each warp loads all rows and columns that it needs by itself.
// A and B are f16 or bf16, or tf32: float in memory, of which tensor cores take 10 bits of the fraction, and half as many terms at once. Sums are
// float.
//
// Needs compute capability 8.0: bf16 and tf32.
//
// m is a multiple of 64, n and p of 16: the launcher pads with zeros.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

constexpr int T = 16;      // Rows and columns of C a warp
constexpr int kWarps = 4;  // One below the other in a block

// Values in memory, what tensor cores take them as, and how many terms at once.
template <class Value, class Precision, int K>
__global__ void wmma_naive(const Value* A, const Value* B, float* C, int m, int p, int n) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * kWarps * T + warp * T;
  const int col = blockIdx.x * T;

  wmma::fragment<wmma::matrix_a, T, T, K, Precision, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, T, T, K, Precision, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, T, T, K, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < p; k += K) {
    wmma::load_matrix_sync(a, &A[row * p + k], p);
    wmma::load_matrix_sync(b, &B[k * n + col], n);
    if constexpr (sizeof(Value) == sizeof(float)) {  // tf32 wants its values rounded
      for (float& value : a.x) value = wmma::__float_to_tf32(value);
      for (float& value : b.x) value = wmma::__float_to_tf32(value);
    }
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(&C[row * n + col], sum, n, wmma::mem_row_major);
}

template __global__ void wmma_naive<__half, __half, 16>(const __half*, const __half*, float*, int, int, int);
template __global__ void wmma_naive<__nv_bfloat16, __nv_bfloat16, 16>(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int, int);
template __global__ void wmma_naive<float, wmma::precision::tf32, 8>(const float*, const float*, float*, int, int, int);
