// warplens: grid=6 block=64 n=384 out=i32[n] in=i32[n]:ints sums=i32[6]
__device__ unsigned tickets;
__device__ int order[8] = {5, 3, 1, 7, 0, 2, 4, 6};
__global__ void last(int* out, const int* in, int* sums, int n) {
  __shared__ bool is_last;
  int i = blockIdx.x * 64 + threadIdx.x;
  atomicAdd(&sums[blockIdx.x], in[i]);
  __threadfence();
  if (threadIdx.x == 0) is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  out[i] = in[order[threadIdx.x & 7] + (i & ~7)];
  if (is_last && threadIdx.x < 6) out[threadIdx.x] = sums[threadIdx.x];
}
