// rowSums: grid=12 block=64 cols=200 rows=f32*[12][cols]:value:1 sums=f32[12]
#include <cstdlib>
#define ROWS 12
#define COLS 200

__global__ void rowSums(float** rows, float* sums, int cols) {
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += rows[blockIdx.x][i];
  atomicAdd(&sums[blockIdx.x], sum);
}

int main() {
  float** hostRows = (float**)malloc(ROWS * sizeof(float*));
  float* line = (float*)malloc(COLS * sizeof(float));
  for (int c = 0; c < COLS; ++c) line[c] = 1.0f;
  for (int r = 0; r < ROWS; ++r) {
    cudaMalloc((void**)&hostRows[r], COLS * sizeof(float));
    cudaMemcpy(hostRows[r], line, COLS * sizeof(float), cudaMemcpyHostToDevice);
  }
  float** rows;
  cudaMalloc((void**)&rows, ROWS * sizeof(float*));
  cudaMemcpy(rows, hostRows, ROWS * sizeof(float*), cudaMemcpyHostToDevice);
  float* sums;
  cudaMalloc((void**)&sums, ROWS * sizeof(float));
  cudaMemset(sums, 0, ROWS * sizeof(float));
  rowSums<<<ROWS, 64>>>(rows, sums, COLS);
  cudaDeviceSynchronize();
}
