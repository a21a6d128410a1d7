// sumBlocks: grid=ceil(n,512) block=512 shared=2048 n=1000 in=f32[n] out=f32[ceil(n,512)]
#include <cmath>
unsigned nextPow2(unsigned x) {
  --x;
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  return ++x;
}
__global__ void sumBlocks(float* in, float* out, unsigned n) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
int main() {
  unsigned n = 1000, maxThreads = 512;
  unsigned threads = n < maxThreads * 2 ? nextPow2((n + 1) / 2) : maxThreads;
  unsigned blocks = (unsigned)std::ceil(double(n) / threads);
  float *in, *out;
  cudaMalloc((void**)&in, n * sizeof(float));
  cudaMalloc((void**)&out, blocks * sizeof(float));
  sumBlocks<<<blocks, threads, threads * sizeof(float)>>>(in, out, n);
}
