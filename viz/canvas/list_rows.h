#pragma once

#include <cstddef>

namespace warplens::picture {

/// The rows of a picture that is a list, of which it shows as many as fit.
struct ListRows {
  std::size_t count = 0, current = 0;
  float height = 0;  ///< Of one, in pixels
};

}  // namespace warplens::picture
