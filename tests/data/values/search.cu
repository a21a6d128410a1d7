// warplens: grid=4 block=256 n=1024 out=i32[n] sorted=i32[n]:iota key=i32[n]:iota
__global__ void find(int* out, const int* sorted, const int* key, int n) {
  int i = blockIdx.x * 256 + threadIdx.x, k = key[i] * 7919 % 1024, lo = 0, hi = n;
  while (lo < hi) { int m = (lo + hi) / 2; if (sorted[m] < k) lo = m + 1; else hi = m; }
  out[i] = lo;
}
