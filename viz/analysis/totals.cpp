#include "viz/analysis/totals.h"

#include <algorithm>
#include <bit>
#include <functional>

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
  totals.cost = counted.unkept_cost;
  for (const PatternCount& pattern : counted.patterns) {
    const WarpAccess access = make_access(description, recording.shapes[pattern.shape], pattern.mask,
                                          pattern_base(pattern.alignment));
    totals.cost += times(access_cost(access, cc), pattern.count);
  }
  return totals;
}

/// Where a site's figures are added up.
Totals& total_of(Report& report, const Site& site) {
  const bool in_shared = site.space == Space::shared, in_local = site.space == Space::local;
  switch (site.op) {
    case AccessOp::load:
      return in_shared ? report.shared_load : in_local ? report.local_load : report.global_load;
    case AccessOp::store:
      return in_shared ? report.shared_store : in_local ? report.local_store : report.global_store;
    case AccessOp::atomic: return in_shared ? report.shared_atomic : report.global_atomic;
    case AccessOp::reduction: return in_shared ? report.shared_atomic : report.global_reduction;
    case AccessOp::ldmatrix: return report.matrix_load;
    case AccessOp::stmatrix: return report.matrix_store;
    case AccessOp::bulk_load: return in_shared ? report.bulk_load_shared : report.bulk_load_global;
    case AccessOp::bulk_store:
    case AccessOp::bulk_reduction: return in_shared ? report.bulk_store_shared : report.bulk_store_global;
    case AccessOp::wgmma: return report.warpgroup_load;
    case AccessOp::cp_async: break;
  }
  return in_shared ? report.async_copy_shared : report.async_copy_global;
}

constexpr TotalsKind kTotalsKinds[] = {
    {"global_load", marked("global load"), &Report::global_load, Space::global, true, false},
    {"global_store", marked("global store"), &Report::global_store, Space::global, false, true},
    {"global_atomic", marked("global atomic"), &Report::global_atomic, Space::global, true, true},
    {"global_reduction", marked("global reduction"), &Report::global_reduction, Space::global, false, true},
    {"async_copy_global", marked("async copy, global"), &Report::async_copy_global, Space::global, true,
     false},
    {"local_load", marked("local load"), &Report::local_load, Space::local, true, false},
    {"local_store", marked("local store"), &Report::local_store, Space::local, false, true},
    {"shared_load", marked("shared load"), &Report::shared_load, Space::shared, true, false},
    {"shared_store", marked("shared store"), &Report::shared_store, Space::shared, false, true},
    {"shared_atomic", marked("shared atomic"), &Report::shared_atomic, Space::shared, true, true},
    {"async_copy_shared", marked("async copy, shared"), &Report::async_copy_shared, Space::shared, false,
     true},
    {"matrix_load", marked("matrix load"), &Report::matrix_load, Space::shared, true, false},
    {"matrix_store", marked("matrix store"), &Report::matrix_store, Space::shared, false, true},
    {"bulk_load_global", marked("bulk load, global"), &Report::bulk_load_global, Space::global, true, false},
    {"bulk_store_global", marked("bulk store, global"), &Report::bulk_store_global, Space::global, false,
     true},
    {"bulk_load_shared", marked("bulk load, shared"), &Report::bulk_load_shared, Space::shared, false, true},
    {"bulk_store_shared", marked("bulk store, shared"), &Report::bulk_store_shared, Space::shared, true,
     false},
    {"warpgroup_load", marked("wgmma, shared"), &Report::warpgroup_load, Space::shared, true, false}};

Totals sum_of(const Report& report, Space space, bool TotalsKind::* does) {
  Totals sum;
  for (const TotalsKind& kind : kTotalsKinds) {
    if (kind.space == space && kind.*does) sum += report.*kind.totals;
  }
  return sum;
}

PhaseKind kind_of(const PhaseTotals& phase, bool phases_are_barriers) {
  if (phase.requests() == 0) return PhaseKind::other;
  if (phase.global_stores == phase.requests()) return PhaseKind::write;
  if (!phases_are_barriers) return PhaseKind::step;
  // What is stored may be a loaded value or a zero past the edge; then no store is known to be a fill, but
  // there is nothing else it could be.
  if (phase.shared_loads == 0 && phase.shared_stores > 0 && phase.global_loads > 0) return PhaseKind::fill;
  if (phase.shared_loads == 0) return phase.fills > 0 ? PhaseKind::fill : PhaseKind::other;
  return phase.fills > 0 ? PhaseKind::compute_and_fill : PhaseKind::compute;
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  requests += other.requests;
  requested_bytes += other.requested_bytes;
  divergent_requests += other.divergent_requests;
  cost += other.cost;
  return *this;
}

std::span<const TotalsKind> totals_kinds() {
  return kTotalsKinds;
}

Totals totals_that_read(const Report& report, Space space) {
  return sum_of(report, space, &TotalsKind::reads);
}

Totals totals_that_write(const Report& report, Space space) {
  return sum_of(report, space, &TotalsKind::writes);
}

