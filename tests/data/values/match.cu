// warplens: grid=4 block=128 n=512 out=u32[16] in=i32[n]:iota
__global__ void count(unsigned* out, const int* in, int n) {
  int i = blockIdx.x * 128 + threadIdx.x, v = in[i] * in[i] % 7;
  unsigned same = __match_any_sync(~0u, v);
  if ((__ffs(same) - 1) == (threadIdx.x & 31)) atomicAdd(&out[v], __popc(same));
}
