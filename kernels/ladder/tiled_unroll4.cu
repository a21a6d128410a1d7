// The textbook kernel with a quarter of the threads: each computes four elements of C, T / 4 rows apart.
// A value of B's tile is read once and used four times, so the inner loop reads 5 words of shared memory for 4 multiply-adds instead of 8. The tiles
// are filled as before, four elements a thread.
//
// m, p and n are multiples of T: the launcher pads with zeros.

constexpr int kElements = 4;  // Of C, a thread

template <int T>
__global__ void tiled_unroll4(const float* A, const float* B, float* C, int m, int p, int n) {
  constexpr int kApart = T / kElements;
  __shared__ float as[T][T];
  __shared__ float bs[T][T];

  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * T + y;
  const int col = blockIdx.x * T + x;

  float sum[kElements] = {};
  for (int k = 0; k < p; k += T) {
#pragma unroll
    for (int r = 0; r < T; r += kApart) {
      as[y + r][x] = A[(row + r) * p + k + x];
      bs[y + r][x] = B[(k + y + r) * n + col];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      const float b = bs[i][x];
#pragma unroll
      for (int e = 0; e < kElements; ++e) {
        sum[e] += as[y + e * kApart][i] * b;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    C[(row + e * kApart) * n + col] = sum[e];
  }
}

template __global__ void tiled_unroll4<4>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_unroll4<8>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_unroll4<16>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_unroll4<32>(const float*, const float*, float*, int, int, int);
