// scan: grid=10 block=64 data=u32[2560]:value:1 sums=u32[10]
enum { kThreads = 64, kItems = 4, kPerBlock = kThreads * kItems };
typedef unsigned int uint;
__global__ void scan(uint* data, uint* sums) {
  __shared__ uint s[kPerBlock];
  uint* mine = data + blockIdx.x * kPerBlock;
  for (int i = threadIdx.x; i < kPerBlock; i += kThreads)
    s[i] = mine[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    uint t = 0;
    for (int i = 0; i < kPerBlock; i++) {
      uint v = s[i];
      s[i] = t;
      t += v;
    }
    sums[blockIdx.x] = t;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kPerBlock; i += kThreads)
    mine[i] = s[i];
}
namespace test {
template <class T>
T* upload(const std::vector<T>& v) {
  T* d = nullptr;
  cudaMalloc(&d, v.size() * sizeof(T));
  cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}
}  // namespace test
int main() {
  const uint blocks = 10;
  std::vector<uint> v(blocks * kPerBlock, 1u);
  uint* d = test::upload(v);
  uint* sums;
  cudaMalloc(&sums, blocks * sizeof(uint));
  scan<<<blocks, kThreads>>>(d, sums);
}
