// warplens: grid=4 block=64 n=256 out=f16[64] in=f16[2*n]:ints
#include <cuda_fp16.h>

__global__ void add(__half2* out, const __half2* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  atomicAdd(&out[i * 5 % 32], in[i]);
}
