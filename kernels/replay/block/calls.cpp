// Calls of functions. The lanes that call wait on the warp's stack behind the call, and those that the
// function parts wait above them; a lane that returns is taken out of what waits there, so that the last one
// to return finds the caller on top.
//
// A function that is not recursive keeps registers, variables and parameters where the decoder placed them.
// Each call of a recursive one has memory of its own, and keeps the registers of the call before.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/replay/block/block_runner.h"

namespace warplens::replay {
namespace {

constexpr std::size_t kMaxCalls = 4096;  ///< That have not returned

void make_vector(Head& head, bool wide) {
  if (head.form == Form::vector) return;
  for (std::uint32_t l = 0; l < kWarpSize; ++l) {
    const std::uint64_t value = value_of_lane(head, wide, l);
    if (wide) {
      static_cast<std::uint64_t*>(head.lanes)[l] = value;
    } else {
      static_cast<std::uint32_t*>(head.lanes)[l] = static_cast<std::uint32_t>(value);
    }
  }
  head.form = Form::vector;
}

Head& slot_of(const WarpState& warp, std::size_t index) {
  return reinterpret_cast<Head*>(warp.registers)[index];
}

}  // namespace

std::byte* BlockRunner::call_param_at(const CallArgument& value, std::uint32_t lane) const {
  const WarpState& warp = warps_[machine_.warp];
  const std::uint64_t base = code_.pieces[value.piece].is_recursive ? warp.bases[value.piece].call_params : 0;
  return warp.call_params + lane * code_.lane_call_param_bytes + base + value.offset;
}

const Instr* BlockRunner::stop_call(const Instr* i, Stop why) {
  machine_.ended.why = why;
  machine_.ended.at = machine_.ended.resume = i;
  machine_.ended.mask = machine_.active;
  return nullptr;
}

void BlockRunner::suspend(const Instr* pc, const Instr* join, std::uint32_t mask) {
  if (machine_.depth == machine_.capacity) grow_stack();
  machine_.stack[machine_.depth++] = {pc, join, mask};
}

// Lanes that call another function than the first one wait, and execute the call again.
std::optional<std::uint32_t> BlockRunner::called_by_address(const Instr* i, std::uint32_t& mask) {
  const CallSite& site = code_.calls[static_cast<std::size_t>(i->imm)];
  const Head& target = *reinterpret_cast<const Head*>(machine_.registers + site.target);
  const std::uint64_t address =
      value_of_lane(target, true, static_cast<std::uint32_t>(std::countr_zero(mask)));
  std::uint32_t together = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    if (value_of_lane(target, true, lane) == address) together |= 1u << lane;
  });
  const std::uint64_t piece = (address - kFunctionWindow) / kFunctionStride;
  if (address < kFunctionWindow || address % kFunctionStride != 0 || piece == 0 ||
      piece >= code_.pieces.size())
    return std::nullopt;
  const CalledPiece& called = code_.pieces[piece];
  if (called.parameters.size() != site.arguments.size() || called.returns.size() < site.results.size())
    return std::nullopt;
  if (const std::uint32_t rest = mask & ~together; rest != 0) {
    const Instr* const meeting = i + 2;
    if (machine_.join != meeting) suspend(meeting, machine_.join, machine_.active);
    machine_.join = meeting;
    suspend(i, meeting, rest);
    machine_.turn.threads -= static_cast<unsigned>(std::popcount(rest));
    machine_.active = mask = together;
  }
  return static_cast<std::uint32_t>(piece);
}

