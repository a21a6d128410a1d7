// Where one is in a recording, as `--select` of the command line says it: blocks and warps are counted from
// 0, as CUDA does, phases and steps from 1, as the titles of the pictures do.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/selection.h"
#include "kernels/base/dim3.h"
#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// A place in a recording. Everything is counted from 0.
struct Place {
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0, phase = 0, step = 0;
};

/// Parses "block=X,Y,warp=W,phase=K,step=S", where parts may be left out, and `--select` may stand before it.
[[nodiscard]] Result<Place> parse_place(const std::string& text);
/// The text that parse_place takes.
[[nodiscard]] std::string option_of(const Place& place);

/// The place of a selection; that of the recording's beginning if it has no events.
[[nodiscard]] Place place_of(const Recording& recording, const Selection& selection);
/// An error where the recording has no events of that block. What is beyond the block's last warp, phase or
/// step is clamped by whoever goes there.
[[nodiscard]] Result<Selection> selection_at(const Recording& recording, const Place& place);

}  // namespace warplens::app
