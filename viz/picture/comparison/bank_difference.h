#pragma once

#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Banks over the shared accesses of the phase of B and of the one that stands for it in A: by how much each
/// bank's conflict degree differs, and what each access takes in both. Accesses stand for each other by their
/// kind or by their step (paired_accesses.h).
[[nodiscard]] Picture make_bank_difference(const Moment& a, const Moment& b, bool by_step, Size size,
                                           const Style& style);

}  // namespace warplens::picture
