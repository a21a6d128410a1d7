// warplens: grid=4 block=256 n=1024 data=f32[n]:uniform
__global__ void sort(float* data, int n) {
  __shared__ float s[256];
  int t = threadIdx.x; s[t] = data[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      if (o > t) { float a = s[t], b = s[o]; if (((t & k) == 0) == (a > b)) { s[t] = b; s[o] = a; } }
      __syncthreads();
    }
  data[blockIdx.x * 256 + t] = s[t];
}
