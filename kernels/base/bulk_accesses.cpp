#include "kernels/base/bulk_accesses.h"

#include <algorithm>
#include <utility>

namespace warplens {
namespace {

/// Returns where the access ends that begins with the piece `first`.
std::size_t end_of_access(std::span<const BoxPiece> pieces, std::size_t first) {
  constexpr int kLineBits = 7, kSectorBits = 5;
  const auto part_of = [&](std::size_t p) { return std::pair(pieces[p].row, pieces[p].shared >> kLineBits); };
  const auto sector_of = [&](std::size_t p) { return pieces[p].global >> kSectorBits; };
  std::uint64_t last_sector = sector_of(first);
  std::size_t p = first + 1;
  for (; p < pieces.size() && p - first < kWarpSize; ++p) {
    const std::uint64_t sector = sector_of(p);
    for (std::size_t q = first; sector <= last_sector && q < p; ++q) {
      if (sector_of(q) == sector && part_of(q) != part_of(p)) return p;
    }
    last_sector = std::max(last_sector, sector);
  }
  const bool cuts_sector =
      p < pieces.size() && part_of(p) == part_of(p - 1) && sector_of(p) == sector_of(p - 1);
  return cuts_sector ? p - 1 : p;
}

}  // namespace

std::vector<BoxPiece> pieces_of_row(std::uint32_t shared, std::uint64_t global, std::uint64_t bytes) {
  std::vector<BoxPiece> pieces;
  for (std::uint64_t byte = 0; byte < bytes; byte += kBoxPieceBytes)
    pieces.push_back({.shared = static_cast<std::uint32_t>(shared + byte),
                      .global = global + byte,
                      .begin = 0,
                      .end = kBoxPieceBytes});
  return pieces;
}

std::vector<BulkAccess> accesses_of(std::span<const BoxPiece> pieces) {
  std::vector<BulkAccess> accesses;
  for (std::size_t first = 0, end = 0; first < pieces.size(); first = end) {
    end = end_of_access(pieces, first);
    BulkAccess& access = accesses.emplace_back();
    for (std::size_t k = 0; k < end - first; ++k) {
      const BoxPiece& piece = pieces[first + k];
      access.shared.at(k) = piece.shared;
      access.global.at(k) = piece.global;
      access.pieces |= 1u << k;
      access.in_tensor |= static_cast<std::uint32_t>(piece.begin != piece.end) << k;
    }
  }
  return accesses;
}

}  // namespace warplens
