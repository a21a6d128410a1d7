// FP32 without tensor cores: two warpgroups multiply, 16 x 8 elements of C a thread, and a third one copies.
// A multiprocessor issues four instructions a cycle, and each that is no multiply-add takes the place of one.
// So the multiplying warps do little else: for the 128 multiply-adds of a term a thread loads 6 times 16 bytes,
// a term ahead. B's tile comes by TMA. TMA does not transpose, so the third warpgroup copies A's by cp.async,
// 4 bytes at a time, and stores it by columns. Each stage has a full and an empty mbarrier: no barrier stops
// all warps.
//
// C is stored 4 bytes at a time on purpose. A store of 16 bytes needs its four sums in consecutive registers,
// and the values of B come in consecutive registers, too: then what a multiply-add reads is often in one bank
// of registers, and it waits. This took a tenth of the speed, and C is stored only once.
//
// Needs compute capability 9.0a: TMA, setmaxnreg.
//
// m is a multiple of 256, n of 128, p of K: the launcher pads with zeros.

#include <cuda.h>

#include <cstdint>

constexpr int M = 256;         // Rows of C a block
constexpr int N = 128;         // Columns of C a block
constexpr int kM = 16;         // Rows of C a thread
constexpr int kN = 8;          // Columns of C a thread
constexpr int kWarps = 8;      // That multiply: 64 x 64 elements of C each
constexpr int kCopying = 128;  // Threads
constexpr int kThreads = kWarps * 32 + kCopying;
constexpr int kPadding = 4;    // Columns of A's tile then begin 4 banks apart

template <int K>
struct alignas(128) Stage {
  float b[K][N];
  float a[K][M + kPadding];
};
template <int K, int S>
struct Tiles {
  Stage<K> stages[S];
  std::uint64_t full[S];   // A phase ends when a stage's tiles have arrived,
  std::uint64_t empty[S];  // and when all warps have read them
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
__device__ void load_4(float* to, unsigned from) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(from)
               : "memory");
}

template <int K, int S>
__global__ __launch_bounds__(kThreads, 1) void sgemm(
    const float* A, const __grid_constant__ CUtensorMap B, float* C, int m, int p, int n) {
  extern __shared__ __align__(128) unsigned char memory[];
  Tiles<K, S>& tiles = *reinterpret_cast<Tiles<K, S>*>(memory);

  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.y * M;
  const int col = blockIdx.x * N;

  if (threadIdx.x == 0) {
    for (int i = 0; i < S; ++i) {
      init(tiles.full[i], kCopying + 1);
      init(tiles.empty[i], kWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  int stage = 0;
  int phase = 0;
  if (warp >= kWarps) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    const int thread = threadIdx.x - kWarps * 32;
    const int a_row = thread / 8;  // Of 16, and of each further 16
    const int a_col = thread % 8;  // Of 8 columns of A, which are a sector of each row
    const float* from = &A[(row + a_row) * p + a_col];
    for (int k = 0; k < p; k += K) {
      Stage<K>& to = tiles.stages[stage];
      std::uint64_t& full = tiles.full[stage];
      wait(tiles.empty[stage], phase ^ 1);  // Stages are empty at first
      if (thread == 0) {
        expect_bytes(full, sizeof(to.b));
        copy(to.b, B, col, k, full);
      }
#pragma unroll
      for (int i = 0; i < M; i += kCopying / 8) {
#pragma unroll
        for (int j = 0; j < K; j += 8) {
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(&to.a[a_col + j][a_row + i])),
                       "l"(from + i * p + k + j)
                       : "memory");
        }
      }
      // Arrives when this thread's copies have.
      asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared(&full)) : "memory");
      if (++stage == S) {
        stage = 0;
        phase ^= 1;
      }
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  // The lanes of a warp are 4 x 8. Lanes 2 i and 2 i + 1 read the same of A, and lanes that differ by 2 the same
  // of B: so a load of 16 bytes takes 2 wavefronts.
  const int lane_row = lane / 2 % 2 + lane / 16 * 2;
  const int lane_col = lane % 2 + lane / 4 % 4 * 2;
  const int y = warp / 2 * 64 + lane_row * 4;  // The thread has 4 rows from here on, and every 16 rows further,
  const int x = warp % 2 * 64 + lane_col * 4;  // and 4 columns, and 4 more 32 further

  float sum[kM][kN] = {};
  float a[2][kM], b[2][kN];  // Of this term and of the next
  unsigned a_tile = shared(&tiles.stages[0].a[0][y]);
  unsigned b_tile = shared(&tiles.stages[0].b[0][x]);
  const auto load_term = [&](int to, unsigned a_from, unsigned b_from, int term) {
#pragma unroll
    for (int j = 0; j < kN; j += 4) {
      load_4(&b[to][j], b_from + (term * N + j * 8) * sizeof(float));
    }
#pragma unroll
    for (int i = 0; i < kM; i += 4) {
      load_4(&a[to][i], a_from + (term * (M + kPadding) + i * 4) * sizeof(float));
    }
  };

  wait(tiles.full[0], 0);
  load_term(0, a_tile, b_tile, 0);
#pragma unroll 1
  for (int k = 0; k < p; k += K) {
    const bool more = k + K < p;
    const bool wraps = stage + 1 == S;
    const int next = wraps ? 0 : stage + 1;
    const int next_phase = wraps ? phase ^ 1 : phase;
    const int step = more ? (next - stage) * static_cast<int>(sizeof(Stage<K>)) : 0;
#pragma unroll
    for (int term = 0; term < K; ++term) {
      const int now = term % 2;
      if (term + 1 < K) {
        load_term(1 - now, a_tile, b_tile, term + 1);
      } else {
        if (more) {
          wait(tiles.full[next], next_phase);
        }
        load_term(1 - now, a_tile + step, b_tile + step, 0);  // At the end of all, this stage's again: not used
        __syncwarp();
        if (lane == 0) {
          asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&tiles.empty[stage]))
                       : "memory");
        }
      }
      // Rows alternate in direction: each multiply-add shares a value of A or of B with the one before, and
      // need not read that register again.
#pragma unroll
      for (int i = 0; i < kM; ++i) {
#pragma unroll
        for (int j = 0; j < kN; ++j) {
          const int at = i % 2 ? kN - 1 - j : j;
          sum[i][at] += a[now][i] * b[now][at];
        }
      }
    }
    a_tile += step;
    b_tile += step;
    stage = next;
    phase = next_phase;
  }

#pragma unroll
  for (int i = 0; i < kM; ++i) {
    float* const to = &C[(row + y + i / 4 * 16 + i % 4) * n + col + x];
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      to[j / 4 * 32 + j % 4] = sum[i][j];
    }
  }
}

template __global__ void sgemm<8, 3>(
    const float*, const __grid_constant__ CUtensorMap, float*, int, int, int);
template __global__ void sgemm<8, 4>(
    const float*, const __grid_constant__ CUtensorMap, float*, int, int, int);
template __global__ void sgemm<16, 3>(
    const float*, const __grid_constant__ CUtensorMap, float*, int, int, int);
template __global__ void sgemm<16, 4>(
    const float*, const __grid_constant__ CUtensorMap, float*, int, int, int);
