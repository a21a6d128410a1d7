// Whole files, read and written with errors that name the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace warplens {

/// The contents of a regular file of at most `max_bytes`.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                                       std::uint64_t max_bytes);

/// Writes a temporary file in the same folder, makes sure that it has reached the disk, and renames it to
/// `path`: at every moment `path` holds either its old or its new contents, whole, and a failure leaves
/// nothing behind. A file that is replaced keeps its permissions, and its owner where that may be. A symbolic
/// link is followed; what is neither missing nor a regular file is refused. Temporary files that runs left in
/// the folder when they were killed are removed.
[[nodiscard]] Result<Done> write_file(const std::filesystem::path& path, std::span<const std::byte> contents);
[[nodiscard]] Result<Done> write_text(const std::filesystem::path& path,
                                      std::string_view text);  ///< The same

}  // namespace warplens
