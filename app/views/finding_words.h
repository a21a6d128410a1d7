#pragma once

#include "kernels/recording/recording.h"

namespace warplens::app {

/// "access out of bounds": a kind of finding as a sentence says it, in the language chosen.
[[nodiscard]] const char* words_for(FindingKind kind);

}  // namespace warplens::app
