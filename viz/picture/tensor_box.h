// A box of a tensor that one bulk copy moves, and where it lies in shared memory.
#pragma once

#include "kernels/recording/block_details.h"
#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// The box on the tensor, row by row, with the sectors and lines that it takes and what of it lies outside;
/// and shared memory in lines of 128 bytes, as the swizzle puts the box there and as it would lie without. A
/// piece of 16 bytes has the colour of the banks in which it lies. Of a large box a page is drawn: the one
/// with the element or word that is lit. `details`: null, or of the moment's block.
[[nodiscard]] Picture make_tensor_box(const Moment& moment, const BlockDetails* details,
                                      const Highlight& highlight, Size size, const Style& style);

}  // namespace warplens::picture
