// Copies in bulk, products of warpgroups, and waits. What copies and products access is what the replay
// records of their PTX: by the same rules, of the values that the operands have here.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "kernels/base/bulk_accesses.h"
#include "kernels/base/texts.h"
#include "kernels/sass/warp.h"
#include "kernels/tensor/shared_matrix.h"

namespace warplens::sass {
namespace {

constexpr std::uint32_t kWarpsOfGroup = 4;

/// Whether a warp that waits may execute it: it accesses nothing, and no other warp waits for it.
bool may_be_repeated(const Op& op) {
  switch (op.action) {
    case Action::memory:
    case Action::copy_to_shared:
    case Action::bulk_copy:
    case Action::product:
    case Action::call:
    case Action::indirect_return:
    case Action::mbarrier:
    case Action::block_barrier:
    case Action::cluster_barrier:
    case Action::leave:
    case Action::unsupported: return false;
    default: return true;
  }
}

}  // namespace

std::optional<Stop> Warp::read_of_warp(const Op& op, std::initializer_list<Source> sources) {
  for (const Source& source : sources) {
    if ((unknown(source) & 1) != 0)
      return Stop{op.instruction, marked("its address depends on a loaded value")};
    if (moves_ == nullptr) continue;
    const Move move = moves_->of(source.index);
    if (move.shift.any() || (move.lanes & 1) == 0) moves_->stand_alone();
  }
  return std::nullopt;
}

std::optional<Stop> Warp::copy_in_bulk(const Op& op, std::uint32_t mask) {
  if (mask == 0) return std::nullopt;
  const BulkCopy& copy = op.bulk;
  if (auto stop = read_of_warp(op, {op.a, op.a_high, op.b, op.c})) return stop;
  MovedPieces moved{.ranks = ranks_of(op)};
  if (copy.rank != 0) {
    if (auto stop = find_box(op, moved)) return stop;
  } else {
    const std::uint64_t other =
        copy.is_between ? word_of_warp(op.a) & kWithinBlock : pair_of_warp(op.a, op.a_high);
    moved.pieces = pieces_of_row(word_of_warp(op.b) & kWithinBlock, other,
                                 std::uint64_t{word_of_warp(op.c) & 0xffff} * kBoxPieceBytes);
  }
  for (const BulkAccess& access : accesses_of(moved.pieces)) {
    count_pieces(op.site, access.in_tensor, access.global);
    for (std::uint32_t left = moved.ranks; left != 0; left &= left - 1)
      count_pieces(op.to_site, copy.loads ? access.pieces : access.in_tensor, access.shared);
  }
  return memories_ != nullptr ? move_in_bulk(op, moved) : std::nullopt;
}

std::optional<Stop> Warp::find_box(const Op& op, MovedPieces& moved) {
  const BulkCopy& copy = op.bulk;
  const std::optional<TensorMap> map = tensor_map_at(pair_of_warp(op.a, op.a_high));
  if (!map || map->rank != copy.rank) return Stop{op.instruction, marked("its tensor map is not known")};
  std::array<std::int32_t, kMaxTensorRank> start{};
  for (std::uint32_t d = 0; d < copy.rank; ++d) {
    const Source coordinate{.kind = Source::Kind::reg, .index = copy.coordinates + d};
    if (auto stop = read_of_warp(op, {coordinate})) return stop;
    start.at(d) = static_cast<std::int32_t>(word_of_warp(coordinate));
  }
  if (map->box_bytes() > kWithinBlock || !can_start_at(*map, start, !copy.loads))
    return Stop{op.instruction, marked("a box cannot start at its coordinates")};
  moved.pieces = pieces_of_box(*map, start, word_of_warp(op.b) & kWithinBlock);
  moved.fills_with_nan = map->fills_with_nan;
  return std::nullopt;
}

/// The blocks of the cluster, a bit each, that a copy to shared memory goes to; else the own one.
std::uint32_t Warp::ranks_of(const Op& op) const {
  if (op.bulk.is_multicast) {
    const auto blocks = static_cast<std::uint32_t>(launch_.cluster.count());
    return word_of_warp(op.c) >> 16 & ((1u << blocks) - 1);
  }
  return 1u << (op.bulk.loads ? word_of_warp(op.b) >> kRankBit & 31 : rank_in_cluster());
}

std::optional<TensorMap> Warp::tensor_map_at(std::uint64_t address) {
  const std::uint64_t offset = address - kParametersAddress;
  const std::span<const std::byte> parameters(launch_.parameters);
  if (offset < parameters.size() && parameters.size() - offset >= kTensorMapBytes)
    return decode_tensor_map(parameters.subspan(offset).first<kTensorMapBytes>());
  if (memories_ != nullptr) {
    std::array<std::byte, kTensorMapBytes> bytes{};
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      if (!memories_->global->load(address + at, 8, word)) return std::nullopt;
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    return decode_tensor_map(bytes);
  }
  const auto found = launch_.tensor_maps.find(address);
  return found != launch_.tensor_maps.end() ? std::optional(found->second) : std::nullopt;
}

/// Each warp reads its rows of A, and the first of four the columns of B for all.
std::optional<Stop> Warp::multiply_matrices(const Op& op, std::uint32_t mask) {
  if (mask == 0) return std::nullopt;
  if (mask != live_)
    return Stop{op.instruction, marked("a part of the warp executes it, which is undefined")};
  if (auto stop = read_of_warp(op, {op.a, op.a_high, op.b, op.b_high})) return stop;
  const std::uint32_t in_group = warp_ % kWarpsOfGroup;
  const auto count = [&](std::uint32_t site, const Source& low, const Source& high, bool is_mn_major,
                         std::uint32_t first_block, std::uint32_t blocks) {
    const auto matrix = tensor::SharedMatrix::of(pair_of_warp(low, high), is_mn_major);
    AccessCounts::Addresses addresses{};
    std::size_t pieces = 0;
    tensor::for_each_piece(matrix, first_block, blocks,
                           [&](std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t address) {
                             addresses.at(pieces++) = address;
                             if (pieces < addresses.size()) return;
                             count_pieces(site, kAllLanes, addresses);
                             pieces = 0;
                           });
    if (pieces != 0) count_pieces(site, (1u << pieces) - 1, addresses);
  };
  constexpr std::uint32_t kBlocksOfWarp = 2;
  const WarpgroupProduct& product = op.product;
  if (!product.a_is_in_registers)
    count(op.site, op.a, op.a_high, product.a_is_mn_major, kBlocksOfWarp * in_group, kBlocksOfWarp);
  if (in_group == 0)
    count(op.to_site, op.b, op.b_high, product.b_is_mn_major, 0, product.columns / tensor::kCoreRows);
  clobber(op, mask);
  return std::nullopt;
}

void Warp::count_pieces(std::uint32_t site, std::uint32_t mask, const AccessCounts::Addresses& addresses) {
  if (mask != 0) tally_.accesses[site].add(tally_.shapes, addresses, mask, mask);
}

void Warp::find_at_first_look(const Op& op, std::uint32_t mask) {
  const std::uint32_t written = op.p >= kUniformPredicates ? kAllLanes : mask;
  write_predicate(op.p, kAllLanes, written, 0);
  if (moves_ != nullptr) moves_->write_predicate(op.p, 0, written);
  tell_of_waits_ |= 1u << op.p;
}

bool Warp::only_waits(std::uint32_t from, std::uint32_t until) {
  const auto [known, is_new] = only_waits_.try_emplace({from, until}, true);
  if (!is_new) return known->second;
  std::vector<bool> reached(program_.blocks.size());
  std::vector<std::uint32_t> left{from};
  const auto reach = [&](std::uint32_t block) {
    if (block < reached.size() && block != until && !reached[block]) left.push_back(block);
  };
  while (!left.empty() && known->second) {
    const std::uint32_t at = left.back();
    left.pop_back();
    reached[at] = true;
    const Block& block = program_.blocks[at];
    const auto ops = std::span(program_.ops).subspan(block.first_op, block.end_op - block.first_op);
    known->second = std::ranges::all_of(ops, may_be_repeated);
    if (!ops.empty() && ops.back().action == Action::branch) reach(program_.block_of[ops.back().target]);
    if (ops.empty() || falls_through(ops.back())) reach(at + 1);
  }
  return known->second;
}

}  // namespace warplens::sass
