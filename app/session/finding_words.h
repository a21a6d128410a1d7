#pragma once

#include <string>

#include "kernels/recording/recording.h"
#include "viz/picture/found.h"

namespace warplens::app {

using picture::words_for;

/// What is wrong, in the language chosen: the sentence that the recording keeps in English, its figures read
/// back. As it is if it is none of kernels/recording/finding_texts.h.
[[nodiscard]] std::string sentence_for(const Finding& finding);

}  // namespace warplens::app
