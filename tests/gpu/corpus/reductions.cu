// Sums of an array, in the ways that courses teach them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void reduce_interleaved(const int* in, int* out, int n) {
  extern __shared__ int data[];
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  data[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) data[tid] += data[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

extern "C" __global__ void reduce_sequential_float(const float* in, float* out, int n) {
  __shared__ float data[256];
  unsigned tid = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 512 + tid; i < n; i += gridDim.x * 512) {
    sum += in[i];
    if (i + 256 < n) sum += in[i + 256];
  }
  data[tid] = sum;
  __syncthreads();
  for (unsigned s = 128; s > 0; s >>= 1) {
    if (tid < s) data[tid] += data[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

template <class T>
__device__ void block_sum(const T* in, T* out, int n) {
  __shared__ T partial[32];
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0);
    sum = warp_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}
extern "C" __global__ void reduce_shuffle_double(const double* in, double* out, int n) { block_sum(in, out, n); }
extern "C" __global__ void reduce_shuffle_long(const long long* in, long long* out, int n) { block_sum(in, out, n); }

extern "C" __global__ void reduce_redux(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int sum = __reduce_add_sync(0xffffffffu, v);
  int low = __reduce_min_sync(0xffffffffu, v), high = __reduce_max_sync(0xffffffffu, v);
  unsigned bits = __reduce_xor_sync(0xffffffffu, (unsigned)v);
  if (threadIdx.x % 32 == 0) {
    int w = i / 32;
    out[4 * w] = sum, out[4 * w + 1] = low, out[4 * w + 2] = high, out[4 * w + 3] = (int)bits;
  }
}

extern "C" __global__ void reduce_tiles(const int* in, int* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int top = cg::reduce(tile, v, cg::greater<int>());
  block.sync();
  if (tile.thread_rank() == 0 && i < n) out[i / 8] = sum * 1000 + top;
}

extern "C" __global__ void reduce_coalesced(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int sum = cg::reduce(active, in[i], cg::plus<int>());
    if (active.thread_rank() == 0) atomicAdd(out, sum);
  }
}

__device__ unsigned int tickets = 0;
extern "C" __global__ void reduce_last_block(const int* in, volatile int* partial, int* out, int n) {
  __shared__ int data[128];
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  data[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) data[threadIdx.x] += data[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = data[0];
    __threadfence();
    unsigned ticket = atomicInc(&tickets, gridDim.x);
    last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}

extern "C" __global__ void dot_atomic(const float* a, const float* b, float* out, int n) {
  __shared__ float block_total;
  if (threadIdx.x == 0) block_total = 0;
  __syncthreads();
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
  sum = warp_sum(sum);
  if ((threadIdx.x & 31) == 0) atomicAdd(&block_total, sum);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, block_total);
}

extern "C" __global__ void argmax_rows(const float* in, int* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float best = -3.4e38f;
  int where = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    if (row[i] > best) best = row[i], where = i;
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, best, offset);
    int place = __shfl_xor_sync(0xffffffffu, where, offset);
    if (other > best || (other == best && place < where)) best = other, where = place;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = where;
}
