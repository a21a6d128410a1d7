// The place in one recording that stands for a place in another.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/loaded.h"
#include "app/session/selection.h"

namespace warplens::app {

struct Matched {
  Selection selection;
  std::string difference;  ///< A sentence on what does not correspond: "fill 12 beside fill 8: there are no
                           ///< more". Empty: all does
};

/// What of two launches corresponds.
enum class MatchBy : std::uint8_t {
  phase,  ///< Fill k to fill k, and there the k-th access of a kind
  step,   ///< The k-th access of the warp
};

/// By phase the k-th phase of its kind stands for the k-th of that kind, the k-th access to an array by an
/// operation for the k-th of those within the phase; the block for that of the same place in the grid, or
/// where it is not recorded for the one that the recording opens in; the warp for that of the same number. By
/// step the k-th access of the warp stands for the k-th. Where there are fewer, the last stands for those
/// that are missing. A lane stays; an element stays if the other has one there in the buffer of that name, a
/// word of shared memory if it has one at that row and column of the array of that name.
[[nodiscard]] Matched matched(const Loaded& from, const Selection& selection, const Loaded& to,
                              MatchBy by = MatchBy::phase);

}  // namespace warplens::app
