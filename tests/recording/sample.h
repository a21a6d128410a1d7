// A small but complete recording, built by hand: a tiled matrix product of which one read of each shared tile
// a phase is kept, and an irregular gather. Any test that needs some recording can use it; everything in it
// is consistent, as if a replay had made it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "kernels/recording/recording.h"
#include "kernels/recording/shape_table.h"

namespace warplens::sample {

struct Options {
  std::uint32_t tile = 32;         ///< A block has tile x tile threads
  std::uint32_t size = 64;         ///< m = p = n, a multiple of `tile`
  std::uint32_t event_blocks = 2;  ///< How many blocks' accesses are events: the first ones
  std::uint32_t reads = 2;         ///< Reads of each tile in a compute phase (in the real kernel: `tile`)
};

/// Sites of the sample, by index.
inline constexpr std::uint32_t kLoadA = 0, kFillA = 1, kLoadB = 2, kFillB = 3, kReadA = 4, kReadB = 5,
                               kStoreC = 6, kGather = 7;

inline constexpr std::uint64_t kBaseA = 0x100000, kBaseB = 0x200000, kBaseC = 0x300000;

inline std::vector<Site> sites() {
  const auto site = [](std::uint32_t line, Space space, AccessOp op, std::int32_t value_from,
                       const char* text) {
    static constexpr std::uint32_t kFirstPtxLine = 40;
    return Site{line * 10, kFirstPtxLine + line * 4, 0, line, space, op, 4, 0, value_from, text};
  };
  return {
      site(6, Space::global, AccessOp::load, -1, "ld.global.nc.f32 %f1, [%rd1];"),
      site(6, Space::shared, AccessOp::store, kLoadA, "st.shared.f32 [%r1], %f1;"),
      site(7, Space::global, AccessOp::load, -1, "ld.global.nc.f32 %f2, [%rd2];"),
      site(7, Space::shared, AccessOp::store, kLoadB, "st.shared.f32 [%r2], %f2;"),
      site(9, Space::shared, AccessOp::load, -1, "ld.shared.f32 %f3, [%r3];"),
      site(9, Space::shared, AccessOp::load, -1, "ld.shared.f32 %f4, [%r4];"),
      site(12, Space::global, AccessOp::store, -1, "st.global.f32 [%rd3], %f5;"),
      site(13, Space::global, AccessOp::load, -1, "ld.global.f32 %f6, [%rd4];"),
  };
}

inline constexpr const char* kSource =
    "template <int T>\n"
    "__global__ void tiled(const float* A, const float* B, float* C, int n) {\n"
    "  __shared__ float as[T][T], bs[T][T];\n"
    "  float sum = 0.0f;\n"
    "  for (int k = 0; k < n; k += T) {\n"
    "    as[y][x] = A[row * n + k + x];\n"
    "    bs[y][x] = B[(k + y) * n + col];\n"
    "    __syncthreads();\n"
    "    for (int i = 0; i < T; ++i) sum += as[y][i] * bs[i][x];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  C[row * n + col] = sum;\n"
    "  sum += A[x * x];\n"
    "}\n";

/// Adds accesses one by one, and keeps totals, patterns, phases and events in step.
class Builder {
 public:
  explicit Builder(const Options& options) : options_(options) { describe_launch(); }

  void begin_warp(std::uint32_t block, std::uint32_t warp) {
    block_ = block;
    warp_ = warp;
    order_ = 0;
  }

  /// `address_of` a thread (x, y of the block), std::uint32_t both: what it accesses, or nothing where it is
  /// inactive.
  template <class AddressOf>
  void access(std::uint32_t site, std::uint32_t phase, const AddressOf& address_of) {
    std::uint32_t mask = 0, launched = 0;
    std::uint64_t base = 0;
    Shape shape{};
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t thread = warp_ * kWarpSize + lane;
      if (thread >= recording_.block.count()) break;
      ++launched;
      const std::optional<std::uint64_t> address = address_of(thread % options_.tile, thread / options_.tile);
      if (!address) continue;
      if (mask == 0) base = *address;
      mask |= 1u << lane;
      shape[lane] = static_cast<std::int64_t>(*address - base);
    }
    if (mask != 0) count(site, phase, mask, launched, base, shapes_.intern(shape));
  }

  Recording finish() {
    recording_.shapes = shapes_.take();
    canonicalise(recording_);
    return std::move(recording_);
  }

