// One thread, one element: c = a + b.
// Blocks are whole, so the last one reaches beyond the end, and a guard keeps its threads from what is not there. For 1,000 elements and blocks of
// 256 that is 1,024 threads: of 32 warps only the last diverges, 8 of its lanes inside and 24 outside.

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
