// addTo: grid=(count+95)/96 block=96 count=1500 sum=f32[count] part=f32[count]:value:1
#include <cstddef>
#include <vector>

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) { cudaMalloc(&data_, bytes()); }
  explicit DeviceBuffer(const std::vector<T>& from) : DeviceBuffer(from.size()) { upload(from.data()); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }
  void upload(const T* from) { cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice); }
  void clear() { cudaMemset(data_, 0, bytes()); }
  size_t bytes() const { return count_ * sizeof(T); }
  size_t size() const { return count_; }
  T* get() { return data_; }
  operator T*() { return data_; }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

__global__ void addTo(float* sum, const float* part, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] += part[i];
}

int main() {
  const std::vector<float> ones(1500, 1.0f);
  DeviceBuffer<float> part(ones), sum(ones.size());
  sum.clear();
  const unsigned threads = 96, blocks = (sum.size() + threads - 1) / threads;
  addTo<<<blocks, threads>>>(sum, part.get(), sum.size());
  cudaDeviceSynchronize();
}
