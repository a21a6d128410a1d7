// dot: grid=1 block=256 n=2048 a=f32[n]:ints b=f32[n]:ints out=f32[1]
#include <algorithm>
#include <random>
void randomize(std::vector<float>& v) {
  std::mt19937 gen(42);
  std::uniform_real_distribution<float> dist(-1.f, 1.f);
  std::generate(v.begin(), v.end(), [&] { return dist(gen); });
}
__global__ void dot(const float* a, const float* b, float* out, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s += a[i] * b[i];
  atomicAdd(out, s);
}
int main() {
  const int n = 2048;
  std::vector<float> a(n), b(n);
  randomize(a);
  randomize(b);
  float *da, *db, *out;
  cudaMalloc(&da, a.size() * sizeof(a[0]));
  cudaMalloc(&db, b.size() * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(out, 0, sizeof(float));
  cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, &b[0], n * sizeof(float), cudaMemcpyHostToDevice);
  dot<<<1, 256>>>(da, db, out, n);
}
