// Whole files, read and written with errors that name the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "kernels/base/result.h"

namespace warplens {

/// The contents of a regular file of at most `max_bytes`.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Writes a temporary file in the same folder, makes sure that it has reached the disk, and renames it to `path`: at every moment `path` holds either
/// its old or its new contents, whole, and a failure leaves nothing behind. A symbolic link is followed; what is neither missing nor a regular file
/// is refused.
[[nodiscard]] Result<Done> write_file(const std::filesystem::path& path, std::span<const std::byte> contents);

}  // namespace warplens
