// What compute capability 8.0 adds: extrema, sums that are at least 0, and the same of bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__device__ T as(unsigned bits) { return *reinterpret_cast<const T*>(&bits); }
template <class T>
__device__ unsigned bits_of(T pair) { return *reinterpret_cast<const unsigned*>(&pair); }

// warplens: grid=2 block=64 out=u32[2048]
__global__ void half_choices(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = i * 2654435761u, b = i * 40503u + 0x3f803c00u, c = i * 97u ^ 0xbf003c01u;
  using H = __half2;
  using B = __nv_bfloat162;
  out += i * 16;
  out[0] = bits_of(__hmin2(as<H>(a), as<H>(b)));
  out[1] = bits_of(__hmax2(as<H>(a), as<H>(c)));
  out[2] = bits_of(__hmin2_nan(as<H>(a), as<H>(b)));
  out[3] = bits_of(__hfma2_relu(as<H>(a), as<H>(b), __hneg2(as<H>(c))));
  out[4] = bits_of(__hmin2(as<B>(a), as<B>(b)));
  out[5] = bits_of(__hmax2_nan(as<B>(a), as<B>(c)));
  out[6] = bits_of(__hfma2(as<B>(a), as<B>(b), as<B>(c)));
  out[7] = bits_of(__hfma2_relu(as<B>(b), as<B>(c), as<B>(a)));
  unsigned short half;
  asm("tanh.approx.f16 %0, %1;" : "=h"(half) : "h"(static_cast<unsigned short>(b)));
  out[8] = half;
  unsigned pair;
  asm("ex2.approx.f16x2 %0, %1;" : "=r"(pair) : "r"(b));
  out[9] = pair;
  out[10] = bits_of(__floats2bfloat162_rn(0.1f * i, -7.0f * i));
  out[11] = __half_as_ushort(__hmax(as<__half>(a), as<__half>(b)));
}
