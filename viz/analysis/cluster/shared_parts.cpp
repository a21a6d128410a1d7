#include "viz/analysis/cluster/shared_parts.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kPiece = 16;

}  // namespace

SharedParts::SharedParts(const Recording& recording) {
  const std::size_t pieces = (recording.shared_bytes + kPiece - 1) / kPiece;
  begins_.resize(pieces + 1);
  written_.resize(pieces);
  for (const SharedArray& array : recording.shared_arrays) {
    if (array.offset / kPiece < pieces) begins_[array.offset / kPiece] = true;
  }
}

void SharedParts::add_copy(std::uint32_t offset, std::uint32_t bytes) {
  const std::size_t begin = std::min<std::size_t>(offset / kPiece, written_.size()),
                    end = std::min<std::size_t>((offset + bytes + kPiece - 1) / kPiece, written_.size());
  begins_[begin] = begins_[end] = true;
  std::fill(written_.begin() + static_cast<std::ptrdiff_t>(begin),
            written_.begin() + static_cast<std::ptrdiff_t>(end), true);
}

void SharedParts::add_store(std::uint64_t offset, std::uint32_t bytes) {
  for (std::uint64_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
    if (piece < written_.size()) written_[piece] = true;
  }
}

std::uint32_t SharedParts::divide(std::vector<SharedPart>& parts) {
  for (std::size_t piece = 0; piece < written_.size(); ++piece) {
    if (!written_[piece]) continue;
    if (piece == 0 || !written_[piece - 1] || begins_[piece])
      parts.push_back({static_cast<std::uint32_t>(piece * kPiece), 0});
    parts.back().bytes += kPiece;
  }
  const std::size_t all = parts.size();
  if (all > kMaxSharedParts) {
    std::ranges::stable_sort(parts, std::greater{}, &SharedPart::bytes);
    parts.resize(kMaxSharedParts);
    std::ranges::sort(parts, {}, &SharedPart::offset);
  }
  part_of_.assign(written_.size(), -1);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::uint32_t byte = 0; byte < parts[part].bytes; byte += kPiece)
      part_of_[(parts[part].offset + byte) / kPiece] = static_cast<std::int32_t>(part);
  }
  return static_cast<std::uint32_t>(all - parts.size());
}

std::optional<std::size_t> SharedParts::part_at(std::uint64_t offset) const {
  const std::uint64_t piece = offset / kPiece;
  if (piece >= part_of_.size() || part_of_[piece] < 0) return std::nullopt;
  return static_cast<std::size_t>(part_of_[piece]);
}

}  // namespace warplens::analysis
