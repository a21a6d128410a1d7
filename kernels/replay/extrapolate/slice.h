// A program without what only computes values: what is left makes the same accesses, takes the same ways and
// counts the same instructions.
#pragma once

#include <span>

#include "kernels/replay/decode/code.h"

namespace warplens::replay {

/// Instructions whose results decide on no address, no way through the code and no lanes are left out, or
/// stand there without doing anything where instructions are counted from. Loads stay, and stores, of values
/// that mean nothing. What is guarded keeps its guard.
///
/// `code` must live as long as the result: lists of operands are its own. `watched`: PTX instructions whose
/// handler becomes `watch`.
[[nodiscard]] Program::Code slice(const Program::Code& code, std::span<const std::uint32_t> watched,
                                  Handler watch);

}  // namespace warplens::replay
