// What lanes and warps do together; checked in tests/replay/warps_test.cpp.

__global__ void warp_sums(const int* a, int* c) {
  int v = a[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
  int w = a[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) w += __shfl_xor_sync(~0u, w, step);
  c[threadIdx.x] = v;
  c[threadIdx.x + 64] = w;
  c[threadIdx.x + 128] = __shfl_sync(~0u, a[threadIdx.x], threadIdx.x / 3, 8);
  c[threadIdx.x + 192] = __shfl_up_sync(~0u, a[threadIdx.x], 3, 16);
}

__global__ void votes(const int* a, unsigned* c) {
  const bool odd = a[threadIdx.x] & 1;
  c[threadIdx.x] = __ballot_sync(~0u, odd);
  c[threadIdx.x + 64] = __any_sync(~0u, a[threadIdx.x] == 5) * 2 + __all_sync(~0u, a[threadIdx.x] >= 0);
  if (odd) c[threadIdx.x + 128] = __activemask();
  c[threadIdx.x + 192] = __match_any_sync(~0u, a[threadIdx.x] % 4);
}

__global__ void atomics(const int* a, int* c) {
  const int v = a[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&c[0], v);
  atomicMax(&c[1], v);
  atomicMin(&c[2], v);
  atomicXor(&c[3], v);
  c[16 + atomicAdd(&c[4], 1)] = v;
  atomicInc(reinterpret_cast<unsigned*>(&c[5]), 4);
  atomicDec(reinterpret_cast<unsigned*>(&c[6]), 9);
  atomicExch(&c[7], v);
  atomicCAS(&c[8], 0, v);
  atomicAdd(reinterpret_cast<float*>(&c[9]), 0.1f * v);
}

__global__ void counted(const int* a, int* c) {
  const int v = a[threadIdx.x];
  const int odd = __syncthreads_count(v & 1), all = __syncthreads_and(v < 1000), any = __syncthreads_or(v == 3);
  c[threadIdx.x] = odd * 4 + (all != 0) * 2 + (any != 0);
}

__global__ void sum_in_shared(const float* a, float* c) {
  __shared__ float s[256];
  s[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) c[blockIdx.x] = s[0];
}

__global__ void spilled(const int* a, int* c, int n) {
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = a[threadIdx.x] + k;
  for (int k = 0; k < n; ++k) local[(a[threadIdx.x] + k) & 7] += k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum = sum * 3 + local[(k * 5) & 7];
  c[threadIdx.x] = sum;
}

__global__ void gather(const int* a, const int* index, int* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[index[i]];
}
