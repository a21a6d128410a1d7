#pragma once

#include <cstdint>
#include <optional>

#include "viz/analysis/divergence.h"
#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Control divergence: how many warp-phases of one access diverge (analysis::AccessLanes); the active lanes
/// of the moment's warp by access and phase; and the lanes of the chosen access, in the moment's phase or
/// else nearest to it. `divergence`: analysis::divergence of the recording, or of all blocks
/// (analysis::Results::divergence): the picture says of how many. `site`: one of the chosen access's;
/// nullopt: the moment's access, or without one the first load from global memory. To one scale with the
/// picture of another recording, where one is given with its divergence.
[[nodiscard]] Picture make_divergence(const Moment& moment, const analysis::Divergence& divergence,
                                      std::optional<std::uint32_t> site, const Highlight& highlight,
                                      Size size, const Style& style, const Recording* beside = nullptr,
                                      const analysis::Divergence* divergence_beside = nullptr);

}  // namespace warplens::picture
