#pragma once

#include <string>

#include "app/session/loaded.h"

namespace warplens::app {

/// What was guessed of a recording's launch, what is not told because of that, and what to do. Empty: nothing
/// was guessed.
[[nodiscard]] std::string guesses_in_words(const Loaded& loaded);

}  // namespace warplens::app
