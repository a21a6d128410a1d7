#pragma once

#include <string>

#include "viz/analysis/role_timeline.h"
#include "viz/picture/moment.h"

namespace warplens::viz {

/// A trace for Perfetto: warps by role, mbarriers and bytes in flight, on the clock of steps.
[[nodiscard]] std::string timeline_trace(const picture::Moment& moment,
                                         const analysis::RoleTimeline& timeline);

}  // namespace warplens::viz
