// What views draw of a recording: everything that is derived from it, by the rules of one compute capability.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/arithmetic.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/occupancy.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/totals.h"

namespace warplens::analysis {

struct Results {
  Report report;
  std::vector<PhaseKind> phase_kinds;
  std::vector<ElementCounts> element_counts;
  Divergence divergence;
  /// Where the recording is drawn: the file of Recording::files that most memory instructions come from.
  std::uint32_t source_file = 0;
  OccupancySubject occupancy;
  Arithmetic arithmetic;
};
/// What the recording alone gives: the occupancy without registers, the arithmetic without the ladder.
[[nodiscard]] Results results_of(const Recording& recording, ComputeCapability cc);

}  // namespace warplens::analysis
