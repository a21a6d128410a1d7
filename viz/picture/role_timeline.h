// The warps of a block by role, with mbarriers and what is in flight.
#pragma once

#include <string>

#include "viz/analysis/role_timeline.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// "warps 4–7".
[[nodiscard]] std::string warps_name(const analysis::Role& role);
/// "warps 4–7: multiplies, stores".
[[nodiscard]] std::string role_name(const analysis::Role& role);
/// "waits", "copies to shared memory": of a warp, in a step of that kind.
[[nodiscard]] std::string step_kind_name(analysis::StepKind kind);
/// Name of the mbarrier at an address of shared memory: "full[1]", "smem[49152]".
[[nodiscard]] std::string mbarrier_name(const Recording& recording, std::uint32_t address);

/// From top to bottom: bytes in flight, a row for each mbarrier with its phases, and a row for each warp, by
/// role, with what it does in each step and where it waits. As many steps as fit, around the selected access.
[[nodiscard]] Picture make_role_timeline(const Moment& moment, const analysis::RoleTimeline* timeline,
                                         Size size, const Style& style);

}  // namespace warplens::picture
