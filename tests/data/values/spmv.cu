// warplens: grid=(n+127)/128 block=128 n=1000 y=f32[n] row=i32[n+1]:iota column=i32[n*8]:iota value=f32[n*8]:ints x=f32[n]:ints
__global__ void spmv(float* y, const int* row, const int* column, const float* value, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = row[i] * 8; k < row[i + 1] * 8; ++k) sum += value[k] * x[column[k] * 7 % n];
  y[i] = sum;
}
