// Exercise 5: how often each byte occurs.
constexpr int kBins = 256;

void count_on_host(const unsigned char* text, unsigned* bins, int n) {
  for (int i = 0; i < n; ++i) ++bins[text[i]];
}

// warplens: grid=4 block=256 n=10000 text=u8[n]:ints bins=u32[256]:zero expect=cpu:count_on_host
__global__ void count(const unsigned char* text, unsigned* bins, int n) {
  __shared__ unsigned mine[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[text[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}
