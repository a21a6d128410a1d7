// Races within a warp and between blocks, and what looks like one and is none. tests/replay/races_in_cuda_test.cpp names the lines;
// tools/dev/check-races.sh holds the kernels of shared memory against compute-sanitizer, for which `main` launches one of them by its name.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

// ---- within a warp: 64 threads a block

__global__ void shifted(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];       // line 14
  out[threadIdx.x] = s[threadIdx.x ^ 1];  // line 15
}

__global__ void shifted_with_syncwarp(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void shifted_with_shuffle(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  const int first = __shfl_sync(0xffffffffu, in[threadIdx.x], 0);
  out[threadIdx.x] = s[threadIdx.x ^ 1] + first;
}

__global__ void sum_of_old(const int* in, int* out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] += s[threadIdx.x + 32];
    s[threadIdx.x] += s[threadIdx.x + 16];  // line 38
    s[threadIdx.x] += s[threadIdx.x + 8];   // line 39
    if (threadIdx.x == 0) out[0] = s[0];
  }
}

__global__ void sum_of_tiles(const int* in, int* out) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  for (int half = 8; half > 0; half /= 2) {
    int other = 0;
    if (tile.thread_rank() < half) other = s[threadIdx.x + half];
    tile.sync();
    if (tile.thread_rank() < half) s[threadIdx.x] += other;
    tile.sync();
  }
  if (tile.thread_rank() == 0) out[threadIdx.x / 16] = s[threadIdx.x];
}

__global__ void halves_of_a_warp(const int* in, int* out) {
  __shared__ int s[64];
  if ((threadIdx.x & 16) == 0) {
    s[threadIdx.x] = in[threadIdx.x];  // line 62
  } else {
    out[threadIdx.x] = s[threadIdx.x ^ 16];  // line 64
  }
}

__global__ void own_words(const int* in, int* out) {
  __shared__ int s[64][4];
  for (int i = 0; i < 4; ++i) s[threadIdx.x][i] = in[threadIdx.x] + i;
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i < 4; ++i) s[threadIdx.x][i] += s[threadIdx.x][i - 1];
  }
  out[threadIdx.x] = s[threadIdx.x][3];
}

__global__ void counted(const int* in, int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

// ---- between blocks: compute-sanitizer looks at shared memory only

__global__ void smooth(int* a) {  // in place: 8 blocks of 64
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int left = i > 0 ? a[i - 1] : 0;  // line 90
  __syncthreads();
  a[i] = a[i] + left;  // line 92
}

__device__ int last_counter;
__global__ void sum_by_the_last_block(const int* in, int* partial, int* out, bool fence) {
  __shared__ bool is_last;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    if (fence) __threadfence();
    is_last = atomicAdd(&last_counter, 1) == static_cast<int>(gridDim.x) - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += partial[b];
    *out = all;
    last_counter = 0;
  }
}

__global__ void sum_by_the_first_block(const int* in, int* partial, int* out) {
  if (threadIdx.x == 0) partial[blockIdx.x] = in[blockIdx.x];  // line 118
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    for (unsigned b = 0; b < gridDim.x; ++b) *out += partial[b];  // line 120
  }
}

__device__ int lock_word;
__global__ void under_a_lock(int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(&lock_word, 0);
}

__global__ void across_the_grid(int* a, int* b) {  // a cooperative launch
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int round = 0; round < 4; ++round) {
    b[i] = a[(i + 1) % n] + 1;
    cg::this_grid().sync();
    a[i] = b[(i + 7) % n];
    cg::this_grid().sync();
  }
}

int main(int count, char** names) {
  int *in = nullptr, *out = nullptr, *more = nullptr;
  for (int** buffer : {&in, &out, &more}) {
    cudaMalloc(buffer, 4096);
    cudaMemset(*buffer, 0, 4096);
  }
  const auto is = [&](const char* name) { return count > 1 && std::strcmp(names[1], name) == 0; };
  if (is("shifted")) shifted<<<1, 64>>>(in, out);
  if (is("shifted_with_syncwarp")) shifted_with_syncwarp<<<1, 64>>>(in, out);
  if (is("shifted_with_shuffle")) shifted_with_shuffle<<<1, 64>>>(in, out);
  if (is("sum_of_old")) sum_of_old<<<1, 64>>>(in, out);
  if (is("sum_of_tiles")) sum_of_tiles<<<1, 64>>>(in, out);
  if (is("halves_of_a_warp")) halves_of_a_warp<<<1, 64>>>(in, out);
  if (is("own_words")) own_words<<<1, 64>>>(in, out);
  if (is("counted")) counted<<<1, 64>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
