// work: grid=n/4/128 block=128 offset=0 n=4096 d=f32[n]
__global__ void work(float* d, int offset, int n) {
  int i = offset + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = sqrtf(d[i]);
}
int main() {
  const int n = 4096, nStreams = 4, streamSize = n / nStreams, blockSize = 128;
  float *h, *d;
  cudaMallocHost((void**)&h, n * sizeof(float));
  cudaMalloc(&d, n * sizeof(float));
  cudaStream_t s[nStreams];
  for (int i = 0; i < nStreams; ++i)
    cudaStreamCreate(&s[i]);
  for (int i = 0; i < nStreams; ++i) {
    int offset = i * streamSize;
    cudaMemcpyAsync(&d[offset], &h[offset], streamSize * sizeof(float), cudaMemcpyHostToDevice, s[i]);
    work<<<streamSize / blockSize, blockSize, 0, s[i]>>>(d, offset, n);
  }
}
