// Control: paths, branches, barriers, and accesses. What is computed is in warp_arithmetic.cpp.
#include "kernels/sass/warp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::sass {
namespace {

/// Lanes that name a row of a matrix.
std::uint32_t lanes_of_rows(const Op& op) {
  return op.matrices == 0 || op.matrices == 4 ? kAllLanes : (1u << (8 * op.matrices)) - 1;
}

}  // namespace

Warp::Warp(const Program& program, const Launch& launch, Tally& tally, Allowance& allowance, Moves* moves)
    : program_(program),
      launch_(launch),
      tally_(tally),
      allowance_(allowance),
      registers_(kFirstConstant + program.constants.size()),
      unknown_registers_(registers_.size()),
      partly_known_(registers_.size()),
      known_bits_(registers_.size()),
      versions_(registers_.size()),
      made_(program.sites.size()),
      moves_(moves) {
  for (std::size_t i = 0; i < program.constants.size(); ++i)
    registers_[kFirstConstant + i].fill(program.constants[i]);
}

Warp::Warp(const Program& program, const Launch& launch, Tally& tally, Allowance& allowance,
           Memories& memories)
    : Warp(program, launch, tally, allowance) {
  memories_ = &memories;
}

void Warp::begin(Dim3 block, std::uint32_t warp) {
  block_ = block;
  warp_ = warp;
  const std::uint64_t threads = launch_.block.count() - std::uint64_t{warp} * kWarpSize;
  lanes_of_warp_ = threads >= kWarpSize ? kAllLanes : (1u << threads) - 1;
  live_ = lanes_of_warp_;
  paths_.assign(1, {.block = 0, .mask = live_});
  // Registers hold what the warp before left; nobody knows what that is on a GPU.
  std::fill_n(unknown_registers_.begin(), kFirstConstant, kAllLanes);
  std::ranges::fill(partly_known_, 0);
  unknown_registers_[kZeroRegister] = unknown_registers_[kUniformRegisters + kUniformZeroRegister] = 0;
  unknown_predicates_.fill(kAllLanes);
  unknown_predicates_[kTruePredicate] = 0;
  predicates_[kTruePredicate] = kAllLanes;
  carries_.clear();
  ++clock_;
  std::ranges::fill(versions_, clock_);
  local_.clear();
  brought_ = result_ = {};
  if (moves_ != nullptr) moves_->begin_warp();
}

std::optional<Stop> Warp::run(Dim3 block, std::uint32_t warp) {
  begin(block, warp);
  return go_on();
}

std::optional<Stop> Warp::go_on() {
  while (!paths_.empty()) {
    const std::size_t next = next_path();
    if (next == paths_.size() &&
        std::ranges::any_of(paths_, [](const Path& path) { return path.waits_at == kBlockBarrier; }))
      return std::nullopt;
    if (next == paths_.size())
      return Stop{program_.blocks[paths_.front().block].first,
                  marked("lanes wait for others that never arrive")};
    const Path path = paths_[next];
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next));
    if (const auto stop = run_block(path)) return stop;
  }
  return std::nullopt;
}

void Warp::pass_block_barrier(Brought all) {
  brought_ = {};
  if (all.lanes != 0) result_ = all;
  for (Path& path : paths_) {
    if (path.waits_at == kBlockBarrier) path.waits_at = -1;
  }
}

/// The path that lags behind goes first, so that the others meet it; those at the same place become one. The
/// number of paths if all wait.
std::size_t Warp::next_path() {
  std::size_t next = paths_.size();
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (!paths_[i].waits() && (next == paths_.size() || paths_[i].block < paths_[next].block)) next = i;
  }
  for (std::size_t i = paths_.size(); next < paths_.size() && i-- > next + 1;) {
    if (paths_[i].waits() || paths_[i].block != paths_[next].block) continue;
    paths_[next].mask |= paths_[i].mask;
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return next;
}

