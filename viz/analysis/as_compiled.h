// The accesses as written, in PTX, beside those of the machine code made of it: what the assembler merged,
// and whether the two can be of one run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/totals.h"

namespace warplens::analysis {

/// Requests by the bytes of a lane: 1, 2, 4, 8, 16.
using WidthCounts = std::array<std::uint64_t, 5>;

/// Accesses of one kind whose number or widths the assembler changed.
struct ChangedAccesses {
  std::uint32_t line = 0;  ///< Source line, in the file asked for
  Space space = Space::global;
  AccessOp op = AccessOp::load;
  WidthCounts written{}, compiled{};
};

/// By line of a source file. `file` and `compiled_file` are its indices in the two recordings.
[[nodiscard]] std::vector<ChangedAccesses> changed_accesses(const Recording& written, std::uint32_t file,
                                                            const Recording& compiled,
                                                            std::uint32_t compiled_file);

/// "1,048,576 of 4 B" or "524,288 of 4 B, 131,072 of 16 B".
[[nodiscard]] std::string in_words(const WidthCounts& counts);

/// An assembler may merge, drop and repeat loads, and spill to local memory, but what is stored to global and
/// shared memory, byte for byte, it must store. Empty if it does, else what differs.
[[nodiscard]] std::string disagreement(const Report& written, const Report& compiled);
/// All that differs is that fewer bytes are stored to shared memory: of two stores one after the other to one
/// place, an assembler may drop the first.
[[nodiscard]] bool may_drop_stores(const Report& written, const Report& compiled);

}  // namespace warplens::analysis
