__global__ void scan_block(const int* in, int* out, int n) {
  extern __shared__ int buffer[];
  int current = 0;
  const int t = threadIdx.x;
  buffer[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    const int next = 1 - current;
    buffer[next * n + t] = buffer[current * n + t] + (t >= offset ? buffer[current * n + t - offset] : 0);
    current = next;
    __syncthreads();
  }
  if (t < n) out[t] = buffer[current * n + t];
}

__global__ void scan_warps(const long long* in, long long* out) {
  long long value = in[threadIdx.x];
  const int lane = threadIdx.x & 31;
  for (int offset = 1; offset < 32; offset <<= 1) {
    const long long other = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += other;
  }
  out[threadIdx.x] = value;
}
