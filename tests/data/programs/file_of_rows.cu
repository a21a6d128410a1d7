// gather: grid=(n+63)/64 block=64 n=500 rows=i32[n]:ints values=f32[n]:ints out=f32[n]; guessed: rows
#include <cstdio>
#include <vector>

__global__ void gather(const int* rows, const float* values, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = values[rows[i]];
}

int main() {
  const int n = 500;
  std::vector<int> h_rows(n);
  FILE* file = fopen("rows.bin", "rb");
  fread(h_rows.data(), sizeof(int), n, file);
  fclose(file);
  int* rows;
  float *values, *out;
  cudaMalloc(&rows, n * sizeof(int));
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(rows, h_rows.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 63) / 64, 64>>>(rows, values, out, n);
}
