// Instructions of tensor cores and asynchronous copies. The listings are made by
//   nvcc -arch=sm_80 -cubin -o m.cubin matrices.cu && nvdisasm -c m.cubin > matrices_sm_80.sass
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
__device__ unsigned to_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
extern "C" __global__ void ldm(const float4* in, unsigned* out) {
  __shared__ __align__(16) unsigned char s[32 * 16 * 4];
  reinterpret_cast<float4*>(s)[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned a, b, c, d;
  unsigned at = to_shared(s + threadIdx.x * 16);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
  out[threadIdx.x] = a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
  out[threadIdx.x + 32] = a + b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  out[threadIdx.x + 64] = a + b + c + d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
  out[threadIdx.x + 96] = a + b + c + d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2+512];" : "=r"(a), "=r"(b) : "r"(at));
  out[threadIdx.x + 128] = a + b;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(c) : "r"(a));
  out[threadIdx.x + 160] = c;
}
extern "C" __global__ void cpa(const float* in, float* out, int n) {
  __shared__ __align__(16) float s[2][256];
  unsigned at = to_shared(&s[0][threadIdx.x * 4]);
  int t = threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + t * 4));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + 1024), "l"(in + t * 4 + 256));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;");
  __syncthreads();
  out[t] = s[0][t];
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to_shared(&s[0][t])), "l"(in + t));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8;" ::"r"(to_shared(&s[0][t * 2])), "l"(in + t * 2));
  int valid = t < n ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + t * 4), "r"(valid));
  asm volatile("{.reg .pred p; setp.lt.s32 p, %2, 5; @p cp.async.cg.shared.global.L2::256B [%0], [%1], 16;}" ::"r"(at), "l"(in + t * 4), "r"(n));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[t + 64] = s[0][t];
}
extern "C" __global__ void wm(const half* a, const half* b, float* c, half* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fd;
  wmma::fill_fragment(fc, 0.f);
  wmma::fill_fragment(fd, __float2half(0.f));
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
}
extern "C" __global__ void mmas(const unsigned* in, unsigned* out, double* dd) {
  int t = threadIdx.x;
  unsigned a0 = in[t], a1 = in[t+32], a2 = in[t+64], a3 = in[t+96], b0 = in[t+128], b1 = in[t+160];
  float c0=0,c1=0,c2=0,c3=0; unsigned h0=0,h1=0; int i0=0,i1=0,i2=0,i3=0;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(c0),"+f"(c1),"+f"(c2),"+f"(c3) : "r"(a0),"r"(a1),"r"(b0));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c0),"+f"(c1),"+f"(c2),"+f"(c3) : "r"(a0),"r"(a1),"r"(a2),"r"(a3),"r"(b0),"r"(b1));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" : "+r"(h0),"+r"(h1) : "r"(a0),"r"(a1),"r"(a2),"r"(a3),"r"(b0),"r"(b1));
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(c0),"+f"(c1),"+f"(c2),"+f"(c3) : "r"(a0),"r"(a1),"r"(b0));
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(i0),"+r"(i1) : "r"(a0),"r"(b0));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(i0),"+r"(i1),"+r"(i2),"+r"(i3) : "r"(a0),"r"(a1),"r"(a2),"r"(a3),"r"(b0),"r"(b1));
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(i0),"+r"(i1),"+r"(i2),"+r"(i3) : "r"(a0),"r"(a1),"r"(a2),"r"(a3),"r"(b0),"r"(b1));
  asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(i0),"+r"(i1),"+r"(i2),"+r"(i3) : "r"(a0),"r"(a1),"r"(a2),"r"(a3),"r"(b0),"r"(b1));
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;" : "+f"(c0),"+f"(c1),"+f"(c2),"+f"(c3) : "r"(a0),"r"(a1),"r"(a2),"r"(a3),"r"(b0),"r"(b1),"r"(a0),"r"(a1),"r"(b1));
  double x0=dd[t], x1=dd[t+32], ya=dd[t+64], yb=dd[t+96];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(x0),"+d"(x1) : "d"(ya),"d"(yb));
  dd[t] = x0; dd[t+32] = x1;
  out[t] = __float_as_uint(c0+c1+c2+c3)+h0+h1+i0+i1+i2+i3;
}
