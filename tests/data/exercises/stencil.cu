// Exercise 6: each element becomes the mean of its neighbourhood, as far as there is one.
#define RADIUS 3
#define THREADS 128

__host__ __device__ float mean(float sum, int count) { return sum / count; }

void smooth_on_host(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    int count = 0;
    for (int j = i - RADIUS; j <= i + RADIUS; ++j) {
      if (j < 0 || j >= n) continue;
      sum += in[j];
      ++count;
    }
    out[i] = mean(sum, count);
  }
}

// warplens: grid=(n+127)/128 block=128 n=1000 in=f32[n]:uniform out=f32[n] expect=cpu:smooth_on_host
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float near[THREADS + 2 * RADIUS];
  int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x + RADIUS;
  near[t] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    near[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
    near[t + THREADS] = i + THREADS < n ? in[i + THREADS] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  int count = 0;
  for (int d = -RADIUS; d <= RADIUS; ++d) {
    if (i + d < 0 || i + d >= n) continue;
    sum += near[t + d];
    ++count;
  }
  out[i] = mean(sum, count);
}
