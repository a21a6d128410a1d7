// The grid of active lanes of one warp: a row an access, a column a phase.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "viz/analysis/divergence.h"
#include "viz/analysis/totals.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

struct LaneGrid {
  const Moment& moment;
  const analysis::Divergence& divergence;
  std::vector<std::vector<analysis::PhaseLanes>> of_warp;  ///< analysis::lanes_of_warp of the moment's warp
  std::size_t chosen = 0;                                  ///< Index into divergence.accesses
  const Highlight& highlight;
  std::vector<analysis::PhaseKind> phase_kinds;
  /// What stands beside it, to one scale; null: nothing.
  const Recording* recording_beside = nullptr;
  const analysis::Divergence* divergence_beside = nullptr;
};

/// All rows that there is room for; the chosen one is among them. Every cell tells phase and access
/// (Target::Kind::site).
void draw_lane_grid(Canvas& canvas, Rect box, const LaneGrid& grid);

/// "line 24 · global load of A"; by its line in the PTX where the source's is unknown.
[[nodiscard]] std::string access_title(const Recording& recording, const analysis::AccessLanes& access);

}  // namespace warplens::picture
