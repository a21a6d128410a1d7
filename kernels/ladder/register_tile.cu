// A thread computes T x T elements of C, and keeps them in registers; operands come straight from global memory, without shared memory.
// Per term a thread loads T elements of A and T of B for T * T multiply-adds: the loads fall to 1/T of naive's. But T * T sums want as many
// registers, and a thread has 255: T = 16 is already too many. From T = 32 on the rows are looped over, for 1,024 sums cannot be in registers anyhow:
// an array indexed at run time lies in local memory, and there the record shows every sum being fetched and put back. A block of 16 x 16 threads
// covers 16 T x 16 T elements, so large T also leave few blocks.
//
// m and n are multiples of 16 T: the launcher pads with zeros.

template <int T, class Value>
__global__ void register_tile(const Value* A, const Value* B, Value* C, int m, int p, int n) {
  constexpr int kRowsAtOnce = T <= 16 ? T : 1;
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * T;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * T;

  Value sum[T][T] = {};
  for (int k = 0; k < p; ++k) {
    Value b[T];
#pragma unroll
    for (int j = 0; j < T; ++j) {
      b[j] = B[k * n + col + j];
    }
#pragma unroll kRowsAtOnce
    for (int i = 0; i < T; ++i) {
      const Value a = A[(row + i) * p + k];
#pragma unroll
      for (int j = 0; j < T; ++j) {
        sum[i][j] += a * b[j];
      }
    }
  }
#pragma unroll kRowsAtOnce
  for (int i = 0; i < T; ++i) {
#pragma unroll
    for (int j = 0; j < T; ++j) {
      C[(row + i) * n + col + j] = sum[i][j];
    }
  }
}

template __global__ void register_tile<1>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<2>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<4>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<8>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<16>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<32>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<64>(const float*, const float*, float*, int, int, int);
template __global__ void register_tile<1>(const int*, const int*, int*, int, int, int);
template __global__ void register_tile<2>(const int*, const int*, int*, int, int, int);
template __global__ void register_tile<4>(const int*, const int*, int*, int, int, int);
template __global__ void register_tile<8>(const int*, const int*, int*, int, int, int);
template __global__ void register_tile<16>(const int*, const int*, int*, int, int, int);
template __global__ void register_tile<32>(const int*, const int*, int*, int, int, int);
template __global__ void register_tile<64>(const int*, const int*, int*, int, int, int);
