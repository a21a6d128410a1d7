// Control: paths, branches, barriers.
#include "kernels/sass/warp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/base/texts.h"

namespace warplens::sass {

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
  has_progressed_ = false;
  cluster_arrivals_ = 0;
  tell_of_waits_ = 0;
  if (moves_ != nullptr) moves_->begin_warp();
}

std::optional<Stop> Warp::run(Dim3 block, std::uint32_t warp) {
  begin(block, warp);
  return go_on();
}

std::optional<Stop> Warp::go_on() {
  while (!paths_.empty()) {
    if (const auto stop = look_at_phases()) return stop;
    const std::size_t next = next_path();
    if (next == paths_.size() && std::ranges::any_of(paths_, &Path::waits_for_others)) return std::nullopt;
    if (next == paths_.size())
      return Stop{program_.blocks[paths_.front().block].first,
                  marked("lanes wait for others that never arrive")};
    const Path path = paths_[next];
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(next));
    if (const auto stop = run_block(path)) return stop;
  }
  return std::nullopt;
}

std::optional<Stop> Warp::waits_where() const {
  const auto waiting = std::ranges::find_if(paths_, &Path::waits_for_others);
  if (waiting == paths_.end()) return std::nullopt;
  return Stop{waiting->at->instruction, marked("it waits for other warps that never arrive")};
}

Warp::AtBarrier Warp::at_block_barrier(std::uint32_t number) const {
  AtBarrier at;
  for (const Path& path : paths_) {
    if (path.awaits != Awaits::block || path.number != number) continue;
    at.lanes += static_cast<std::uint32_t>(std::popcount(path.mask));
    at.threads = path.threads;
  }
  return at;
}

void Warp::pass_block_barrier(std::uint32_t number, Brought all) {
  brought_ = {};
  if (all.lanes != 0) result_ = all;
  for (Path& path : paths_) {
    if (path.awaits == Awaits::block && path.number == number) path.awaits = Awaits::nothing;
  }
}

void Warp::pass_cluster_barrier(std::uint64_t arrivals) {
  for (Path& path : paths_) {
    if (path.awaits == Awaits::cluster && arrivals >= cluster_arrivals_) path.awaits = Awaits::nothing;
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
  has_progressed_ = true;
  steps_ += block.end - block.first;
  if (steps_ >= kStepsAtOnce && !allowance_.take(std::exchange(steps_, 0)))
    return Stop{block.first, marked("too much is executed")};
  for (std::uint32_t i = block.first_op; i < block.end_op; ++i) {
    const Op& op = program_.ops[i];
    switch (op.action) {
      case Action::memory:
      case Action::copy_to_shared:
      case Action::bulk_copy:
      case Action::mbarrier:
      case Action::product: {
        if ((unknown(op.guard) & path.mask) != 0)
          return Stop{op.instruction, marked("whether it is executed depends on a loaded value")};
        if ((lost(op.guard) & path.mask) != 0) moves_->stand_alone();
        if (const auto stop = access_by(op, path.mask & lanes_where(op.guard))) return stop;
        break;
      }
      case Action::set_barrier:
        for (std::uint32_t lanes = path.mask; lanes != 0; lanes &= lanes - 1) {
          barriers_[op.target][static_cast<std::size_t>(std::countr_zero(lanes))] = path.mask;
        }
        break;
      case Action::wait:
      case Action::branch:
      case Action::call:
      case Action::indirect_return:
      case Action::wait_barrier:
      case Action::leave_barrier:
      case Action::warp_barrier:
      case Action::block_barrier:
      case Action::cluster_barrier:
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
  if (op.action == Action::wait && op.waits_for_phase && taken != 0) {
    if (taken != path.mask) return Stop{op.instruction, marked("it is not understood")};
    path.awaits = Awaits::phase;
    path.at = &op;
  } else if (op.action == Action::wait) {
    find_at_first_look(op, taken);
  } else if (op.action == Action::cluster_barrier) {
    if (taken != 0 && op.arrives_only) ++cluster_arrivals_;
    if (taken != 0 && !op.arrives_only) path.awaits = Awaits::cluster;
    path.at = &op;
  } else if (op.action == Action::leave) {
    live_ &= ~taken;
    path.mask &= ~taken;
  } else if (op.action == Action::wait_barrier) {
    path.awaits = Awaits::lanes;
    path.number = op.target;
  } else if (op.action == Action::leave_barrier) {
    for (std::uint32_t& meeting : barriers_[op.target]) meeting &= ~taken;
  } else if (op.action == Action::warp_barrier) {
    if ((unknown(op.a) & path.mask) != 0 && path.mask != live_)
      return Stop{op.instruction, marked("which lanes conflict depends on a loaded value")};
    for (std::uint32_t lanes = taken; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      barriers_[kWarpBarrier][lane] = path.mask == live_ ? live_ : registers_[op.a.index][lane];
    }
    if (taken != 0) path.awaits = Awaits::lanes;
    path.number = kWarpBarrier;
  } else if (op.action == Action::block_barrier) {
    if (taken != 0 && taken != path.mask) return Stop{op.instruction, marked("it is not understood")};
    if (op.brings && (unknown(op.in[1]) & taken) != 0)
      return Stop{op.instruction, marked("the values that lanes pass to it depend on a loaded value")};
    if (op.brings) {
      brought_.holds += static_cast<std::uint32_t>(std::popcount(lanes_where(op.in[1]) & taken));
      brought_.lanes += static_cast<std::uint32_t>(std::popcount(taken));
      asks_for_all_ = op.of_all;
    }
    const auto lane = static_cast<std::size_t>(std::countr_zero(path.mask));
    if (taken != 0 && (unknown(op.a) >> lane & 1) != 0)
      return Stop{op.instruction, marked("its number depends on a loaded value")};
    path.number = registers_[op.a.index][lane] % kBlockBarriers;
    path.threads = op.amount;
    path.at = &op;
    if (taken != 0 && !op.arrives_only) path.awaits = Awaits::block;
    if (op.arrives_only)
      memories_->arrived.at(path.number) += static_cast<std::uint32_t>(std::popcount(taken));
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
    if (first.awaits != Awaits::lanes) continue;
    const std::uint32_t meeting =
        barriers_[first.number][static_cast<std::size_t>(std::countr_zero(first.mask))] & live_;
    std::uint32_t come = 0;
    const auto is_there = [&](const Path& path) {
      return path.awaits == Awaits::lanes && path.number == first.number && path.block == first.block;
    };
    for (const Path& path : paths_) come |= is_there(path) ? path.mask : 0;
    if ((meeting & ~come) != 0) continue;
    const std::uint32_t barrier = first.number, block = first.block;
    for (Path& path : paths_) {
      if (path.awaits == Awaits::lanes && path.number == barrier && path.block == block &&
          (path.mask & ~meeting) == 0)
        path.awaits = Awaits::nothing;
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
  if (op.follows_any && taken != 0) taken = path.mask;
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
  if ((tell_of_waits_ >> op.guard.index & 1) != 0 || (tell_of_waits_ >> op.in[0].index & 1) != 0) {
    const std::uint32_t next = path.block + 1;
    if (taken == 0 ? !only_waits(target, next) : !only_waits(next, target))
      return Stop{op.instruction, marked("what it does until other warps arrive depends on when they do")};
  }
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

}  // namespace warplens::sass
