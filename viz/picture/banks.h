#pragma once

#include <optional>

#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// One access to shared memory, unfolded wavefront by wavefront over the banks: which lane is served when,
/// which lanes share a word, how many wavefronts against the ideal; below, banks over the accesses of the
/// phase with the conflict degree as colour. Drawn is the access nearest to the moment; `counted` is what a
/// GPU says of it. To one scale with the picture of `beside`, where that is not null.
[[nodiscard]] Picture make_banks(const Moment& moment, const Highlight& highlight, Size size,
                                 const Style& style, const Moment* beside = nullptr,
                                 const std::optional<Counted>& counted = std::nullopt);

}  // namespace warplens::picture
