// What a GPU counted of single instructions, beside what the replay says of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "viz/analysis/line_figures.h"
#include "viz/canvas/picture.h"

namespace warplens::app {

/// Returns what a GPU counted for the machine code's accesses by some sites of Loaded::compiled, all of one
/// space. nullopt: no GPU counted them, or one under other rules, or it ran other code than the listing's; or
/// not all blocks were replayed, all of which a GPU runs.
[[nodiscard]] std::optional<analysis::HardwareCount> hardware_count(const Loaded& loaded,
                                                                    std::span<const std::uint32_t> sites);
/// Returns the same for all accesses of a source line of that space and operation.
[[nodiscard]] std::optional<analysis::HardwareCount> hardware_count(const Loaded& loaded, std::uint32_t file,
                                                                    std::uint32_t line, Space space,
                                                                    AccessOp op);

struct CheckedInstruction {
  std::uint32_t instruction = 0;  ///< Of Loaded::compiled's function
  Space space = Space::global;
  analysis::HardwareCount count;
};
/// All that a GPU counted, in the code's order.
[[nodiscard]] std::vector<CheckedInstruction> checked_instructions(const Loaded& loaded);
/// "The GPU counted 524,288 wavefronts, too."
[[nodiscard]] std::string in_words(const analysis::HardwareCount& count, const analysis::LineFigures& row);

/// Beside an access that is drawn: of the instruction that makes it, a request on average.
[[nodiscard]] std::optional<picture::Counted> counted_beside(const Loaded& loaded, std::size_t event);

}  // namespace warplens::app
