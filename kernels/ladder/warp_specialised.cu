// tma_wgmma with roles: a warpgroup copies and does nothing else, two multiply and never wait for each other.
// - The copying warpgroup leaves its registers to the others (setmaxnreg). It waits until a stage is empty,
//   they wait until it is full: an mbarrier each. A stage is released a step late, so that a group of wgmma is
//   always under way.
// - Two blocks, one above the other in C, are a cluster and need the same tile of B: each copies half of it
//   into both (multicast).
// - A block has several tiles of C. Copies for the next one begin while this one is stored. Blocks that run at
//   the same time are near each other: they share A and B in the second-level cache.
// - Warps write their sums to shared memory, 64 x 32 at a time and swizzled, and TMA stores them.
//
// Needs compute capability 9.0a: clusters, TMA, wgmma, setmaxnreg.
//
// m and n are multiples of 256, p of 64: the launcher pads with zeros. gridDim.x is even.

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

constexpr int M = 128;        // Rows of C a tile: 64 a warpgroup
constexpr int N = 256;        // Columns of C a tile
constexpr int K = 64;         // Columns of A a step: 128 bytes
constexpr int kCluster = 2;   // Blocks
constexpr int kMultiply = 2;  // Warpgroups that multiply
constexpr int kThreads = 128 * (kMultiply + 1);
constexpr int kGroup = 8;    // Rows of tiles
constexpr int kStored = 32;  // Columns that one copy stores: 128 bytes
constexpr int kBuffers = 2;  // While TMA reads one, the other is written

template <class Value>
struct alignas(1024) Stage {
  Value a[M][K];
  Value b[N / 64][K][64];
};
template <class Value, int S>
struct Tiles {
  Stage<Value> stages[S];
  float c[kMultiply][kBuffers][64][kStored];
  std::uint64_t full[S];   // A phase ends when a stage's tiles have arrived,
  std::uint64_t empty[S];  // and when the multiplying warpgroups of both blocks have read them
};

// PTX takes addresses in the shared window.
__device__ unsigned shared(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}
__device__ void init(std::uint64_t& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&barrier)), "r"(arrivals) : "memory");
}
// Makes the phase wait for these bytes, too, and arrives.
__device__ void expect_bytes(std::uint64_t& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&barrier)), "r"(bytes)
               : "memory");
}
// Waits until the phase of that parity has ended.
__device__ void wait(std::uint64_t& barrier, int parity) {
  asm volatile(
      "{ .reg .pred ended;"
      "again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;"
      "@!ended bra again; }" ::"r"(shared(&barrier)), "r"(parity)
      : "memory");
}
// Copies the box that begins at that column and row of the tensor; the barrier counts its bytes.
__device__ void copy(void* to, const CUtensorMap& from, int col, int row, std::uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)), "l"(&from), "r"(col), "r"(row), "r"(shared(&barrier))
      : "memory");
}
// Copies it to the same place in each block of the cluster, where the barrier at that place counts its bytes.
__device__ void copy_to_all(void* to, const CUtensorMap& from, int col, int row, std::uint64_t& barrier) {
  constexpr unsigned short kAll = (1 << kCluster) - 1;
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared(to)),
      "l"(&from), "r"(col), "r"(row), "r"(shared(&barrier)), "h"(kAll)
      : "memory");
}
__device__ void store(const CUtensorMap& to, int col, int row, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
               "r"(col), "r"(row), "r"(shared(from))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until no more than so many stores have still to read shared memory.
template <int kStores>
__device__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kStores) : "memory");
}
// Arrives in each block of the cluster. Relaxed, since wgmma alone has read the stage, and has been waited for.
// A release at the scope of the cluster is MEMBAR.ALL.GPU in machine code, which took a quarter of the speed.
__device__ void release(std::uint64_t& empty, int thread) {
  if (thread < kCluster) {
    asm volatile(
        "{ .reg .b32 there;"
        "mapa.shared::cluster.u32 there, %0, %1;"
        "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [there]; }" ::"r"(shared(&empty)),
        "r"(thread)
        : "memory");
  }
}
__device__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ void wait_for_warpgroup(int warpgroup) {
  asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");
}

// Describes a tile to wgmma: rows of 128 bytes, swizzled, 8 of which take 1,024 bytes. `next`: bytes from 64
// columns of B to the next 64; A's tile has no more than 64.
__device__ std::uint64_t describe(const void* tile, int next) {
  constexpr std::uint64_t kRows8 = 1024, kSwizzle128 = 1;
  return (shared(tile) & 0x3ffff) >> 4 | std::uint64_t(next >> 4) << 16 | kRows8 >> 4 << 32 |
         kSwizzle128 << 62;
}
// Adds the product of the 64 x 16 values of A and the 16 x 256 of B that the two describe; without `add`,
// stores it.
#define SUMS(j) "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
#define SUMS_16(j) SUMS(j), SUMS(j + 1), SUMS(j + 2), SUMS(j + 3)
#define MULTIPLY_ADD(type)                                                                                \
  asm volatile(                                                                                           \
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;"                                                       \
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " "                                    \
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                           \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                  \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                  \
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "                  \
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                  \
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                  \
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "      \
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, " \
      "%128, %129, add, 1, 1, 0, 1; }"                                                                    \
      : SUMS_16(0), SUMS_16(4), SUMS_16(8), SUMS_16(12),                                                  \
        SUMS_16(16), SUMS_16(20), SUMS_16(24), SUMS_16(28)                                                \
      : "l"(a), "l"(b), "r"(add))
