// The textbook kernel where B lies column by column: Bt, its transpose, is what is in memory.
// Neighbours in a column of B are neighbours in memory, so the lanes of a warp run down a column when they fill B's tile: both fills are coalesced.
// The corner is turned in shared memory, which has no preferred direction but banks: the lanes store T words apart. One word of padding at the end
// of each row spreads them over all banks; with P = 0 they meet in one.
//
// m, p and n are multiples of T: the launcher pads with zeros.

template <int T, int P>
__global__ void corner_turning(const float* A, const float* Bt, float* C, int m, int p, int n) {
  __shared__ float as[T][T];
  __shared__ float bs[T][T + P];

  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * T + y;
  const int col = blockIdx.x * T + x;

  float sum = 0.0f;
  for (int k = 0; k < p; k += T) {
    as[y][x] = A[row * p + k + x];
    bs[x][y] = Bt[(blockIdx.x * T + y) * p + k + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += as[y][i] * bs[i][x];
    }
    __syncthreads();
  }
  C[row * n + col] = sum;
}

template __global__ void corner_turning<8, 0>(const float*, const float*, float*, int, int, int);
template __global__ void corner_turning<8, 1>(const float*, const float*, float*, int, int, int);
template __global__ void corner_turning<16, 0>(const float*, const float*, float*, int, int, int);
template __global__ void corner_turning<16, 1>(const float*, const float*, float*, int, int, int);
template __global__ void corner_turning<32, 0>(const float*, const float*, float*, int, int, int);
template __global__ void corner_turning<32, 1>(const float*, const float*, float*, int, int, int);
