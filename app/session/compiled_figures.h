// The figures beside a source line, and beside an instruction, as the machine code makes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "viz/analysis/line_figures.h"

namespace warplens::app {

// Both are empty without Loaded::compiled's counts. LineFigures::sites are the recording's own on that line, of the same space and operation: an
// access that is shown is one as written.

/// Of a source line. `arrays`, by site of the recording: the rows name those that they may touch.
[[nodiscard]] std::vector<analysis::LineFigures> compiled_line_figures(const Loaded& loaded, std::uint32_t file, std::uint32_t line,
                                                                       std::span<const std::string> arrays = {});
/// Of one instruction of the function.
[[nodiscard]] std::vector<analysis::LineFigures> instruction_figures(const Loaded& loaded, std::uint32_t instruction);

}  // namespace warplens::app
