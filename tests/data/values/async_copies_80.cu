// Indices that cp.async brings to shared memory, some of them filled with zeros.
__device__ unsigned to_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// warplens: grid=2 block=64 in=u32[768]:iota out=i32[512] n=40
__global__ void async_copies(const unsigned* in, int* out, int n) {
  __shared__ __align__(16) unsigned rows[64][4], words[64];
  const unsigned t = threadIdx.x;
  const int bytes = static_cast<int>(t) < n ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_shared(rows[t])), "l"(in + t * 4), "r"(bytes));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to_shared(&words[63 - t])), "l"(in + t * 3));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  const unsigned index = words[t] + rows[t ^ 5][1];
  atomicAdd(&out[index & 511], static_cast<int>(rows[63 - t][3] + 1));
}
