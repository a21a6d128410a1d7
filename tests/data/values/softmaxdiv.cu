// warplens: grid=8 block=64 n=512 out=f32[n] in=f32[n]:uniform
__global__ void norm(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t; s[t] = in[i] * in[i]; __syncthreads();
  for (int o = 32; o; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
  float v = in[i] / sqrtf(s[0] + 1e-5f);
  int bin = (int)floorf(v * 8) & 63;
  out[blockIdx.x * 64 + bin] = v;
}
