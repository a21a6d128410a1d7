// Whether a kept layout is one that Dear ImGui can be given: it takes dock trees at their word.
#pragma once

#include <string>
#include <string_view>

#include "kernels/base/result.h"

namespace warplens::app {

/// The parts of the text that are about windows and docking, as they stand. The error names the first line
/// that Dear ImGui would not have written: every dock node is declared once, below its parent, and is split
/// into two or holds windows; every docked window names a node that holds windows.
[[nodiscard]] Result<std::string> checked_layout(std::string_view text);

}  // namespace warplens::app
