// sum_pixels: grid=4 block=128 sum=f32[384] x=f32[12288]:ints pixels=tensormap:f32[2][12][16][32]@x:channels=32:pixels=96:lower=-1x-1:upper=-1x-1:swizzle=128B
// Adds up the channels of pixels as a convolution of 3 x 3 with a border of one pixel reads them: a block copies
// a column of pixels in im2col mode.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdlib>

constexpr int kImages = 2, kHeight = 12, kWidth = 16, kChannels = 32, kPixels = 96;

__device__ unsigned address_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void sum_pixels(const __grid_constant__ CUtensorMap pixels, float* sum) {
  __shared__ alignas(1024) float tile[kPixels * kChannels];
  __shared__ uint64_t full;
  const int first = blockIdx.x * kPixels, w = first % kWidth, h = first / kWidth % kHeight,
            n = first / kWidth / kHeight;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(&full)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(&full)),
                 "r"((unsigned)sizeof tile));
    const unsigned short one = 1;
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(address_of(tile)),
        "l"(&pixels), "r"(0), "r"(w - 1), "r"(h - 1), "r"(n), "r"(address_of(&full)), "h"(one), "h"(one)
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again;\n}" ::"r"(address_of(&full))
      : "memory");
  const int pixel = threadIdx.x;
  if (pixel >= kPixels) return;
  float total = 0;
  for (int piece = 0; piece < kChannels / 4; ++piece) {
    const float4 four = reinterpret_cast<const float4*>(tile)[pixel * 8 + (piece ^ pixel % 8)];
    total += four.x + four.y + four.z + four.w;
  }
  sum[first + pixel] = total;
}

int main() {
  const int size = kImages * kHeight * kWidth * kChannels;
  float *x, *sum;
  float* h = (float*)malloc(size * sizeof(float));
  for (int i = 0; i < size; ++i) h[i] = i % 10;
  cudaMalloc(&x, size * sizeof(float));
  cudaMalloc(&sum, kImages * kHeight * kWidth * sizeof(float));
  cudaMemcpy(x, h, size * sizeof(float), cudaMemcpyHostToDevice);
  cuuint64_t extents[4] = {kChannels, kWidth, kHeight, kImages};
  cuuint64_t strides[3] = {kChannels * 4, kWidth * kChannels * 4, kHeight * kWidth * kChannels * 4};
  int lower[2] = {-1, -1}, upper[2] = {-1, -1};
  cuuint32_t steps[4] = {1, 1, 1, 1};
  CUtensorMap pixels;
  cuTensorMapEncodeIm2col(&pixels, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, x, extents, strides, lower, upper, kChannels,
                          kPixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  sum_pixels<<<kImages * kHeight * kWidth / kPixels, 128>>>(pixels, sum);
  cudaDeviceSynchronize();
}
