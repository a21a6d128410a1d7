// A field for a whole number.
#pragma once

#include <cstdint>

#include "app/views/look.h"

namespace warplens::app {

/// The field of the next item's width. What is typed is taken at once if it is a number from `least` to
/// `most`. Anything else is not taken: while it stands there the field says its range, and afterwards shows
/// the last number taken. True when a number was taken that is another.
bool number_field(const Look& look, const char* id, std::int64_t& value, std::int64_t least,
                  std::int64_t most);

}  // namespace warplens::app
