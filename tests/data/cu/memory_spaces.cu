__constant__ float weights[2][3] = {{1.f, 2.f}, {3.f, 4.f, 5.5f}};
__constant__ int table[] = {1, -2, 3};
__device__ int counter = 5;
__device__ double scale[4];
__device__ const char* names[2] = {"first", "second"};
__device__ int* where = &counter;
struct Settings {
  int n;
  float step;
  double limit;
  char name[5];
};
__device__ Settings settings = {3, 0.5f, 9.0, "abcd"};

__global__ void spaces(float* out, const Settings by_value, int i) {
  float values[24];
  for (int k = 0; k < 24; ++k) values[(k * 7 + i) % 24] = out[k] * weights[k % 2][k % 3];
  out[i] = values[i] + values[(i * 5) % 24] + table[i % 3] + by_value.step * by_value.n + float(by_value.limit) + by_value.name[i & 3];
  counter = *where + int(scale[i & 3]) + names[i & 1][0];
  settings.n = i;
}

__device__ __noinline__ float through_pointer(float* p, int i) { return p[i] * 2; }
__global__ void generic_pointers(float* out, int i) {
  __shared__ float shared_values[32];
  float local_values[8];
  for (int k = 0; k < 8; ++k) local_values[k] = out[k];
  shared_values[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float* p = i == 0 ? shared_values : i == 1 ? local_values : out;
  p[1] += through_pointer(p, i);
  out[0] = p[2] + (__isShared(p) ? 1.f : 0.f);
}
