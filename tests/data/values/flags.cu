// warplens: grid=2 block=256 n=512 out=i32[n] in=i32[n]:ints rounds=5
__global__ void rounds(int* out, const int* in, int rounds, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  __syncthreads();
  bool computed;
  for (int r = 0; r < rounds; r++) {
    computed = false;
    int next = 0;
    if (t > r && t < 255 - r) {
      computed = true;
      next = min(min(s[t - 1], s[t]), s[t + 1]) + in[i];
    }
    __syncthreads();
    if (r == rounds - 1) break;
    if (computed) s[t] = next;
    __syncthreads();
  }
  if (computed) out[i] = s[t];
}