 private:
  void describe_launch() {
    const std::uint32_t blocks = options_.size / options_.tile, tile = options_.tile;
    const std::uint64_t size = options_.size, matrix_bytes = size * size * 4;
    Recording& r = recording_;
    r.kernel = "tiled";
    r.entry = "_Z5tiledILi32EEvPKfS1_Pfi";
    r.engine = "cpu";
    r.device = "sample";
    r.files = {{"tiled.cu", kSource}};
    r.ptx = ".version 9.0\n.target sm_90\n.address_size 64\n";
    r.grid = {blocks, blocks, 1};
    r.block = {tile, tile, 1};
    r.shared_bytes = 2 * tile * tile * 4;
    r.m = r.p = r.n = size;
    r.parameters = {{"T", tile}};
    r.buffers = {{"A", ElementType::f32, kBaseA, matrix_bytes, options_.size, size, size},
                 {"B", ElementType::f32, kBaseB, matrix_bytes, options_.size, size, size},
                 {"C", ElementType::f32, kBaseC, matrix_bytes, options_.size, size, size}};
    r.shared_arrays = {{"as", 0, tile * tile * 4, 4, tile, tile},
                       {"bs", tile * tile * 4, tile * tile * 4, 4, tile, tile}};
    r.sites = sites();
    r.totals.resize(r.sites.size());
    r.unkept_cc = "9.0";
    r.blocks_total = r.blocks_counted = r.grid.count();
    for (std::uint32_t block = 0; block < options_.event_blocks; ++block)
      r.event_blocks.push_back(index_from_linear(r.grid, block));
    r.findings = {{FindingKind::race,
                   0,
                   9,
                   6,
                   3,
                   {0, 0, 0},
                   tile * tile > kWarpSize ? 1u : 0u,
                   0x1,
                   "lane 0 reads as[1][0], which another warp wrote without a barrier between"},
                  {FindingKind::out_of_bounds,
                   0,
                   13,
                   0,
                   1,
                   {0, 0, 0},
                   0,
                   0x80000000,
                   "lane 31 reads 4 bytes at 0x110000, past the end of A"}};
    r.verified = true;
    r.seconds = 0.25;
  }

  void count(std::uint32_t site, std::uint32_t phase, std::uint32_t mask, std::uint32_t launched,
             std::uint64_t base, std::uint32_t shape) {
    const auto active = static_cast<std::uint32_t>(__builtin_popcount(mask));
    SiteTotals& totals = recording_.totals[site];
    ++totals.requests;
    totals.thread_accesses += active;
    totals.divergent_requests += active < launched ? 1 : 0;
    totals.patterns.push_back({shape, mask, static_cast<std::uint32_t>(base % kPatternAlignment), 1});
    ++recording_.warp_instructions;
    recording_.thread_instructions += active;
    count_in_phase(recording_.sites[site], phase);
    if (block_ < options_.event_blocks) add_event(site, phase, mask, base, shape);
  }

  void count_in_phase(const Site& site, std::uint32_t phase) {
    if (recording_.phases.size() <= phase) recording_.phases.resize(phase + 1);
    PhaseTotals& totals = recording_.phases[phase];
    const bool shared = site.space == Space::shared, store = site.op == AccessOp::store;
    ++(shared ? (store ? totals.shared_stores : totals.shared_loads)
              : (store ? totals.global_stores : totals.global_loads));
    if (shared && store && site.value_from >= 0) ++totals.fills;
  }

  void add_event(std::uint32_t site, std::uint32_t phase, std::uint32_t mask, std::uint64_t base,
                 std::uint32_t shape) {
    EventColumns& events = recording_.events;
    events.site.push_back(site);
    events.block.push_back(block_);
    events.warp.push_back(warp_);
    events.phase.push_back(phase);
    events.order.push_back(order_++);
    events.mask.push_back(mask);
    events.base.push_back(base);
    events.shape.push_back(shape);
  }

  Options options_;
  Recording recording_;
  ShapeTable shapes_;
  std::uint32_t block_ = 0, warp_ = 0, order_ = 0;
};

/// The accesses of one warp: fill and read the tiles step by step, store the result, and gather A[x * x] in
/// the lanes whose x is no multiple of 3.
inline void run_warp(Builder& builder, const Options& options, Dim3 block) {
  const std::uint64_t tile = options.tile, size = options.size, tile_bytes = tile * tile * 4;
  const std::uint64_t first_row = block.y * tile, first_column = block.x * tile;
  std::uint32_t phase = 0;
  for (std::uint64_t k = 0; k < size; k += tile) {
    builder.access(kLoadA, phase, [=](std::uint64_t x, std::uint64_t y) {
      return kBaseA + ((first_row + y) * size + k + x) * 4;
    });
    builder.access(kFillA, phase, [=](std::uint64_t x, std::uint64_t y) { return (y * tile + x) * 4; });
    builder.access(kLoadB, phase, [=](std::uint64_t x, std::uint64_t y) {
      return kBaseB + ((k + y) * size + first_column + x) * 4;
    });
    builder.access(kFillB, phase,
                   [=](std::uint64_t x, std::uint64_t y) { return tile_bytes + (y * tile + x) * 4; });
    ++phase;
    for (std::uint64_t i = 0; i < options.reads; ++i) {
      builder.access(kReadA, phase, [=](std::uint64_t, std::uint64_t y) { return (y * tile + i) * 4; });
      builder.access(kReadB, phase,
                     [=](std::uint64_t x, std::uint64_t) { return tile_bytes + (i * tile + x) * 4; });
    }
    ++phase;
  }
  builder.access(kStoreC, phase, [=](std::uint64_t x, std::uint64_t y) {
    return kBaseC + ((first_row + y) * size + first_column + x) * 4;
  });
  builder.access(kGather, phase, [=](std::uint64_t x, std::uint64_t) -> std::optional<std::uint64_t> {
    if (x % 3 == 0) return std::nullopt;
    return kBaseA + x * x * 4;
  });
}

[[nodiscard]] inline Recording make(const Options& options = {}) {
  Builder builder(options);
  const std::uint32_t blocks = options.size / options.tile,
                      warps = (options.tile * options.tile + kWarpSize - 1) / kWarpSize;
  for (std::uint32_t block = 0; block < blocks * blocks; ++block) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      builder.begin_warp(block, warp);
      run_warp(builder, options, index_from_linear({blocks, blocks, 1}, block));
    }
  }
  return builder.finish();
}

}  // namespace warplens::sample
