#pragma once

#include <string>

#include "kernels/recording/recording.h"

namespace warplens::app {

/// "access out of bounds": a kind of finding as a sentence says it, in the language chosen.
[[nodiscard]] const char* words_for(FindingKind kind);

/// What is wrong, in the language chosen: the sentence that the recording keeps in English, its figures read back. As it is if it is none of
/// kernels/recording/finding_texts.h.
[[nodiscard]] std::string sentence_for(const Finding& finding);

}  // namespace warplens::app
