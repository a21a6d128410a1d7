__global__ void bitonic(unsigned* keys, int n) {
  extern __shared__ unsigned shared_keys[];
  const unsigned t = threadIdx.x;
  shared_keys[t] = keys[t];
  __syncthreads();
  for (int k = 2; k <= n; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      const unsigned partner = t ^ j;
      if (partner > t) {
        const bool ascending = (t & k) == 0;
        const unsigned a = shared_keys[t], b = shared_keys[partner];
        if ((a > b) == ascending) {
          shared_keys[t] = b;
          shared_keys[partner] = a;
        }
      }
      __syncthreads();
    }
  }
  keys[t] = shared_keys[t];
}
