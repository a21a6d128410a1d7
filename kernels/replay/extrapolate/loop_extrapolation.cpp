#include "kernels/replay/extrapolate/loop_extrapolation.h"

#include <algorithm>
#include <bit>

#include "kernels/ptx/liveness.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/extrapolate/exposed.h"

namespace warplens::replay {
namespace {

using ptx::Effect;
using ptx::Opcode;

/// Returns by basic block whether a path leads there from `from`, forwards or backwards.
std::vector<bool> reached(const ptx::ControlFlow& flow, std::uint32_t from, bool forwards) {
  std::vector<bool> is_reached(flow.blocks.size());
  std::vector<std::uint32_t> todo{from};
  while (!todo.empty()) {
    const ptx::BasicBlock& block = flow.blocks[todo.back()];
    todo.pop_back();
    for (const std::uint32_t next : forwards ? block.successors : block.predecessors) {
      if (!is_reached[next]) todo.push_back(next);
      is_reached[next] = true;
    }
  }
  return is_reached;
}

Loop loop_of(const ptx::ControlFlow& flow, std::uint32_t header) {
  Loop loop{.header = header, .blocks = reached(flow, header, true)};
  const std::vector<bool> leads_back = reached(flow, header, false);
  for (std::size_t b = 0; b < loop.blocks.size(); ++b) loop.blocks[b] = loop.blocks[b] && leads_back[b];
  return loop;
}

/// Returns whether block_shift.h may add the instruction to the watched ones.
bool may_be_watched(const ptx::Instruction& instruction) {
  switch (ptx::effect_of(instruction)) {
    case Effect::load:
    case Effect::store:
    case Effect::atomic:
    case Effect::reduction: return true;
    case Effect::none: break;
    case Effect::load_matrices:
    case Effect::store_matrices:
    case Effect::load_fragment:
    case Effect::store_fragment:
    case Effect::texture_load:
    case Effect::texture_store:
    case Effect::copy:
    case Effect::bulk_copy:
    case Effect::copy_order:
    case Effect::cluster_barrier:
    case Effect::warpgroup_product:
    case Effect::warpgroup_order:
    case Effect::mbarrier:
    case Effect::tensor_map:
    case Effect::branch:
    case Effect::indexed_branch:
    case Effect::ret:
    case Effect::trap:
    case Effect::barrier:
    case Effect::call:
    case Effect::no_op:
    case Effect::unknown: return false;
  }
  switch (instruction.opcode) {
    case Opcode::setp:
    case Opcode::set:
    case Opcode::cvt:
    case Opcode::min:
    case Opcode::max:
    case Opcode::selp:
    case Opcode::shr: return true;
    case Opcode::mul:
    case Opcode::mad: return instruction.mul == ptx::MulMode::wide;
    default: return false;
  }
}

/// Induction variables have 32 or 64 bits. Other registers are known to be constant, or not known.
bool may_grow(ptx::Type type) {
  return type != ptx::Type::pred && ptx::size_of(type) >= 4;
}

std::int64_t step_between(std::uint64_t before, std::uint64_t after, ptx::Type type) {
  const std::uint64_t difference = after - before;
  return may_grow(type) && ptx::size_of(type) == 4 ? std::int64_t{static_cast<std::int32_t>(difference)}
                                                   : static_cast<std::int64_t>(difference);
}

/// Compares a register between two samples, in all lanes of all warps.
LoopRegister compare(const IterationSample& before, const IterationSample& after, std::size_t k,
                     ptx::Type type) {
  LoopRegister result;
  bool first = true, is_constant = true;
  std::uint64_t value = 0;
  for (std::size_t w = 0; w < after.warps.size(); ++w) {
    const auto &a = before.warps[w].registers[k], &b = after.warps[w].registers[k];
    for (std::uint32_t lanes = after.warps[w].alive; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      const std::int64_t step = step_between(a[lane], b[lane], type);
      if (first) {
        result.step = step;
        value = b[lane];
      }
      first = false;
      is_constant = is_constant && b[lane] == value;
      if (step != *result.step || (step != 0 && !may_grow(type))) return {};
    }
  }
  if (first) return {};
  if (is_constant && *result.step == 0 && may_grow(type)) result.constant = value;
  return result;
}

bool same_warps(const IterationSample& a, const IterationSample& b) {
  return std::ranges::equal(a.warps, b.warps,
                            [](const IterationSample::Warp& one, const IterationSample::Warp& other) {
                              return one.number == other.number && one.alive == other.alive;
                            });
}

}  // namespace

LoopExtrapolation::LoopExtrapolation(const Program::Code& code, const Launch& launch,
                                     std::span<const std::byte> parameters,
                                     std::vector<std::uint32_t> exposed, const Progress* progress)
    : code_(code),
      launch_(launch),
      parameters_(parameters),
      progress_(progress),
      exposed_(std::move(exposed)),
      loop_ended_by_(code.function.instructions.size()),
      handlers_(handlers_of(code)) {
  const auto& instructions = code.function.instructions;
  std::vector<bool> in_loops(code.flow.blocks.size());
  for (const std::uint32_t header : code.flow.outermost_loops) {
    loops_.push_back({.loop = loop_of(code.flow, header), .live = {}});
    for (std::size_t b = 0; b < in_loops.size(); ++b)
      in_loops[b] = in_loops[b] || loops_.back().loop.blocks[b];
    for (const std::uint32_t from : code.flow.blocks[header].predecessors) {
      const std::uint32_t last = code.flow.blocks[from].end - 1;
      const bool goes_back =
          loops_.back().loop.blocks[from] && ptx::effect_of(instructions[last]) == Effect::branch;
      if (goes_back) loop_ended_by_[last] = static_cast<std::uint32_t>(loops_.size());
    }
  }
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    if (loop_ended_by_[i] != 0 || (in_loops[code.flow.block_of[i]] && may_be_watched(instructions[i])))
      watched_.push_back(i);
  }
}

