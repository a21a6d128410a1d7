#include "picture/kernels.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <string>

#include "kernels/recording/shape_table.h"

namespace warplens::test {
namespace {

using Addresses = std::function<std::uint64_t(int lane)>;

/// Collects accesses in the order in which a kernel makes them, then makes the columns and the totals of
/// them.
class Writer {
 public:
  explicit Writer(Recording& recording) : recording_(recording) {
    recording.totals.resize(recording.sites.size());
    recording.blocks_total = recording.grid.count();
    recording.blocks_counted = 1;
    recording.engine = "cpu";
    recording.device = "written by hand";
    recording.unkept_cc = "9.0";
  }

  void access(std::uint32_t warp, std::uint32_t phase, std::uint32_t site, std::uint32_t mask,
              const Addresses& addresses) {
    if (mask == 0) return;
    const std::uint64_t base = addresses(std::countr_zero(mask));
    Shape shape{};
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((mask >> lane & 1u) != 0)
        shape[static_cast<std::size_t>(lane)] = static_cast<std::int64_t>(addresses(lane) - base);
    }
    rows_.push_back({warp, phase, orders_[warp]++, site, mask, base, shapes_.intern(shape)});
  }

  void finish() {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.warp < b.warp; });
    std::map<std::array<std::uint32_t, 4>, std::uint64_t> patterns;
    for (const Row& row : rows_) {
      EventColumns& events = recording_.events;
      events.site.push_back(row.site);
      events.block.push_back(0);
      events.warp.push_back(row.warp);
      events.phase.push_back(row.phase);
      events.order.push_back(row.order);
      events.mask.push_back(row.mask);
      events.base.push_back(row.base);
      events.shape.push_back(row.shape);
      ++patterns[{row.site, row.shape, row.mask, static_cast<std::uint32_t>(row.base % kPatternAlignment)}];
      count(row);
    }
    for (const auto& [key, times] : patterns)
      recording_.totals[key[0]].patterns.push_back({key[1], key[2], key[3], times});
    recording_.shapes = shapes_.take();
    canonicalise(recording_);
  }

 private:
  struct Row {
    std::uint32_t warp, phase, order, site, mask;
    std::uint64_t base;
    std::uint32_t shape;
  };

  void count(const Row& row) {
    const Site& site = recording_.sites[row.site];
    SiteTotals& totals = recording_.totals[row.site];
    ++totals.requests;
    totals.thread_accesses += static_cast<std::uint64_t>(std::popcount(row.mask));
    if (recording_.phases.size() <= row.phase) recording_.phases.resize(row.phase + 1);
    PhaseTotals& phase = recording_.phases[row.phase];
    const bool load = site.op == AccessOp::load;
    ++(site.space == Space::global ? (load ? phase.global_loads : phase.global_stores)
                                   : (load ? phase.shared_loads : phase.shared_stores));
    if (site.value_from >= 0) ++phase.fills;
  }

  Recording& recording_;
  ShapeTable shapes_;
  std::vector<Row> rows_;
  std::map<std::uint32_t, std::uint32_t> orders_;
};

Site make_site(std::uint32_t line, Space space, AccessOp op, std::uint8_t bytes = 4,
               std::int32_t value_from = -1) {
  Site site;
  site.instruction = line;
  site.ptx_line = line;
  site.line = line;
  site.space = space;
  site.op = op;
  site.bytes = bytes;
  site.value_from = value_from;
  site.text = std::string(op == AccessOp::load ? "ld." : "st.") + name_of(space);
  return site;
}

Buffer make_matrix(const char* name, std::uint64_t base, std::uint32_t rows, std::uint64_t columns) {
  Buffer buffer;
  buffer.name = name;
  buffer.base = base;
  buffer.bytes = rows * columns * 4;
  buffer.rows = rows;
  buffer.columns = columns;
  buffer.pitch = columns;
  return buffer;
}

}  // namespace

