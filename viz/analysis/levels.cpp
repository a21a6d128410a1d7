#include "viz/analysis/levels.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

constexpr std::size_t kMaxPhaseEvents = std::size_t{1} << 15;  ///< Some hundredths of a second

std::uint64_t bytes_of(std::uint64_t sectors) {
  return sectors * kSectorBytes;
}

/// Numbers of sectors, each as often as it is met.
class DistinctSectors {
 public:
  void add(std::uint64_t sector) {
    if (sectors_.empty() || sectors_.back() != sector) sectors_.push_back(sector);
  }
  /// Each once, ascending.
  [[nodiscard]] const std::vector<std::uint64_t>& distinct() {
    std::ranges::sort(sectors_);
    sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
    return sectors_;
  }

 private:
  std::vector<std::uint64_t> sectors_;
};

void add_event(const Recording& recording, std::size_t event, ComputeCapability cc, Levels& levels,
               DistinctSectors& read, DistinctSectors& written) {
  const Site& site = recording.sites[recording.events.site[event]];
  const std::uint32_t mask = recording.events.mask[event];
  const bool up = reads(site.op, site.space) && site.op != AccessOp::reduction;  // Whose result nobody wants
  const bool down = writes(site.op, site.space);
  const std::uint64_t bytes = site.matrices != 0
                                  ? site.matrices * 128u
                                  : static_cast<std::uint64_t>(std::popcount(mask)) * site.bytes;
  if (site.space == Space::shared) {
    if (up) levels.shared_up += bytes;
    if (down) levels.shared_down += bytes;
    return;
  }
  const std::uint64_t asked =
      bytes_of(access_cost(make_access(site, recording.shapes[recording.events.shape[event]], mask,
                                       recording.events.base[event]),
                           cc)
                   .sectors);
  if (up) levels.lanes_up += bytes, levels.l1_up += asked;
  if (down) levels.lanes_down += bytes, levels.l1_down += asked;
  if (site.space == Space::local) return;
  for_each_lane(mask, [&](int lane) {
    const std::uint64_t address = lane_address(recording, event, lane);
    for (std::uint64_t sector = address / kSectorBytes; sector <= (address + site.bytes - 1) / kSectorBytes;
         ++sector) {
      if (up) read.add(sector);
      if (down) written.add(sector);
    }
  });
}

}  // namespace

Levels levels_of(const Report& report, const GridSectors* sectors, std::uint64_t blocks_a_wave) {
  const Totals &atomics = report.global_atomic, &reductions = report.global_reduction;
  Levels levels;
  levels.shared_up = totals_that_read(report, Space::shared).requested_bytes;
  levels.shared_down = totals_that_write(report, Space::shared).requested_bytes;
  const Totals up = totals_that_read(report, Space::global), down = totals_that_write(report, Space::global);
  levels.lanes_up = up.requested_bytes + report.local_load.requested_bytes;
  levels.lanes_down = down.requested_bytes + report.local_store.requested_bytes;
  levels.l1_up = bytes_of(up.cost.sectors + report.local_load.cost.sectors);
  levels.l1_down = bytes_of(down.cost.sectors + report.local_store.cost.sectors);
  if (sectors == nullptr) return levels;

  const auto once_a_grid = sectors->once_each(sectors->blocks());
  if (!once_a_grid) return levels;
  levels.l2_up = {.min = std::min(bytes_of(once_a_grid->only_read), levels.l1_up), .max = levels.l1_up};
  levels.l2_down = {.min = std::min(bytes_of(once_a_grid->written), levels.l1_down), .max = levels.l1_down};
  // Two sectors may be fetched where one is asked for; reductions, which return nothing, work on what is
  // fetched.
  levels.dram_up = {.min = levels.l2_up->min, .max = 2 * (levels.l1_up + bytes_of(reductions.cost.sectors))};
  levels.dram_down = {.min = 0, .max = levels.l1_down};
  // Then `read` counts what no load fetches, or L1 writes back what it likes.
  if (atomics.requests + reductions.requests + report.local_load.requests != 0) return levels;
  const auto mark = [&](std::uint64_t blocks) -> std::optional<std::uint64_t> {
    const auto once = blocks == 0 ? std::nullopt : sectors->once_each(blocks);
    return once ? std::optional(std::clamp(bytes_of(once->read), levels.l2_up->min, levels.l2_up->max))
                : std::nullopt;
  };
  levels.l2_up->once_a_block = mark(1);
  levels.dram_up->once_a_wave = mark(std::min(blocks_a_wave, sectors->blocks()));
  return levels;
}

std::optional<Levels> levels_of_phase(const Recording& recording, std::uint32_t event_block,
                                      std::uint32_t phase, ComputeCapability cc) {
  std::vector<EventRange> warps;
  std::size_t events = 0;
  for (std::uint32_t warp = 0; warp < recording.warps_per_block(); ++warp) {
    warps.push_back(events_of_phase(recording, event_block, warp, phase));
    events += warps.back().size();
  }
  if (events > kMaxPhaseEvents) return std::nullopt;
  Levels levels;
  DistinctSectors read, written;
  for (const EventRange range : warps) {
    for (std::size_t event = range.begin; event < range.end; ++event)
      add_event(recording, event, cc, levels, read, written);
  }
  std::vector<std::uint64_t> only_read;
  std::ranges::set_difference(read.distinct(), written.distinct(), std::back_inserter(only_read));
  levels.l2_up = {.min = std::min(bytes_of(only_read.size()), levels.l1_up), .max = levels.l1_up};
  levels.l2_down = {.min = std::min(bytes_of(written.distinct().size()), levels.l1_down),
                    .max = levels.l1_down};
  return levels;
}

}  // namespace warplens::analysis
