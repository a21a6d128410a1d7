// sums::add_rows<16, 64>: grid=rows/16 block=64 rows=64 sum=f32[2*rows] tensor=f16[2*rows*64] map=tensormap*:f16[2][rows][64]@tensor:box=2x16x64
// Adds up the rows of a tensor of three dimensions, whose tensor map lies in device memory: a block copies
// its part of two planes at once.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <cassert>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

namespace sums {

template <int Rows, int Columns>
CUtensorMap* make_map(__half* tensor, int planes, int rows, int columns) {
  CUtensorMap host;
  uint64_t size[5] = {(uint64_t)columns, (uint64_t)rows, (uint64_t)planes, 1, 1};
  uint64_t stride[5] = {sizeof(__half), sizeof(__half) * columns, sizeof(__half) * columns * rows, 0, 0};
  uint32_t box[5] = {Columns, Rows, 2, 1, 1};
  uint32_t step[5] = {1, 1, 1, 1, 1};
  CUresult result = cuTensorMapEncodeTiled(&host, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, tensor, size, stride + 1,
                                           box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  assert(result == CUDA_SUCCESS);
  CUtensorMap* map;
  cudaMalloc(&map, sizeof(CUtensorMap));
  cudaMemcpy(map, &host, sizeof(CUtensorMap), cudaMemcpyHostToDevice);
  return map;
}

template <int Rows, int Columns>
__global__ void add_rows(const CUtensorMap* map, float* sum, int rows) {
  __shared__ alignas(128) __half part[2][Rows][Columns];
  __shared__ barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_3d_global_to_shared(part, map, 0, blockIdx.x * Rows, 0, full);
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof(part));
  } else {
    token = full.arrive();
  }
  full.wait(std::move(token));
  for (int i = threadIdx.x; i < 2 * Rows; i += blockDim.x) {
    float total = 0;
    for (int column = 0; column < Columns; ++column) total += __half2float(part[i / Rows][i % Rows][column]);
    sum[i / Rows * rows + blockIdx.x * Rows + i % Rows] = total;
  }
}

void run(__half* tensor, float* sum, int planes, int rows, int columns) {
  constexpr int kRows = 16, kColumns = 64;
  CUtensorMap* map = make_map<kRows, kColumns>(tensor, planes, rows, columns);
  auto* kernel = add_rows<kRows, kColumns>;
  kernel<<<rows / kRows, 64>>>(map, sum, rows);
}

}  // namespace sums

using sums::run;

int main() {
  const int planes = 2, rows = 64, columns = 64;
  __half* tensor;
  float* sum;
  cudaMalloc(&tensor, planes * rows * columns * sizeof(__half));
  cudaMalloc(&sum, planes * rows * sizeof(float));
  cudaMemset(tensor, 0, planes * rows * columns * sizeof(__half));
  run(tensor, sum, planes, rows, columns);
  cudaDeviceSynchronize();
}