Report report(const Recording& recording, ComputeCapability cc) {
  Report result;
  result.cc = cc;
  const bool same_rules = recording.unkept_cc == cc.name();
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    const Site& description = recording.sites[site];
    result.by_site.push_back(site_totals(recording, site, cc));
    total_of(result, description) += result.by_site.back();
    result.sites_by_line[{description.file, description.line}].push_back(static_cast<std::uint32_t>(site));
    if (recording.totals[site].unkept_requests > 0 && !same_rules)
      result.sites_with_other_rules.push_back(static_cast<std::uint32_t>(site));
  }
  return result;
}

std::vector<TensorKind> tensor_kinds(const Recording& recording) {
  std::map<std::string, TensorKind> by_name;
  for (const TensorTotals& totals : recording.tensor) {
    TensorKind& kind = by_name[totals.kind];
    kind.kind = totals.kind;
    kind.instructions += totals.instructions;
    kind.operations += totals.instructions * totals.operations;
  }
  std::vector<TensorKind> kinds;
  for (const auto& [name, kind] : by_name) kinds.push_back(kind);
  std::ranges::stable_sort(kinds, std::greater(), &TensorKind::operations);
  return kinds;
}

std::string tensor_type(const Recording& recording) {
  const std::vector<TensorKind> kinds = tensor_kinds(recording);
  if (kinds.empty()) return "";
  // The last words are the types of D, A, B and C.
  constexpr int kBehind = 2;
  std::string_view name = kinds.front().kind;
  for (int word = 0; word < kBehind; ++word) name = name.substr(0, std::min(name.rfind('.'), name.size()));
  return std::string(name.substr(std::min(name.rfind('.') + 1, name.size())));
}

const char* name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::fill: return marked("fill");
    case PhaseKind::compute: return marked("compute");
    case PhaseKind::compute_and_fill: return marked("compute + fill");
    case PhaseKind::write: return marked("write");
    case PhaseKind::step: return marked("step");
    case PhaseKind::other: break;
  }
  return marked("other");
}

namespace {

bool computes(PhaseKind kind) {
  return kind == PhaseKind::compute || kind == PhaseKind::compute_and_fill;
}

bool are_pipelined(const std::vector<PhaseKind>& kinds) {
  return std::ranges::find(kinds, PhaseKind::compute_and_fill) != kinds.end();
}

/// Tiles that begin in the first phases, `phases` of them.
std::size_t tiles_of_first(const std::vector<PhaseKind>& kinds, std::size_t phases) {
  const auto end = kinds.begin() + static_cast<std::ptrdiff_t>(phases);
  const auto count = are_pipelined(kinds) ? std::count_if(kinds.begin(), end, computes)
                                          : std::count(kinds.begin(), end, PhaseKind::fill);
  return static_cast<std::size_t>(count);
}

}  // namespace

std::size_t count_tiles(const std::vector<PhaseKind>& kinds) {
  return tiles_of_first(kinds, kinds.size());
}

bool counts_tiles(const std::vector<PhaseKind>& kinds) {
  return count_tiles(kinds) > 0;
}

std::optional<std::size_t> tile_of(const std::vector<PhaseKind>& kinds, std::size_t phase) {
  const bool is_of_tile =
      phase < kinds.size() &&
      (computes(kinds[phase]) || (kinds[phase] == PhaseKind::fill && !are_pipelined(kinds)));
  const std::size_t tile = is_of_tile ? tiles_of_first(kinds, phase + 1) : 0;
  return tile == 0 ? std::nullopt : std::optional(tile);
}

std::string phase_number(const std::vector<PhaseKind>& kinds, std::size_t phase) {
  if (!counts_tiles(kinds)) return std::to_string(phase + 1);
  const std::optional<std::size_t> tile = tile_of(kinds, phase);
  return tile ? std::to_string(*tile) : std::string();
}

std::string phase_in_words(const std::vector<PhaseKind>& kinds, std::size_t phase) {
  const std::string at = with_thousands(phase + 1), of = with_thousands(kinds.size());
  if (phase < kinds.size() && kinds[phase] == PhaseKind::step)
    return kinds.size() == 1 ? tr("one phase")
                             : tr("pass {pass} of {passes}", "pass"_a = at, "passes"_a = of);
  std::string number = tr("phase {phase} of {phases}", "phase"_a = at, "phases"_a = of);
  if (phase >= kinds.size() || kinds[phase] == PhaseKind::other) return number;
  const char* const kind = tr(name_of(kinds[phase]));
  if (kinds[phase] == PhaseKind::write) return kind;
  const std::optional<std::size_t> tile = tile_of(kinds, phase);
  if (!tile) return tr("{phase}, {kind}", "phase"_a = number, "kind"_a = kind);
  return tr("tile {tile} of {tiles}, {kind}", "tile"_a = *tile, "tiles"_a = count_tiles(kinds),
            "kind"_a = kind);
}

std::vector<PhaseKind> phase_kinds(const Recording& recording) {
  std::vector<PhaseKind> kinds;
  for (const PhaseTotals& phase : recording.phases)
    kinds.push_back(kind_of(phase, recording.phases_are_barriers));
  return kinds;
}

}  // namespace warplens::analysis
