// Accesses by lanes: what is counted of them, and what registers get where they spill to local memory.
#include <algorithm>
#include <bit>

#include "kernels/base/texts.h"
#include "kernels/sass/warp.h"

namespace warplens::sass {
namespace {

/// Lanes that name a row of a matrix.
std::uint32_t lanes_of_rows(const Op& op) {
  return op.matrices == 0 || op.matrices == 4 ? kAllLanes : (1u << (8 * op.matrices)) - 1;
}

}  // namespace

std::optional<Stop> Warp::access_by(const Op& op, std::uint32_t mask) {
  switch (op.action) {
    case Action::copy_to_shared: return copy_to_shared(op, mask);
    case Action::bulk_copy: return copy_in_bulk(op, mask);
    case Action::mbarrier: return change_mbarriers(op, mask);
    case Action::product: return multiply_matrices(op, mask);
    default: return access(op, mask);
  }
}

std::optional<Stop> Warp::access(const Op& op, std::uint32_t mask) {
  if (mask == 0) return std::nullopt;
  if (op.matrices != 0 && mask != live_)
    return Stop{op.instruction, marked("a part of the warp executes it, which is undefined")};
  if (op.is_generic) return access_anywhere(op, mask);
  const std::uint32_t accessing = mask & lanes_of_rows(op);
  if (accessing != 0) {
    if (const auto stop = count_access(op, op.site, op.address, accessing, mask)) return stop;
  }
  if (program_.sites[op.site].space == Space::local) {
    move_local(op, mask);
  } else if (op.tries_accesses) {
    return Stop{op.instruction, marked("its iteration count depends on when other warps arrive")};
  } else if (memories_ != nullptr) {
    move_values(op, mask);
  } else if (op.d != kNoRegister) {
    clobber(op, mask);
  }
  return std::nullopt;
}

/// An access by generic addresses, of lanes that all access global memory, or all shared memory of the
/// cluster.
std::optional<Stop> Warp::access_anywhere(const Op& op, std::uint32_t mask) {
  if ((unknown_in(op.address, true) & mask) != 0)
    return Stop{op.instruction, marked("its address depends on a loaded value")};
  const AccessCounts::Addresses addresses = addresses_of(op);
  const std::uint32_t in_shared =
      lanes_that([&](std::size_t lane) { return addresses[lane] >> 32 == kSharedWindowHigh; });
  if ((mask & ~in_shared) == 0) return access_cluster(op, mask, addresses);
  if (memories_ == nullptr || !all_in_global_memory(op, mask))
    return Stop{op.instruction, marked("its address is of no buffer in global memory")};
  if (const auto stop = count_access(op, op.site, op.address, mask, mask)) return stop;
  if (op.tries_accesses)
    return Stop{op.instruction, marked("its iteration count depends on when other warps arrive")};
  move_values(op, mask);
  return std::nullopt;
}

/// Lanes that access one block's shared memory are an access; those of the own block come first.
std::optional<Stop> Warp::access_cluster(const Op& op, std::uint32_t mask,
                                         const AccessCounts::Addresses& addresses) {
  if (moves_ != nullptr) moves_->stand_alone();
  if (memories_ == nullptr && op.d != kNoRegister) clobber(op, mask);
  AccessCounts::Addresses within = addresses;
  for (std::uint64_t& address : within) address &= kWithinBlock;
  const auto blocks = static_cast<std::uint32_t>(launch_.cluster.count());
  for (std::uint32_t left = mask, next = rank_in_cluster(); left != 0;) {
    const std::uint32_t lanes = left & lanes_that([&](std::size_t lane) {
                                  return (static_cast<std::uint32_t>(addresses[lane]) >> kRankBit) == next;
                                });
    left &= ~lanes;
    if (next >= blocks) return Stop{op.instruction, marked("the cluster has no block of that rank")};
    if (lanes != 0) {
      tally_.accesses[op.to_site].add(tally_.shapes, within, lanes, lanes_of_warp_);
      if (memories_ != nullptr) move_values(op, block_of_rank(next)->shared, within, lanes);
    }
    if (left != 0)
      next =
          static_cast<std::uint32_t>(addresses[static_cast<std::size_t>(std::countr_zero(left))]) >> kRankBit;
  }
  return std::nullopt;
}

/// Its copy is there at once: who reads it before waits for it.
std::optional<Stop> Warp::copy_to_shared(const Op& op, std::uint32_t mask) {
  if (mask == 0) return std::nullopt;
  if ((unknown(op.in[1]) & mask) != 0)
    return Stop{op.instruction, marked("whether it reads depends on a loaded value")};
  if ((lost(op.in[1]) & mask) != 0) moves_->stand_alone();
  if (const std::uint32_t reading = mask & lanes_where(op.in[1]); reading != 0) {
    if (const auto stop = count_access(op, op.site, op.address, reading, reading)) return stop;
  }
  if (const auto stop = count_access(op, op.to_site, op.to, mask, mask)) return stop;
  if (memories_ != nullptr) copy_values(op, mask);
  return std::nullopt;
}

std::optional<Stop> Warp::count_access(const Op& op, std::uint32_t site, const Address& address,
                                       std::uint32_t mask, std::uint32_t active) {
  const Space space = program_.sites[site].space;
  const std::uint32_t uniform = kUniformRegisters + address.uniform_base;
  const bool has_high = address.wide && address.base != kZeroRegister;
  const bool has_uniform_high = space == Space::global && address.uniform_base != kUniformZeroRegister;
  const std::array<std::uint32_t, 4> registers{address.base, has_high ? address.base + 1 : kZeroRegister,
                                               uniform, has_uniform_high ? uniform + 1 : kZeroRegister};
  Made& made = made_[site];
  bool as_before = made.mask == mask && made.active == active;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if ((unknown_registers_[registers[i]] & mask) != 0)
      return Stop{op.instruction, marked("its address depends on a loaded value")};
    as_before = as_before && made.versions[i] == versions_[registers[i]];
    made.versions[i] = versions_[registers[i]];
  }
  if (as_before) {
    ++*made.count;
  } else {
    if (moves_ != nullptr) tell_access(site, address, mask);
    made.mask = mask;
    made.active = active;
    made.count = &tally_.accesses[site].add(tally_.shapes, addresses_of(address, space), mask,
                                            active == lanes_of_warp_ ? mask : lanes_of_warp_);
  }
  return std::nullopt;
}

