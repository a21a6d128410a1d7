#include "kernels/replay/block/bulk_copies.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "kernels/base/bulk_accesses.h"
#include "kernels/recording/finding_texts.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/block/bulk_reduction.h"
#include "kernels/replay/block/cluster.h"
#include "kernels/replay/block_observer.h"

namespace warplens::replay {
namespace {

constexpr std::uint32_t kPiece = kBoxPieceBytes;
constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << 20) - 1;  // Of an mbarrier's transaction count
/// What lies outside a tensor that is filled with NaN (measured on an H100).
constexpr std::uint16_t kNanFill = 0x7ff7;

/// Rounds f32 to tf32, to nearest even, as copies of tensors of that type do. NaNs become one (measured on an
/// H200).
void round_to_tf32(std::span<std::byte> elements) {
  constexpr std::uint32_t kLost = 13, kNan = 0x7fffe000, kInfinity = 0x7f800000, kMagnitude = 0x7fffffff;
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= elements.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &elements[at], sizeof bits);
    const std::uint32_t is_odd = bits >> kLost & 1, half = (1u << (kLost - 1)) - 1;
    const bool is_nan = (bits & kMagnitude) > kInfinity;
    bits = is_nan ? kNan : (bits + half + is_odd) >> kLost << kLost;
    std::memcpy(&elements[at], &bits, sizeof bits);
  }
}

/// Returns an address of the cluster's shared memory as that of the block that it lies in.
std::uint32_t in_block(std::uint64_t address) {
  const auto remote = remote_address(address);
  return remote ? remote->offset : static_cast<std::uint32_t>(address);
}

}  // namespace

const Instr* copy_in_bulk(Machine& m, const Instr* i) {
  m.runner->bulk_copies().issue(i);
  return i + 1;
}
const Instr* commit_bulk_copies(Machine& m, const Instr* i) {
  m.runner->bulk_copies().commit();
  return i + 1;
}
const Instr* wait_for_bulk_copies(Machine& m, const Instr* i) {
  m.runner->bulk_copies().wait(i);
  return i + 1;
}

void BulkCopies::start_block() {
  if (!pending_.empty()) {
    const Machine& m = runner_.machine_;
    std::fill_n(m.shadow.bulk_in_flight, runner_.shadow_words_, 0);
  }
  pending_.clear();
  for (auto& committed : committed_) committed = {};
}

std::uint64_t BulkCopies::address(const AddressOperand& operand, std::uint32_t lane, bool is_shared) const {
  const Head& head = *reinterpret_cast<const Head*>(runner_.machine_.registers + operand.head);
  const std::uint64_t given =
      value_of_lane(head, operand.wide, lane) + static_cast<std::uint64_t>(operand.offset);
  if (!is_shared) return given;
  const bool is_generic = (given & ~(kWindowBytes - 1)) == kSharedWindow;
  return is_generic || !operand.wide ? given & 0xffffffffu : given;
}

void BulkCopies::issue(const Instr* i) {
  const BulkCopy& copy = *reinterpret_cast<const BulkCopy*>(static_cast<std::uintptr_t>(i->imm));
  Machine& m = runner_.machine_;
  for_each_lane(m.active, [&](std::uint32_t lane) {
    Pending pending{.copy = &copy, .instruction = i->index, .warp = m.warp, .lane = lane, .type = copy.type};
    pending.rank = runner_.rank_;
    pending.group = committed_[m.warp].at(lane);
    std::optional<std::vector<BoxPiece>> pieces = pieces_of(i, copy, lane, pending);
    if (!pieces) return;
    pending.pieces = *std::move(pieces);
    if (copy.completes_at_mbarrier) pending.mbarrier = in_block(address(copy.mbarrier, lane, true));
    if (!check(i, pending)) return;
    check_fence(*i, pending);
    if (pending.box) runner_.block_observer->note(runner_, *pending.box);
    record(i, pending);
    runner_.check_shared_accesses();
    check_races(*i, pending);
    read_source(pending);
    if (copy.to == ptx::StateSpace::global) {
      pending_.push_back(std::move(pending));
      return;
    }
    for (BlockRunner* const target : targets_of(copy, lane)) {
      runner_.report_if_exited(i->index, 1u << lane, *target);
      target->bulk_copies_.take(pending, target == &runner_);
    }
  });
}