using Sums = float[N / 8][4];
__device__ void multiply_add(Sums& sum, std::uint64_t a, std::uint64_t b, int add, __half) {
  MULTIPLY_ADD("f16");
}
__device__ void multiply_add(Sums& sum, std::uint64_t a, std::uint64_t b, int add, __nv_bfloat16) {
  MULTIPLY_ADD("bf16");
}
// Multiplies 64 rows of A's tile, from y on, by B's. wgmma works on while the warps go on: the fence comes
// before, and until the group has been waited for nothing may touch the sums or the stage.
template <class Value>
__device__ void multiply_stage(Sums& sum, const Stage<Value>& stage, int y, bool first) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < K; k += 16) {
    multiply_add(sum, describe(&stage.a[y][k], 0), describe(&stage.b[0][k], sizeof(stage.b[0])),
                 !first || k > 0, Value());
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

struct Tile {
  int row, col;
};
// Returns where tile i of C is: tiles lie in groups of rows of tiles, in a group column by column, downwards.
__device__ Tile tile_of(int i, int m, int n) {
  const int columns = n / N;
  const int group = i / (kGroup * columns);
  const int rows = min(kGroup, m / M - group * kGroup);
  const int in_group = i % (kGroup * columns);
  return {(group * kGroup + in_group % rows) * M, in_group / rows * N};
}

template <class Value, int S>
__global__ __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1) void warp_specialised(
    const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
    const __grid_constant__ CUtensorMap C, int m, int p, int n) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Tiles<Value, S>& tiles = *reinterpret_cast<Tiles<Value, S>*>(memory);

  const int thread = threadIdx.x % 128;
  const int warpgroup = threadIdx.x / 128;
  const int count = m / M * (n / N);
  int rank;  // Of the block in its cluster
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));

  if (threadIdx.x == 0) {
    for (int i = 0; i < S; ++i) {
      init(tiles.full[i], 1);
      init(tiles.empty[i], kMultiply * kCluster);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  wait_for_cluster();

  int stage = 0;
  int phase = 0;
  const auto next_stage = [&] {
    if (++stage == S) {
      stage = 0;
      phase ^= 1;
    }
  };

  if (warpgroup == kMultiply) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (thread == 0) {
      for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const Tile tile = tile_of(i, m, n);
        for (int k = 0; k < p; k += K) {
          Stage<Value>& to = tiles.stages[stage];
          std::uint64_t& full = tiles.full[stage];
          wait(tiles.empty[stage], phase ^ 1);  // Stages are empty at first
          expect_bytes(full, sizeof(to));
          copy(to.a, A, k, tile.row, full);
#pragma unroll
          for (int j = 0; j < N / 64 / kCluster; ++j) {
            const int part = rank * (N / 64 / kCluster) + j;
            copy_to_all(to.b[part], B, tile.col + part * 64, k, full);
          }
          next_stage();
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int lane = thread % 32;
    const int y = warpgroup * 64;                    // The warpgroup's first row of a tile
    const int c_row = thread / 32 * 16 + lane / 4;   // The thread's first row of these 64
    int buffer = 0;
    Sums sum;
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
      const Tile tile = tile_of(i, m, n);
      int before = 0;  // The stage of the step before
      for (int k = 0; k < p; k += K) {
        wait(tiles.full[stage], phase);
        multiply_stage(sum, tiles.stages[stage], y, k == 0);
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (k > 0) {
          release(tiles.empty[before], thread);
        }
        before = stage;
        next_stage();
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      release(tiles.empty[before], thread);

#pragma unroll
      for (int col = 0; col < N; col += kStored) {
        float(&c)[64][kStored] = tiles.c[warpgroup][buffer];
        if (thread == 0) {
          wait_for_stores<kBuffers - 1>();
        }
        wait_for_warpgroup(warpgroup);
#pragma unroll
        for (int j = 0; j < kStored / 8; ++j) {
          const float(&values)[4] = sum[col / 8 + j];
          const int piece = (j * 2 + lane % 4 / 2) ^ (lane / 4);  // Of 16 bytes, in rows c_row and c_row + 8
          const int c_col = piece * 4 + lane % 2 * 2;
          *reinterpret_cast<float2*>(&c[c_row][c_col]) = {values[0], values[1]};
          *reinterpret_cast<float2*>(&c[c_row + 8][c_col]) = {values[2], values[3]};
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        wait_for_warpgroup(warpgroup);
        if (thread == 0) {
          store(C, tile.col + col, tile.row + y, c);
        }
        buffer ^= 1;
      }
    }
    if (thread == 0) {
      wait_for_stores<0>();
    }
    __syncwarp();
  }
  wait_for_cluster();  // The other block may still arrive at barriers of this one
}

template __global__ void warp_specialised<__half, 3>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, int, int, int);
template __global__ void warp_specialised<__half, 4>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, int, int, int);
template __global__ void warp_specialised<__nv_bfloat16, 3>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, int, int, int);
template __global__ void warp_specialised<__nv_bfloat16, 4>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap, int, int, int);
