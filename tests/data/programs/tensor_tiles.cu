// scale: grid=4,3 block=256 shared=5120 factor=2 d_in=f32[96][128]:iota from=tensormap:f32[96][128]@d_in:box=32x32:swizzle=128B d_out=f32[96][128]:ints to=tensormap:f32[96][128]@d_out:box=32x32:swizzle=128B
// Scales a matrix tile by tile: a tile is copied to shared memory by the tensor map of the input, and back by
// that of the output.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

typedef CUresult (*EncodeTiled)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

constexpr int kTile = 32;

EncodeTiled find_encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
  if (found != cudaDriverEntryPointSuccess) exit(1);
  return reinterpret_cast<EncodeTiled>(function);
}

CUtensorMap map_of(float* matrix, int rows, int columns) {
  alignas(64) CUtensorMap map;
  cuuint64_t size[2] = {(cuuint64_t)columns, (cuuint64_t)rows};
  cuuint64_t stride[1] = {columns * sizeof(float)};
  cuuint32_t box[2] = {kTile, kTile};
  cuuint32_t step[2] = {1, 1};
  EncodeTiled encode = find_encode();
  CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, size, stride, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) exit(1);
  return map;
}

struct Stage {
  alignas(1024) float tile[kTile][kTile];
  alignas(8) uint64_t full;
};

__device__ unsigned address_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void scale(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      float factor) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Stage& stage = *reinterpret_cast<Stage*>(memory);
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&stage.full)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(&stage.full)),
                 "r"((unsigned)sizeof stage.tile));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(address_of(stage.tile)),
        "l"(&from), "r"(column), "r"(row), "r"(address_of(&stage.full))
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again;\n}" ::"r"(address_of(&stage.full))
      : "memory");
  for (int i = threadIdx.x; i < kTile * kTile; i += blockDim.x) (&stage.tile[0][0])[i] *= factor;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
                 "r"(column), "r"(row), "r"(address_of(stage.tile))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

int main() {
  const int rows = 96, columns = 128;
  float *d_in, *d_out;
  float* h = (float*)malloc(rows * columns * sizeof(float));
  for (int i = 0; i < rows * columns; ++i) h[i] = i;
  cudaMalloc(&d_in, rows * columns * sizeof(float));
  cudaMalloc(&d_out, rows * columns * sizeof(float));
  cudaMemcpy(d_in, h, rows * columns * sizeof(float), cudaMemcpyHostToDevice);
  const CUtensorMap from = map_of(d_in, rows, columns), to = map_of(d_out, rows, columns);
  const dim3 grid(columns / kTile, rows / kTile);
  cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Stage));
  scale<<<grid, 256, sizeof(Stage)>>>(from, to, 2.0f);
  cudaDeviceSynchronize();
}
