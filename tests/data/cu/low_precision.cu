#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const __half* a, const __half2* b, __half* c, __half2* d, float* f, int n) {
  const __half x = a[threadIdx.x], y = a[threadIdx.x + 1];
  c[0] = __hadd(x, y), c[1] = __hmul(x, y), c[2] = __hfma(x, y, x), c[3] = __hneg(x), c[4] = hsqrt(x), c[5] = hexp(x), c[6] = __hmax(x, y);
  const __half2 p = b[0], q = b[1];
  d[0] = __hadd2(p, q), d[1] = __hmul2(p, q), d[2] = __hfma2(p, q, p), d[3] = __floats2half2_rn(f[0], f[1]), d[4] = __hsub2(p, q), d[5] = h2rcp(p);
  f[2] = __half2float(x) + __low2float(p) + __high2float(q), c[7] = __float2half_rz(f[3]), c[8] = __int2half_rn(n), f[4] = __half2int_rz(y);
  if (__hlt(x, y)) c[9] = x;
  if (__hbeq2(p, q)) d[6] = p;
}

__global__ void brains(const __nv_bfloat16* a, const __nv_bfloat162* b, __nv_bfloat16* c, __nv_bfloat162* d, float* f) {
#if __CUDA_ARCH__ >= 800
  const __nv_bfloat16 x = a[threadIdx.x], y = a[threadIdx.x + 1];
  c[0] = __hadd(x, y), c[1] = __hmul(x, y), c[2] = __hfma(x, y, x), c[3] = __float2bfloat16(f[0]), f[1] = __bfloat162float(x);
  d[0] = __hfma2(b[0], b[1], b[0]), d[1] = __floats2bfloat162_rn(f[2], f[3]), d[2] = __hmax2(b[0], b[1]);
  if (x > y) c[4] = y;
#endif
}
