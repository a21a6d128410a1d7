// What the pictures of the arithmetic of memory are drawn from: the recording, the ladder's formulas, and the
// runs of this window.
#pragma once

#include <string>

#include "app/views/view.h"
#include "viz/analysis/arithmetic.h"

namespace warplens::app {

/// The arithmetic of what is loaded under another roof, with what this window's runs reached.
[[nodiscard]] analysis::Arithmetic arithmetic_with_runs(const Frame& frame, const analysis::Roof& roof,
                                                        const std::string& device);

}  // namespace warplens::app
