#include "viz/analysis/totals.h"

#include <algorithm>
#include <bit>

#include "kernels/base/figures.h"
#include "kernels/base/texts.h"
#include "viz/analysis/lanes.h"

namespace warplens::analysis {
namespace {

AccessCost times(const AccessCost& cost, std::uint64_t count) {
  return {cost.sectors * count,    cost.ideal_sectors * count,    cost.lines * count,
          cost.wavefronts * count, cost.ideal_wavefronts * count, cost.bank_conflicts * count};
}

Totals site_totals(const Recording& recording, std::size_t site, ComputeCapability cc) {
  const SiteTotals& counted = recording.totals[site];
  const Site& description = recording.sites[site];
  Totals totals;
  totals.requests = counted.requests;
  totals.divergent_requests = counted.divergent_requests;
  // ldmatrix and stmatrix move 128 bytes a matrix, however many lanes take part.
  totals.requested_bytes = is_of_matrices(description.op) ? counted.requests * description.matrices * 128
                                                          : counted.thread_accesses * description.bytes;
  totals.cost = counted.judged;
  for (const PatternCount& pattern : counted.patterns) {
    const WarpAccess access = make_access(description, recording.shapes[pattern.shape], pattern.mask,
                                          pattern_base(pattern.alignment));
    totals.cost += times(judge(access, cc), pattern.count);
  }
  return totals;
}

/// Where a site's figures are added up. ldmatrix reads and stmatrix writes shared memory; cp.async reads
/// global and writes shared memory.
Totals& total_of(Report& report, const Site& site) {
  const bool atomic = is_atomic(site.op), only_reads = !writes(site.op, site.space);
  switch (site.space) {
    case Space::shared:
      return atomic ? report.shared_atomic : only_reads ? report.shared_load : report.shared_store;
    case Space::local: return only_reads ? report.local_load : report.local_store;
    case Space::global: break;
  }
  if (atomic) return site.op == AccessOp::atomic ? report.global_atomic : report.global_reduction;
  return only_reads ? report.global_load : report.global_store;
}

PhaseKind kind_of(const PhaseTotals& phase, bool phases_are_barriers) {
  if (phase.requests() == 0) return PhaseKind::other;
  if (phase.global_stores == phase.requests()) return PhaseKind::write;
  if (!phases_are_barriers) return PhaseKind::step;
  // What is stored may be a loaded value or a zero past the edge; then no store is known to be a fill, but
  // there is nothing else it could be.
  if (phase.shared_loads == 0 && phase.shared_stores > 0 && phase.global_loads > 0) return PhaseKind::fill;
  // A phase that fills the next tile while it computes on this one is what it does more of.
  if (phase.fills > phase.shared_loads) return PhaseKind::fill;
  return phase.shared_loads > 0 ? PhaseKind::compute : PhaseKind::other;
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  requests += other.requests;
  requested_bytes += other.requested_bytes;
  divergent_requests += other.divergent_requests;
  cost += other.cost;
  return *this;
}

Report report(const Recording& recording, ComputeCapability cc) {
  Report result;
  result.cc = cc;
  const bool same_rules = recording.judged_cc == cc.name();
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    const Site& description = recording.sites[site];
    result.by_site.push_back(site_totals(recording, site, cc));
    total_of(result, description) += result.by_site.back();
    result.sites_by_line[{description.file, description.line}].push_back(static_cast<std::uint32_t>(site));
    if (recording.totals[site].judged_requests > 0 && !same_rules)
      result.sites_with_other_rules.push_back(static_cast<std::uint32_t>(site));
  }
  return result;
}

const char* name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::fill: return marked("fill");
    case PhaseKind::compute: return marked("compute");
    case PhaseKind::write: return marked("write");
    case PhaseKind::step: return marked("step");
    case PhaseKind::other: break;
  }
  return marked("other");
}

bool counts_tiles(const std::vector<PhaseKind>& kinds) {
  return std::ranges::find(kinds, PhaseKind::fill) != kinds.end();
}

std::optional<std::size_t> tile_of(const std::vector<PhaseKind>& kinds, std::size_t phase) {
  if (phase >= kinds.size() || (kinds[phase] != PhaseKind::fill && kinds[phase] != PhaseKind::compute))
    return std::nullopt;
  const auto tile =
      std::count(kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(phase) + 1, PhaseKind::fill);
  return tile == 0 ? std::nullopt : std::optional(static_cast<std::size_t>(tile));
}

std::string phase_in_words(const std::vector<PhaseKind>& kinds, std::size_t phase) {
  const std::string at = with_thousands(phase + 1), of = with_thousands(kinds.size());
  if (phase < kinds.size() && kinds[phase] == PhaseKind::step)
    return kinds.size() == 1 ? tr("one phase")
                             : tr("pass {pass} of {passes}", "pass"_a = at, "passes"_a = of);
  std::string number = tr("phase {phase} of {phases}", "phase"_a = at, "phases"_a = of);
  if (phase >= kinds.size() || kinds[phase] == PhaseKind::other) return number;
  const auto here = kinds.begin() + static_cast<std::ptrdiff_t>(phase);
  const auto tiles = std::count(kinds.begin(), kinds.end(), PhaseKind::fill),
             tile = std::count(kinds.begin(), here + 1, PhaseKind::fill);
  const char* const kind = tr(name_of(*here));
  if (*here == PhaseKind::write) return kind;
  if (tile == 0) return tr("{phase}, {kind}", "phase"_a = number, "kind"_a = kind);
  return tr("tile {tile} of {tiles}, {kind}", "tile"_a = tile, "tiles"_a = tiles, "kind"_a = kind);
}

std::vector<PhaseKind> phase_kinds(const Recording& recording) {
  std::vector<PhaseKind> kinds;
  for (const PhaseTotals& phase : recording.phases)
    kinds.push_back(kind_of(phase, recording.phases_are_barriers));
  return kinds;
}

}  // namespace warplens::analysis
