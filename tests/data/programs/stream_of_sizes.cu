// negate: grid=(count+31)/32 block=32 count=256 in=f64[count] out=f64[count]; guessed: count
#include <fstream>
#include <iostream>

__global__ void negate(const double* in, double* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = -in[i];
}

int main() {
  int count = 100;
  std::ifstream config("size.txt");
  if (config) config >> count;
  double *in, *out;
  cudaMalloc(&in, count * sizeof(double));
  cudaMalloc(&out, count * sizeof(double));
  cudaMemset(in, 0, count * sizeof(double));
  negate<<<(count + 31) / 32, 32>>>(in, out, count);
  cudaDeviceSynchronize();
  std::cout << "done" << std::endl;
}
