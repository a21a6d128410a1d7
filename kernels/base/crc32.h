#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace warplens {

/// CRC-32 (ISO-HDLC: reflected polynomial 0xedb88320, as in zip and PNG) of `bytes`, going on from the
/// checksum of what came before them. It finds every change of a single byte.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace warplens
