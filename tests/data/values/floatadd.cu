// warplens: grid=4 block=256 n=1024 out=f32[16] in=f32[n]:ints key=i32[n]:iota
__global__ void add(float* out, const float* in, const int* key, int n) {
  __shared__ float bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  atomicAdd(&bins[key[i] * key[i] % 13], in[i]);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
