// From a recording's pattern counts to the figures of reports and views, under the rules of any compute
// capability.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

struct Totals {
  std::uint64_t requests = 0, requested_bytes = 0, divergent_requests = 0;
  AccessCost cost;
  Totals& operator+=(const Totals& other);
};

struct Report {
  ComputeCapability cc;
  std::vector<Totals> by_site;  ///< As Recording::sites
  Totals global_load, global_store, global_atomic, global_reduction, async_copy_global, local_load,
      local_store, shared_load, shared_store, shared_atomic, async_copy_shared, matrix_load, matrix_store,
      bulk_load_global, bulk_store_global, bulk_load_shared, bulk_store_shared, warpgroup_load;
  /// By (file, line): the sites of one source line, in PTX order.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> sites_by_line;
  /// Sites costed while recording under other rules than `cc`: their figures hold for Recording::unkept_cc
  /// only.
  std::vector<std::uint32_t> sites_with_other_rules;
};
[[nodiscard]] Report report(const Recording& recording, ComputeCapability cc);

/// What tensor cores computed by instructions of one shape and types.
struct TensorKind {
  std::string kind;  ///< As TensorTotals::kind
  std::uint64_t instructions = 0, operations = 0;
  friend bool operator==(const TensorKind&, const TensorKind&) = default;
};
/// Sorted by operations, descending.
[[nodiscard]] std::vector<TensorKind> tensor_kinds(const Recording& recording);
/// Returns the type of A with the most operations: "f16"; empty if there are none.
[[nodiscard]] std::string tensor_type(const Recording& recording);

/// One of the totals of a report, each of which counts accesses that no other counts.
struct TotalsKind {
  const char* id = nullptr;     ///< "global_load": in JSON, tables and lessons
  const char* title = nullptr;  ///< For tr()
  Totals Report::* totals = nullptr;
  Space space = Space::global;
  bool reads = false, writes = false;
  [[nodiscard]] bool shared() const { return space == Space::shared; }
};
/// In the order in which reports list them.
[[nodiscard]] std::span<const TotalsKind> totals_kinds();
/// The totals of these kinds together: of `space`, that read, or that write.
[[nodiscard]] Totals totals_that_read(const Report& report, Space space);
[[nodiscard]] Totals totals_that_write(const Report& report, Space space);

enum class PhaseKind : std::uint8_t { fill, compute, compute_and_fill, write, step, other };
[[nodiscard]] const char* name_of(
    PhaseKind kind);  ///< "fill"; in tables and JSON as it is, and tr() of it in the window
/// The kind of each phase of the recording. fill: stores to shared memory what it loaded from global memory;
/// compute: reads shared memory; compute_and_fill: does both, as pipelines do that fetch a later tile; write:
/// only stores to global memory; step: a pass of the outermost loop of a kernel without barriers, or all of
/// one without a loop. The loop is the PTX's: where the compiler unrolled the source's, a pass is several
/// iterations of that.
[[nodiscard]] std::vector<PhaseKind> phase_kinds(const Recording& recording);
/// What a course calls the phase: "tile 6 of 8, fill", "write", "pass 3 of 16", or "phase 3 of 5" where its
/// accesses make it neither. A tile is a fill phase and what computes on it before the next; where phases
/// compute and fill, each that computes is a tile's.
[[nodiscard]] std::string phase_in_words(const std::vector<PhaseKind>& kinds, std::size_t phase);
/// "6": the number of a phase's tile where tiles are counted, empty if it has none; else of the phase,
/// from 1.
[[nodiscard]] std::string phase_number(const std::vector<PhaseKind>& kinds, std::size_t phase);
/// The number of the tile that a phase fills or computes from, from 1: who counts phases counts tiles.
/// nullopt: phases are no tiles, and have numbers of their own.
[[nodiscard]] std::optional<std::size_t> tile_of(const std::vector<PhaseKind>& kinds, std::size_t phase);
[[nodiscard]] std::size_t count_tiles(const std::vector<PhaseKind>& kinds);
/// Whether phases are counted by tiles at all.
[[nodiscard]] bool counts_tiles(const std::vector<PhaseKind>& kinds);

}  // namespace warplens::analysis
