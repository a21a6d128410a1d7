// saxpy: grid=(n+127)/128 block=128 n=6000 a=3 x=f32[n]:value:1.5 y=f32[n]
#include <cstdio>
#include <cstdlib>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  int result = 1, n = 6000;
  float *x = NULL, *y = NULL, *h = NULL;
  cudaDeviceProp prop;
  cudaError_t err = cudaGetDeviceProperties(&prop, 0);
  if (err != cudaSuccess) {
    n = 0;
    goto cleanup;
  }
  if (argc > 1) n = atoi(argv[1]);
retry:
  h = (float*)malloc(n * sizeof(float));
  if (h == NULL) {
    n /= 2;
    goto retry;
  }
  for (int i = 0; i < n; i++) h[i] = 1.5f;
  if (cudaMalloc((void**)&x, n * sizeof(float)) != cudaSuccess) goto cleanup;
  if (cudaMalloc((void**)&y, n * sizeof(float)) != cudaSuccess) goto cleanup;
  if (cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) goto cleanup;
  cudaMemset(y, 0, n * sizeof(float));
  saxpy<<<(n + 127) / 128, 128>>>(n, 3.0f, x, y);
  err = cudaGetLastError();
  if (err != cudaSuccess) {
    fprintf(stderr, "saxpy: %s\n", cudaGetErrorString(err));
    goto cleanup;
  }
  result = 0;
cleanup:
  cudaFree(x);
  cudaFree(y);
  free(h);
  return result;
}
