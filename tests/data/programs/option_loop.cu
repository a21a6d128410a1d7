// fill: grid=(n-1)/192+1 block=192 n=5000 v=0 a=f32[n]
#include <cstring>
__global__ void fill(float* a, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = v;
}
int main(int argc, char** argv) {
  int n = 5000, threads = 192, repeats = 3;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "-n"))
      n = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-t"))
      threads = atoi(argv[++i]);
  }
  float* a;
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess) return 1;
  for (int r = 0; r < repeats; ++r)
    fill<<<(n - 1) / threads + 1, threads>>>(a, n, r);
  cudaEvent_t stop;
  cudaEventCreate(&stop);
}
