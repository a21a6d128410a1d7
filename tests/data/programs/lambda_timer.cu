// k1: grid=16 block=64 a=i32[1024]
__global__ void k1(int* a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void k2(int* a, int m) {
  a[(blockIdx.x * blockDim.x + threadIdx.x) % m] = 2;
}
template <typename F>
float timeit(F f) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  f();
  cudaEventRecord(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  return ms;
}
int main() {
  int* d;
  const auto n = 1024u;
  cudaMalloc(&d, n * sizeof(int));
  float t = timeit([&] { k1<<<n / 64, 64>>>(d); });
  timeit([&]() { k2<<<n / 64, 64>>>(d, 100); });
  printf("%f", t);
}
