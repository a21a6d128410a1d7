// The recording's file (.wlr). Layout in docs/wlr.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"

namespace warplens {

enum class Compression : std::uint8_t { zstd, none };
/// `ignored` is for fuzzing, which would otherwise never get past a checksum.
enum class Checksums : std::uint8_t { verified, ignored };

/// The most memory that loading may take unless the caller says otherwise.
inline constexpr std::uint64_t kMaxLoadBytes = std::uint64_t{4} << 30;

/// What a file may cost, in bytes of memory, with all that reports and views make of it: 100 times what it
/// holds, or 256 MiB if that is more.
inline constexpr std::uint64_t kCostOfAnyFile = std::uint64_t{256} << 20, kCostOfAByte = 100;
[[nodiscard]] constexpr std::uint64_t max_cost(std::uint64_t file_bytes) {
  return file_bytes > kCostOfAnyFile / kCostOfAByte ? kCostOfAByte * file_bytes : kCostOfAnyFile;
}

/// The file's bytes; equal recordings give equal bytes. The recording must be consistent: see validate.h.
[[nodiscard]] std::vector<std::byte> encode(const Recording& recording,
                                            Compression compression = Compression::zstd);

/// Any bytes give a recording that `validate` accepts, or an error that says what is wrong where. Memory is
/// bounded by `max_bytes` and by what the file may cost: every size is checked against both, and against what
/// the bytes can hold, before anything is allocated.
[[nodiscard]] Result<Recording> decode(std::span<const std::byte> bytes,
                                       std::uint64_t max_bytes = kMaxLoadBytes,
                                       Checksums checksums = Checksums::verified);

/// Chooses an event block by its index in a recording whose events have not been read.
using ChooseBlock = std::function<std::uint32_t(const Recording&)>;

/// Decodes as `decode` does, but the events of one block only, found through the file's index: the others are
/// neither decompressed nor held, nor looked at for damage. The recording that comes back has that one event
/// block. Errors: as decode, or no such block.
[[nodiscard]] Result<Recording> decode_block(std::span<const std::byte> bytes, const ChooseBlock& choose,
                                             std::uint64_t max_bytes = kMaxLoadBytes,
                                             Checksums checksums = Checksums::verified);

/// Writes to a temporary file beside `path` and renames it, so that a failure loses nothing. Errors: the
/// recording is inconsistent, or the path cannot be written.
[[nodiscard]] Result<Done> save(const Recording& recording, const std::filesystem::path& path);
[[nodiscard]] Result<Recording> load(const std::filesystem::path& path);
/// Loads as above. If the file takes longer to read, `first` is called beforehand with the result of
/// `decode_block`.
[[nodiscard]] Result<Recording> load(const std::filesystem::path& path, const ChooseBlock& choose,
                                     const std::function<void(Recording)>& first);

}  // namespace warplens
