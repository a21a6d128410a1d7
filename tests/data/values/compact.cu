// warplens: grid=8 block=128 n=1024 out=i32[n] in=i32[n]:ints count=u32[1]
__global__ void keep(int* out, const int* in, unsigned* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  bool k = v > 3;
  unsigned votes = __ballot_sync(~0u, k);
  unsigned lane = threadIdx.x & 31, base = 0;
  if (lane == 0 && votes) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(~0u, base, 0);
  if (k) out[base + __popc(votes & ((1u << lane) - 1))] = v;
}
