// mm<16>: grid=C.cols/16,C.rows/16 block=16,16 A.rows=64 A.cols=128 A.stride=128 B.rows=128 B.cols=96 B.stride=96 C.rows=64 C.cols=96 C.stride=96 A.data=f32[A.rows][A.cols] B.data=f32[B.rows][B.cols] C.data=f32[C.rows][C.cols]
#define TILE 16
struct Matrix {
  int rows, cols, stride;
  float* data;
};
template <int T>
__global__ void mm(Matrix A, Matrix B, Matrix C) {
  __shared__ float a[T][T], b[T][T];
  int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
  float s = 0;
  for (int k = 0; k < A.cols; k += T) {
    a[threadIdx.y][threadIdx.x] = A.data[r * A.stride + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B.data[(k + threadIdx.y) * B.stride + c];
    __syncthreads();
    for (int i = 0; i < T; ++i)
      s += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  C.data[r * C.stride + c] = s;
}
Matrix make(int rows, int cols) {
  Matrix m;
  m.rows = rows;
  m.cols = m.stride = cols;
  cudaMalloc(&m.data, sizeof(float) * rows * cols);
  return m;
}
int main() {
  Matrix A = make(64, 128), B = make(128, 96), C = make(A.rows, B.cols);
  dim3 block(TILE, TILE);
  dim3 grid(C.cols / TILE, C.rows / TILE);
  mm<TILE><<<grid, block>>>(A, B, C);
  cudaDeviceSynchronize();
}
