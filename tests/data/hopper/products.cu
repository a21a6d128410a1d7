// warplens: grid=2,4 block=160 cluster=2,1,1 m=128 n=256 k=256 A=f16[m][k]:ints B=f16[n][k]:ints:2 C=f16[m][n] map_a=tensormap:f16[m][k]@A:box=64x64:swizzle=128B map_b=tensormap:f16[n][k]@B:box=64x64:swizzle=128B map_c=tensormap:f16[m][n]@C:box=64x64 arch=sm_90a
#include "hopper.cuh"

/// C = A * B, tiles of 64 x 64. The last warp fetches: rows of A each block for itself, and columns of B the first
/// block of a cluster for both.
__global__ void __launch_bounds__(160) products(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
                                                const __grid_constant__ TensorMap map_c, int k) {
  constexpr int kStages = 3, kTile = 64 * 64;
  __shared__ alignas(1024) half a[kStages][kTile], b[kStages][kTile];
  __shared__ alignas(128) half c[kTile];
  __shared__ unsigned long long full[kStages], empty[kStages];
  int warp = threadIdx.x / 32, rank = cluster_rank();
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; i++) {
      make(&full[i], 1);
      make(&empty[i], 2);
    }
    fence_made();
  }
  sync_cluster();
  int steps = k / 64;
  if (warp == 4) {
    if (elected()) {
      for (int step = 0; step < steps; step++) {
        int stage = step % kStages, parity = step / kStages & 1;
        wait(&empty[stage], parity ^ 1);
        expect(&full[stage], 2 * kTile * 2);
        load_box(a[stage], &map_a, 64 * step, 64 * (int)blockIdx.x, &full[stage]);
        if (rank == 0) load_box_for(b[stage], &map_b, 64 * step, 64 * (int)blockIdx.y, &full[stage], 3);
      }
    }
  } else {
    float d[32] = {};
    for (int step = 0; step < steps; step++) {
      int stage = step % kStages;
      wait(&full[stage], step / kStages & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int part = 0; part < 4; part++) {
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
            "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
              "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
              "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
              "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
            : "l"(descriptor(a[stage] + 16 * part)), "l"(descriptor(b[stage] + 16 * part)));
      }
      asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x < 2) arrive_at_rank(&empty[stage], threadIdx.x);
    }
    int lane = threadIdx.x % 32, row = 16 * warp + lane / 4;
    for (int i = 0; i < 8; i++) {
      int column = 8 * i + 2 * (lane % 4);
      *(half2*)&c[64 * row + column] = __floats2half2_rn(d[4 * i], d[4 * i + 1]);
      *(half2*)&c[64 * (row + 8) + column] = __floats2half2_rn(d[4 * i + 2], d[4 * i + 3]);
    }
    fence_stored();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
      store_box(&map_c, 64 * (int)blockIdx.y, 64 * (int)blockIdx.x, c);
      wait_for_stores();
    }
  }
  sync_cluster();
}
