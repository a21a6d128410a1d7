// Which elements of its array an access touches, and nothing of what that costs: what a class sees while it
// is asked.
#pragma once

#include "viz/canvas/picture.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

/// Draws the rows of the array that the moment's access touches, each lane's elements in its colour. An array
/// of one row is broken into rows of 64 elements. Empty where the access, or its array, is not known.
[[nodiscard]] Picture make_touched_elements(const Moment& moment, const Highlight& highlight, Size size,
                                            const Style& style);

}  // namespace warplens::picture
