// tile<64, 5>: grid=12 block=64 shared=1280 out=f32[768]
template <int BLOCK, int ITEMS>
__global__ void tile(float* out) {
  extern __shared__ float s[];
  for (int i = 0; i < ITEMS; ++i)
    s[threadIdx.x + i * BLOCK] = i;
  __syncthreads();
  out[blockIdx.x * BLOCK + threadIdx.x] = s[BLOCK * ITEMS - 1 - threadIdx.x];
}
int main() {
  constexpr int kBlock = 64, kItems = 5, kBlocks = 12;
  const size_t shared = kBlock * kItems * sizeof(float);
  auto kernel = tile<kBlock, kItems>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  float* out;
  cudaMalloc(&out, kBlocks * kBlock * sizeof(float));
  kernel<<<kBlocks, kBlock, shared>>>(out);
}