void LoopExtrapolation::begin_block(bool wanted) {
  for (TrackedLoop& found : loops_) found.open = wanted;
  samples_ = 0;
  current_ = nullptr;
  watching_ = have_stopped_ = false;
  skipped_ = 0;
}

bool LoopExtrapolation::stops(const Machine& m, const Instr& from, const Instr& to) const {
  const std::uint32_t which = loop_ended_by_[from.index];
  if (which == 0 || !loops_[which - 1].open) return false;
  const bool is_together = m.active == m.alive && m.depth == 0 && m.calls == 0 && !m.single_step;
  return is_together && code_.flow.block_of[to.index] == loops_[which - 1].loop.header;
}

LoopExtrapolation::TrackedLoop& LoopExtrapolation::loop_at(const Instr& begin) {
  const std::uint32_t block = code_.flow.block_of[begin.index];
  return *std::ranges::find_if(loops_, [&](const TrackedLoop& found) { return found.loop.header == block; });
}

const std::vector<std::uint32_t>& LoopExtrapolation::live(const Instr& begin) {
  TrackedLoop& found = loop_at(begin);
  if (!found.live.empty()) return found.live;
  std::vector<ptx::RegisterUse> uses;
  for (const ptx::Instruction& instruction : code_.function.instructions)
    uses.push_back(ptx::register_use(instruction));
  if (const Result<ptx::Liveness> liveness = ptx::find_liveness(code_.function, code_.flow, uses);
      liveness.ok()) {
    for (TrackedLoop& one : loops_) one.live = liveness->at_begin[one.loop.header];
  }
  return found.live;
}

LoopExtrapolation::Next LoopExtrapolation::come(const Instr& begin, IterationSample sample,
                                                bool shared_is_settled) {
  have_stopped_ = true;
  TrackedLoop& found = loop_at(begin);
  if (current_ != nullptr && current_ != &found)
    close(*current_);  // Its last iterations have not brought the warps together
  current_ = &found;
  const std::uint32_t before = samples_++;
  if (before == 0) {
    last_ = std::move(sample);
    return Next::nothing;
  }
  if (!same_warps(last_, sample) || (before == 1 ? !find_shifts(found, sample) : !still_so(found, sample))) {
    close(found);
    return Next::nothing;
  }
  last_ = std::move(sample);
  if (before == 1) {
    watching_ = true;
    return Next::count_iteration;
  }
  count_ = shared_is_settled || !move_in_shared() ? count_alike() : 0;
  skipped_ += count_;
  close(found);
  return count_ != 0 ? Next::skip : Next::nothing;
}

void LoopExtrapolation::give_up(const Instr& begin) {
  have_stopped_ = true;
  close(loop_at(begin));
}

void LoopExtrapolation::close(TrackedLoop& found) {
  found.open = watching_ = false;
  samples_ = 0;
  current_ = nullptr;
}

