#include "kernels/recording/recording.h"

#include <algorithm>

namespace warplens {

const char* name_of(Space space) {
  switch (space) {
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
  }
  return "?";
}

const char* name_of(AccessOp op) {
  switch (op) {
    case AccessOp::load: return "load";
    case AccessOp::store: return "store";
    case AccessOp::atomic: return "atomic";
    case AccessOp::reduction: return "reduction";
    case AccessOp::ldmatrix: return "ldmatrix";
    case AccessOp::stmatrix: return "stmatrix";
    case AccessOp::cp_async: return "cp_async";
    case AccessOp::bulk_load: return "bulk_load";
    case AccessOp::bulk_store: return "bulk_store";
    case AccessOp::bulk_reduction: return "bulk_reduction";
    case AccessOp::wgmma: return "wgmma";
  }
  return "?";
}

bool reads(AccessOp op, Space space) {
  switch (op) {
    case AccessOp::load:
    case AccessOp::atomic:
    case AccessOp::reduction:
    case AccessOp::ldmatrix:
    case AccessOp::bulk_reduction:
    case AccessOp::wgmma: return true;
    case AccessOp::cp_async:
    case AccessOp::bulk_load: return space == Space::global;
    case AccessOp::bulk_store: return space == Space::shared;
    case AccessOp::store:
    case AccessOp::stmatrix: break;
  }
  return false;
}

bool writes(AccessOp op, Space space) {
  switch (op) {
    case AccessOp::store:
    case AccessOp::atomic:
    case AccessOp::reduction:
    case AccessOp::stmatrix: return true;
    case AccessOp::cp_async:
    case AccessOp::bulk_load: return space == Space::shared;
    case AccessOp::bulk_store:
    case AccessOp::bulk_reduction: return space == Space::global;
    case AccessOp::load:
    case AccessOp::ldmatrix:
    case AccessOp::wgmma: break;
  }
  return false;
}

bool is_atomic(AccessOp op) {
  return op == AccessOp::atomic || op == AccessOp::reduction;
}

bool is_asynchronous_load(AccessOp op) {
  return op == AccessOp::cp_async || op == AccessOp::bulk_load;
}

bool is_of_pieces(AccessOp op) {
  return op >= AccessOp::bulk_load;
}

bool is_of_matrices(AccessOp op) {
  return op == AccessOp::ldmatrix || op == AccessOp::stmatrix;
}

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::race: return "race";
    case FindingKind::out_of_bounds: return "out_of_bounds";
    case FindingKind::misaligned: return "misaligned";
    case FindingKind::barrier_divergence: return "barrier_divergence";
    case FindingKind::uninitialised: return "uninitialised";
    case FindingKind::failed_assertion: return "failed_assertion";
    case FindingKind::undefined_lanes: return "undefined_lanes";
    case FindingKind::block_race: return "block_race";
    case FindingKind::lane_race: return "lane_race";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::absent_lanes: return "absent_lanes";
    case FindingKind::async_copy: return "async_copy";
    case FindingKind::mbarrier: return "mbarrier";
    case FindingKind::wgmma_registers: return "wgmma_registers";
    case FindingKind::exited_block: return "exited_block";
  }
  return "?";
}

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::f32: return "f32";
    case ElementType::f64: return "f64";
    case ElementType::i32: return "i32";
    case ElementType::u8: return "u8";
    case ElementType::i8: return "i8";
    case ElementType::u16: return "u16";
    case ElementType::i16: return "i16";
    case ElementType::u32: return "u32";
    case ElementType::i64: return "i64";
    case ElementType::u64: return "u64";
    case ElementType::f16: return "f16";
    case ElementType::bf16: return "bf16";
    case ElementType::tf32: return "tf32";
    case ElementType::e4m3: return "e4m3";
    case ElementType::e5m2: return "e5m2";
    case ElementType::i4: return "i4";
    case ElementType::u4: return "u4";
  }
  return "?";
}

int size_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
    case ElementType::e4m3:
    case ElementType::e5m2:
    case ElementType::i4:
    case ElementType::u4: return 1;
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::f32:
    case ElementType::tf32:
    case ElementType::i32:
    case ElementType::u32: return 4;
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64: return 8;
  }
  return 0;
}

std::uint64_t bytes_of(ElementType type, std::uint64_t values) {
  const bool is_pair = type == ElementType::i4 || type == ElementType::u4;
  return is_pair ? (values + 1) / 2 : values * static_cast<std::uint64_t>(size_of(type));
}

AccessCost& AccessCost::operator+=(const AccessCost& other) {
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  lines += other.lines;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  bank_conflicts += other.bank_conflicts;
  return *this;
}

namespace {

/// The part of `within` where `column`, ascending there, equals `value`.
EventRange equal_part(const std::vector<std::uint32_t>& column, EventRange within, std::uint32_t value) {
  const auto at = [&](std::size_t index) { return column.begin() + static_cast<std::ptrdiff_t>(index); };
  const auto [first, last] = std::equal_range(at(within.begin), at(within.end), value);
  return {static_cast<std::size_t>(first - column.begin()), static_cast<std::size_t>(last - column.begin())};
}

}  // namespace

EventRange events_of_block(const Recording& recording, std::uint32_t event_block) {
  return equal_part(recording.events.block, {0, recording.events.size()}, event_block);
}

EventRange events_of_warp(const Recording& recording, std::uint32_t event_block, std::uint32_t warp) {
  return equal_part(recording.events.warp, events_of_block(recording, event_block), warp);
}

EventRange events_of_phase(const Recording& recording, std::uint32_t event_block, std::uint32_t warp,
                           std::uint32_t phase) {
  return equal_part(recording.events.phase, events_of_warp(recording, event_block, warp), phase);
}

SharedPlace shared_place(std::uint64_t offset) {
  constexpr int kRankBit = 24;
  const auto rank = static_cast<std::uint32_t>(offset >> kRankBit);
  return {.rank = rank == 0 ? std::nullopt : std::optional(rank - 1),
          .offset = static_cast<std::uint32_t>(offset & ((1u << kRankBit) - 1))};
}

const CopyLanding* landing_of(const Recording& recording, std::size_t event) {
  const EventColumns& events = recording.events;
  const CopyLanding wanted{
      .block = events.block[event], .warp = events.warp[event], .order = events.order[event]};
  const auto found = std::ranges::lower_bound(recording.landings, wanted);
  const bool is_known = found != recording.landings.end() && found->block == wanted.block &&
                        found->warp == wanted.warp && found->order == wanted.order;
  return is_known ? &*found : nullptr;
}

}  // namespace warplens
