// The textbook kernel with one slip: x and y of the thread are swapped.
// The lanes of a warp run down the tiles instead of along them. Filling, each lane is in another row of A and of B: up to 32 sectors a request. In
// shared memory they stand T words apart, which for T = 32 is one bank for all: 32-way conflicts, at every store and at every read of A's tile.
//
// m, p and n are multiples of T: the launcher pads with zeros.

template <int T>
__global__ void tiled_swapped(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[T][T];
  __shared__ float bs[T][T];

  const int x = threadIdx.y;
  const int y = threadIdx.x;
  const int row = blockIdx.y * T + y;
  const int col = blockIdx.x * T + x;

  float sum = 0.0f;
  for (int k = 0; k < p; k += T) {
    as[y][x] = A[row * p + k + x];
    bs[y][x] = B[(k + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += as[y][i] * bs[i][x];
    }
    __syncthreads();
  }
  C[row * n + col] = sum;
}

template __global__ void tiled_swapped<1>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_swapped<2>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_swapped<4>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_swapped<8>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_swapped<16>(const float*, const float*, float*, int, int, int);
template __global__ void tiled_swapped<32>(const float*, const float*, float*, int, int, int);
