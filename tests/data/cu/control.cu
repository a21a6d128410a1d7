#include <cassert>
#include <cstdio>

__global__ void switches(int* out, int which) {
  int value = out[threadIdx.x];
  switch (which) {
    case 0: value *= 3; break;
    case 1: value = value / 5 + out[1]; break;
    case 2: out[2] = value; break;
    case 3: value ^= out[3]; [[fallthrough]];
    case 4: value -= 11; break;
    case 5: value = out[value & 3]; break;
    case 6: value = __popc(value); break;
    case 7: value <<= 2; break;
    case 8: out[4] = out[5] / value; break;
    default: value = 0;
  }
  out[threadIdx.x] = value;
}

__global__ void loops(int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (out[i] < 0) continue;
    for (int j = i; j < n; ++j) {
      if (out[j] == 7) break;
      sum += out[j] * i;
      int k = out[j];
      while (k > 1) k = k % 2 ? 3 * k + 1 : k / 2, ++sum;
    }
    if (sum > 1000) return;
  }
  out[0] = sum;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int* out) { out[0] = fibonacci(out[1]); }

__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ int (*functions[2])(int) = {twice, thrice};
__global__ void indirect(int* out, int i) { out[0] = functions[i & 1](out[1]); }

__global__ void prints(const float* values, int n) {
  assert(n > 0);
  printf("%d %f\n", n, values[0]);
  if (n == 13) __trap();
}

__global__ void inline_assembly(unsigned* out, unsigned a) {
  unsigned r;
  asm volatile(
      "{\n\t.reg .pred p<2>;\n\t.reg .u32 t;\n\tsetp.eq.u32 p0, %1, 3;\n\t@!p0 bra SKIP;\n\tadd.u32 t, %1, 010; /* octal */\n\tmov.u32 %0, t;\n\tbra.uni DONE;\n"
      "SKIP: mov.u32 %0, 0b101;\nDONE:\n\t}"
      : "=r"(r)
      : "r"(a));
  out[0] = r;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p bra DONE; mov.u32 %0, 1; DONE: }" : "=r"(r) : "r"(r));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out[1]) : "r"(r), "r"(a), "r"(out[2]));
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(out[3]) : "r"(r), "r"(a), "r"(out[2]));
  asm("add.cc.u32 %0, %1, %2;\n\taddc.u32 %0, %0, 0;" : "=r"(out[4]) : "r"(r), "r"(a));
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(out[5]) : "r"(a));
}
