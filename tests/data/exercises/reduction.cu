// Exercise 3: the sum of a vector.
static void sum_on_host(const int* x, int* total, int n) {
  for (int i = 0; i < n; ++i) *total += x[i];
}

// warplens: grid=8 block=256 n=5000 x=i32[n]:ints total=i32[1]:zero expect=cpu:sum_on_host
__global__ void sum(const int* x, int* total, int n) {
  __shared__ int part[256];
  int t = threadIdx.x, mine = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) mine += x[i];
  part[t] = mine;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, part[0]);
}