std::vector<BlockRunner*> BulkCopies::targets_of(const BulkCopy& copy, std::uint32_t lane) const {
  std::vector<BlockRunner*> targets;
  if (copy.is_multicast && runner_.cluster_ != nullptr) {
    const Head& head = *reinterpret_cast<const Head*>(runner_.machine_.registers + copy.ranks);
    const std::uint64_t ranks = value_of_lane(head, false, lane);
    for (std::uint32_t rank = 0; rank < runner_.cluster_->size(); ++rank) {
      if ((ranks >> rank & 1) != 0) targets.push_back(&runner_.cluster_->block(rank));
    }
    return targets;
  }
  if (BlockRunner* const owner = runner_.owner_of(address(copy.shared, lane, true))) targets.push_back(owner);
  return targets;
}

/// Puts a copy to this block's shared memory in flight.
void BulkCopies::take(Pending pending, bool is_own) {
  Machine& m = runner_.machine_;
  pending.is_of_other_block = !is_own;
  if (!is_own) pending.events.clear();  // Of the block that has issued it
  for (const BoxPiece& piece : pending.pieces) {
    const std::size_t at = pending.before.size();
    pending.before.resize(at + kPiece);
    std::memcpy(pending.before.data() + at, runner_.shared_.data() + piece.shared, kPiece);
    m.shadow.bulk_in_flight[piece.shared >> 6] |= shadow_bits(piece.shared, kPiece);
    m.shadow.initialised[piece.shared >> 6] &= ~shadow_bits(piece.shared, kPiece);
    if (!is_own && runner_.shared_races_ != nullptr) runner_.shared_races_->forget_piece(piece.shared);
    if (runner_.unfenced_ != nullptr)
      runner_.unfenced_->forget(piece.shared, shadow_bits(piece.shared, kPiece));
  }
  m.shadow.all_initialised = false;
  runner_.note(SyncKind::issue, pending.instruction, is_own ? pending.warp : kOtherBlock, pending.mbarrier,
               pending.bytes, pending.rank);
  pending_.push_back(std::move(pending));
  if (runner_.cluster_ != nullptr) runner_.cluster_->note_change();
}

/// Returns nullopt, with a finding, if the copy cannot be made.
std::optional<std::vector<BoxPiece>> BulkCopies::pieces_of(const Instr* i, const BulkCopy& copy,
                                                           std::uint32_t lane, Pending& pending) {
  const Machine& m = runner_.machine_;
  const auto value = [&](std::uint32_t head, bool wide) {
    return value_of_lane(*reinterpret_cast<const Head*>(m.registers + head), wide, lane);
  };
  const std::uint32_t shared = in_block(address(copy.shared, lane, true));
  if (copy.is_tensor) {
    const std::byte* const at = runner_.readable(lane, value(copy.map, true), kTensorMapBytes);
    std::optional<TensorMap> map;
    if (at != nullptr)
      map = decode_tensor_map(std::span<const std::byte, kTensorMapBytes>(at, kTensorMapBytes));
    if (!map || map->rank != copy.coordinates.size() || map->im2col.has_value() != copy.is_im2col) {
      runner_.report_bulk_copy(i, lane, finding_texts::kNoTensorMap);
      return std::nullopt;
    }
    BoxStart start{};
    for (std::size_t d = 0; d < copy.coordinates.size(); ++d)
      start.at(d) = static_cast<std::int32_t>(value(copy.coordinates[d], false));
    Im2colOffsets offsets{};
    for (std::size_t k = 0; k < copy.offsets.size(); ++k)
      offsets.at(k) = static_cast<std::uint16_t>(value(copy.offsets[k], false));
    const bool is_store = copy.to == ptx::StateSpace::global;
    if (!can_start_at(*map, start, is_store)) {
      runner_.report_bulk_copy(i, lane,
                               map->im2col ? finding_texts::kIm2colStart : finding_texts::kTensorCoordinates);
      return std::nullopt;
    }
    const TensorElement element = map->element;
    pending.bytes = static_cast<std::uint32_t>(map->box_bytes());
    pending.type = reduced_type(element);
    if (copy.reduction != ptx::AtomicOp::none && !can_reduce(copy.reduction, pending.type)) {
      runner_.report_bulk_copy(i, lane, finding_texts::kTensorReduction);
      return std::nullopt;
    }
    pending.fills_with_nan = map->fills_with_nan;
    pending.rounds_to_tf32 =
        !is_store && (element == TensorElement::tf32 || element == TensorElement::tf32_ftz);
    pending.flushes_subnormals = element == TensorElement::f32_ftz || element == TensorElement::tf32_ftz;
    if (runner_.block_observer != nullptr && map->is_plain_box()) {
      pending.box = TensorCopy{.instruction = i->index,
                               .warp = m.warp,
                               .lane = lane,
                               .order = runner_.event_log.events_of(m.warp),
                               .map = *map,
                               .start = start,
                               .shared = shared};
      if (copy.is_multicast) pending.box->ranks = static_cast<std::uint16_t>(value(copy.ranks, false));
    }
    return pieces_of_box(*map, start, shared, offsets);
  }
  const std::uint64_t bytes = value(copy.bytes, false);
  const bool between = copy.from == copy.to;
  const std::uint64_t other = address(between ? copy.shared_source : copy.global, lane, between);
  if (bytes % kPiece != 0 || bytes > kMaxBytes || shared % kPiece != 0 || other % kPiece != 0) {
    runner_.report_bulk_copy(i, lane, finding_texts::kBulkAlignment);
    return std::nullopt;
  }
  pending.bytes = static_cast<std::uint32_t>(bytes);
  return pieces_of_row(shared, other, bytes);
}

