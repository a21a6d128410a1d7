// cluster_sum: grid=n/128 block=128 cluster=4 n=1024 in=f32[n]:value:1 out=f32[n/128/4]
// Adds up numbers by clusters of blocks, whose size the launch gives: blocks read each other's shared memory.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void cluster_sum(const float* in, float* out, int n) {
  __shared__ float sum[128];
  const cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) sum[threadIdx.x] += sum[threadIdx.x + step];
    __syncthreads();
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float total = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) total += *cluster.map_shared_rank(sum, rank);
    out[blockIdx.x / cluster.num_blocks()] = total;
  }
  cluster.sync();
}

int main() {
  const int n = 1024, threads = 128, blocks_of_cluster = 4, blocks = n / threads;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, blocks / blocks_of_cluster * sizeof(float));
  std::vector<float> h(n, 1.0f);
  cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = blocks_of_cluster;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, cluster_sum, (const float*)in, out, n);
  float result[2];
  cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("%g %g\n", result[0], result[1]);
}
