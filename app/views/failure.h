// What becomes of an exception while a frame is drawn: a sentence, and the window goes on.
#pragma once

#include <functional>
#include <optional>

#include "kernels/base/result.h"

namespace warplens::app {

/// Returns the exception that is being handled as an error: that there is not enough memory, or what it says.
[[nodiscard]] Error failure_in_words();

/// Draws within a frame. After an exception Dear ImGui's windows and stacks are as they were before, and what
/// went wrong is returned.
[[nodiscard]] std::optional<Error> guarded(const std::function<void()>& draw);

}  // namespace warplens::app
