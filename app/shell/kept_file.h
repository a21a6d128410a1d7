// The files that the window keeps between starts. Anybody may have written them: what cannot be taken is set
// aside, never deleted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kernels/base/result.h"

namespace warplens::app {

/// The whole text; nullopt: there is no such file. What is no file, or is larger than anything that is kept,
/// is an error.
[[nodiscard]] Result<std::optional<std::string>> read_kept(const std::filesystem::path& path);

/// Renames what lies there to NAME.damaged, or NAME.damaged-2 and so on. Returns `reason` with where it lies
/// now, and what is done without it.
[[nodiscard]] Error set_aside(const std::filesystem::path& path, Error reason, const std::string& instead);

/// Replaces the file at once, making its folder if needed.
[[nodiscard]] Result<Done> write_kept(const std::filesystem::path& path, const std::string& text);

}  // namespace warplens::app