std::byte* BulkCopies::global_bytes(const BoxPiece& piece) const {
  const std::uint64_t first = piece.global + piece.begin, bytes = piece.end - piece.begin;
  const Region* const region = runner_.find_region(first, bytes);
  return region == nullptr ? nullptr : region->data + (first - region->base);
}

/// Returns whether source and destination lie in memory; reports pieces that do not.
bool BulkCopies::check(const Instr* i, const Pending& pending) const {
  const BulkCopy& copy = *pending.copy;
  const bool between = copy.from == copy.to;
  const auto sites = [&](Space space) { return i->site + (space == Space::shared && !between ? 1u : 0u); };
  const auto outside = [&](Space space, std::uint64_t first) {
    std::uint64_t addresses[kWarpSize] = {};
    addresses[pending.lane] = first;
    runner_.report_fault(i, sites(space), Fault::out_of_bounds, 1u << pending.lane, 1u << pending.lane,
                         addresses);
    return false;
  };
  const auto in_shared = [&](std::uint64_t first) {
    return first >= runner_.job_.shared_begin && first + kPiece <= runner_.job_.shared_end;
  };
  for (const BoxPiece& piece : pending.pieces) {
    if (!in_shared(piece.shared)) return outside(Space::shared, piece.shared);
    if (between) {
      if (!in_shared(piece.global)) return outside(Space::shared, piece.global);
    } else if (piece.begin != piece.end && global_bytes(piece) == nullptr) {
      return outside(Space::global, piece.global + piece.begin);
    }
  }
  return true;
}

/// Reports a copy from shared memory whose source was stored to without a fence.proxy.async.
void BulkCopies::check_fence(const Instr& i, const Pending& pending) const {
  if (pending.copy->from != ptx::StateSpace::shared) return;
  for (const BoxPiece& piece : pending.pieces) {
    const std::uint64_t address = pending.copy->to == ptx::StateSpace::global ? piece.shared : piece.global;
    if (runner_.check_proxy(i, pending.lane, 1, &address)) return;
  }
}

/// Looks for races of what the copy accesses in this block's shared memory.
void BulkCopies::check_races(const Instr& i, Pending& pending) const {
  SharedRaces* const races = runner_.shared_races_.get();
  if (races == nullptr) return;
  const Order& order = runner_.as_raced_.warps;
  const SharedRaces::Place place{i.index, pending.warp, pending.lane};
  const BulkCopy& copy = *pending.copy;
  const bool reads = copy.from == ptx::StateSpace::shared, writes = copy.to == ptx::StateSpace::shared;
  const std::vector<BlockRunner*> targets =
      writes ? targets_of(copy, pending.lane) : std::vector<BlockRunner*>();
  // Reductions commute.
  const bool changes_this_block =
      copy.reduction == ptx::AtomicOp::none && std::ranges::find(targets, &runner_) != targets.end();
  for (const BoxPiece& piece : pending.pieces) {
    if (reads) {
      const auto source = static_cast<std::uint32_t>(writes ? piece.global : piece.shared);
      runner_.report_proxy_conflict(place, source, races->begin_read(order, place, source));
      // The read has ended where the mbarrier's phase is acquired.
      if (writes) races->end_read(order, source);
    }
    if (changes_this_block)
      runner_.report_proxy_conflict(place, piece.shared, races->write_piece(order, place, piece.shared));
  }
  if (writes) runner_.as_raced_.warps.release(pending.warp, pending.released);
}

