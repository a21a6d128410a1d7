// The recording's file (.wlr). Layout in docs/wlr.md.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens {

[[nodiscard]] std::vector<std::byte> encode(const Recording& recording);
/// Any bytes give a recording or an error that says what is wrong where; memory is bounded by `max_bytes` before anything is allocated.
[[nodiscard]] Result<Recording> decode(std::span<const std::byte> bytes, std::uint64_t max_bytes = std::uint64_t{4} << 30);

/// Writes to a temporary file beside `path` and renames it, so that a failure loses nothing.
[[nodiscard]] Result<Done> save(const Recording& recording, const std::filesystem::path& path);
[[nodiscard]] Result<Recording> load(const std::filesystem::path& path);

}  // namespace warplens