std::optional<Stop> Warp::run_block(Path path) {
  const Block& block = program_.blocks[path.block];
  ++tally_.executed[path.block];
  steps_ += block.end - block.first;
  if (steps_ >= kStepsAtOnce && !allowance_.take(std::exchange(steps_, 0)))
    return Stop{block.first, marked("too much is executed")};
  for (std::uint32_t i = block.first_op; i < block.end_op; ++i) {
    const Op& op = program_.ops[i];
    switch (op.action) {
      case Action::memory:
      case Action::copy_to_shared: {
        if ((unknown(op.guard) & path.mask) != 0)
          return Stop{op.instruction, marked("whether it is executed depends on a loaded value")};
        if ((lost(op.guard) & path.mask) != 0) moves_->stand_alone();
        const std::uint32_t lanes = path.mask & lanes_where(op.guard);
        if (const auto stop = op.action == Action::memory ? access(op, lanes) : copy_to_shared(op, lanes))
          return stop;
        break;
      }
      case Action::set_barrier:
        for (std::uint32_t lanes = path.mask; lanes != 0; lanes &= lanes - 1) {
          barriers_[op.target][static_cast<std::size_t>(std::countr_zero(lanes))] = path.mask;
        }
        break;
      case Action::branch:
      case Action::call:
      case Action::indirect_return:
      case Action::wait_barrier:
      case Action::leave_barrier:
      case Action::warp_barrier:
      case Action::block_barrier:
      case Action::leave:
      case Action::unsupported: return finish_block(op, path);
      default: compute(op, path.mask);
    }
  }
  ++path.block;
  if (path.block == program_.blocks.size()) return Stop{block.end - 1, marked("control leaves the function")};
  paths_.push_back(path);
  return std::nullopt;
}

std::optional<Stop> Warp::finish_block(const Op& op, Path path) {
  if (op.action == Action::branch) return branch(op, path);
  if (op.action == Action::call) return call(op, path);
  if (op.action == Action::indirect_return) return indirect_return(op, path);
  if (((unknown(op.guard) | unknown(op.in[0])) & path.mask) != 0) {
    return Stop{op.instruction, marked("whether it is executed depends on a loaded value")};
  }
  if (((lost(op.guard) | lost(op.in[0])) & path.mask) != 0) moves_->stand_alone();
  const std::uint32_t taken = path.mask & lanes_where(op.guard) & lanes_where(op.in[0]);
  if (op.action == Action::unsupported && taken != 0)
    return Stop{op.instruction, marked("it is not understood")};
  ++path.block;
  if (op.action == Action::leave) {
    live_ &= ~taken;
    path.mask &= ~taken;
  } else if (op.action == Action::wait_barrier) {
    path.waits_at = static_cast<std::int32_t>(op.target);
  } else if (op.action == Action::leave_barrier) {
    for (std::uint32_t& meeting : barriers_[op.target]) meeting &= ~taken;
  } else if (op.action == Action::warp_barrier) {
    if ((unknown(op.a) & path.mask) != 0 && path.mask != live_)
      return Stop{op.instruction, marked("which lanes conflict depends on a loaded value")};
    for (std::uint32_t lanes = taken; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      barriers_[kWarpBarrier][lane] = path.mask == live_ ? live_ : registers_[op.a.index][lane];
    }
    if (taken != 0) path.waits_at = static_cast<std::int32_t>(kWarpBarrier);
  } else if (op.action == Action::block_barrier) {
    if (taken != 0 && taken != path.mask) return Stop{op.instruction, marked("it is not understood")};
    if (op.brings && (unknown(op.in[1]) & taken) != 0)
      return Stop{op.instruction, marked("the values that lanes pass to it depend on a loaded value")};
    if (op.brings) {
      brought_.holds += static_cast<std::uint32_t>(std::popcount(lanes_where(op.in[1]) & taken));
      brought_.lanes += static_cast<std::uint32_t>(std::popcount(taken));
      asks_for_all_ = op.of_all;
    }
    if (taken != 0) path.waits_at = kBlockBarrier;
  }
  if (path.mask != 0) {
    if (path.block == program_.blocks.size())
      return Stop{op.instruction, marked("control leaves the function")};
    paths_.push_back(path);
  }
  release_barriers();
  return std::nullopt;
}