void BulkCopies::read_source(Pending& pending) const {
  const std::byte* const shared = runner_.machine_.shared.data;
  pending.data.assign(pending.pieces.size() * kPiece, std::byte{0});
  for (std::size_t p = 0; p < pending.pieces.size(); ++p) {
    const BoxPiece& piece = pending.pieces[p];
    std::byte* const to = pending.data.data() + p * kPiece;
    if (pending.copy->to == ptx::StateSpace::global) {
      std::memcpy(to, shared + piece.shared, kPiece);
    } else if (pending.copy->from == ptx::StateSpace::shared) {
      std::memcpy(to, shared + piece.global, kPiece);
    } else {
      for (std::uint32_t k = 0; pending.fills_with_nan && k < kPiece; k += sizeof kNanFill)
        std::memcpy(to + k, &kNanFill, sizeof kNanFill);
      if (piece.begin != piece.end)
        std::memcpy(to + piece.begin, global_bytes(piece), static_cast<std::size_t>(piece.end - piece.begin));
      if (pending.rounds_to_tf32) round_to_tf32(std::span(to + piece.begin, to + piece.end));
    }
  }
}

/// Records up to 32 pieces as one access, each where it lies, and once for each block that a copy to shared
/// memory goes to.
void BulkCopies::record(const Instr* i, Pending& pending) {
  const Machine& m = runner_.machine_;
  const std::size_t copies = pending.copy->is_multicast ? targets_of(*pending.copy, pending.lane).size() : 1;
  const bool loads = pending.copy->to == ptx::StateSpace::shared;
  for (const BulkAccess& access : accesses_of(pending.pieces)) {
    if (access.in_tensor != 0) runner_.record_pieces(i->site, access.in_tensor, access.global.data());
    const std::uint32_t in_shared = loads ? access.pieces : access.in_tensor;
    for (std::size_t copy = 0; in_shared != 0 && copy < copies; ++copy) {
      runner_.record_pieces(i->site + 1, in_shared, access.shared.data());
      if (m.recording_events && loads) pending.events.push_back(runner_.event_log.events_of(m.warp) - 1);
    }
  }
}

void BulkCopies::commit() {
  const Machine& m = runner_.machine_;
  for_each_lane(m.active, [&](std::uint32_t lane) { ++committed_[m.warp].at(lane); });
}

template <class Lands>
void BulkCopies::land_if(Lands lands) {
  for (std::size_t p = 0; p < pending_.size();) {
    if (!lands(pending_[p])) {
      ++p;
      continue;
    }
    Pending landed = std::move(pending_[p]);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(p));
    land(landed);
  }
}

void BulkCopies::wait(const Instr* i) {
  runner_.check_shared_accesses();
  const Machine& m = runner_.machine_;
  const auto left = static_cast<std::uint32_t>(i->imm);
  land_if([&](const Pending& pending) {
    return !pending.copy->completes_at_mbarrier && pending.warp == m.warp &&
           (m.active >> pending.lane & 1) != 0 && pending.group + left < committed_[m.warp].at(pending.lane);
  });
}

void BulkCopies::land_at(std::uint32_t mbarrier) {
  land_if([&](const Pending& pending) {
    return pending.copy->completes_at_mbarrier && pending.mbarrier == mbarrier;
  });
}

void BulkCopies::land_all(std::uint32_t w) {
  land_if([&](const Pending& pending) { return !pending.copy->completes_at_mbarrier && pending.warp == w; });
}

bool BulkCopies::in_flight(std::uint64_t address, std::uint32_t bytes) const {
  const std::uint64_t* const bits = runner_.machine_.shadow.bulk_in_flight;
  return (bits[address >> 6] & shadow_bits(address, bytes)) != 0;
}

void BulkCopies::land(Pending& pending) {
  pending.copy->to == ptx::StateSpace::shared ? land_in_shared(pending) : land_in_global(pending);
}

