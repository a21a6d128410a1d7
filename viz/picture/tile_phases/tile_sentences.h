// What Tile phases says of a phase.
#pragma once

#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/totals.h"

namespace warplens::picture {

/// "A, B and C".
[[nodiscard]] std::string list_in_words(const std::vector<std::string>& names);

/// "Tile 6", "Pass 3", "Phase 2": counted as the rest of the window counts (see phase_name).
[[nodiscard]] std::string name_in_sentence(const Recording& recording,
                                           const std::vector<analysis::PhaseKind>& kinds, std::size_t phase);

/// `phase`: "Tile 6".
[[nodiscard]] std::string computing_phase_in_words(const std::string& phase,
                                                   const std::vector<std::string>& read,
                                                   const std::vector<std::string>& held);

/// What happens to global memory. `phase`: "Tile 6".
[[nodiscard]] std::string global_accesses_in_words(const std::string& phase,
                                                   const std::vector<std::string>& read,
                                                   const std::vector<std::string>& written);

}  // namespace warplens::picture
