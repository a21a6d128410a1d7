__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) atomicAdd(out, value);
  }
}

__global__ void sum_volatile(const double* in, double* out) {
  __shared__ volatile double partial[64];
  const int t = threadIdx.x;
  partial[t] = in[t] + in[t + 64];
  __syncthreads();
  if (t < 32) {
    partial[t] += partial[t + 32];
    __syncwarp();
    partial[t] += partial[t + 16];
  }
  if (t == 0) *out = partial[0];
}

__global__ void votes(const int* in, unsigned* out) {
  const int value = in[threadIdx.x];
  out[0] = __ballot_sync(__activemask(), value > 3);
  if (__any_sync(0xffffffffu, value == 7)) out[1] = __popc(out[0]);
  if (__all_sync(0xffffffffu, value < 100)) out[2] = __ffs(value) + __clz(value) + __brev(value);
#if __CUDA_ARCH__ >= 800
  out[3] = __reduce_add_sync(0xffffffffu, value) + __reduce_max_sync(0xffffffffu, value);
#endif
  out[4] = __match_any_sync(0xffffffffu, value);
  int agree;
  out[5] = __match_all_sync(0xffffffffu, value, &agree) + agree;
  out[6] = __shfl_xor_sync(0xffffffffu, value, 5) + __shfl_up_sync(0xffffffffu, value, 1, 8) + __shfl_sync(0xffffffffu, value, threadIdx.x / 2);
}