void BulkCopies::land_in_shared(Pending& pending) {
  Machine& m = runner_.machine_;
  bool was_written = false;
  for (std::size_t p = 0; p < pending.pieces.size(); ++p) {
    const std::uint32_t to = pending.pieces[p].shared;
    const std::byte* const data = pending.data.data() + p * kPiece;
    was_written =
        was_written || std::memcmp(m.shared.data + to, pending.before.data() + p * kPiece, kPiece) != 0;
    if (pending.copy->reduction == ptx::AtomicOp::none) {
      std::memcpy(m.shared.data + to, data, kPiece);
    } else {
      runner_.reduce_in_bulk(*pending.copy, pending.type, false, m.shared.data + to, data, kPiece);
    }
    m.shadow.initialised[to >> 6] |= shadow_bits(to, kPiece);
    m.shadow.bulk_in_flight[to >> 6] &= ~shadow_bits(to, kPiece);
  }
  if (was_written)
    runner_.report_bulk_copy(pending.instruction, pending.warp, pending.lane,
                             finding_texts::kBulkOverwritten);
  for (const std::uint32_t order : pending.events) {
    runner_.event_log.add_landing({.block = 0,
                                   .warp = pending.warp,
                                   .order = order,
                                   .landed_phase = runner_.phase_of(pending.warp),
                                   .landed_order = runner_.event_log.events_of(pending.warp)});
  }
  if (pending.is_of_other_block) {
    runner_.release_at_mbarrier(std::nullopt, pending.mbarrier);
  } else if (runner_.shared_races_ != nullptr) {
    Order::raise(runner_.as_raced_.sync_clock_at(kSharedWindow + pending.mbarrier).clock, pending.released);
  }
  runner_.note(SyncKind::complete, pending.instruction,
               pending.is_of_other_block ? kOtherBlock : pending.warp, pending.mbarrier, pending.bytes,
               pending.rank);
  runner_.complete_bytes(pending.instruction, pending.warp, pending.lane, pending.mbarrier, pending.bytes);
}

void BulkCopies::land_in_global(const Pending& pending) {
  const std::byte* const shared = runner_.machine_.shared.data;
  bool has_changed = false;
  for (std::size_t p = 0; p < pending.pieces.size(); ++p) {
    const BoxPiece& piece = pending.pieces[p];
    const std::byte* const data = pending.data.data() + p * kPiece;
    if (SharedRaces* const races = runner_.shared_races_.get())
      races->end_read(runner_.as_raced_.warps, piece.shared);
    has_changed = has_changed || std::memcmp(shared + piece.shared, data, kPiece) != 0;
    if (piece.begin == piece.end) continue;
    const auto bytes = static_cast<std::uint32_t>(piece.end - piece.begin);
    if (pending.copy->reduction == ptx::AtomicOp::none) {
      std::memcpy(global_bytes(piece), data + piece.begin, bytes);
    } else {
      runner_.reduce_in_bulk(*pending.copy, pending.type, pending.flushes_subnormals, global_bytes(piece),
                             data + piece.begin, bytes);
    }
  }
  if (has_changed && runner_.shared_races_ == nullptr)
    runner_.report_bulk_copy(pending.instruction, pending.warp, pending.lane,
                             finding_texts::kBulkSourceChanged);
}

// Members of BlockRunner that bulk copies use.

void BlockRunner::record_pieces(std::uint32_t site, std::uint32_t mask, const std::uint64_t* addresses) {
  ++machine_.phase.row[machine_.kernel.sites[site].column];
  patterns_.count_irregular(site, mask, addresses);
  if (machine_.recording_events) record_event(machine_, site, mask, addresses);
}

void BlockRunner::reduce_in_bulk(const BulkCopy& copy, ptx::Type type, bool flushes_subnormals, std::byte* at,
                                 const std::byte* with, std::uint32_t bytes) {
  const auto element = static_cast<std::uint32_t>(ptx::size_of(type));
  for (std::uint32_t k = 0; k < bytes; k += element) {
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, at + k, element);
    std::memcpy(&value, with + k, element);
    value = reduced(copy.reduction, type, old, value, flushes_subnormals);
    std::memcpy(at + k, &value, element);
  }
}

void BlockRunner::report_bulk_copy(const Instr* i, std::uint32_t lane, const char* text) {
  report_bulk_copy(i->index, machine_.warp, lane, text);
}
void BlockRunner::report_bulk_copy(std::uint32_t instruction, std::uint32_t w, std::uint32_t lane,
                                   const char* text) {
  Finding finding =
      make_finding(FindingKind::async_copy, code_.function.instructions[instruction], w, 1u << lane);
  finding.text = fmt::format(fmt::runtime(text), "lane"_a = lane, "warp"_a = w);
  findings.add(linear_, std::move(finding));
}

}  // namespace warplens::replay