Recording tiled(const TiledOptions& options) {
  const std::uint32_t tile = options.tile, size = options.size, pitch = tile + options.padding;
  Recording recording;
  recording.kernel = options.swapped ? "tiled_swapped" : "tiled";
  recording.entry = recording.kernel;
  recording.files = {{"tiled.cu",
                      "// The textbook kernel\n\nfloat sum = 0.0f;\nfor (int k = 0; k < p; k += T) {\n  "
                      "as[y][x] = A[row * p + k + x];\n"
                      "  bs[y][x] = B[(k + y) * n + col];\n  __syncthreads();\n  for (int i = 0; i < T; ++i) "
                      "{\n    sum += as[y][i] * bs[i][x];\n  }\n"
                      "  __syncthreads();\n}\nC[row * n + col] = sum;\n"}};
  recording.grid = {size / tile, size / tile, 1};
  recording.block = {tile, tile, 1};
  recording.m = recording.p = recording.n = size;
  recording.parameters = {{"T", tile}};
  const std::uint64_t bytes = std::uint64_t{size} * size * 4, a = 0x10000000, b = a + bytes + 4096,
                      c = b + bytes + 4096;
  recording.buffers = {make_matrix("A", a, size, size), make_matrix("B", b, size, size),
                       make_matrix("C", c, size, size)};
  const std::uint32_t array_bytes = tile * pitch * 4;
  recording.shared_arrays = {{"as", 0, array_bytes, 4, tile, pitch},
                             {"bs", array_bytes, array_bytes, 4, tile, pitch}};
  recording.shared_bytes = 2 * array_bytes;
  recording.sites = {
      make_site(5, Space::global, AccessOp::load),  make_site(5, Space::shared, AccessOp::store, 4, 0),
      make_site(6, Space::global, AccessOp::load),  make_site(6, Space::shared, AccessOp::store, 4, 2),
      make_site(9, Space::shared, AccessOp::load),  make_site(9, Space::shared, AccessOp::load),
      make_site(13, Space::global, AccessOp::store)};
  const Dim3 block{recording.grid.x - 1, recording.grid.y - 1, 0};
  recording.event_blocks = {block};
  Writer writer(recording);

  const std::uint32_t threads = tile * tile, warps = recording.warps_per_block(), steps = size / tile;
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const std::uint32_t launched = std::min(threads - warp * 32, 32u),
                        mask = launched == 32 ? ~0u : (1u << launched) - 1;
    const auto x_of = [&](int lane) { return (warp * 32 + static_cast<std::uint32_t>(lane)) % tile; };
    const auto y_of = [&](int lane) { return (warp * 32 + static_cast<std::uint32_t>(lane)) / tile; };
    // The element of a tile that a thread fills: (r, q).
    const auto r_of = [&](int lane) { return options.swapped ? x_of(lane) : y_of(lane); };
    const auto q_of = [&](int lane) { return options.swapped ? y_of(lane) : x_of(lane); };
    const auto row_of = [&](int lane) { return block.y * tile + r_of(lane); };
    const auto column_of = [&](int lane) { return block.x * tile + q_of(lane); };
    for (std::uint32_t k = 0; k < steps; ++k) {
      const std::uint32_t fill = 2 * k, compute = 2 * k + 1;
      writer.access(warp, fill, 0, mask, [&](int lane) {
        return a + (std::uint64_t{row_of(lane)} * size + k * tile + q_of(lane)) * 4;
      });
      writer.access(warp, fill, 1, mask,
                    [&](int lane) { return std::uint64_t{r_of(lane)} * pitch * 4 + q_of(lane) * 4; });
      writer.access(warp, fill, 2, mask, [&](int lane) {
        return b + (std::uint64_t{k * tile + r_of(lane)} * size + column_of(lane)) * 4;
      });
      writer.access(warp, fill, 3, mask, [&](int lane) {
        return array_bytes + std::uint64_t{r_of(lane)} * pitch * 4 + q_of(lane) * 4;
      });
      for (std::uint32_t i = 0; i < tile; ++i) {
        writer.access(warp, compute, 4, mask,
                      [&](int lane) { return (std::uint64_t{r_of(lane)} * pitch + i) * 4; });
        writer.access(warp, compute, 5, mask,
                      [&](int lane) { return array_bytes + (std::uint64_t{i} * pitch + q_of(lane)) * 4; });
      }
    }
    writer.access(warp, 2 * steps, 6, mask,
                  [&](int lane) { return c + (std::uint64_t{row_of(lane)} * size + column_of(lane)) * 4; });
  }
  writer.finish();
  return recording;
}