const Instr* BlockRunner::begin_call(const Instr* i, std::uint32_t mask) {
  WarpState& warp = warps_[machine_.warp];
  const CallSite& site = code_.calls[static_cast<std::size_t>(i->imm)];
  if (site.system) return call_system(i, mask);
  const std::optional<std::uint32_t> piece =
      site.piece != kByAddress ? std::optional(site.piece) : called_by_address(i, mask);
  if (!piece) return stop_call(i, Stop::lost);
  const CalledPiece& called = code_.pieces[*piece];
  if (warp.calls.size() == kMaxCalls) return stop_call(i, Stop::too_deep);

  CallFrame frame{.base = machine_.depth,
                  .piece = *piece,
                  .lanes = mask,
                  .call_params_top = warp.call_params_top,
                  .local_top = warp.local_top};
  PieceBase base;
  if (called.is_recursive) {
    base = {warp.call_params_top, warp.local_top};
    warp.call_params_top += (called.call_param_bytes + 15) / 16 * 16;
    warp.local_top += (called.local_bytes + 15) / 16 * 16;
    if (warp.call_params_top > code_.lane_call_param_bytes || warp.local_top > code_.lane_local_bytes)
      return stop_call(i, Stop::too_deep);
  }
  for (std::size_t k = 0; k < site.arguments.size(); ++k) {
    const CallArgument &from = site.arguments[k], &to = called.parameters[k];
    const std::size_t bytes = std::min(from.bytes, to.bytes);
    for_each_lane(mask, [&](std::uint32_t lane) {
      std::byte* const at =
          warp.call_params + lane * code_.lane_call_param_bytes + base.call_params + to.offset;
      if (!from.in_register) {
        std::memmove(at, call_param_at(from, lane), bytes);
        return;
      }
      const std::uint64_t value = value_of_lane(
          *reinterpret_cast<const Head*>(machine_.registers + from.head), from.bytes == 8, lane);
      std::memcpy(at, &value, bytes);
    });
  }
  suspend(i + 1, machine_.join, machine_.active);
  if (called.is_recursive) {
    save_registers(frame);
    frame.before = warp.bases[*piece];
    set_bases(*piece, base);
  }
  warp.calls.push_back(std::move(frame));
  machine_.calls = static_cast<std::uint32_t>(warp.calls.size());
  machine_.join = nullptr;
  machine_.active = mask;
  for (const CallArgument& parameter : called.parameters) {
    if (!parameter.kept_in) continue;
    const CallArgument kept{.in_register = true, .head = *parameter.kept_in, .bytes = parameter.bytes};
    for_each_lane(mask, [&](std::uint32_t lane) {
      pass_back(kept, lane, call_param_at(parameter, lane), parameter.bytes);
    });
  }
  update_suspended();
  machine_.turn.segment = called.entry->index;
  return called.entry;
}

const Instr* BlockRunner::finish_call(const Instr* i) {
  WarpState& warp = warps_[machine_.warp];
  while (warp.calls.back().base > machine_.depth) leave_call();
  const CallSite& site = code_.calls[static_cast<std::size_t>(i->imm)];
  const CalledPiece& called = code_.pieces[warp.calls.back().piece];
  const std::uint32_t lanes = warp.calls.back().lanes & machine_.active;
  std::vector<std::vector<std::byte>> results(site.results.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::size_t bytes = std::min(site.results[k].bytes, called.returns[k].bytes);
    if (bytes == 0) continue;  // `call (_), f`
    results[k].resize(bytes * kWarpSize);
    for_each_lane(lanes, [&](std::uint32_t lane) {
      std::memcpy(results[k].data() + lane * bytes, call_param_at(called.returns[k], lane), bytes);
    });
  }
  leave_call();
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::size_t bytes = results[k].size() / kWarpSize;
    if (bytes == 0) continue;
    for_each_lane(lanes, [&](std::uint32_t lane) {
      pass_back(site.results[k], lane, results[k].data() + lane * bytes, bytes);
    });
  }
  if (machine_.active != machine_.alive) update_suspended();
  return i + 1;
}

void BlockRunner::pass_back(const CallArgument& to, std::uint32_t lane, const std::byte* from,
                            std::size_t bytes) {
  if (!to.in_register) {
    std::memcpy(call_param_at(to, lane), from, std::min<std::size_t>(bytes, to.bytes));
    return;
  }
  Head& head = *reinterpret_cast<Head*>(machine_.registers + to.head);
  make_vector(head, to.bytes == 8);
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  if (to.bytes == 8) {
    static_cast<std::uint64_t*>(head.lanes)[lane] = value;
  } else {
    static_cast<std::uint32_t*>(head.lanes)[lane] = static_cast<std::uint32_t>(value);
  }
}

