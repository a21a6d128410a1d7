// warplens: grid=4 block=64 n=256 out=f32[n] a=f32[n]:ints b=f32[n]:ints rounds=9
__global__ void rounds(float* out, const float* a, const float* b, int rounds, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  float sum = 0;
  for (int r = 0; r < rounds; r++) {
    s[t] = 0.0f;
    if (t < 7 * (rounds - r)) s[t] = a[i] * b[i];
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
  }
  out[i] = sum;
}
