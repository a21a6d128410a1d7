// What views draw of a recording: everything that is derived from it, by the rules of one compute capability.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/recording/block_details.h"
#include "kernels/recording/launch_counters.h"
#include "kernels/recording/recording.h"
#include "viz/analysis/arithmetic.h"
#include "viz/analysis/cluster/cluster_blocks.h"
#include "viz/analysis/costs.h"
#include "viz/analysis/divergence.h"
#include "viz/analysis/footprint.h"
#include "viz/analysis/matrix_instructions.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/occupancy.h"
#include "viz/analysis/pipeline.h"
#include "viz/analysis/reuse.h"
#include "viz/analysis/role_timeline.h"
#include "viz/analysis/totals.h"

namespace warplens::analysis {

class GridCounts;
class GridHistory;
class GridSectors;
struct ElementHistory;

/// Keeps the details of a block that were found last. Any thread may lock it.
struct DetailsKeeper {
  std::mutex mutex;
  std::uint32_t event_block = 0, warp = 0;
  ComputeCapability cc;                         ///< Whose tensor cores computed
  std::shared_ptr<const BlockDetails> details;  ///< Null: none has been found
};

/// What holds whatever the rules.
struct Facts {
  std::vector<PhaseKind> phase_kinds;
  std::vector<ElementCounts> element_counts;
  Divergence divergence;
  /// Where every block of the grid has its events; else null, as where that is too much to keep.
  std::shared_ptr<const GridSectors> sectors;
  std::vector<MatrixInstruction> matrix_instructions;
  /// Where the recording is drawn: the file of Recording::files that most memory instructions come from.
  std::uint32_t source_file = 0;
  /// Works phases out when they are drawn.
  std::shared_ptr<PhaseFollower> follower = std::make_shared<PhaseFollower>();
  std::shared_ptr<PipelineKeeper> pipelines = std::make_shared<PipelineKeeper>();
  std::shared_ptr<DetailsKeeper> details = std::make_shared<DetailsKeeper>();
  std::shared_ptr<TimelineKeeper> timelines = std::make_shared<TimelineKeeper>();
  std::shared_ptr<ClusterKeeper> clusters = std::make_shared<ClusterKeeper>();
};
[[nodiscard]] Facts facts_of(const Recording& recording);

struct Results {
  std::shared_ptr<const Facts> facts;
  Report report;
  std::vector<LineCost> costs;
  Arithmetic arithmetic;
  OccupancySubject occupancy;
  /// What is counted of all blocks of the grid, where the recorded ones are not all; null until that has been
  /// done.
  std::shared_ptr<const GridCounts> grid_counts;

  /// History of the chosen element over all blocks, where they had to be run once more for it; null: they had
  /// not.
  std::shared_ptr<const ElementHistory> chosen_history;

  /// What a GPU counted of the launch; null: nobody has asked one.
  std::shared_ptr<const LaunchCounters> hardware;

  /// Which sectors all blocks of the grid touch; null: not counted.
  [[nodiscard]] const GridSectors* sectors() const;
  /// Returns the divergence of all blocks where they have been counted, or of those counted by now; else of
  /// the recorded ones.
  [[nodiscard]] const Divergence& divergence() const;
  /// Who of all blocks touches an element; null: it is known of the recorded ones.
  [[nodiscard]] const GridHistory* history() const;
};
/// Under the rules of a compute capability; the arithmetic is without the ladder, the occupancy without
/// registers. `facts` are the recording's.
[[nodiscard]] Results results_of(const Recording& recording, std::shared_ptr<const Facts> facts,
                                 ComputeCapability cc);
[[nodiscard]] Results results_of(const Recording& recording, ComputeCapability cc);

}  // namespace warplens::analysis
