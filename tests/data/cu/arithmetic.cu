#include <cstdint>
// One of each of the plainer instructions, for several types.
__global__ void floats(float* f, double* d, const float x, const double y) {
  f[0] = sqrtf(x), f[1] = 1 / x, f[2] = sinf(x), f[3] = __cosf(x), f[4] = log2f(x), f[5] = tanhf(x), f[6] = fabsf(x), f[7] = copysignf(x, f[8]);
  f[9] = __frcp_rz(x), f[10] = __fsqrt_ru(x), f[11] = __fdiv_rd(x, f[12]), f[13] = __fmaf_rz(x, x, x), f[14] = __saturatef(x), f[15] = powf(x, f[1]);
  f[16] = floorf(x) + ceilf(x) + truncf(x) + rintf(x) + roundf(x), f[17] = isnan(x) ? 1.f : isinf(x) ? 2.f : 3.f, f[18] = fmodf(x, 3.f), f[19] = rsqrtf(x);
  f[20] = fminf(x, f[1]) + fmaxf(x, f[2]), f[21] = __int2float_rz(int(x)), f[22] = __uint_as_float(__float_as_uint(x) ^ 0x80000000u), f[23] = exp2f(x);
  d[0] = sqrt(y), d[1] = 1 / y, d[2] = exp(y), d[3] = log(y), d[4] = sin(y), d[5] = fma(y, y, y), d[6] = x, d[7] = rsqrt(y), d[8] = fabs(y) + floor(y);
  f[24] = float(y), f[25] = float(d[0]) * 0.5f, d[9] = y > d[1] ? y : d[2], d[10] = __dadd_rz(y, y), d[11] = y / d[3];
}

template <class T>
__global__ void integers(T* v, T a, T b) {
  v[0] = a + b, v[1] = a - b, v[2] = a * b, v[3] = b ? a / b : 0, v[4] = b ? a % b : 0, v[5] = a & b, v[6] = a | b, v[7] = a ^ b, v[8] = ~a;
  v[9] = a << (b & 7), v[10] = a >> (b & 7), v[11] = a < b ? a : b, v[12] = a > b ? a : b, v[13] = -a, v[14] = !a, v[15] = a / 7, v[16] = T(float(a)), v[17] = T(double(b));
}
template __global__ void integers<int8_t>(int8_t*, int8_t, int8_t);
template __global__ void integers<uint8_t>(uint8_t*, uint8_t, uint8_t);
template __global__ void integers<int16_t>(int16_t*, int16_t, int16_t);
template __global__ void integers<uint16_t>(uint16_t*, uint16_t, uint16_t);
template __global__ void integers<int32_t>(int32_t*, int32_t, int32_t);
template __global__ void integers<uint32_t>(uint32_t*, uint32_t, uint32_t);
template __global__ void integers<int64_t>(int64_t*, int64_t, int64_t);
template __global__ void integers<uint64_t>(uint64_t*, uint64_t, uint64_t);

__global__ void bits(unsigned* u, unsigned long long* w, int s) {
  u[0] = __funnelshift_l(u[1], u[2], s), u[3] = __funnelshift_rc(u[1], u[2], s), u[4] = __byte_perm(u[1], u[2], 0x5410), u[5] = __popcll(w[0]) + __clzll(w[0]);
  u[6] = __umulhi(u[1], u[2]), u[7] = __mul24(s, 9), u[8] = __sad(s, 3, u[1]), u[9] = __usad(u[1], u[2], 4u), u[10] = __dp4a(s, 7, 9), u[11] = __ffsll(w[1]);
  w[2] = __umul64hi(w[0], w[1]), w[3] = __brevll(w[0]), u[12] = (u[1] & u[2]) | (u[3] ^ u[4]), u[13] = (u[1] >> 5) & 0x3f, u[14] = __hadd(s, 3), u[15] = __rhadd(s, 4);
  u[16] = __vadd4(u[1], u[2]), u[17] = __dp2a_lo(s, 5, 6), u[18] = (u[1] & 0xffff00ffu) | ((s & 0xff) << 8), w[4] = (w[0] << 13) | (w[0] >> 51), u[19] = abs(s);
}

__global__ void specials(unsigned* out, long long* wide) {
  unsigned lane, mask, warp, sm;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  out[threadIdx.x + threadIdx.y + threadIdx.z] = lane + mask + warp + sm + blockIdx.z + gridDim.y + blockDim.z + warpSize;
  wide[0] = clock64();
  out[100] = clock();
}
