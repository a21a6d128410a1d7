// histogram: grid=16 block=256 n=65536 data=u8[n]:below:256 bins=u32[256]
#include <random>
#include <vector>
constexpr int kBins = 256;
__global__ void histogram(const unsigned char* data, unsigned* bins, size_t n) {
  __shared__ unsigned local[kBins];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
int main(int argc, char** argv) {
  size_t n = 1 << 16;
  if (argc > 1) n = std::stoul(argv[1]);
  std::vector<unsigned char> h(n);
  for (auto& x : h)
    x = rand() % 256;
  unsigned char* d;
  unsigned* bins;
  cudaMalloc(&d, n);
  cudaMalloc(&bins, kBins * sizeof(unsigned));
  cudaMemset(bins, 0, kBins * sizeof(unsigned));
  cudaMemcpy(d, h.data(), n, cudaMemcpyHostToDevice);
  histogram<<<16, kBins>>>(d, bins, n);
}
