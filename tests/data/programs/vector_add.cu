// add: grid=(n+255)/256 block=256 n=50000 a=f32[n]:uniform b=f32[n]:uniform c=f32[n]
#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                     \
  do {                                                  \
    cudaError_t err = call;                             \
    if (err != cudaSuccess) {                           \
      fprintf(stderr, "%s\n", cudaGetErrorString(err)); \
      exit(EXIT_FAILURE);                               \
    }                                                   \
  } while (0)
__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main() {
  const int n = 50000;
  size_t size = n * sizeof(float);
  float *h_a = (float *)malloc(size), *h_b = (float *)malloc(size), *h_c = (float *)malloc(size);
  for (int i = 0; i < n; ++i) {
    h_a[i] = rand() / (float)RAND_MAX;
    h_b[i] = rand() / (float)RAND_MAX;
  }
  float *d_a = NULL, *d_b = NULL, *d_c = NULL;
  CHECK(cudaMalloc((void **)&d_a, size));
  CHECK(cudaMalloc((void **)&d_b, size));
  CHECK(cudaMalloc((void **)&d_c, size));
  CHECK(cudaMemcpy(d_a, h_a, size, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, h_b, size, cudaMemcpyHostToDevice));
  int threadsPerBlock = 256;
  int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
  add<<<blocksPerGrid, threadsPerBlock>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  cudaFree(d_a);
  return 0;
}
