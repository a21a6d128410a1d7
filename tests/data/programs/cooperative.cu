// twice: grid=4 block=64 n=600 data=i32[n]
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void twice(int* data, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    data[i] = i;
  grid.sync();
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    data[i] += data[n - 1 - i] * 0;
}
int main() {
  int n = 600, *data;
  cudaMalloc(&data, n * sizeof(int));
  void* args[] = {(void*)&data, (void*)&n};
  cudaLaunchCooperativeKernel((void*)twice, dim3(4), dim3(64), args, 0, nullptr);
}
