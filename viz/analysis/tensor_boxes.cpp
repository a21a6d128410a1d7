#include "viz/analysis/tensor_boxes.h"

#include <algorithm>
#include <bit>
#include <set>

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kPiece = kBoxPieceBytes;

bool is_to_shared(const Recording& recording, std::uint32_t instruction) {
  return std::ranges::any_of(recording.sites, [&](const Site& site) {
    return site.instruction == instruction && site.op == AccessOp::bulk_load;
  });
}

/// Whether a box has a byte of shared memory.
bool has_address(const TensorCopy& copy, std::uint32_t address) {
  const std::uint32_t row = std::max(copy.map.box[0] * copy.map.element_bytes(), width_of(copy.map.swizzle));
  std::uint32_t rows = 1;
  for (std::size_t d = 1; d < copy.map.rank; ++d) rows *= copy.map.box_elements(d);
  return address >= copy.shared && address - copy.shared < rows * row;
}

const TensorCopy* copy_of_warp(const BlockDetails& details, const Recording& recording, std::uint32_t warp,
                               std::optional<std::size_t> event) {
  const TensorCopy *nearest = nullptr, *first = nullptr;
  const std::uint32_t order = event ? recording.events.order[*event] : 0;
  for (const TensorCopy& copy : details.copies) {
    if (copy.warp != warp) continue;
    if (first == nullptr) first = &copy;
    if (copy.order <= order) nearest = &copy;
  }
  return nearest != nullptr ? nearest : first;
}

}  // namespace

bool is_tensor_copy(const Site& site) {
  const bool is_bulk = site.op == AccessOp::bulk_load || site.op == AccessOp::bulk_store ||
                       site.op == AccessOp::bulk_reduction;
  return is_bulk && site.text.find(".tensor") != std::string::npos;
}

bool has_tensor_copies(const Recording& recording) {
  return std::ranges::any_of(recording.sites, is_tensor_copy);
}

std::optional<CopyShown> copy_shown(const BlockDetails& details, const Recording& recording,
                                    std::uint32_t warp, std::optional<std::size_t> event) {
  if (details.copies.empty()) return std::nullopt;
  const TensorCopy* copy = copy_of_warp(details, recording, warp, event);
  if (copy == nullptr) {
    const bool is_shared = event && recording.sites[recording.events.site[*event]].space == Space::shared;
    const auto reads = std::ranges::find_if(details.copies, [&](const TensorCopy& one) {
      return is_shared && has_address(one, static_cast<std::uint32_t>(recording.events.base[*event]) +
                                               recording.shared_base);
    });
    copy = reads == details.copies.end() ? details.copies.data() : &*reads;
  }
  CopyShown shown{.copy = copy};
  for (const TensorCopy& one : details.copies) {
    if (one.warp != copy->warp) continue;
    ++shown.of;
    if (&one == copy) shown.number = shown.of;
  }
  return shown;
}

TensorBox::TensorBox(const TensorCopy& copy)
    : copy_(copy),
      pieces_(pieces_of_box(copy.map, copy.start, copy.shared)),
      pieces_of_row_(copy.map.box[0] * copy.map.element_bytes() / kPiece),
      rows_(pieces_.back().row + 1),
      pitch_(std::max(pieces_of_row_ * kPiece, width_of(copy.map.swizzle))) {}

std::uint32_t TensorBox::plain_address(std::size_t piece) const {
  const auto column = static_cast<std::uint32_t>(piece % pieces_of_row_);
  return copy_.shared + pieces_[piece].row * pitch_ + column * kPiece;
}

std::array<std::int64_t, kMaxTensorRank> TensorBox::coordinates(std::uint32_t row) const {
  std::array<std::int64_t, kMaxTensorRank> at{copy_.start[0]};
  for (std::size_t d = 1; d < copy_.map.rank; ++d) {
    const std::uint32_t extent = copy_.map.box_elements(d);
    at.at(d) = copy_.start.at(d) + std::int64_t{row % extent} * copy_.map.element_strides.at(d);
    row /= extent;
  }
  return at;
}

std::uint64_t TensorBox::bytes_outside() const {
  std::uint64_t bytes = 0;
  for (const BoxPiece& piece : pieces_) bytes += kPiece - (piece.end - piece.begin);
  return bytes;
}

std::optional<std::size_t> TensorBox::piece_in_global(std::uint64_t address) const {
  const auto found = std::ranges::find_if(pieces_, [&](const BoxPiece& piece) {
    return address >= piece.global + piece.begin && address < piece.global + piece.end;
  });
  return found == pieces_.end() ? std::nullopt : std::optional<std::size_t>(found - pieces_.begin());
}

std::optional<std::size_t> TensorBox::piece_in_shared(std::uint32_t address) const {
  const auto found = std::ranges::find_if(
      pieces_, [&](const BoxPiece& piece) { return piece.shared == address / kPiece * kPiece; });
  return found == pieces_.end() ? std::nullopt : std::optional<std::size_t>(found - pieces_.begin());
}

std::size_t TensorBox::banks_of_eight_rows(bool is_swizzled) const {
  constexpr std::uint32_t kRows = 8, kGroups = 8;
  std::set<std::uint32_t> groups;
  for (std::uint32_t row = 0; row < std::min(kRows, rows_); ++row) {
    const std::size_t piece = std::size_t{row} * pieces_of_row_;
    const std::uint32_t address = is_swizzled ? pieces_[piece].shared : plain_address(piece);
    groups.insert(address / kPiece % kGroups);
  }
  return groups.size();
}

AccessCost cost_of_copy(const Recording& recording, std::uint32_t event_block, const TensorBox& box,
                        ComputeCapability cc) {
  const TensorCopy& copy = box.copy();
  const auto inside = static_cast<std::size_t>(
      std::ranges::count_if(box.pieces(), [](const BoxPiece& piece) { return piece.begin != piece.end; }));
  const auto targets = static_cast<std::size_t>(copy.ranks == 0 ? 1 : std::popcount(copy.ranks));
  std::size_t left =
      inside + (is_to_shared(recording, copy.instruction) ? box.pieces().size() * targets : inside);
  const EventRange events = events_of_warp(recording, event_block, copy.warp);
  AccessCost cost;
  for (std::size_t event = events.begin + copy.order; event < events.end && left != 0; ++event) {
    const Site& site = recording.sites[recording.events.site[event]];
    const auto pieces = static_cast<std::size_t>(std::popcount(recording.events.mask[event]));
    if (site.instruction != copy.instruction || pieces > left) break;
    left -= pieces;
    cost += access_cost(make_access(site, recording.shapes[recording.events.shape[event]],
                                    recording.events.mask[event], recording.events.base[event]),
                        cc);
  }
  return cost;
}

}  // namespace warplens::analysis
