#pragma once

#include "viz/analysis/occupancy.h"
#include "viz/canvas/picture.h"

namespace warplens::picture {

/// What is asked about a recorded launch.
struct OccupancyQuestion {
  analysis::ComputeCapability cc;  ///< The multiprocessor's
  analysis::LaunchNeeds needs;     ///< Of the recorded launch, or others
  bool as_recorded = true;  ///< `needs` are the launch's own, with the registers that it was compiled with
  bool variants_first =
      false;  ///< Where there is not room for both: the kernel's variants instead of the launch
};

/// Blocks an SM by each limit, the SM's places for warps filled with blocks, the grid's waves over a card's
/// SMs; and what each variant of the kernel takes as compiled. To one scale with what another launch,
/// `beside`, asks for.
[[nodiscard]] Picture make_occupancy(const analysis::OccupancySubject& subject,
                                     const OccupancyQuestion& question, Size size, const Style& style,
                                     const OccupancyQuestion* beside = nullptr);

}  // namespace warplens::picture
