// gather: grid=(n+63)/64 block=64 n=20 rows=i32[n]:list:0,7,14,1,8,15,2,9,16,3,10,17,4,11,18,5,12,19,6,13 values=f32[n]:ints out=f32[n]
#include <cstdio>
#include <cstdlib>

__global__ void gather(const int* rows, const float* values, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = values[rows[i]];
}

int main(int argc, char** argv) {
  const int n = 20;
  int* h_rows = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; ++i) h_rows[i] = (7 * i) % n;
  int* rows;
  float *values, *out;
  cudaMalloc(&rows, n * sizeof(int));
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(rows, h_rows, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 63) / 64, 64>>>(rows, values, out, n);
  free(h_rows);
}
