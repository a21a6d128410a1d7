// Exercise 1: add two vectors.
void add_on_host(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}

// warplens: grid=(n+127)/128 block=128 n=1000 a=f32[n]:ints b=f32[n]:ints c=f32[n] expect=cpu:add_on_host
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
