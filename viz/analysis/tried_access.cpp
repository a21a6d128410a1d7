#include "viz/analysis/tried_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/base/figures.h"
#include "kernels/base/texts.h"
#include "viz/analysis/occupancy.h"

namespace warplens::analysis {
namespace {

constexpr std::uint64_t kBufferBase = 0x10000000;  // Where the replay lays the first buffer
constexpr std::int64_t kMaxItems = std::int64_t{1} << 36, kMaxBytes = std::int64_t{1} << 40;
constexpr int kMatrices = 4;                    // Of ldmatrix and stmatrix: each lane names a row
constexpr std::uint64_t kMaxRows = 0xffffffff;  // Of a matrix

std::int64_t offset_of(const TriedAccess& tried, std::int64_t item) {
  const std::int64_t row = item / tried.row_items, column = item % tried.row_items;
  const std::int64_t moved = column ^ (row & ((std::int64_t{1} << tried.swizzle_bits) - 1));
  return (row * (tried.row_items + tried.padding) + moved) * tried.bytes;
}

Error out_of_range(int lane, std::int64_t item) {
  return {tr("lane {lane} would access item {item}", "lane"_a = lane, "item"_a = item), "",
          tr("Items are counted from 0, up to {most}.", "most"_a = with_thousands(std::uint64_t{kMaxItems}))};
}

PhaseTotals phase_of(const TriedAccess& tried) {
  PhaseTotals phase;
  const bool shared = tried.space == Space::shared;
  (is_atomic(tried.op)            ? phase.other
   : reads(tried.op, tried.space) ? (shared ? phase.shared_loads : phase.global_loads)
                                  : (shared ? phase.shared_stores : phase.global_stores)) = 1;
  return phase;
}

/// The array x, as long as the access reaches.
void add_array(Recording& recording, const TriedAccess& tried, std::uint64_t end) {
  const auto row_bytes = static_cast<std::uint64_t>((tried.row_items + tried.padding) * tried.bytes);
  const std::uint64_t rows = std::max<std::uint64_t>((end + row_bytes - 1) / row_bytes, 1);
  const auto pitch = static_cast<std::uint64_t>(tried.row_items + tried.padding);
  if (tried.space == Space::shared) {
    recording.shared_bytes = static_cast<std::uint32_t>(end);
    recording.shared_arrays = {{"x", 0, static_cast<std::uint32_t>(end),
                                static_cast<std::uint32_t>(tried.bytes), static_cast<std::uint32_t>(rows),
                                static_cast<std::uint32_t>(pitch)}};
    return;
  }
  const ElementType type = tried.bytes == 1   ? ElementType::u8
                           : tried.bytes == 2 ? ElementType::u16
                           : tried.bytes == 8 ? ElementType::f64
                                              : ElementType::f32;
  const std::uint64_t elements = tried.bytes == 16 ? 4 : 1;  // An item
  const bool matrix = rows <= kMaxRows;
  recording.buffers = {
      {"x", type, kBufferBase, rows * row_bytes, matrix ? static_cast<std::uint32_t>(rows) : 1,
       matrix ? static_cast<std::uint64_t>(tried.row_items) * elements : rows * pitch * elements,
       matrix ? pitch * elements : rows * pitch * elements}};
}

}  // namespace

Result<WarpAccess> access_of(const TriedAccess& tried, ComputeCapability cc) {
  WarpAccess access{.space = tried.space,
                    .op = tried.op,
                    .bytes = tried.bytes,
                    .matrices = is_of_matrices(tried.op) ? kMatrices : 0,
                    .mask = tried.mask};
  const std::int64_t max = tried.space == Space::shared
                               ? static_cast<std::int64_t>(multiprocessor_model(cc).shared_bytes_a_block)
                               : kMaxBytes;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((tried.mask >> lane & 1) == 0) continue;
    const std::int64_t item = tried.items[static_cast<std::size_t>(lane)];
    if (item < 0 || item > kMaxItems) return out_of_range(lane, item);
    const std::int64_t offset = offset_of(tried, item);
    if (offset + tried.bytes > max) {
      return Error{
          tried.space == Space::shared
              ? tr("lane {lane} is at byte {offset}, and a block has at most {most} bytes of shared memory",
                   "lane"_a = lane, "offset"_a = with_thousands(static_cast<std::uint64_t>(offset)),
                   "most"_a = with_thousands(static_cast<std::uint64_t>(max)))
              : tr("lane {lane} is at byte {offset}", "lane"_a = lane,
                   "offset"_a = with_thousands(static_cast<std::uint64_t>(offset))),
          "", tr("Choose a smaller stride, or shorter rows.")};
    }
    access.address[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(offset);
  }
  return access;
}

Recording recording_of(const TriedAccess& tried, const WarpAccess& access, ComputeCapability cc) {
  Recording recording;
  recording.kernel = recording.entry = "playground";
  recording.origin = Origin::file;
  recording.engine = "cpu";
  recording.grid = {1, 1, 1};
  recording.block = {kWarpSize, 1, 1};
  recording.unkept_cc = cc.name();
  recording.shared_base = memory_rules_of(cc).shared_base;
  recording.blocks_total = recording.blocks_counted = 1;
  recording.event_blocks = {{0, 0, 0}};

  Site site;
  site.space = access.space;
  site.op = access.op;
  site.bytes = static_cast<std::uint8_t>(access.bytes);
  site.matrices = static_cast<std::uint8_t>(access.matrices);
  recording.sites = {site};
  recording.totals.resize(1);
  recording.phases.resize(1);
  std::uint64_t end = 1;
  if (access.mask != 0) {
    const int first = std::countr_zero(access.mask);
    const std::uint64_t base =
        access.address[static_cast<std::size_t>(first)] + (access.space == Space::shared ? 0 : kBufferBase);
    Shape shape{};
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      if ((access.mask >> lane & 1) == 0) continue;
      shape[at] =
          static_cast<std::int64_t>(access.address[at] - access.address[static_cast<std::size_t>(first)]);
      end = std::max(end, access.address[at] + static_cast<std::uint64_t>(access.bytes));
    }
    const auto active = static_cast<std::uint64_t>(std::popcount(access.mask));
    recording.shapes = {shape};
    recording.totals.front() = {
        .requests = 1,
        .thread_accesses = active,
        .divergent_requests = active < kWarpSize ? 1u : 0u,
        .patterns = {{0, access.mask, static_cast<std::uint32_t>(base % kPatternAlignment), 1}}};
    recording.phases.front() = phase_of(tried);
    recording.events = {.site = {0},
                        .block = {0},
                        .warp = {0},
                        .phase = {0},
                        .order = {0},
                        .mask = {access.mask},
                        .base = {base},
                        .shape = {0}};
    recording.warp_instructions = 1;
    recording.thread_instructions = active;
  }
  add_array(recording, tried, end);
  return recording;
}

std::string pattern_row(const WarpAccess& access) {
  const std::string op = is_of_matrices(access.op)
                             ? fmt::format("{}_x{}", name_of(access.op), access.matrices)
                             : fmt::format("{}_{}", name_of(access.space), name_of(access.op));
  return fmt::format("op,bytes_per_lane,active_mask,lane_byte_offsets\n{},{},{:#010x},{}\n", op, access.bytes,
                     access.mask, fmt::join(access.address, " "));
}

}  // namespace warplens::analysis