/// Lanes wait until all that are to meet there, and still live, have come.
void Warp::release_barriers() {
  for (const Path& first : paths_) {
    if (!first.waits() || first.waits_at == kBlockBarrier) continue;
    const std::uint32_t meeting = barriers_[static_cast<std::size_t>(first.waits_at)]
                                           [static_cast<std::size_t>(std::countr_zero(first.mask))] &
                                  live_;
    std::uint32_t come = 0;
    const auto is_there = [&](const Path& path) {
      return path.waits_at == first.waits_at && path.block == first.block;
    };
    for (const Path& path : paths_) come |= is_there(path) ? path.mask : 0;
    if ((meeting & ~come) != 0) continue;
    const std::int32_t barrier = first.waits_at;
    const std::uint32_t block = first.block;
    for (Path& path : paths_) {
      if (path.waits_at == barrier && path.block == block && (path.mask & ~meeting) == 0) path.waits_at = -1;
    }
  }
}

std::optional<Stop> Warp::branch(const Op& op, Path path) {
  std::uint32_t taken = path.mask & lanes_where(op.guard) & lanes_where(op.in[0]);
  if (op.together != Together::not_asked) {
    Lanes room;
    const std::uint32_t asked = value(op.a, room)[static_cast<std::size_t>(std::countr_zero(path.mask))];
    const bool together = path.mask == live_ || (asked & live_ & ~path.mask) == 0;
    if (path.mask != live_ && unknown(op.a) != 0)
      return Stop{op.instruction, marked("which lanes conflict depends on a loaded value")};
    if (path.mask != live_ && moves_ != nullptr &&
        (moves_->of(op.a.index).shift.any() || moves_->of(op.a.index).lanes != kAllLanes))
      moves_->stand_alone();
    if (together != (op.together == Together::leave_if)) taken = 0;
  }
  const std::uint32_t target = program_.block_of[op.target];
  if (((unknown(op.guard) | unknown(op.in[0])) & path.mask) != 0) {
    // Either way leads to the same place, and nothing is accessed on the longer one: the same is counted
    // whichever is taken.
    if (op.target <= op.instruction || !only_computes(op.instruction + 1, op.target)) {
      return Stop{op.instruction, marked("its branch target depends on a loaded value")};
    }
    forget_results(op.instruction + 1, op.target, path.mask);
    paths_.push_back({.block = target, .mask = path.mask});
    return std::nullopt;
  }
  if (((lost(op.guard) | lost(op.in[0])) & path.mask) != 0) moves_->stand_alone();
  if (taken != 0) paths_.push_back({.block = target, .mask = taken});
  if (taken != path.mask) {
    if (path.block + 1 == program_.blocks.size())
      return Stop{op.instruction, marked("control leaves the function")};
    paths_.push_back({.block = path.block + 1, .mask = path.mask & ~taken});
  }
  return std::nullopt;
}

/// A subroutine that only computes is passed over; with memory, it is followed.
std::optional<Stop> Warp::call(const Op& op, Path path) {
  if (memories_ != nullptr) return branch(op, path);
  const auto end = end_of_call(op);
  if (!end) return Stop{op.instruction, marked("what it calls is not followed")};
  forget_results(op.target, *end, path.mask);
  ++path.block;
  paths_.push_back(path);
  return std::nullopt;
}

