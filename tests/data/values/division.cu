// warplens: grid=(n+255)/256 block=256 n=4000 w=37 out=i32[n] in=i32[n]:ints
__global__ void turn(int* out, const int* in, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, h = n / w;
  if (i >= h * w) return;
  int r = i / w, c = i % w;
  out[c * h + r] = in[i];
}