bool LoopExtrapolation::find_shifts(const TrackedLoop& found, const IterationSample& sample) {
  const auto& registers = code_.function.registers;
  registers_.assign(registers.size(), {});
  for (std::size_t k = 0; k < found.live.size(); ++k) {
    registers_[found.live[k]] = compare(last_, sample, k, registers[found.live[k]].type);
  }
  shifts_ = find_iteration_shifts(code_, launch_, parameters_, found.loop, registers_, progress_);
  if (shifts_.obstacle) return false;
  if (std::ranges::any_of(exposed_, [&](std::uint32_t i) { return shifts_.of_access[i].any(); }))
    return false;
  watcher_.emplace(shifts_.watches, handlers_);
  watcher_->begin_block();
  steps_.clear();
  for (const std::uint32_t r : found.live) steps_.push_back(registers_[r].step.value_or(0));
  return true;
}

/// The watched iteration may have taken another path than the one before it.
bool LoopExtrapolation::still_so(const TrackedLoop& found, const IterationSample& sample) const {
  for (std::size_t k = 0; k < found.live.size(); ++k) {
    const LoopRegister& known = registers_[found.live[k]];
    if (known.step &&
        compare(last_, sample, k, code_.function.registers[found.live[k]].type).step != known.step)
      return false;
  }
  return true;
}

bool LoopExtrapolation::move_in_shared() const {
  return std::ranges::any_of(shifts_.watches,
                             [](const Watch& watch) { return watch.in_shared && watch.a.any(); });
}

std::uint64_t LoopExtrapolation::count_alike() const {
  if (watcher_->stands_alone() || watcher_->needs_values()) return 0;
  std::uint64_t max = UINT64_MAX;
  for (const Bound& bound : watcher_->bounds()) {
    const std::int64_t step = bound.shift.x;
    const std::int64_t end = step > 0 ? bound.high : bound.low;
    if (end == INT64_MAX || end == INT64_MIN) continue;
    max = std::min(max, static_cast<std::uint64_t>(std::max<std::int64_t>(end / step, 0)));
  }
  return max == 0 || max > UINT32_MAX ? 0 : max - 1;
}

// ---- members of BlockRunner

bool BlockRunner::extrapolate_loop() {
  if (loop_extrapolation == nullptr) return false;
  std::vector<std::uint32_t> here;
  bool together = true;
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    if (warps_[w].status == WarpStatus::at_iteration_end) here.push_back(w);
    together = together &&
               (warps_[w].status == WarpStatus::at_iteration_end || warps_[w].status == WarpStatus::done);
  }
  if (here.empty()) return false;
  const WarpState& first = warps_[here.front()];
  const Instr& begin = *first.resume;
  for (const std::uint32_t w : here)
    together = together && warps_[w].resume == first.resume && warps_[w].phase == first.phase;
  for (const Barrier& barrier : barriers_) together = together && barrier.here == 0;
  LoopExtrapolation::Next next = LoopExtrapolation::Next::nothing;
  if (together && first.phase + 1 < kMaxPhases) {
    next = loop_extrapolation->come(
        begin, sample_iteration(here, loop_extrapolation->live(begin)),
        machine_.shadow.all_initialised && machine_.shadow.others_dirty_written == 0);
  } else {
    for (const std::uint32_t w : here) loop_extrapolation->give_up(*warps_[w].resume);
  }
  const std::unique_ptr<IterationCounts> iteration =
      end_counting(next == LoopExtrapolation::Next::skip ? loop_extrapolation->count() : 0);
  if (next == LoopExtrapolation::Next::skip) {
    const std::uint32_t phases_per_iteration = first.phase - iteration->phase;
    repeat_phases(*iteration, phases_per_iteration, loop_extrapolation->count());
    if (loop_extrapolation->move_in_shared()) suppose_all_read();
    for (const std::uint32_t w : here)
      skip_iterations(warps_[w], loop_extrapolation->live(begin), phases_per_iteration);
  }
  if (next == LoopExtrapolation::Next::count_iteration) begin_counting(first.phase);
  for (const std::uint32_t w : here) warps_[w].status = WarpStatus::ready;
  return true;
}

Head& BlockRunner::head_of(const WarpState& warp, std::uint32_t reg) const {
  return reinterpret_cast<Head*>(warp.registers)[code_.head_of_register[reg]];
}