Recording naive(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth) {
  Recording recording;
  recording.kernel = "naive";
  recording.files = {{"naive.cu",
                      "float sum = 0;\nfor (int k = 0; k < p; ++k) sum += A[row * p + k] * B[k * n + "
                      "col];\nC[row * n + col] = sum;\n"}};
  recording.grid = {1, 1, 1};
  recording.block = {40, 25, 1};
  recording.m = rows;
  recording.p = depth;
  recording.n = columns;
  recording.phases_are_barriers = false;
  const std::uint64_t a = 0x10000000, b = 0x11000000, c = 0x12000000;
  recording.buffers = {make_matrix("A", a, rows, depth), make_matrix("B", b, depth, columns),
                       make_matrix("C", c, rows, columns)};
  recording.sites = {make_site(2, Space::global, AccessOp::load), make_site(2, Space::global, AccessOp::load),
                     make_site(3, Space::global, AccessOp::store)};
  recording.event_blocks = {{0, 0, 0}};
  Writer writer(recording);
  for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
    std::uint32_t mask = 0;
    const auto column_of = [&](int lane) { return (warp * 32 + static_cast<std::uint32_t>(lane)) % 40; };
    const auto row_of = [&](int lane) { return (warp * 32 + static_cast<std::uint32_t>(lane)) / 40; };
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const bool launched = warp * 32 + static_cast<std::uint32_t>(lane) < recording.block.count();
      if (launched && row_of(lane) < rows && column_of(lane) < columns) mask |= 1u << lane;
    }
    for (std::uint32_t k = 0; k < depth; ++k) {
      writer.access(warp, k, 0, mask,
                    [&](int lane) { return a + (std::uint64_t{row_of(lane)} * depth + k) * 4; });
      writer.access(warp, k, 1, mask,
                    [&](int lane) { return b + (std::uint64_t{k} * columns + column_of(lane)) * 4; });
    }
    writer.access(warp, depth - 1, 2, mask, [&](int lane) {
      return c + (std::uint64_t{row_of(lane)} * columns + column_of(lane)) * 4;
    });
  }
  writer.finish();
  return recording;
}

Recording assorted() {
  Recording recording;
  recording.kernel = "assorted";
  recording.grid = {3, 1, 1};
  recording.block = {32, 1, 1};
  Buffer data = make_matrix("data", 0x10000000, 1, 5000);
  recording.buffers = {data};
  recording.shared_arrays = {{"words", 0, 16384, 4, 1, 0}};
  recording.shared_bytes = 16384;
  recording.sites = {
      make_site(1, Space::shared, AccessOp::load, 4),  make_site(2, Space::shared, AccessOp::load, 8),
      make_site(3, Space::shared, AccessOp::load, 16), make_site(4, Space::shared, AccessOp::store, 16),
      make_site(5, Space::global, AccessOp::load, 16), make_site(6, Space::global, AccessOp::load, 1)};
  recording.event_blocks = {{1, 0, 0}};
  Writer writer(recording);
  constexpr std::uint32_t kSome = 0x0f30f0f1;
  const auto lane_times = [](std::uint64_t stride, std::uint64_t from = 0) {
    return [=](int lane) { return from + static_cast<std::uint64_t>(lane) * stride; };
  };
  std::uint32_t phase = 0;
  for (const std::uint32_t mask : {~0u, kSome, 1u << 31}) {
    for (const std::uint64_t stride : {0, 4, 8, 12, 64, 128, 132})
      writer.access(0, phase, 0, mask, lane_times(stride));
    for (const std::uint64_t stride : {0, 8, 16, 128, 136})
      writer.access(0, phase, 1, mask, lane_times(stride));
    ++phase;
    for (const std::uint64_t stride : {0, 16, 32, 128, 144})
      writer.access(0, phase, 2, mask, lane_times(stride));
    for (const std::uint64_t stride : {16, 64, 128}) writer.access(0, phase, 3, mask, lane_times(stride));
    ++phase;
    for (const std::uint64_t stride : {16, 32, 512})
      writer.access(0, phase, 4, mask, lane_times(stride, data.base));
    for (const std::uint64_t stride : {0, 1, 7, 33})
      writer.access(0, phase, 5, mask, lane_times(stride, data.base + 3));
    ++phase;
  }
  writer.finish();
  return recording;
}

namespace {

/// A finding of some lanes of a warp of block (0, 0), at an access as make_site makes it.
Finding make_finding(FindingKind kind, std::uint32_t line, Space space, AccessOp op, std::uint32_t warp,
                     std::uint32_t lanes, const Addresses& addresses) {
  Finding finding;
  finding.kind = kind;
  finding.line = line;
  finding.warp = warp;
  finding.lanes = lanes;
  finding.access = FoundAccess{
      .instruction = line, .space = space, .op = op, .bytes = 4, .phase = 0, .tried = ~0u, .addresses = {}};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes >> lane & 1u) != 0) finding.access->addresses.push_back(addresses(lane));
  }
  return finding;
}

