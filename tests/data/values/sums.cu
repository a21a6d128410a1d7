// warplens: grid=4 block=64 n=256 out=u32[4096] at=u32[n]:iota length=1000
__global__ void far(unsigned* out, const unsigned* at, int length, int n) {
  unsigned long long i = blockIdx.x * 64 + threadIdx.x, j = (unsigned long long)(unsigned)length + at[i] + i + 1;
  out[j & 4095] = (unsigned)(j >> 3);
}
