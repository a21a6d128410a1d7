// init: grid=(n+95)/96 block=96 n=777 v=4 p=i32[n]
#include <memory>
template <typename T>
struct DeviceDeleter {
  void operator()(T* p) const {
    cudaFree(p);
  }
};
template <typename T>
std::unique_ptr<T[], DeviceDeleter<T>> make_device(size_t n) {
  T* p = nullptr;
  cudaMalloc(&p, n * sizeof(T));
  return std::unique_ptr<T[], DeviceDeleter<T>>(p);
}
__global__ void init(int* p, int n, int v) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) p[i] = v;
}
int main() {
  constexpr size_t count{777};
  auto p = make_device<int>(count);
  constexpr unsigned block = 96;
  init<<<(count + block - 1) / block, block>>>(p.get(), static_cast<int>(count), 4);
}
