// warplens: grid=8 block=128 cluster=4,1,1 n=4096 in=i32[n]:random out=i32[1024] arch=sm_90a
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/// A histogram whose bins lie in the shared memory of a cluster's blocks.
__global__ void histogram(const int* in, int* out, int n) {
  __shared__ int bins[256];
  auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = in[i] & 1023;
    atomicAdd(cluster.map_shared_rank(bins, bin >> 8) + (bin & 255), 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(out + 256 * cluster.block_rank() + i, bins[i]);
}
