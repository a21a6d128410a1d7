// Kernels whose blocks wait for the whole grid.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each block leaves a sum; when all have, one thread adds them.
extern "C" __global__ void reduce(const int* in, int* partial, int* out, int n) {
  const cg::grid_group grid = cg::this_grid();
  int sum = 0;
  for (auto i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
  __shared__ int sums[256];
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  sums[thread] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x * blockDim.y / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) partial[grid.block_rank()] = sums[0];
  grid.sync();
  if (grid.thread_rank() == 0) {
    int total = 0;
    for (unsigned block = 0; block < grid.num_blocks(); ++block) total += partial[block];
    *out = total;
  }
}

// Steps of diffusion in a ring: every thread's neighbours must have taken the step before.
extern "C" __global__ void diffuse(int* a, int* b, int steps) {
  const cg::grid_group grid = cg::this_grid();
  const auto n = static_cast<unsigned>(grid.size()), i = static_cast<unsigned>(grid.thread_rank());
  for (int step = 0; step < steps; ++step) {
    b[i] = a[(i + n - 1) % n] + 2 * a[i] + a[(i + 1) % n];
    grid.sync();
    int* const last = a;
    a = b;
    b = last;
  }
}

// Arrives, does something else, then waits; block 0 stays away if it is told to.
extern "C" __global__ void arrive_and_wait(int* out, int stays_away) {
  cg::grid_group grid = cg::this_grid();
  if (stays_away && blockIdx.x == 0) return;
  auto token = grid.barrier_arrive();
  if (threadIdx.x == 0) out[blockIdx.x] = grid.is_valid();
  grid.barrier_wait(std::move(token));
  if (threadIdx.x == 0) out[gridDim.x + blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
}
