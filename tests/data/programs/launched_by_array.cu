// accumulate: grid=(count+63)/64 block=64 shared=256 count=4096 values=i32[count] total=i32[1]
#include <array>
#include <cstdio>

__global__ void accumulate(const int* values, int* total, size_t count) {
  extern __shared__ int partial[];
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  partial[threadIdx.x] = i < count ? values[i] : 0;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, partial[0]);
}

int main() {
  std::array<unsigned, 3> candidates{64, 128, 256};
  size_t count = size_t{1} << 12;
  int *values, *total;
  cudaMalloc(&values, count * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemset(values, 0, count * sizeof(int));
  for (unsigned threads : candidates) {
    cudaMemset(total, 0, sizeof(int));
    dim3 grid((count + threads - 1) / threads), block(threads);
    void* arguments[] = {&values, &total, &count};
    cudaLaunchKernel((const void*)accumulate, grid, block, arguments, threads * sizeof(int), nullptr);
  }
  cudaDeviceSynchronize();
}
