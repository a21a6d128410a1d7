__global__ void histogram_shared(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned local_bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local_bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local_bins[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local_bins[i]);
}

__global__ void atomics(int* i, unsigned* u, float* f, double* d, unsigned long long* w) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  i[1] = atomicMax(&s, i[0]) + atomicMin(i, 3) + atomicExch(i, 4) + atomicCAS(i, 1, 2) + atomicSub(i, 9);
  u[1] = atomicInc(u, 7) + atomicDec(u, 7) + atomicAnd(u, 6) + atomicOr(u, 1) + atomicXor(u, 3);
  f[1] = atomicAdd(f, 1.5f);
  d[1] = atomicAdd(d, 2.5);
  w[1] = atomicAdd(w, 1ull) + atomicCAS(w, 0ull, 5ull) + atomicMax(w, 7ull);
  atomicAdd(&f[2], 2.f);
  atomicAnd(&u[2], 12u);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
}
