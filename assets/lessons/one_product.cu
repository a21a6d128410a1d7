// One product on tensor cores: a warp multiplies 16 x 16 values of A by 16 x 8 of B and adds C. The values are scaled, so that sums lose bits.
//
// Needs compute capability 8.0: mma.m16n8k16.
//
// warplens: grid=1 block=32 A=f16[16][16]:random B=f16[16][8]:random C=f32[16][8]:random

#include <cuda_fp16.h>

__global__ void one_product(const __half* A, const __half* B, float* C) {
  const int row = threadIdx.x / 4;
  const int pair = threadIdx.x % 4 * 2;
  __half2 a[4], b[2];
  for (int i = 0; i < 4; ++i) {
    const __half2 values = *reinterpret_cast<const __half2*>(&A[(row + i % 2 * 8) * 16 + pair + i / 2 * 8]);
    a[i] = __hmul2(values, __float2half2_rn(0.3f));
  }
  for (int i = 0; i < 2; ++i) {
    const __half2 values{B[(pair + i * 8) * 8 + row], B[(pair + i * 8 + 1) * 8 + row]};
    b[i] = __hmul2(values, __float2half2_rn(0.7f));
  }
  float2* const upper = reinterpret_cast<float2*>(&C[row * 8 + pair]);
  float2* const lower = reinterpret_cast<float2*>(&C[(row + 8) * 8 + pair]);
  float2 c0{100.1f * upper->x, 100.1f * upper->y};
  float2 c1{100.1f * lower->x, 100.1f * lower->y};
  const unsigned* const x = reinterpret_cast<const unsigned*>(a);
  const unsigned* const y = reinterpret_cast<const unsigned*>(b);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c0.x), "+f"(c0.y), "+f"(c1.x), "+f"(c1.y)
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  *upper = c0;
  *lower = c1;
}
