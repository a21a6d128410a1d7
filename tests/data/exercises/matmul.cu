// Exercise 9: the product of two matrices, in tiles.
// warplens: grid=(n+T-1)/T,(m+T-1)/T block=T,T T=16 m=50 p=40 n=70
//   A=f32[m][p]:ints B=f32[p][n]:ints C=f32[m][n] product=A*B->C kernel=matmul<16>
template <int T>
__global__ void matmul(const float* A, const float* B, float* C, int m, int p, int n) {
  __shared__ float a[T][T], b[T][T];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0;
  for (int k = 0; k < p; k += T) {
    a[y][x] = row < m && k + x < p ? A[row * p + k + x] : 0;
    b[y][x] = k + y < p && column < n ? B[(k + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
