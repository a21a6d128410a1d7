// Indices that ldmatrix brings to other lanes.
__device__ unsigned to_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// warplens: grid=2 block=64 in=u32[512]:iota out=i32[512]
__global__ void matrix_rows(const unsigned* in, int* out) {
  __shared__ __align__(16) unsigned rows[64][4];
  const unsigned t = threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) rows[t][i] = (in[4 * t + i] * 2 + 1) << 16 | in[4 * t + i] * 2;
  __syncthreads();
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(to_shared(rows[t & 32 | (t * 5 & 31)])));
  atomicAdd(&out[a & 511], static_cast<int>(b >> 16));
  out[(c >> 16) & 511] += static_cast<int>(d & 0xffff);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(to_shared(rows[63 - t])));
  if ((a & 3) == 2) atomicAdd(&out[a & 255], 1);
}