void Warp::tell_access(std::uint32_t site, const Address& address, std::uint32_t mask) {
  const bool global = program_.sites[site].space == Space::global,
             has_high = address.wide && address.base != kZeroRegister;
  const bool is_uniform = address.uniform_base != kUniformZeroRegister;
  const std::uint32_t uniform = kUniformRegisters + address.uniform_base;
  const auto move_of = [&](bool there, std::uint32_t reg) { return there ? moves_->of(reg) : Move{}; };
  const Move high = move_of(has_high, address.base + 1),
             uniform_high = move_of(is_uniform && global, uniform + 1);
  moves_->access(site, {registers_[address.base], moves_->of(address.base)}, high,
                 {registers_[is_uniform ? uniform : kZeroRegister], move_of(is_uniform, uniform)},
                 uniform_high, global, mask);
}

AccessCounts::Addresses Warp::addresses_of(const Address& address, Space space) const {
  const bool global = space == Space::global;
  const bool has_high = address.wide && address.base != kZeroRegister;
  const Lanes &low = registers_[address.base],
              &high = registers_[has_high ? address.base + 1 : kZeroRegister];
  const auto offset = static_cast<std::uint64_t>(address.offset);
  AccessCounts::Addresses addresses;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane)
    addresses[lane] = (std::uint64_t{high[lane]} << 32 | low[lane]) + offset;
  if (address.scale != 1) {
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
      addresses[lane] = std::uint64_t{low[lane]} * address.scale + offset;
  }
  if (address.uniform_base != kUniformZeroRegister) {
    const std::uint32_t uniform = kUniformRegisters + address.uniform_base;
    const std::uint64_t base =
        (global ? std::uint64_t{registers_[uniform + 1][0]} << 32 : 0) | registers_[uniform][0];
    for (std::uint64_t& lane : addresses) lane += base;
  }
  if (!global) {
    for (std::uint64_t& lane : addresses) lane &= kAllLanes;
  }
  return addresses;
}

AccessCounts::Addresses Warp::addresses_in_block(const Address& address) const {
  AccessCounts::Addresses addresses = addresses_of(address, Space::shared);
  for (std::uint64_t& lane : addresses) lane &= kWithinBlock;
  return addresses;
}

/// Keeps what is stored to local memory and gives it back: the assembler spills addresses and counters too.
/// Lanes mostly access their words of one index.
void Warp::move_local(const Op& op, std::uint32_t mask) {
  const AccessCounts::Addresses addresses = addresses_of(op);
  for (std::uint32_t rest = mask; rest != 0;) {
    const std::uint64_t address = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    std::uint32_t together = 0;
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
      together |= static_cast<std::uint32_t>(addresses[lane] == address) << lane;
    move_local_words(op, address, together & rest);
    rest &= ~together;
  }
}

void Warp::move_local_words(const Op& op, std::uint64_t address, std::uint32_t mask) {
  constexpr std::uint32_t kMaxWords = 1 << 16;
  const bool stores = program_.sites[op.site].op == AccessOp::store, part = program_.sites[op.site].bytes < 4;
  const auto move_lanes = [mask](Lanes& to, const Lanes& from) {
    for (std::size_t lane = 0; lane < to.size(); ++lane)
      to[lane] = (mask >> lane & 1) != 0 ? from[lane] : to[lane];
  };
  for (std::uint32_t word = 0; word < std::max(op.d_count, 1u); ++word) {
    const std::uint32_t reg = stores ? op.a.index + (op.a.kind == Source::Kind::reg ? word : 0) : op.d + word;
    if (!stores && (op.d == kNoRegister || reg >= kRegisters)) continue;
    if (!stores) versions_[reg] = ++clock_;
    if (!stores) partly_known_[reg] &= ~mask;
    const std::uint64_t index = (kStackTop - address / 4 * 4) / 4 - word;
    if (address > kStackTop || index >= kMaxWords) {
      if (!stores) unknown_registers_[reg] |= mask;
      continue;
    }
    if (index >= local_.size()) local_.resize(index + 1);
    LocalWord& kept = local_[index];
    if (stores) {
      if (moves_ != nullptr) {
        const Move from = moves_->of(reg);
        kept.move = {from.shift,
                     (kept.move.shift == from.shift ? kept.move.lanes & ~mask : 0) | (from.lanes & mask)};
      }
      move_lanes(kept.lanes, registers_[reg]);
      kept.unknown = (kept.unknown & ~mask) | (part ? mask : unknown_registers_[reg] & mask);
    } else {
      if (moves_ != nullptr) moves_->write(reg, kept.move, mask);
      move_lanes(registers_[reg], kept.lanes);
      unknown_registers_[reg] = (unknown_registers_[reg] & ~mask) | (part ? mask : kept.unknown & mask);
    }
  }
}

}  // namespace warplens::sass
