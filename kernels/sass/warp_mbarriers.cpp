// mbarriers, and what bulk copies move, while values are followed.
#include <algorithm>
#include <array>
#include <bit>

#include "kernels/base/texts.h"
#include "kernels/sass/warp.h"

namespace warplens::sass {
namespace {

constexpr const char* kNoMbarrier = marked("no mbarrier is at its address");

/// What lies outside a tensor that is filled with NaN (measured on an H100).
constexpr std::uint64_t kNanFill = 0x7ff77ff77ff77ff7;

/// ptxas gives an mbarrier of n arrivals the lower word (2^20 - n) * 2.
std::uint32_t arrivals_of(std::uint32_t word) {
  constexpr std::uint32_t kMost = 1u << 20;
  return kMost - word / 2;
}

std::uint32_t counted(MbarrierChange::Count count, std::uint32_t operand) {
  switch (count) {
    case MbarrierChange::Count::none: return 0;
    case MbarrierChange::Count::one: return 1;
    case MbarrierChange::Count::operand: return operand;
    case MbarrierChange::Count::minus_one: return 0 - 1u;
    case MbarrierChange::Count::minus_operand: break;
  }
  return 0 - operand;
}

/// What a reduction leaves is not known.
void move_piece(const BulkCopy& copy, const BoxPiece& piece, bool fills_with_nan, Memory& source,
                Memory& destination) {
  constexpr std::uint32_t kWord = 8;
  const std::uint64_t to = copy.loads ? piece.shared : piece.global,
                      from = copy.loads ? piece.global : piece.shared;
  const std::uint32_t step = piece.begin % kWord == 0 && piece.end % kWord == 0 ? kWord : 1;
  for (std::uint32_t at = 0; at < kBoxPieceBytes; at += step) {
    const bool is_inside = at >= piece.begin && at < piece.end;
    if (!is_inside && !copy.loads) continue;
    std::uint64_t word = fills_with_nan ? kNanFill >> (8 * (at % 2)) : 0;
    const bool is_known = !is_inside || source.load(from + at, step, word);
    destination.store(to + at, step, word, is_known && !copy.is_reduction);
  }
}

}  // namespace

Memories* Warp::block_of_rank(std::uint32_t rank) const {
  return rank < memories_->cluster.size() ? memories_->cluster[rank] : nullptr;
}

Mbarrier* Warp::mbarrier_at(Memories* block, std::uint64_t address) {
  if (block == nullptr) return nullptr;
  const auto found = block->mbarriers.find(static_cast<std::uint32_t>(address) & kWithinBlock);
  return found != block->mbarriers.end() ? &found->second : nullptr;
}

std::optional<Stop> Warp::change_mbarriers(const Op& op, std::uint32_t mask) {
  const MbarrierChange& change = op.change;
  const bool has_operand = change.makes || change.arrivals == MbarrierChange::Count::operand ||
                           change.bytes == MbarrierChange::Count::operand ||
                           change.bytes == MbarrierChange::Count::minus_operand;
  const std::uint32_t missing = unknown_in(op.address) | (has_operand ? unknown(op.a) : 0);
  if ((missing & mask) != 0) return Stop{op.instruction, marked("its address depends on a loaded value")};
  const AccessCounts::Addresses addresses = addresses_of(op.address, Space::shared);
  Lanes high{}, known{};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint32_t operand = registers_[op.a.index][lane];
    Memories* const block = change.is_in_cluster
                                ? block_of_rank(static_cast<std::uint32_t>(addresses[lane] >> kRankBit))
                                : memories_;
    const auto address = static_cast<std::uint32_t>(addresses[lane]) & kWithinBlock;
    if (block != nullptr && (change.makes || change.ends)) {
      block->mbarriers.erase(address);
      block->shared.store(address, 8, 0, false);
      const std::uint32_t arrivals = arrivals_of(operand);
      if (change.makes) block->mbarriers[address] = {.expected = arrivals, .pending = arrivals};
      continue;
    }
    Mbarrier* const mbarrier = mbarrier_at(block, address);
    if (mbarrier == nullptr) return Stop{op.instruction, kNoMbarrier};
    high[lane] = mbarrier->parity << 31;
    known[lane] = 1u << 31;
    mbarrier->bytes += static_cast<std::int32_t>(counted(change.bytes, operand));
    mbarrier->arrive(counted(change.arrivals, operand), change.drops);
    mbarrier->settle();
  }
  if (op.d == kNoRegister) return std::nullopt;
  forget(op.d, mask);
  write_partly(op.d + 1, high, known, mask);  // Of the state only the phase's parity is known
  return std::nullopt;
}

std::optional<Stop> Warp::look_at_phases() {
  for (Path& path : paths_) {
    if (path.awaits != Awaits::phase) continue;
    const Op& op = *path.at;
    const AccessCounts::Addresses addresses = addresses_in_block(op.address);
    bool is_over = true;
    for (std::uint32_t left = path.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const bool is_known = (unknown_in(op.address) >> lane & 1) == 0 && known_bits(op.a, lane) >> 31 != 0;
      if (!is_known)
        return Stop{op.instruction, marked("which phase it waits for depends on a loaded value")};
      const Mbarrier* const mbarrier = mbarrier_at(memories_, addresses[lane]);
      if (mbarrier == nullptr) return Stop{op.instruction, kNoMbarrier};
      is_over = is_over && mbarrier->parity != registers_[op.a.index][lane] >> 31;
    }
    if (!is_over) continue;
    path.awaits = Awaits::nothing;
    find_at_first_look(op, path.mask);
  }
  return std::nullopt;
}

std::optional<Stop> Warp::move_in_bulk(const Op& op, const MovedPieces& moved) {
  const Source mbarrier_source{.kind = Source::Kind::reg, .index = op.b.index + 1};
  if (op.bulk.loads) {
    if (auto stop = read_of_warp(op, {mbarrier_source})) return stop;
  }
  Memory& source = op.bulk.loads && !op.bulk.is_between ? *memories_->global : memories_->shared;
  for (std::uint32_t left = moved.ranks; left != 0; left &= left - 1) {
    Memories* const block = block_of_rank(static_cast<std::uint32_t>(std::countr_zero(left)));
    if (block == nullptr) return Stop{op.instruction, marked("the cluster has no block of that rank")};
    for (const BoxPiece& piece : moved.pieces)
      move_piece(op.bulk, piece, moved.fills_with_nan, source,
                 op.bulk.loads ? block->shared : *memories_->global);
    if (!op.bulk.loads) continue;
    Mbarrier* const mbarrier = mbarrier_at(block, word_of_warp(mbarrier_source));
    if (mbarrier == nullptr) return Stop{op.instruction, kNoMbarrier};
    mbarrier->bytes -= static_cast<std::int64_t>(moved.pieces.size()) * kBoxPieceBytes;
    mbarrier->settle();
  }
  return std::nullopt;
}

}  // namespace warplens::sass
