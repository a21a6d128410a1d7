// k: grid=(n+255)/256 block=256 n=16384 x=f32[n]; guessed: grid block
__global__ void k(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = 1;
}
int main() {
  int n = 1 << 14;
  float* d;
  cudaMalloc(&d, n * 4);
  int minGrid, block;
  cudaOccupancyMaxPotentialBlockSize(&minGrid, &block, k, 0, 0);
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  k<<<sms * 32, block>>>(d, n);
}
