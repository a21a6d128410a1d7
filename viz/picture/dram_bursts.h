// A matrix as DRAM holds it: row after row of bursts, and which of them an access opens.
#pragma once

#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The bursts that the current access to global memory opens, each as full as its bytes are used; where that
/// is not all of them, beside it what the same lanes open on neighbouring elements: the corner turned. Where
/// `beside` is not null, bursts are as large as in its picture, and the corner is left out.
[[nodiscard]] Picture make_dram_bursts(const Moment& moment, Size size, const Style& style,
                                       const Moment* beside = nullptr);

}  // namespace warplens::picture
