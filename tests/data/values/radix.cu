// warplens: grid=2 block=256 n=512 data=u32[n]:iota
__global__ void radix(unsigned* data, int n) {
  __shared__ unsigned a[256], scan[256];
  int t = threadIdx.x; a[t] = data[blockIdx.x * 256 + t] * 2654435761u >> 16;
  for (int bit = 0; bit < 16; ++bit) {
    __syncthreads(); unsigned v = a[t], b = v >> bit & 1; scan[t] = 1 - b; __syncthreads();
    for (int o = 1; o < 256; o *= 2) { unsigned x = t >= o ? scan[t - o] : 0; __syncthreads(); scan[t] += x; __syncthreads(); }
    unsigned zeros = scan[255], before = scan[t] - (1 - b); unsigned to = b ? zeros + t - before : before;
    __syncthreads(); a[to] = v;
  }
  __syncthreads(); data[blockIdx.x * 256 + t] = a[t];
}
