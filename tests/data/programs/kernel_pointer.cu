// reversed: grid=(n+63)/64 block=64 n=999 a=f32[n]:ints b=f32[n]
typedef void (*Kernel)(const float*, float*, int);
__global__ void plain(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
}
__global__ void reversed(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[n - 1 - i] = a[i];
}
void bench(Kernel kernel, const float* a, float* b, int n) {
  int block = 64;
  kernel<<<(n + block - 1) / block, block>>>(a, b, n);
  cudaDeviceSynchronize();
}
int main() {
  int n = 999;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  bench(reversed, a, b, n);
  bench(plain, a, b, n);
}