/// Lanes go on behind their calls, or where a table sends them.
std::optional<Stop> Warp::indirect_return(const Op& op, Path path) {
  if (((unknown(op.guard) | unknown(op.a)) & path.mask) != 0)
    return Stop{op.instruction, marked("its branch target depends on a loaded value")};
  const std::uint32_t returning = path.mask & lanes_where(op.guard);
  const auto& instructions = program_.function->instructions;
  for (std::uint32_t left = returning; left != 0;) {
    const std::uint32_t from = registers_[op.a.index][static_cast<std::size_t>(std::countr_zero(left))],
                        address = from + op.amount;
    std::uint32_t together = 0;
    for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      if (registers_[op.a.index][lane] == from) together |= 1u << lane;
    }
    left &= ~together;
    const auto found = std::ranges::lower_bound(instructions, address, {}, &Instruction::address);
    if (found == instructions.end() || found->address != address)
      return Stop{op.instruction, marked("control leaves the function")};
    const std::uint32_t block = program_.block_of[static_cast<std::size_t>(found - instructions.begin())];
    if (program_.blocks[block].first != static_cast<std::uint32_t>(found - instructions.begin()))
      return Stop{op.instruction, marked("it is not understood")};
    paths_.push_back({.block = block, .mask = together});
  }
  path.mask &= ~returning;
  ++path.block;
  if (path.mask != 0) paths_.push_back(path);
  return std::nullopt;
}

/// Returns where the subroutine ends; nothing if it does more than compute. Lanes may have returned before,
/// at a RET with a guard.
std::optional<std::uint32_t> Warp::end_of_call(const Op& op) const {
  const auto& instructions = program_.function->instructions;
  const auto ends = [](const Instruction& instruction) {
    return instruction.opcode == "RET" && instruction.guard.always();
  };
  const auto found = std::find_if(instructions.begin() + op.target, instructions.end(), ends);
  const auto end = static_cast<std::uint32_t>(found - instructions.begin());
  if (found == instructions.end() || op.target <= op.instruction || !only_computes(op.target, end, true))
    return std::nullopt;
  return end;
}

/// Whether instructions [first, end) access nothing, and control that enters them at the first leaves them at
/// the end only, or returns.
bool Warp::only_computes(std::uint32_t first, std::uint32_t end, bool may_return) const {
  int open_barriers = 0;
  for (const Op& op : program_.ops) {
    if (op.instruction < first || op.instruction >= end) continue;
    if (op.action == Action::set_barrier) ++open_barriers;
    if (op.action == Action::wait_barrier) --open_barriers;
    const bool branches_within = op.action == Action::branch && op.target >= first && op.target <= end;
    const bool calls_outside = op.action == Action::call && op.target >= end && end_of_call(op);
    const bool returns = may_return && program_.function->instructions[op.instruction].opcode == "RET";
    const bool harmless = branches_within || calls_outside || returns || op.action == Action::set_barrier ||
                          op.action == Action::wait_barrier;
    if (op.action >= Action::memory && !harmless) return false;
  }
  return open_barriers == 0;
}

/// What instructions [first, end), and those that they call, may write.
void Warp::forget_results(std::uint32_t first, std::uint32_t end, std::uint32_t mask) {
  for (const Op& op : program_.ops) {
    if (op.instruction < first || op.instruction >= end) continue;
    clobber(op, mask);
    if (op.action != Action::call) continue;
    if (const auto end_of_callee = end_of_call(op)) forget_results(op.target, *end_of_callee, mask);
  }
}

std::optional<Stop> Warp::access(const Op& op, std::uint32_t mask) {
  if (mask == 0) return std::nullopt;
  if (op.matrices != 0 && mask != live_)
    return Stop{op.instruction, marked("a part of the warp executes it, which is undefined")};
  const std::uint32_t accessing = mask & lanes_of_rows(op);
  if (accessing != 0) {
    if (const auto stop = count_access(op, op.site, op.address, accessing, mask)) return stop;
  }
  if (program_.sites[op.site].space == Space::local) {
    move_local(op, mask);
  } else if (op.tries_accesses) {
    return Stop{op.instruction, marked("its iteration count depends on when other warps arrive")};
  } else if (memories_ != nullptr) {
    if (op.is_generic && !all_in_global_memory(op, mask))
      return Stop{op.instruction, marked("its address is of no buffer in global memory")};
    move_values(op, mask);
  } else if (op.d != kNoRegister) {
    clobber(op, mask);
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
