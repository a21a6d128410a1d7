// The texts of the sources that a PTX file names. PTX comes from others, and what is read here goes into
// recordings that are passed on: nothing is read but source text, and only from folders that the user has
// chosen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

inline constexpr std::uint64_t kMaxSourceBytes = 4u << 20;      ///< Of one source
inline constexpr std::uint64_t kMaxAllSourceBytes = 64u << 20;  ///< Of all that one recording takes

/// Whether a path, with all links and dots resolved, lies in one of the folders or below.
[[nodiscard]] bool lies_in_any(const std::filesystem::path& path,
                               const std::vector<std::filesystem::path>& folders);

/// Returns the error for a file that a source names but that lies outside the readable folders.
[[nodiscard]] Error outside_of_readable_folders(const std::filesystem::path& file);

/// Fills in `files[i].text` of the source that the PTX names `named[i]`, where one of `folders`, or a folder
/// below it, has it: there, by the path that the PTX gives, or by the name alone. Symbolic links that lead
/// out of the folder are not followed.
///
/// Returns, by index, why a source was not read; empty where it was.
[[nodiscard]] std::vector<std::string> read_sources(const std::vector<std::filesystem::path>& folders,
                                                    const std::vector<std::string>& named,
                                                    std::vector<SourceFile>& files);

}  // namespace warplens::app
