// Folders opened by the desktop's own programs.
#pragma once

#include <filesystem>
#include <optional>

#include "kernels/base/result.h"

namespace warplens::app {

/// Hands the folder, an absolute path, to the desktop's file manager, by `xdg-open` and without a shell, and
/// waits until xdg-open ends: on some desktops that is when the file manager does. What it has opened
/// outlives this program.
[[nodiscard]] std::optional<Error> open_on_desktop(const std::filesystem::path& folder);

}  // namespace warplens::app
