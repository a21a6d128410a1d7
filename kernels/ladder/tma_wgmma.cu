// Hopper: one thread copies tiles by TMA, and groups of 4 warps multiply them by wgmma where they lie, in shared
// memory. A tensor map describes A, another one B: one instruction copies A's tile, or 64 x 64 values of B,
// with no addresses or registers of other threads, and an mbarrier counts the bytes that arrive.
// Rows of both tiles take 128 bytes, which TMA swizzles as wgmma reads them: piece c of row r is at
// c xor (r mod 8). So nothing conflicts. Each warpgroup has 64 x 256 elements of C, in 128 registers a thread.
//
// Copies are S steps ahead. But each step waits for its products, and then for the other warpgroup: tensor
// cores stand still meanwhile. See warp_specialised.
//
// Needs compute capability 9.0a: TMA, wgmma.
//
// m is a multiple of 128, n of 256, p of 64: the launcher pads with zeros.

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

constexpr int M = 128;  // Rows of C a block: 64 a warpgroup
constexpr int N = 256;  // Columns of C a block
constexpr int K = 64;   // Columns of A a step: 128 bytes
constexpr int kThreads = 256;

template <class Value>
struct alignas(1024) Stage {
  Value a[M][K];
  Value b[N / 64][K][64];
};
template <class Value, int S>
struct Tiles {
  Stage<Value> stages[S];
  std::uint64_t full[S];  // A phase ends when a stage's tiles have arrived
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

template <class Value, int S>
__global__ __launch_bounds__(kThreads) void tma_wgmma(
    const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B, float* C, int m, int p,
    int n) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Tiles<Value, S>& tiles = *reinterpret_cast<Tiles<Value, S>*>(memory);

  const int thread = threadIdx.x;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;
  const int y = thread / 128 * 64;  // The warpgroup's first row of the block's part of C

  const auto copy_tiles = [&](int stage, int k) {
    Stage<Value>& to = tiles.stages[stage];
    std::uint64_t& full = tiles.full[stage];
    expect_bytes(full, sizeof(to));
    copy(to.a, A, k, row, full);
    for (int i = 0; i < N / 64; ++i) {
      copy(to.b[i], B, col + i * 64, k, full);
    }
  };

  if (thread == 0) {
    for (int stage = 0; stage < S; ++stage) {
      init(tiles.full[stage], 1);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int stage = 0; stage < S && stage * K < p; ++stage) {
      copy_tiles(stage, stage * K);
    }
  }
  __syncthreads();

  Sums sum;
  for (int step = 0; step < p / K; ++step) {
    const int stage = step % S;
    wait(tiles.full[stage], step / S % 2);
    multiply_stage(sum, tiles.stages[stage], y, step == 0);
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();  // Both warpgroups have read the stage
    if (thread == 0 && (step + S) * K < p) {
      copy_tiles(stage, (step + S) * K);
    }
  }

  const int lane = thread % 32;
  const int c_row = row + y + thread / 32 % 4 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < N / 8; ++j) {
    const int c_col = col + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(&C[c_row * n + c_col]) = {sum[j][0], sum[j][1]};
    *reinterpret_cast<float2*>(&C[(c_row + 8) * n + c_col]) = {sum[j][2], sum[j][3]};
  }
}

template __global__ void tma_wgmma<__half, 3>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, float*, int, int, int);
template __global__ void tma_wgmma<__half, 4>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, float*, int, int, int);
template __global__ void tma_wgmma<__nv_bfloat16, 3>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, float*, int, int, int);
template __global__ void tma_wgmma<__nv_bfloat16, 4>(
    const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap, float*, int, int, int);
