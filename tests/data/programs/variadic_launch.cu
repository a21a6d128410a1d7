// shiftBy<int>: grid=(count+159)/160 block=160 by=7 count=3077 values=i32[count]:iota
#include <utility>

static inline int divideRoundUp(int a, int b) { return (a + b - 1) / b; }

template <int BLOCK, typename Kernel, typename... Arguments>
void launch(Kernel kernel, int count, Arguments... arguments) {
  kernel<<<divideRoundUp(count, BLOCK), BLOCK>>>(arguments..., count);
}

template <typename T>
__global__ void shiftBy(T* values, T by, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += by;
}

int main() {
  constexpr int kCount = 3 * 1024 + 5;
  int* values = nullptr;
  cudaMallocManaged(&values, kCount * sizeof *values);
  for (int i = 0; i < kCount; ++i) values[i] = i;
  launch<160>(shiftBy<int>, kCount, values, 7);
  cudaDeviceSynchronize();
  cudaFree(values);
}
