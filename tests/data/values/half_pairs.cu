// Arithmetic on pairs of halves of any bits, with signs, halves of both and numbers as operands.
#include <cuda_fp16.h>

__device__ __half2 pair_of(unsigned bits) { return *reinterpret_cast<const __half2*>(&bits); }
__device__ unsigned bits_of(__half2 pair) { return *reinterpret_cast<const unsigned*>(&pair); }

// warplens: grid=2 block=64 out=u32[2048]
__global__ void half_pairs(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 a = pair_of(i * 2654435761u), b = pair_of(i * 40503u + 0x3c003800u), c = pair_of(i * 97u ^ 0xb8003c01u);
  out += i * 16;
  out[0] = bits_of(__hfma2(a, b, c));
  out[1] = bits_of(__hadd2(a, __hneg2(b)));
  out[2] = bits_of(__hmul2(__habs2(a), __low2half2(b)));
  out[3] = bits_of(__hfma2(__high2half2(a), b, __float2half2_rn(1.5f)));
  out[4] = bits_of(__hadd2_sat(b, c));
  out[5] = bits_of(__hfma2_sat(a, c, b));
  out[6] = bits_of(__hgt2(b, c));
  out[7] = bits_of(__hleu2(a, c));
  out[8] = __hbge2(b, c) * 2 + __hbltu2(a, b);
  out[9] = bits_of(__hmul2_sat(b, c));
  const __half low = __low2half(b), high = __high2half(c);
  out[10] = __half_as_ushort(low * high + __low2half(a));
  out[11] = (low < high) * 4 + (low == __high2half(b)) * 2 + __hisnan(__low2half(a));
  out[12] = bits_of(__hfma2(a, __floats2half2_rn(0.25f, -3.0f), __lowhigh2highlow(c)));
  out[13] = bits_of(__hsub2(c, __half2half2(low)));
  out[13] ^= __half_as_ushort(__int2half_rn(static_cast<int>(i * 7919u) - 400000));
  out[14] = bits_of(__floats2half2_rn(0.1f * i, -7.0f * i));
  out[15] = __half_as_ushort(__uint2half_rn(i * 3u)) ^ __half_as_ushort(__float2half_rn(i * 0.3f));
}
