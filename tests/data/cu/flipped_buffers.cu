// A product that keeps tiles in two buffers by turns and goes from one to the other by an exclusive or of addresses, which takes for granted that shared
// memory begins at a multiple of 4 KiB.
__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void put(unsigned address, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}
__device__ float get(unsigned address) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

__global__ void flipped_buffers(const float* a, const float* b, float* c, int n) {
  __shared__ float tiles[2][2][16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  unsigned own_a = shared_address(&tiles[0][0][threadIdx.y][threadIdx.x]), own_b = shared_address(&tiles[0][1][threadIdx.y][threadIdx.x]);
  unsigned row_of_a = shared_address(&tiles[0][0][threadIdx.y][0]), column_of_b = shared_address(&tiles[0][1][0][threadIdx.x]);
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    put(own_a, a[row * n + k + threadIdx.x]);
    put(own_b, b[(k + threadIdx.y) * n + column]);
    __syncthreads();
    for (unsigned i = 0; i < 16; ++i) sum += get(row_of_a + 4 * i) * get(column_of_b + 64 * i);
    own_a ^= sizeof tiles[0];
    own_b ^= sizeof tiles[0];
    row_of_a ^= sizeof tiles[0];
    column_of_b ^= sizeof tiles[0];
  }
  c[row * n + column] = sum;
}
