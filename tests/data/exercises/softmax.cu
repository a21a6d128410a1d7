// Exercise 8: the softmax of each row, a warp a row.
#include <cmath>

void softmax_on_host(const float* x, float* y, int rows, int columns) {
  for (int r = 0; r < rows; ++r) {
    float most = x[r * columns];
    for (int c = 1; c < columns; ++c) most = fmaxf(most, x[r * columns + c]);
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += exp((double)(x[r * columns + c] - most));
    for (int c = 0; c < columns; ++c) y[r * columns + c] = exp((double)(x[r * columns + c] - most)) / sum;
  }
}

__device__ float most_of_warp(float x) {
  for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, d));
  return x;
}
__device__ float sum_of_warp(float x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
  return x;
}

// warplens: grid=(rows+3)/4 block=32,4 rows=30 columns=100
//   x=f32[rows][columns]:normal y=f32[rows][columns] expect=cpu:softmax_on_host~1e-5
__global__ void softmax(const float* x, float* y, int rows, int columns) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  float most = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += 32) most = fmaxf(most, x[r * columns + c]);
  most = most_of_warp(most);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) sum += expf(x[r * columns + c] - most);
  sum = sum_of_warp(sum);
  for (int c = threadIdx.x; c < columns; c += 32) y[r * columns + c] = expf(x[r * columns + c] - most) / sum;
}
