// What to see in one access, in one sentence.
#pragma once

#include <string>

#include "kernels/recording/recording.h"
#include "viz/analysis/memory_rules.h"

namespace warplens::analysis {

/// "Consecutive lanes read consecutive words: 4 sectors, all bytes used". True of any access, made from its addresses and the rules of `cc` alone; no
/// full stop. `array`, where the caller knows the shared array that the access lies in, lets rows be called rows: "Lane k reads row k of as: ..".
[[nodiscard]] std::string describe(const WarpAccess& access, ComputeCapability cc, const SharedArray* array = nullptr);

}  // namespace warplens::analysis
