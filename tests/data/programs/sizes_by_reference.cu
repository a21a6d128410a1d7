// transpose: grid=(columns+15)/16,(rows+15)/16 block=16,16 rows=256 columns=256 in=f32[rows][columns] out=f32[rows][columns]; guessed: rows columns
#include "reader.h"  // void readExtent(const char* path, int& rows, int& columns);

__global__ void transpose(const float* in, float* out, int rows, int columns) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

int main() {
  int rows = 0, columns = 0;
  readExtent("matrix.txt", rows, columns);
  float *in, *out;
  cudaMalloc(&in, rows * columns * sizeof(float));
  cudaMalloc(&out, rows * columns * sizeof(float));
  cudaMemset(in, 0, rows * columns * sizeof(float));
  dim3 threads(16, 16), blocks((columns + 15) / 16, (rows + 15) / 16);
  transpose<<<blocks, threads>>>(in, out, rows, columns);
  cudaDeviceSynchronize();
}
