// Kernels that are not of the ladder, for the tests of `replay` and `check`.

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// One block a row of N elements.
template <int N>
__global__ void row_sums(const float* matrix, float* sums) {
  __shared__ float partial[N];
  const int x = threadIdx.x;
  partial[x] = matrix[blockIdx.x * N + x];
  __syncthreads();
  for (int step = N / 2; step > 0; step /= 2) {
    if (x < step) partial[x] += partial[x + step];
    __syncthreads();
  }
  if (x == 0) sums[blockIdx.x] = partial[0];
}
template __global__ void row_sums<64>(const float*, float*);
template __global__ void row_sums<128>(const float*, float*);

__global__ void scale(double* values, double factor, const unsigned char* chosen, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && chosen[i] != 0) values[i] *= factor;
}

__global__ void reversed(int* data) {
  extern __shared__ int copy[];
  const int x = threadIdx.x;
  copy[x] = data[x];
  __syncthreads();
  data[x] = copy[blockDim.x - 1 - x];
}

// The barrier of `reversed` left out: each half of the block reads what the other half writes.
__global__ void missing_barrier(int* data) {
  extern __shared__ int copy[];
  const int x = threadIdx.x;
  copy[x] = data[x];
  data[x] = copy[blockDim.x - 1 - x];
}

// No guard: the last block's last threads have no element.
__global__ void past_the_end(float* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}
