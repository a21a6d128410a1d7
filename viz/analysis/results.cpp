#include "viz/analysis/results.h"

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "viz/analysis/grid_counts.h"
#include "viz/analysis/grid_sectors.h"

namespace warplens::analysis {
namespace {

std::uint32_t main_source_file(const Recording& recording) {
  std::vector<std::uint32_t> sites(recording.files.size());
  for (const Site& site : recording.sites) {
    if (site.line != 0 && site.file < sites.size()) ++sites[site.file];
  }
  return static_cast<std::uint32_t>(std::max_element(sites.begin(), sites.end()) - sites.begin());
}

OccupancySubject launch_alone(const Recording& recording) {
  return {.kernel = recording.kernel,
          .launch = {.threads = static_cast<std::uint32_t>(recording.block.count()),
                     .registers = std::nullopt,
                     .shared_bytes = recording.shared_bytes,
                     .blocks = recording.blocks_total,
                     .cluster_blocks = recording.cluster.count()},
          .compiled = {},
          .why_no_registers = tr("no machine code was asked for")};
}

/// What blocks touch, from one look at the events.
void count_elements(const Recording& recording, Facts& facts) {
  if (recording.event_blocks.size() == recording.grid.count()) {
    auto sectors = std::make_shared<GridSectors>(recording.grid, recording.buffers);
    ElementSums sums(recording);
    if (sectors->add(recording, &sums) && sectors->complete()) {
      facts.sectors = std::move(sectors);
      facts.element_counts = sums.take();
      return;
    }
  }
  facts.element_counts = element_counts(recording);
}

}  // namespace

const GridSectors* Results::sectors() const {
  return facts->sectors ? facts->sectors.get() : grid_counts ? grid_counts->sectors().get() : nullptr;
}

const Divergence& Results::divergence() const {
  return grid_counts && grid_counts->divergence() ? *grid_counts->divergence() : facts->divergence;
}

const GridHistory* Results::history() const {
  return grid_counts ? grid_counts->history().get() : nullptr;
}

Facts facts_of(const Recording& recording) {
  Facts facts{.phase_kinds = phase_kinds(recording),
              .element_counts = {},
              .divergence = divergence(recording),
              .sectors = nullptr,
              .matrix_instructions = matrix_instructions(recording),
              .source_file = main_source_file(recording)};
  count_elements(recording, facts);
  make_cells(recording, facts.element_counts);
  return facts;
}

Results results_of(const Recording& recording, std::shared_ptr<const Facts> facts, ComputeCapability cc) {
  Results results;
  results.facts = std::move(facts);
  results.report = report(recording, cc);
  results.costs = costs(recording, results.report);
  results.arithmetic = counted_arithmetic(recording, results.report);
  results.occupancy = launch_alone(recording);
  return results;
}

Results results_of(const Recording& recording, ComputeCapability cc) {
  return results_of(recording, std::make_shared<const Facts>(facts_of(recording)), cc);
}

}  // namespace warplens::analysis
