#include "app/session/counter_check.h"

#include <algorithm>

#include "kernels/base/tensor_map.h"
#include "viz/analysis/grid_sectors.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kCodeAndConstants = 64 << 10;  ///< Bytes; 4 to 16 KiB were seen

std::optional<std::uint64_t> replayed_of(const CounterField& field, const analysis::Report& report) {
  // The counters of loads count what asynchronous copies read as well (H200, 2026-11-28).
  const analysis::Totals &loads = report.global_load, &copies = report.async_copy_global;
  if (field.value == &LaunchCounters::global_load_requests) return loads.requests + copies.requests;
  if (field.value == &LaunchCounters::global_load_sectors) return loads.cost.sectors + copies.cost.sectors;
  if (field.value == &LaunchCounters::global_store_requests) return report.global_store.requests;
  if (field.value == &LaunchCounters::global_store_sectors) return report.global_store.cost.sectors;
  if (field.value == &LaunchCounters::shared_load_wavefronts) return report.shared_load.cost.wavefronts;
  if (field.value == &LaunchCounters::shared_store_wavefronts) return report.shared_store.cost.wavefronts;
  return std::nullopt;
}

/// Returns the bytes, in sectors, that arrive in shared memory beyond what is read: copies to further blocks,
/// and filled elements.
analysis::LevelBand arrived_beyond_reads(const analysis::Report& report) {
  const std::uint64_t bytes =
      report.bulk_load_shared.requested_bytes - report.bulk_load_global.requested_bytes;
  return {.min = bytes, .max = bytes / kBoxPieceBytes * analysis::kSectorBytes};
}

/// Compares counters of bulk copies and wgmma with the recording as written, as compilers change neither.
/// Returns whether the counter is one of these.
bool compare_as_written(CheckedCounter& counter, const analysis::Report& report) {
  const auto value = counter.field->value;
  if (value == &LaunchCounters::wgmma_wavefronts) {
    counter.replayed = report.warpgroup_load.cost.wavefronts;
  } else if (value == &LaunchCounters::bulk_store_sectors) {
    counter.replayed = report.bulk_store_global.cost.sectors;
  } else if (value == &LaunchCounters::bulk_load_sectors) {
    const std::uint64_t sectors = report.bulk_load_global.cost.sectors;
    const analysis::LevelBand beyond = arrived_beyond_reads(report);
    if (beyond.max == 0) {
      counter.replayed = sectors;
    } else {
      counter.unit_bytes = analysis::kSectorBytes;
      counter.band = {.min = sectors * analysis::kSectorBytes + beyond.min,
                      .max = sectors * analysis::kSectorBytes + beyond.max};
    }
  } else {
    return false;
  }
  return true;
}

analysis::Levels levels_of(const Loaded& loaded) {
  const analysis::Report& report = loaded.compiled.has_counts() ? loaded.compiled.report : loaded.report;
  return analysis::levels_of(report, loaded.sectors(),
                             loaded.occupancy.occupancy_on(loaded.cc).blocks_a_wave);
}

}  // namespace

bool is_in_cluster(const AsCompiled& compiled, const Site& site) {
  return site.space == Space::shared &&
         sass::has_generic_address(compiled.function.instructions[site.instruction]);
}

std::optional<bool> CheckedCounter::agrees() const {
  if (replayed) return counted == *replayed;
  if (band) return counted * unit_bytes >= band->min && counted * unit_bytes <= band->max + others;
  return std::nullopt;
}

bool may_be_compared(const Loaded& loaded, const LaunchCounters& counters) {
  return loaded.cc == analysis::ComputeCapability{counters.cc_major, counters.cc_minor} &&
         loaded.recording->blocks_counted == loaded.recording->blocks_total;
}

std::vector<CheckedCounter> checked(const Loaded& loaded, const LaunchCounters& counters) {
  std::vector<CheckedCounter> all;
  if (!may_be_compared(loaded, counters)) return all;
  const analysis::Levels levels = levels_of(loaded);
  const bool accesses_cluster = std::ranges::any_of(
      loaded.compiled.accesses.sites, [&](const Site& site) { return is_in_cluster(loaded.compiled, site); });
  for (const CounterField& field : kCounterFields) {
    const std::optional<std::uint64_t>& counted = counters.*field.value;
    if (!counted) continue;
    CheckedCounter one{.field = &field, .counted = *counted, .replayed = std::nullopt, .band = std::nullopt};
    if (compare_as_written(one, loaded.report)) {
      all.push_back(one);
      continue;
    }
    const bool is_of_shared = field.value == &LaunchCounters::shared_load_wavefronts ||
                              field.value == &LaunchCounters::shared_store_wavefronts;
    if (loaded.compiled.has_counts() && !(is_of_shared && accesses_cluster))
      one.replayed = replayed_of(field, loaded.compiled.report);
    if (field.value == &LaunchCounters::sectors_from_l2) {
      one.band = levels.l2_up, one.unit_bytes = analysis::kSectorBytes;
      if (one.band) one.band->max += arrived_beyond_reads(loaded.report).max;
    }
    if (field.value == &LaunchCounters::sectors_to_l2)
      one.band = levels.l2_down, one.unit_bytes = analysis::kSectorBytes;
    if (loaded.compiled.tries_again) one.band.reset();
    if (field.value == &LaunchCounters::dram_read_bytes)
      one.band = levels.dram_up, one.others = kCodeAndConstants;
    all.push_back(one);
  }
  return all;
}

std::shared_ptr<const Loaded> with_hardware(const Loaded& loaded, const LaunchCounters& counters) {
  auto with = std::make_shared<Loaded>(loaded);
  with->hardware = std::make_shared<const LaunchCounters>(counters);
  return with;
}

}  // namespace warplens::app
