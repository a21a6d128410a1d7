// Corners of the language: local arrays, switches, 64-bit and 16-bit integers, recursion-free control flow, printf-free.
__device__ int table_lookup(int kind, int v) {
  switch (kind) {
    case 0: return v + 1;
    case 1: return v * 3;
    case 2: return v ^ 0x55;
    case 3: return -v;
    case 4: return v / 7;
    case 5: return v % 5;
    case 6: return v << 3;
    case 7: return v >> 2;
    case 8: return v * v;
    default: return 0;
  }
}
extern "C" __global__ void switches(const int* kinds, const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table_lookup(kinds[i], in[i]);
}

extern "C" __global__ void local_array(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int counts[16] = {};
  for (int j = 0; j < 32; ++j) counts[(in[i] >> (j & 7)) & 15] += j;
  int best = 0;
  for (int j = 0; j < 16; ++j) best = counts[j] > counts[best] ? j : best;
  out[i] = best * 1000 + counts[best];
}

extern "C" __global__ void collatz(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i] + 1ull;
  unsigned steps = 0;
  while (v != 1) {
    if (v & 1) {
      v = 3 * v + 1;
    } else {
      v >>= 1;
      if (steps > 200) break;
    }
    ++steps;
    if (steps == 1000) return;
  }
  out[i] = steps;
}

extern "C" __global__ void mandelbrot(int* out, int width, double x0, double y0, double step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= width) return;
  double cr = x0 + x * step, ci = y0 + y * step, zr = 0, zi = 0;
  int k = 0;
  for (; k < 100; ++k) {
    double r2 = zr * zr, i2 = zi * zi;
    if (r2 + i2 > 4.0) break;
    zi = 2 * zr * zi + ci, zr = r2 - i2 + cr;
  }
  out[y * width + x] = k;
}

extern "C" __global__ void wide_integers(const long long* a, const long long* b, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long x = a[i], y = b[i] | 1;
  out[i * 6] = x / y, out[i * 6 + 1] = x % y, out[i * 6 + 2] = __mul64hi(x, y);
  out[i * 6 + 3] = (unsigned long long)x / (unsigned long long)y, out[i * 6 + 4] = (x << (y & 63)) ^ (x >> (y & 31)), out[i * 6 + 5] = __clzll(x) + __popcll(y);
}

extern "C" __global__ void narrow_integers(const short* a, const unsigned char* b, short* out, signed char* small, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  short x = a[i];
  unsigned char y = b[i];
  out[i] = (short)(x * y + (x / (short)(y | 1)) - (x % 13));
  small[i] = (signed char)(x >> (y & 7));
}

struct Particle {
  float x, y, z;
  int kind;
};
struct Force {
  Particle centre;
  float strength[3];
};
extern "C" __global__ void particles(Particle* p, Force force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle q = p[i];
  float dx = q.x - force.centre.x, dy = q.y - force.centre.y, dz = q.z - force.centre.z;
  float d2 = dx * dx + dy * dy + dz * dz + 1.f, s = force.strength[q.kind % 3];
  q.x += s * dx / d2, q.y += s * dy / d2, q.z += s * dz / d2, q.kind ^= 1;
  p[i] = q;
}

extern "C" __global__ void atomics(int* s, unsigned* u, unsigned long long* w, float* f, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  atomicAdd(&s[0], v), atomicSub(&s[1], v), atomicMin(&s[2], v), atomicMax(&s[3], v), atomicAnd(&s[4], v), atomicOr(&s[5], v), atomicXor(&s[6], v);
  atomicMin(&u[0], (unsigned)v), atomicMax(&u[1], (unsigned)v), atomicInc(&u[2], 17), atomicDec(&u[3], 17);
  atomicAdd(&w[0], (unsigned long long)v), atomicMax(&w[1], (unsigned long long)(unsigned)v * 77u);
  atomicAdd(&f[0], (float)v);
  int old = s[7], assumed;
  do {
    assumed = old;
    old = atomicCAS(&s[7], assumed, assumed + (v & 3));
  } while (assumed != old);
}

extern "C" __global__ void spin_lock(int* lock, int* total, const int* in) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total = *total * 3 % 1000003 + 0 * in[blockIdx.x] + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

extern "C" __global__ void bit_tricks(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  out[i] = __brev(v) ^ __popc(v) ^ (__clz(v) << 8) ^ (__ffs(v) << 16) ^ __byte_perm(v, ~v, 0x5140) ^ __funnelshift_l(v, v * 3, v & 31) ^ __vadd4(v, 0x01020304u);
}

extern "C" __global__ void maths(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  float* o = out + i * 8;
  o[0] = floorf(x) + ceilf(x * 0.5f), o[1] = truncf(x) - rintf(x * 1.5f), o[2] = fmodf(x, 3.25f), o[3] = sqrtf(fabsf(x));
  o[4] = fminf(x, 2.f) / fmaxf(x * x, 0.5f), o[5] = ldexpf(x, 3), o[6] = __fmaf_rz(x, x, 1.f) + __fadd_ru(x, 0.1f), o[7] = roundf(x) + copysignf(2.f, x);
}

extern "C" __global__ void transcendental(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  float* o = out + i * 8;
  o[0] = expf(x * 0.1f), o[1] = logf(fabsf(x) + 0.5f), o[2] = sinf(x), o[3] = cosf(x), o[4] = tanhf(x), o[5] = powf(fabsf(x) + 0.1f, 1.7f), o[6] = erff(x), o[7] = rsqrtf(fabsf(x) + 1.f);
}

extern "C" __global__ void double_maths(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i];
  out[i * 6] = exp(x * 0.1), out[i * 6 + 1] = log(fabs(x) + 0.5), out[i * 6 + 2] = sin(x), out[i * 6 + 3] = sqrt(fabs(x)), out[i * 6 + 4] = cbrt(x) + tanh(x), out[i * 6 + 5] = x / 3.7;
}

extern "C" __global__ void three_dimensions(int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) {
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[(z * ny + y) * nx + x] = x + 10 * y + 100 * z + 1000 * lane + 100000 * (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
  }
}

extern "C" __global__ void generic_pointers(int* a, const int* choice, int n) {
  __shared__ int s[128];
  int l[4] = {1, 2, 3, 4};
  s[threadIdx.x] = threadIdx.x * 2;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int c = choice[i];
  int* p = c % 3 == 0 ? &s[(threadIdx.x * 5) % 128] : c % 3 == 1 ? &l[c & 3] : &a[i];
  int value = *p;
  __syncwarp();
  a[i] = value + (p == &a[i] ? 100 : 0);
}

extern "C" __global__ void nested_loops(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int a = 0; a < (in[i] & 7); ++a) {
    for (int b = a; b < 6; ++b) {
      if (b == (in[i] >> 3 & 3)) continue;
      if (a * b > 9) goto done;
      for (int c = b; c > 0; c -= 2) sum += a * 100 + b * 10 + c;
    }
    sum ^= a;
  }
done:
  out[i] = sum;
}
