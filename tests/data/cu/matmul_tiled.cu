// Square tiles at compile time, float and double, and a rectangular one with guards.
template <int T, class Value>
__global__ void tiled(const Value* a, const Value* b, Value* c, int n) {
  __shared__ Value tile_a[T][T], tile_b[T][T];
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  Value sum = 0;
  for (int k = 0; k < n; k += T) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
template __global__ void tiled<4, double>(const double*, const double*, double*, int);
template __global__ void tiled<16, float>(const float*, const float*, float*, int);

extern __shared__ float tiles[];
__global__ void __launch_bounds__(256, 2) tiled_guarded(const float* __restrict__ a, const float* __restrict__ b, float* c, int m, int p, int n, int tile) {
  float *tile_a = tiles, *tile_b = tiles + tile * tile;
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < p; k += tile) {
    tile_a[threadIdx.y * tile + threadIdx.x] = row < m && k + threadIdx.x < p ? a[row * p + k + threadIdx.x] : 0.f;
    tile_b[threadIdx.y * tile + threadIdx.x] = column < n && k + threadIdx.y < p ? b[(k + threadIdx.y) * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum = fmaf(tile_a[threadIdx.y * tile + i], tile_b[i * tile + threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