Finding between(Finding finding, std::uint32_t other_line, OtherAccess other) {
  finding.other_line = other_line;
  other.instruction = other_line;
  finding.other = other;
  return finding;
}

}  // namespace

Recording wrong() {
  Recording recording;
  recording.kernel = "wrong";
  recording.files = {{"wrong.cu",
                      "// 1\n// 2\ns[t] = 1;\n.. = s[t ^ 1];\n.. = s[63 - t];\nC[t] = 1;\n.. = *p;\n.. = "
                      "A[t];\nC[1080 + t] = 1;\n.. = u[t];\n"}};
  recording.grid = {2, 1, 1};
  recording.block = {64, 1, 1};
  recording.buffers = {make_matrix("A", 0x10000000, 1, 64), make_matrix("C", 0x10020000, 1, 56)};
  recording.shared_arrays = {{"s", 0, 256, 4, 1, 0}, {"u", 256, 256, 4, 1, 0}};
  recording.shared_bytes = 512;
  recording.sites = {
      make_site(3, Space::shared, AccessOp::store), make_site(4, Space::shared, AccessOp::load),
      make_site(5, Space::shared, AccessOp::load),  make_site(6, Space::global, AccessOp::store),
      make_site(7, Space::global, AccessOp::load),  make_site(8, Space::global, AccessOp::load),
      make_site(10, Space::shared, AccessOp::load), make_site(11, Space::shared, AccessOp::load)};
  recording.event_blocks = {{0, 0, 0}};
  const std::uint64_t a = recording.buffers[0].base, c = recording.buffers[1].base;
  const auto from = [](std::uint64_t base) {
    return [base](int lane) { return base + static_cast<std::uint64_t>(lane) * 4; };
  };
  const auto neighbour = [](int lane) { return static_cast<std::uint64_t>(lane ^ 1) * 4; };
  const auto mirrored = [](int lane) { return static_cast<std::uint64_t>(31 - lane) * 4; };
  const auto odd = [&](int lane) { return a + static_cast<std::uint64_t>(lane) * 4 + (lane == 3 ? 2 : 0); };
  constexpr std::uint32_t kAll = ~0u, kLast = 0xff000000;
  Writer writer(recording);
  writer.access(0, 0, 0, kAll, from(0));
  writer.access(0, 0, 1, kAll, neighbour);
  writer.access(0, 0, 4, kAll & ~(1u << 3), odd);
  writer.access(0, 0, 5, kAll, from(a));
  writer.access(0, 0, 6, kAll, from(256));
  writer.access(1, 0, 0, kAll, from(128));
  writer.access(1, 0, 2, kAll, mirrored);
  writer.access(1, 0, 3, kAll & ~kLast, from(c + 128));
  writer.access(1, 0, 7, kAll & ~(3u << 30), from(392));
  recording.findings = {
      between(make_finding(FindingKind::lane_race, 4, Space::shared, AccessOp::load, 0, kAll, neighbour), 3,
              {.op = AccessOp::store, .block = {0, 0, 0}, .warp = 0, .lane = 1, .address = 4}),
      between(make_finding(FindingKind::race, 5, Space::shared, AccessOp::load, 1, kAll, mirrored), 3,
              {.op = AccessOp::store, .block = {0, 0, 0}, .warp = 0, .lane = 31, .address = 124}),
      make_finding(FindingKind::out_of_bounds, 6, Space::global, AccessOp::store, 1, kLast, from(c + 128)),
      make_finding(FindingKind::misaligned, 7, Space::global, AccessOp::load, 0, 1u << 3, odd),
      between(make_finding(FindingKind::block_race, 8, Space::global, AccessOp::load, 0, 1, from(a)), 6,
              {.op = AccessOp::store, .block = {1, 0, 0}, .warp = 1, .lane = 31, .address = a}),
      make_finding(FindingKind::out_of_bounds, 9, Space::global, AccessOp::store, 0, kAll,
                   from(c + 224 + 4096)),
      make_finding(FindingKind::uninitialised, 10, Space::shared, AccessOp::load, 0, 1u << 7, from(256)),
      make_finding(FindingKind::out_of_bounds, 11, Space::shared, AccessOp::load, 1, 3u << 30, from(392)),
  };
  writer.finish();
  return recording;
}

std::uint32_t finding_on(const Recording& recording, std::uint32_t line) {
  const auto found = std::ranges::find(recording.findings, line, &Finding::line);
  return static_cast<std::uint32_t>(found - recording.findings.begin());
}

}  // namespace warplens::test
