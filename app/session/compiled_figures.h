// The figures beside a source line, and beside an instruction, as the PTX and as the machine code makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "viz/analysis/line_figures.h"

namespace warplens::app {

/// Returns the figures of a source line as the PTX makes them: analysis::line_figures, with what a GPU
/// counted.
[[nodiscard]] std::vector<analysis::LineFigures> written_line_figures(
    const Loaded& loaded, std::uint32_t file, std::uint32_t line, std::span<const std::string> arrays = {});

// Both are empty without Loaded::compiled's counts. LineFigures::sites are the recording's own on that line,
// of the same space and operation: an access that is shown is one as written.

/// Returns the figures of a source line as compiled. `arrays`, by site of the recording: the rows name those
/// that they may touch.
[[nodiscard]] std::vector<analysis::LineFigures> compiled_line_figures(
    const Loaded& loaded, std::uint32_t file, std::uint32_t line, std::span<const std::string> arrays = {});
/// Returns the figures of one instruction of the function.
[[nodiscard]] std::vector<analysis::LineFigures> instruction_figures(const Loaded& loaded,
                                                                     std::uint32_t instruction);

/// The instruction that makes an access of the recording: of those of its source line, space and operation
/// the one whose lanes lay as far apart, at such addresses (as far as patterns tell, modulo 256: of an access
/// that others were merged with, the one that covers it). Among several, the k-th in the code for the k-th
/// instruction of the PTX. nullopt: none, or there are no counts.
[[nodiscard]] std::optional<std::uint32_t> instruction_of(const Loaded& loaded, std::size_t event);

}  // namespace warplens::app
