// One block, one column of C; one thread, as many of its elements as it takes to reach every row.
// The block copies its column of B to shared memory once, and reads it from there for every row. It loses all the same: neighbours in a column lie n
// elements apart, so the copy touches a sector an element, and each lane stands in another row of A, p elements from the next.

__global__ void buffered_column(const float* A, const float* B, float* C, int m, int p, int n) {
  extern __shared__ float column[];  // p elements

  const int col = blockIdx.x;
  for (int k = threadIdx.x; k < p; k += blockDim.x) {
    column[k] = B[k * n + col];
  }
  __syncthreads();

  for (int row = threadIdx.x; row < m; row += blockDim.x) {
    float sum = 0.0f;
    for (int k = 0; k < p; ++k) {
      sum += A[row * p + k] * column[k];
    }
    C[row * n + col] = sum;
  }
}
