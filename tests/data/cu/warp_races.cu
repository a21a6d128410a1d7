// What orders warps of a block in global memory, so that there is no race between them, and what does not.
// tests/replay/warp_races_in_cuda_test.cpp launches each.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void groups(int* a) {
  const auto block = cg::this_thread_block();
  const int next = a[(threadIdx.x + 1) % blockDim.x];
  block.sync();
  a[threadIdx.x] = next;
}

__global__ void locked(int* a, int* lock) {
  for (int l = 0; l < 32; ++l) {
    if ((threadIdx.x & 31) == l) {
      while (atomicCAS(lock, 0, 1) != 0) {}
      __threadfence();
      a[0] += 1;
      __threadfence();
      atomicExch(lock, 0);
    }
    __syncwarp();
  }
}

__global__ void filtered_max(int* out, const int* in) {
  int v = in[blockIdx.x * 128 + threadIdx.x];
  if (v > *out) atomicMax(out, v);
}

__global__ void hash_insert(int* keys, int* vals, const int* in) {
  int key = in[blockIdx.x * 128 + threadIdx.x] * 7 % 61;
  unsigned h = key * 2654435761u >> 22;
  while (true) {
    int k = keys[h];
    if (k == -1) k = atomicCAS(&keys[h], -1, key);
    if (k == -1 || k == key) {
      atomicAdd(&vals[h], 1);
      break;
    }
    h = (h + 1) & 1023;
  }
}

__global__ void list_push(int* head, int* next) {
  int me = blockIdx.x * 128 + threadIdx.x;
  int old = *head, seen;
  do {
    seen = old;
    next[me] = seen;
    old = atomicCAS(head, seen, me);
  } while (old != seen);
}

__global__ void list_exch(int* head, int* next) {
  int me = blockIdx.x * 128 + threadIdx.x;
  next[me] = atomicExch(head, me);
}

__global__ void compact(int* n, int* out, const int* in) {
  int v = in[blockIdx.x * 128 + threadIdx.x];
  if (v % 3 == 0) out[atomicAdd(n, 1)] = v;
}

__global__ void warp_chain(int* sums, int* flags, const int* in, int* out) {
  int w = threadIdx.x / 32, v = in[threadIdx.x];
  int total = v;
  for (int d = 16; d; d /= 2)
    total += __shfl_xor_sync(0xffffffffu, total, d);
  int before = 0;
  if (w > 0) {
    if (threadIdx.x % 32 == 0) {
      while (atomicAdd(&flags[w - 1], 0) == 0) {}
      __threadfence();
      before = sums[w - 1];
    }
    before = __shfl_sync(0xffffffffu, before, 0);
  }
  if (threadIdx.x % 32 == 0) {
    sums[w] = before + total;
    __threadfence();
    atomicExch(&flags[w], 1);
  }
  out[threadIdx.x] = before + v;
}

__global__ void warp_chain_volatile(int* sums, volatile int* flags, const int* in, int* out) {
  int w = threadIdx.x / 32, v = in[threadIdx.x];
  if (w > 0) {
    while (flags[w - 1] == 0) {}
    __threadfence();
    v += sums[w - 1];
    __syncwarp();
  }
  if (threadIdx.x % 32 == 31) {
    sums[w] = v;
    __threadfence();
    flags[w] = 1;
  }
  out[threadIdx.x] = v;
}

__global__ void last_warp(int* part, int* out) {
  __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  int w = threadIdx.x / 32;
  int last = 0;
  if (threadIdx.x % 32 == 0) {
    part[blockIdx.x * 8 + w] = w;
    __threadfence();
    last = atomicAdd(&done, 1) == 7;
  }
  if (last) {
    __threadfence();
    int t = 0;
    for (int i = 0; i < 8; ++i)
      t += part[blockIdx.x * 8 + i];
    out[blockIdx.x] = t;
  }
}

__global__ void producer_consumer(int* buf, int* out) {
  for (int r = 0; r < 4; ++r) {
    if (threadIdx.x < 128) {
      asm volatile("bar.sync 2, 256;");
      buf[threadIdx.x] = threadIdx.x + r;
      asm volatile("bar.arrive 1, 256;");
    } else {
      asm volatile("bar.arrive 2, 256;");
      asm volatile("bar.sync 1, 256;");
      out[threadIdx.x] += buf[threadIdx.x - 128];
    }
  }
}

__global__ void cas_add(float* a, const float* in) {
  int* p = (int*)a;
  int old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __float_as_int(__int_as_float(seen) + in[blockIdx.x * 128 + threadIdx.x]));
  } while (seen != old);
}

__global__ void exch_add(float* a, const float* in) {
  float v = in[blockIdx.x * 128 + threadIdx.x];
  while ((v = atomicExch(a, atomicExch(a, 0.0f) + v)) != 0.0f) {}
}

__global__ void ticket_lock(int* ticket, volatile int* serving, int* a) {
  if (threadIdx.x % 32 == 0) {
    int me = atomicAdd(ticket, 1);
    while (*serving != me) {}
    __threadfence();
    *a += 1;
    __threadfence();
    *serving = *serving + 1;
  }
}

__global__ void sense_barrier(int* count, volatile int* gen, int* a, int* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int r = 0; r < 6; ++r) {
    if (r % 2 == 0)
      b[i] = a[255 - i];
    else
      a[i] = b[(i * 7 + 1) % 256];
    __syncthreads();
    if (threadIdx.x == 0) {
      int g = *gen;
      __threadfence();
      if (atomicAdd(count, 1) == gridDim.x - 1) {
        *count = 0;
        __threadfence();
        *gen = *gen + 1;
      } else
        while (*gen == g) {}
      __threadfence();
    }
    __syncthreads();
  }
}

__global__ void queue(int* q, int* tail, int* head, int* out) {
  int w = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (w < 2)
    for (int i = 0; i < 8; ++i) {
      int p = w * 8 + i;
      q[p] = p * 3;
      __threadfence();
      while (atomicCAS(tail, p, p + 1) != p) {}
    }
  else
    for (int i = 0; i < 8; ++i) {
      int h = atomicAdd(head, 1);
      while (atomicAdd(tail, 0) <= h) {}
      __threadfence();
      out[w * 32 + i] = q[h];
    }
}

__global__ void once(int* v, int* n) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 96) {
    v[blockIdx.x] = 42;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 0) {
    while (!ready) {}
    __threadfence_block();
    v[blockIdx.x + 2] = v[blockIdx.x];
  }
  if (threadIdx.x == 33) atomicAdd(n, 1);
}

// ---- and what is wrong

__global__ void rotate_in_place(int* a) {
  const int next = a[(threadIdx.x + 1) % blockDim.x];
  a[threadIdx.x] = next;
}

__global__ void count_up(int* count, const int* x) { count[x[blockIdx.x * blockDim.x + threadIdx.x] % 8]++; }

__global__ void read_what_was_queued(int* a, int* b) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  b[atomicAdd(&next, 1)] = a[threadIdx.x];
  a[threadIdx.x] = b[blockDim.x - 1 - threadIdx.x];
}

__global__ void add_by_exchange(int* out, const int* x) {
  atomicExch(out, *out + x[blockIdx.x * blockDim.x + threadIdx.x] + 1);
}
