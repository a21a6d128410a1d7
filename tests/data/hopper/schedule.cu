// warplens: grid=2 block=64 tiles=16 queue=i32[tiles]:random in=i32[4096]:iota out=i32[4096] arch=sm_90a
#include "hopper.cuh"

/// Tiles are added 1 to in the order of a queue: which ones a block's two warps copy depends on what it loads.
__global__ void schedule(const int* queue, const int* in, int* out, int tiles) {
  constexpr int kTile = 128;
  __shared__ alignas(128) int tile[2][kTile];
  __shared__ int which[2];
  __shared__ unsigned long long full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++) {
      make(&full[i], 1);
      make(&empty[i], 32);
    }
    fence_made();
  }
  __syncthreads();
  int step = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x, step++) {
    int stage = step % 2, parity = step / 2 & 1;
    if (threadIdx.x >= 32) {
      wait(&empty[stage], parity ^ 1);
      if (threadIdx.x == 32) {
        int at = queue[t] & 31;
        which[stage] = at;
        expect(&full[stage], 4 * kTile);
        copy_in(tile[stage], in + kTile * at, 4 * kTile, &full[stage]);
      }
      __syncwarp();
    } else {
      wait(&full[stage], parity);
      int at = which[stage];
      for (int i = threadIdx.x; i < kTile; i += 32) tile[stage][i] += 1;
      fence_stored();
      __syncwarp();
      if (threadIdx.x == 0) {
        copy_out(out + kTile * at, tile[stage], 4 * kTile);
        wait_for_stores();
      }
      __syncwarp();
      arrive(&empty[stage]);
    }
  }
}
