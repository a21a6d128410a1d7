// A comparison with one element too many: thread n reads and writes behind both arrays.
//
// warplens: grid=(n+255)/256 block=256 n=1000 in=f32[n]:ints out=f32[n]

__global__ void past_the_end(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    out[i] = 2 * in[i];
  }
}
