// saxpy: grid=(n+255)/256 block=256 n=3000 a=2 x=f32[n]:value:1 y=f32[n]:value:2
#include <thrust/device_vector.h>
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  const int N = 3000;
  thrust::device_vector<float> x(N, 1.0f), y(N, 2.0f);
  saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, thrust::raw_pointer_cast(x.data()),
                                  thrust::raw_pointer_cast(&y[0]));
}
