// warplens: grid=2 block=64 n=128 owner=i32[512]:value:-1 end=i32[n+1]:iota times=i32[n]:ints
__global__ void claim(int* owner, const int* end, const int* times, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int e = end[i]; e < end[i + 1] + (times[i] & 3); e++) atomicCAS(&owner[3 * e], -1, i + 1000 * e);
}
