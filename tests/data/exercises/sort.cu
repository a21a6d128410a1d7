// Exercise 7: sorts the keys of a block, bitonically.
template <class T>
__host__ __device__ void exchange(T& a, T& b) {
  T c = a;
  a = b;
  b = c;
}

void sort_on_host(int* keys, int n) {
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && keys[j] < keys[j - 1]; --j) exchange(keys[j], keys[j - 1]);
}

// warplens: grid=1 block=n/2 n=256 keys=i32[n]:ints shared=4*n expect=cpu:sort_on_host
__global__ void sort(int* keys, int n) {
  extern __shared__ int mine[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine[i] = keys[i];
  for (int size = 2; size <= n; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), high = low + stride;
      bool up = (low & size) == 0;
      if ((mine[low] > mine[high]) == up) exchange(mine[low], mine[high]);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = mine[i];
}