void BlockRunner::return_lanes(std::uint32_t lanes) {
  // What other lanes go on to write into the registers is not these lanes' result
  for (const CallArgument& result : code_.pieces[warps_[machine_.warp].calls.back().piece].returns) {
    if (!result.kept_in) continue;
    const Head& head = *reinterpret_cast<const Head*>(machine_.registers + *result.kept_in);
    for_each_lane(lanes, [&](std::uint32_t lane) {
      const std::uint64_t value = value_of_lane(head, result.bytes == 8, lane);
      std::memcpy(call_param_at(result, lane), &value, result.bytes);
    });
  }
  for (std::uint32_t k = warps_[machine_.warp].calls.back().base + 1; k < machine_.depth; ++k)
    machine_.stack[k].mask &= ~lanes;
}

void BlockRunner::forget_calls() {
  const WarpState& warp = warps_[machine_.warp];
  while (!warp.calls.empty() && warp.calls.back().base >= machine_.depth) leave_call();
}

// The last call ends; for the function, that of the same function before it goes on.
void BlockRunner::leave_call() {
  WarpState& warp = warps_[machine_.warp];
  const CallFrame frame = std::move(warp.calls.back());
  warp.calls.pop_back();
  machine_.calls = static_cast<std::uint32_t>(warp.calls.size());
  warp.call_params_top = frame.call_params_top;
  warp.local_top = frame.local_top;
  if (!code_.pieces[frame.piece].is_recursive) return;
  restore_registers(frame);
  set_bases(frame.piece, frame.before);
}

void BlockRunner::set_bases(std::uint32_t piece, PieceBase base) {
  WarpState& warp = warps_[machine_.warp];
  warp.bases[piece] = base;
  for (const CalledPiece::Base& one : code_.pieces[piece].call_param_bases)
    slot_of(warp, one.head).base = base.call_params + one.offset;
  for (const CalledPiece::Base& one : code_.pieces[piece].local_bases)
    slot_of(warp, one.head).base = base.local + one.offset;
}

void BlockRunner::save_registers(CallFrame& frame) const {
  const WarpState& warp = warps_[machine_.warp];
  for (const std::uint32_t index : code_.pieces[frame.piece].registers) {
    const Head& head = slot_of(warp, index);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&head);
    frame.registers.insert(frame.registers.end(), bytes, bytes + sizeof head);
    if (head.form != Form::vector) continue;
    const auto* const lanes = static_cast<const std::byte*>(head.lanes);
    frame.registers.insert(frame.registers.end(), lanes,
                           lanes + kWarpSize * (code_.heads[index].wide ? 8u : 4u));
  }
}
void BlockRunner::restore_registers(const CallFrame& frame) {
  const WarpState& warp = warps_[machine_.warp];
  const std::byte* from = frame.registers.data();
  for (const std::uint32_t index : code_.pieces[frame.piece].registers) {
    Head& head = slot_of(warp, index);
    std::memcpy(&head, from, sizeof head);
    from += sizeof head;
    if (head.form != Form::vector) continue;
    const std::size_t bytes = kWarpSize * (code_.heads[index].wide ? 8u : 4u);
    std::memcpy(head.lanes, from, bytes);
    from += bytes;
  }
}

const Instr* begin_call(Machine& m, const Instr* i, std::uint32_t mask) {
  return m.runner->begin_call(i, mask);
}
const Instr* finish_call(Machine& m, const Instr* i) {
  return m.runner->finish_call(i);
}
void return_lanes(Machine& m, std::uint32_t lanes) {
  m.runner->return_lanes(lanes);
}
void forget_calls(Machine& m) {
  m.runner->forget_calls();
}

}  // namespace warplens::replay
