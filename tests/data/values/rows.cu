// warplens: grid=40 block=96 n=3840 w=48 out=f32[n] in=f32[n]:ints scale=f32[n]:uniform
// Rows by a division of the thread's number, with a shuffle and a block at each end that differs.
__global__ void scale_rows(float* out, const float* in, const float* scale, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = threadIdx.x / w, column = threadIdx.x % w;
  float v = in[(blockIdx.x * 2 + row) * w + column] * scale[column];
  v += __shfl_xor_sync(~0u, v, 1);
  if (blockIdx.x > 0 && blockIdx.x + 1 < gridDim.x) out[i] = v;
  if (blockIdx.x == 0 || blockIdx.x + 1 == gridDim.x) out[n - 1 - i] = v / 3.0f;
}
