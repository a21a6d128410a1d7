// Control flow that splits warps; the host does the same in tests/replay/control_test.cpp.

__global__ void nested(const int* a, int* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i], r = 0;
  if (v & 1) {
    r += 10;
    if (v & 2) {
      r += c[i];
      if (v & 4) r *= 3;
    } else {
      r -= v;
    }
  } else {
    r += v & 8 ? 5 : 7;
  }
  c[i] = r + v;
}

__global__ void collatz(const int* a, int* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = a[i] + 1;
  int steps = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    if (++steps == 100) break;
    if (v % 5 == 0) continue;
    steps += v & 16 ? 1 : 0;
  }
  c[i] = steps;
}

__global__ void early_return(const int* a, int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < a[i] % 7; ++k) {
    if (k == 4) return;
    c[i] += k;
  }
  c[i] *= 2;
}

__global__ void chosen(const int* a, int* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = a[i];
  switch (v % 11) {
    case 0: v += 3; break;
    case 1: v *= 5; break;
    case 2: v ^= 0x55; break;
    case 3: v -= 9; c[i] = 1; break;
    case 4: v <<= 2; break;
    case 5: v = -v;  // falls through
    case 6: v |= 64; break;
    case 7: v /= 3; break;
    default: v = 1;
  }
  c[i] += v;
}
