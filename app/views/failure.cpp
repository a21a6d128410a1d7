#include "app/views/failure.h"

#include <imgui_internal.h>

#include <array>
#include <exception>
#include <new>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::app {

Error failure_in_words() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {tr("there is not enough memory"), "",
            tr("Close other programs, or take a smaller launch or recording")};
  } catch (const std::exception& unforeseen) {
    return {tr("an unexpected error occurred: {what}", "what"_a = unforeseen.what()), "",
            tr("Please report it with what you did")};
  } catch (...) {
    return {tr("an unexpected error occurred"), "", tr("Please report it with what you did")};
  }
}

std::optional<Error> guarded(const std::function<void()>& draw) {
  ImGuiErrorRecoveryState before;
  ImGui::ErrorRecoveryStoreState(&before);
  try {
    draw();
    return std::nullopt;
  } catch (...) {
    Error error = failure_in_words();
    // What is left open is no fault of the code that drew: not worth an assertion, or a line on the terminal.
    ImGuiIO& io = ImGui::GetIO();
    const std::array switches{&io.ConfigErrorRecoveryEnableAssert, &io.ConfigErrorRecoveryEnableDebugLog,
                              &io.ConfigErrorRecoveryEnableTooltip};
    std::array<bool, switches.size()> were{};
    for (std::size_t i = 0; i < switches.size(); ++i) were[i] = std::exchange(*switches[i], false);
    ImGui::ErrorRecoveryTryToRecoverState(&before);
    for (std::size_t i = 0; i < switches.size(); ++i) *switches[i] = were[i];
    return error;
  }
}

}  // namespace warplens::app
