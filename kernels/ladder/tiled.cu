// The textbook kernel: a block computes a T x T tile of C, and walks along p in steps of T.
// At each step its threads together copy a tile of A and a tile of B to shared memory; every value copied once is then used T times, so global memory
// is read 2 * m * n * p / T times instead of 2 * m * n * p. One barrier lets the tiles fill before they are read, one lets them be read before they
// are filled anew.
//
// m, p and n are multiples of T: the launcher pads with zeros.

template <int T>
__global__ void tiled(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float as[T][T];
  __shared__ float bs[T][T];

  const int x = threadIdx.x;
  const int y = threadIdx.y;
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

template __global__ void tiled<1>(const float*, const float*, float*, int, int, int);
template __global__ void tiled<2>(const float*, const float*, float*, int, int, int);
template __global__ void tiled<4>(const float*, const float*, float*, int, int, int);
template __global__ void tiled<8>(const float*, const float*, float*, int, int, int);
template __global__ void tiled<16>(const float*, const float*, float*, int, int, int);
template __global__ void tiled<32>(const float*, const float*, float*, int, int, int);
