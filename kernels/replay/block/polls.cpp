// Loops that wait for memory to change. Each iteration that finds it unchanged ends the warp's turn, so that
// others come to change it. Every one of them but the first is left out of all that is counted: how many
// there are depends on how warps take turns.
#include "kernels/replay/block/block_runner.h"
#include "kernels/replay/decode/waits.h"

namespace warplens::replay {

const BlockRunner::PolledLoop& BlockRunner::polled_loop_at(const Instr& at) {
  const std::uint32_t header = code_.flow.block_of[at.index];
  const auto [known, is_new] = polled_loops_.try_emplace(header);
  if (is_new) known->second = {mbarrier_wait_of_loop(code_, header), count_loop_instructions(code_, header)};
  return known->second;
}

void BlockRunner::begin_poll() {
  // Whatever it has waited for may have been set by any other warp.
  if (Order* const order = order_of_warps(); order != nullptr && !mbarrier_wait_of(warps_[machine_.warp])) {
    order->acquire_all(machine_.warp);
  }
  poll_ = std::make_unique<Poll>(job_);
  poll_->before = &patterns_.redirect(poll_->totals);
  poll_->events = event_log.mark();
  poll_->warp_instructions = warp_instructions;
  poll_->thread_instructions = thread_instructions;
  poll_->tensor_executions = tensor_executions;
  poll_->active = machine_.active;
  std::copy_n(machine_.phase.row, kPhaseColumns, poll_->phase_row.begin());
}

/// Ends a poll after the turn. If the turn ended as it began, it was one more poll; unless it was long enough
/// to have left the loop and come back to it.
void BlockRunner::end_poll(WarpState& warp) {
  patterns_.redirect(*poll_->before);
  const bool in_vain = machine_.ended.why == Stop::polled && warp.resume == warp.polls_at &&
                       warp.active == poll_->active &&
                       machine_.turn.executed <= polled_loop_at(*warp.polls_at).instructions;
  polls_in_vain_ = polls_in_vain_ && in_vain;
  if (in_vain) {
    ++polls[warp.polls_at->index];
    event_log.drop_from(poll_->events);
    warp_instructions = poll_->warp_instructions;
    thread_instructions = poll_->thread_instructions;
    std::ranges::copy(poll_->tensor_executions, tensor_executions.begin());
    std::ranges::copy(poll_->phase_row, machine_.phase.row);
  } else {
    Recording turn;
    poll_->totals.finish(turn);
    PatternTotals::Moved unmoved{};
    unmoved[0] = 1;
    poll_->before->add_moved(turn, 1, [&](std::uint32_t) { return unmoved; });
  }
  poll_.reset();
}

}  // namespace warplens::replay