IterationSample BlockRunner::sample_iteration(const std::vector<std::uint32_t>& here,
                                              const std::vector<std::uint32_t>& live) const {
  IterationSample sample;
  for (const std::uint32_t w : here) {
    IterationSample::Warp& warp = sample.warps.emplace_back(
        IterationSample::Warp{.number = w, .alive = warps_[w].alive, .registers = {}});
    for (const std::uint32_t r : live) {
      const Head& head = head_of(warps_[w], r);
      auto& lanes = warp.registers.emplace_back();
      const bool is_predicate = code_.function.registers[r].type == ptx::Type::pred,
                 wide = code_.heads[code_.head_of_register[r]].wide;
      for (std::uint32_t l = 0; l < kWarpSize; ++l)
        lanes[l] = is_predicate ? head.base >> l & 1 : value_of_lane(head, wide, l);
    }
  }
  return sample;
}

void BlockRunner::begin_counting(std::uint32_t phase) {
  iteration_counts_ = std::make_unique<IterationCounts>(job_, phase);
  iteration_counts_->phases.assign(phases.begin() + phase, phases.end());
  iteration_counts_->warp_instructions = warp_instructions;
  iteration_counts_->thread_instructions = thread_instructions;
  iteration_counts_->tensor_executions = tensor_executions;
  iteration_counts_->block_instructions = block_instructions_;
  patterns_.redirect(iteration_counts_->totals);
}

/// Adds the counts of the iteration that was counted by itself, if one was, 1 + `more` times.
std::unique_ptr<IterationCounts> BlockRunner::end_counting(std::uint64_t more) {
  if (iteration_counts_ == nullptr) return nullptr;
  patterns_.redirect(totals_);
  Recording one;
  iteration_counts_->totals.finish(one);
  const BlockClass all{.like = {0, 0, 0}, .runs = {{0, static_cast<std::uint32_t>(more + 1), 0, 0}}};
  totals_.add_moved(one, more + 1, [&](std::uint32_t site) {
    return all.remainders(
        {.x = more != 0 ? loop_extrapolation->step_of_access(job_.sites[site].instruction) : 0});
  });
  warp_instructions += more * (warp_instructions - iteration_counts_->warp_instructions);
  thread_instructions += more * (thread_instructions - iteration_counts_->thread_instructions);
  for (std::size_t k = 0; k < tensor_executions.size(); ++k)
    tensor_executions[k] += more * (tensor_executions[k] - iteration_counts_->tensor_executions[k]);
  block_instructions_ += more * (block_instructions_ - iteration_counts_->block_instructions);
  return std::move(iteration_counts_);
}

void BlockRunner::repeat_phases(const IterationCounts& iteration, std::uint32_t phases_per_iteration,
                                std::uint64_t more) {
  std::vector<std::array<std::uint64_t, kPhaseColumns>> of_iteration(phases.begin() + iteration.phase,
                                                                     phases.end());
  for (std::size_t p = 0; p < iteration.phases.size(); ++p) {
    for (std::size_t column = 0; column < kPhaseColumns; ++column)
      of_iteration[p][column] -= iteration.phases[p][column];
  }
  for (std::uint64_t k = 1; k <= more; ++k) {
    for (std::size_t p = 0; p < of_iteration.size(); ++p) {
      const std::size_t phase =
          std::min<std::size_t>(iteration.phase + p + k * phases_per_iteration, kMaxPhases - 1);
      if (phases.size() <= phase) phases.resize(phase + 1);
      for (std::size_t column = 0; column < kPhaseColumns; ++column)
        phases[phase][column] += of_iteration[p][column];
    }
  }
}

void BlockRunner::skip_iterations(WarpState& warp, const std::vector<std::uint32_t>& live,
                                  std::uint32_t phases_per_iteration) {
  const std::uint64_t iterations_skipped = loop_extrapolation->count();
  warp.phase = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(warp.phase + iterations_skipped * phases_per_iteration, kMaxPhases - 1));
  if (phases.size() <= warp.phase) phases.resize(warp.phase + 1);
  for (std::size_t k = 0; k < live.size(); ++k) {
    const std::uint64_t by = static_cast<std::uint64_t>(loop_extrapolation->steps()[k]) * iterations_skipped;
    if (by == 0) continue;
    Head& head = head_of(warp, live[k]);
    const bool wide = code_.heads[code_.head_of_register[live[k]]].wide;
    if (head.form != Form::vector) {
      head.base = wide ? head.base + by : static_cast<std::uint32_t>(head.base + by);
      continue;
    }
    for (std::uint32_t l = 0; l < kWarpSize; ++l) {
      if (wide) {
        static_cast<std::uint64_t*>(head.lanes)[l] += by;
      } else {
        static_cast<std::uint32_t*>(head.lanes)[l] += static_cast<std::uint32_t>(by);
      }
    }
  }
}

}  // namespace warplens::replay
