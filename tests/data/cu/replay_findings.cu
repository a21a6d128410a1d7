// Kernels with one thing wrong each, or with something that only looks wrong. Line numbers are named in tests/replay/findings_test.cpp.
#include <cstdint>

__global__ void past_the_end_of(float* c, int n) {
  c[n + threadIdx.x] = 1.0f;  // line 5
}

__global__ void misaligned(const char* a, float* c) {
  c[threadIdx.x] = *reinterpret_cast<const float*>(a + 4 * threadIdx.x + (threadIdx.x == 3 ? 2 : 0));  // line 9
}

__global__ void uninitialised(float* c) {
  __shared__ float s[64];
  if (threadIdx.x != 7) s[threadIdx.x] = 1.0f;
  __syncthreads();
  c[threadIdx.x] = s[threadIdx.x];  // line 16
}

__global__ void race_without_barrier(float* c) {
  __shared__ float s[64];
  s[threadIdx.x] = c[threadIdx.x];  // line 21
  c[threadIdx.x] = s[63 - threadIdx.x];  // line 22
}

__global__ void race_of_one_store(int* c) {
  __shared__ int s[2];
  s[threadIdx.x & 1] = threadIdx.x;  // line 27
  __syncthreads();
  c[threadIdx.x] = s[threadIdx.x & 1];
}

__global__ void one_value_by_many(int* c, int v) {
  __shared__ int s[1];
  s[0] = v;
  __syncthreads();
  c[threadIdx.x] = s[0];
}

__global__ void barrier_in_a_branch(float* c) {
  __shared__ float s[64];
  s[threadIdx.x] = c[threadIdx.x];
  if (threadIdx.x < 40) {
    __syncthreads();  // line 43
    c[threadIdx.x] = s[63 - threadIdx.x];
  }
  c[threadIdx.x] += 1.0f;
}

__global__ void two_barriers(float* c) {
  __shared__ float s[64];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = 1.0f;
    __syncthreads();  // line 53
  } else {
    s[threadIdx.x] = 2.0f;
    __syncthreads();  // line 56
  }
  c[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void early_exit(float* c, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = c[threadIdx.x];
  if (threadIdx.x >= n) return;
  __syncthreads();
  c[threadIdx.x] = s[n - 1 - threadIdx.x];
}

__global__ void histogram(const int* a, int* c) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[a[threadIdx.x] & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8) c[threadIdx.x] = bins[threadIdx.x];
}

__global__ void handed_over(float* c) {  // the second warp waits at barrier 1 for the first, which only arrives
  __shared__ float s[32];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = c[threadIdx.x];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    c[threadIdx.x] = s[63 - threadIdx.x];
  }
}

__global__ void spin_on_a_flag(int* c) {  // the first warp waits for the last one's word
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (flag == 0) {
    }
    c[threadIdx.x] = flag;
  } else if (threadIdx.x == 32) {
    flag = 7;
  }
}

__global__ void waits_for_ever(int* c) {
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  while (flag == 0) {
  }
  c[threadIdx.x] = 1;
}
