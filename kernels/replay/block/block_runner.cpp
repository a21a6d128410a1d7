#include "kernels/replay/block/block_runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/recording/validate.h"

namespace warplens::replay {
namespace {

/// End of what the system uses of its part of shared memory (measured on an H100).
constexpr std::uint32_t kReservedSharedEnd = 288;

std::uint32_t lowest_bits(std::uint64_t count) {
  return count >= kWarpSize ? 0xffffffffu : (1u << count) - 1;
}

/// A line through the 32 values if there is one, else all of them.
void set_values(Head& head, bool wide, const std::uint32_t (&values)[kWarpSize]) {
  const auto stride = static_cast<std::int64_t>(values[1]) - static_cast<std::int64_t>(values[0]);
  bool is_line = true;
  for (int l = 0; l < kWarpSize; ++l) is_line &= values[l] == values[0] + l * stride;
  head.base = values[0];
  head.stride = is_line ? stride : 0;
  head.form = !is_line ? Form::vector : stride != 0 ? Form::affine : Form::uniform;
  for (int l = 0; l < kWarpSize; ++l) {
    if (wide) {
      static_cast<std::uint64_t*>(head.lanes)[l] = values[l];
    } else {
      static_cast<std::uint32_t*>(head.lanes)[l] = values[l];
    }
  }
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t bytes)
    : data_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64))) {
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 0, (bytes + 127) / 64 * 64);
}
void AlignedBytes::Free::operator()(std::byte* p) const {
  std::free(p);
}

BlockRunner::BlockRunner(Job& job, PatternTotals& totals)
    : event_log(job.code.sites.size()),
      job_(job),
      code_(job.code),
      totals_(totals),
      patterns_(job.sites, job.code.load_groups, totals),
      registers_(std::size_t{job.code.register_file_bytes} * job.warps),
      shared_(job.shared_end),
      local_(job.code.lane_local_bytes * kWarpSize * job.warps),
      call_params_(job.code.lane_call_param_bytes * kWarpSize * job.warps),
      log_start_(job.warps),
      log_stop_(job.warps),
      warps_(job.warps),
      bulk_copies_(*this, job.warps) {
  // 64 bits of `dirty` cover shared memory, 512 bytes or more each.
  const auto parts = std::bit_ceil(std::max<std::uint64_t>(job.shared_end, 64 * 512));
  machine_.shadow.dirty_shift = static_cast<std::uint32_t>(std::countr_zero(parts)) - 6;
  shadow_words_ = parts / 64;
  shadow_ = AlignedBytes(shadow_words_ * 8 * kShadowBitmaps);
  auto* words = reinterpret_cast<std::uint64_t*>(shadow_.data());
  machine_.shadow.initialised = words;
  machine_.shadow.read = words + shadow_words_;
  machine_.shadow.written = words + 2 * shadow_words_;
  machine_.shadow.strong = words + 3 * shadow_words_;
  std::fill_n(words, shadow_words_, ~std::uint64_t{0});  // what lies before and behind it stays initialised
  others_read_ = words + 4 * shadow_words_;
  others_written_ = words + 5 * shadow_words_;
  others_strong_ = words + 6 * shadow_words_;
  machine_.shadow.others_written = others_written_;
  machine_.shadow.copied = words + 7 * shadow_words_;
  machine_.shadow.in_flight = words + 8 * shadow_words_;
  machine_.shadow.bulk_in_flight = words + 9 * shadow_words_;

  machine_.kernel.sites = patterns_.sites();
  machine_.kernel.load_groups = patterns_.groups();
  machine_.runner = this;
  machine_.shared.data = shared_.data();
  machine_.shared.begin = job.shared_begin;
  machine_.shared.end = job.shared_end;
  machine_.memory.local_bytes = static_cast<std::uint32_t>(code_.lane_local_bytes);
  machine_.memory.call_param_bytes = static_cast<std::uint32_t>(code_.lane_call_param_bytes);
  machine_.kernel.parameters = job.parameters.data();
  machine_.kernel.parameter_bytes = static_cast<std::uint32_t>(job.parameters.size());
  machine_.kernel.constants = job.constants.data();
  machine_.kernel.constant_bytes = job.constants.size();
  lanes_run_apart_ = std::atoi(job.options.unkept_cc.c_str()) >= 7;
  plan_products();
  if (code_.uses_async_proxy) unfenced_ = std::make_unique<UnfencedStores>(shadow_words_, job.warps);
  make_shared_races();
  make_log();
  phases.emplace_back();
  for (std::uint32_t w = 0; w < job.warps; ++w) {
    WarpState& warp = warps_[w];
    warp.registers = registers_.data() + std::size_t{w} * code_.register_file_bytes;
    warp.local = local_.data() + std::size_t{w} * kWarpSize * code_.lane_local_bytes;
    warp.call_params = call_params_.data() + std::size_t{w} * kWarpSize * code_.lane_call_param_bytes;
    warp.stack.resize(8);
    warp.suspended.resize((code_.heads.size() + 63) / 64);
    for (std::size_t h = 0; h < code_.heads.size(); ++h) {
      const HeadPlan& plan = code_.heads[h];
      auto* head = new (warp.registers + h * sizeof(Head)) Head;
      head->base = initial_value(plan);
      if (plan.lanes_offset != 0) head->lanes = warp.registers + plan.lanes_offset;
      if (plan.special != ptx::SpecialRegister::none) set_special(*head, plan, w);
    }
  }
}

/// Products of matrices depend on the GPU: they are those of the compute capability whose rules count.
void BlockRunner::plan_products() {
  const std::string& cc = job_.options.unkept_cc;
  const int capability =
      10 * std::atoi(cc.c_str()) + std::atoi(cc.c_str() + std::min(cc.find('.') + 1, cc.size()));
  for (const std::uint32_t instruction : code_.products) {
    auto form = tensor::MmaForm::of_any(code_.function.instructions[instruction], capability);
    assert(form);  // Else it was refused
    products_.push_back(*std::move(form));
  }
  for (const tensor::MmaForm& form : products_) product_plans_.push_back(&form.plan());
  machine_.kernel.products = product_plans_.data();
  tensor_executions.resize(code_.tensor.size());
  machine_.kernel.tensor = tensor_executions.data();
  if (!code_.tensor.empty()) machine_.kernel.tensor_before = code_.tensor_before.data();
}

void BlockRunner::set_special(Head& head, const HeadPlan& plan, std::uint32_t w) {
  using S = ptx::SpecialRegister;
  const Dim3 n = job_.launch.block, grid = job_.launch.grid;
  std::uint32_t v[kWarpSize];
  for (std::uint32_t l = 0; l < kWarpSize; ++l) {
    const std::uint64_t thread = std::uint64_t{w} * kWarpSize + l;
    switch (plan.special) {
      case S::tid_x: v[l] = static_cast<std::uint32_t>(thread % n.x); break;
      case S::tid_y: v[l] = static_cast<std::uint32_t>(thread / n.x % n.y); break;
      case S::tid_z: v[l] = static_cast<std::uint32_t>(thread / n.x / n.y); break;
      case S::ntid_x: v[l] = n.x; break;
      case S::ntid_y: v[l] = n.y; break;
      case S::ntid_z: v[l] = n.z; break;
      case S::ctaid_x: v[l] = block_.x; break;
      case S::ctaid_y: v[l] = block_.y; break;
      case S::ctaid_z: v[l] = block_.z; break;
      case S::nctaid_x: v[l] = grid.x; break;
      case S::nctaid_y: v[l] = grid.y; break;
      case S::nctaid_z: v[l] = grid.z; break;
      case S::clusterid_x:
      case S::clusterid_y:
      case S::clusterid_z:
      case S::nclusterid_x:
      case S::nclusterid_y:
      case S::nclusterid_z:
      case S::cluster_ctaid_x:
      case S::cluster_ctaid_y:
      case S::cluster_ctaid_z:
      case S::cluster_nctaid_x:
      case S::cluster_nctaid_y:
      case S::cluster_nctaid_z:
      case S::cluster_ctarank:
      case S::cluster_nctarank: v[l] = value_in_cluster(plan.special); break;
      case S::laneid: v[l] = l; break;
      case S::warpid: v[l] = w; break;
      case S::nwarpid: v[l] = job_.warps; break;
      case S::nsmid: v[l] = 1; break;
      case S::lanemask_eq: v[l] = 1u << l; break;
      case S::lanemask_le: v[l] = 0xffffffffu >> (31 - l); break;
      case S::lanemask_lt: v[l] = (1u << l) - 1; break;
      case S::lanemask_ge: v[l] = 0xffffffffu << l; break;
      case S::lanemask_gt: v[l] = ~(0xffffffffu >> (31 - l)); break;
      case S::grid_workspace_high: v[l] = static_cast<std::uint32_t>(kGridWorkspace >> 32); break;
      case S::grid_workspace_low: v[l] = static_cast<std::uint32_t>(kGridWorkspace); break;
      case S::dynamic_smem_size: v[l] = job_.launch.dynamic_shared_bytes; break;
      case S::total_smem_size: v[l] = job_.shared_bytes(); break;
      case S::aggr_smem_size: v[l] = job_.shared_begin + job_.shared_bytes(); break;
      case S::reserved_smem_offset_end: v[l] = std::min(kReservedSharedEnd, job_.shared_begin); break;
      case S::reserved_smem_offset_cap: v[l] = job_.shared_begin; break;
      default: v[l] = 0; break;
    }
  }
  set_values(head, plan.wide, v);
}

std::uint32_t BlockRunner::value_in_cluster(ptx::SpecialRegister which) const {
  using S = ptx::SpecialRegister;
  const Dim3 size = job_.cluster, grid = job_.launch.grid;
  const Dim3 in{block_.x % size.x, block_.y % size.y, block_.z % size.z};
  switch (which) {
    case S::clusterid_x: return block_.x / size.x;
    case S::clusterid_y: return block_.y / size.y;
    case S::clusterid_z: return block_.z / size.z;
    case S::nclusterid_x: return grid.x / size.x;
    case S::nclusterid_y: return grid.y / size.y;
    case S::nclusterid_z: return grid.z / size.z;
    case S::cluster_ctaid_x: return in.x;
    case S::cluster_ctaid_y: return in.y;
    case S::cluster_ctaid_z: return in.z;
    case S::cluster_nctaid_x: return size.x;
    case S::cluster_nctaid_y: return size.y;
    case S::cluster_nctaid_z: return size.z;
    case S::cluster_ctarank: return in.x + size.x * (in.y + size.y * in.z);
    default: break;
  }
  return static_cast<std::uint32_t>(size.count());
}

void BlockRunner::start_warp(std::uint32_t w) {
  WarpState& warp = warps_[w];
  warp.status = WarpStatus::ready;
  warp.launched = lowest_bits(job_.launch.block.count() - std::uint64_t{w} * kWarpSize);
  warp.active = warp.alive = warp.launched;
  warp.join = nullptr;
  warp.resume = code_.instructions.data();
  warp.depth = 0;
  warp.phase = 0;
  warp.executed = 0;
  warp.alive_at_barrier = 0;
  warp.gone = 0;
  warp.awaited.clear();
  warp.copies = {};
  warps_with_arrivals_ &= ~(1u << w);
  warp.product_groups = warp.products_waited = 0;
  if (!code_.wgmma_registers.checks.empty())
    wgmma_registers_.insert_or_assign(w, WgmmaRegisters(code_.function, code_.wgmma_registers));
  warp.mbarrier = 0;
  warp.arrived_in_cluster = 0;
  warp.cluster_phases = 0;
  warp.others_ran = 0;
  warp.polls_at = nullptr;
  warp.calls.clear();
  warp.bases.assign(code_.pieces.size(), {});
  warp.call_params_top = (code_.call_param_bytes + 15) / 16 * 16;
  warp.local_top = code_.local.bytes;
  for (std::size_t h = 0; h < code_.heads.size(); ++h) {
    const HeadPlan& plan = code_.heads[h];
    Head& head = *reinterpret_cast<Head*>(warp.registers + h * sizeof(Head));
    const bool by_block = plan.special >= ptx::SpecialRegister::ctaid_x &&
                          plan.special <= ptx::SpecialRegister::cluster_nctarank;
    if (by_block) {
      set_special(head, plan, w);
    } else if (plan.special == ptx::SpecialRegister::none) {
      head.base = initial_value(plan);
      head.stride = 0;
      head.form = Form::uniform;
    }
  }
}

// Clears the shadow of shared memory: where it was touched, and what is initialised.
void BlockRunner::forget_accesses() {
  SharedShadow& shadow = machine_.shadow;
  merge_copies();
  if (shadow.dirty != 0) code_.core->merge_shadow(machine_, others_read_, others_written_, others_strong_);
  if (copies_ != 0) std::fill_n(shadow.in_flight, shadow_words_, 0);
  copies_ = 0;
  static_assert(kPatternAlignment % 64 == 0, "shared memory begins with a word of the bitmap");
  std::fill(shadow.initialised + job_.shared_begin / 64, shadow.initialised + (job_.shared_end + 63) / 64, 0);
  for (std::uint64_t b = job_.shared_end; b % 64 != 0; b += 64 - b % 64)
    shadow.initialised[b / 64] |= ~std::uint64_t{0} << (b % 64);
  shadow.all_initialised = false;
}

void BlockRunner::start_block(std::uint64_t linear) {
  linear_ = linear;
  block_ = index_from_linear(job_.launch.grid, linear);
  if (shared_races_ != nullptr) shared_races_->start_block();
  if (shared_races_ != nullptr || (job_.block_watch != nullptr && job_.block_watch->races() != nullptr))
    as_raced_.begin(linear, job_.warps > 1);
  machine_.compared_values = false;
  machine_.recording_events = std::binary_search(job_.event_blocks.begin(), job_.event_blocks.end(), linear);
  std::memset(shared_.data(), 0, job_.shared_end);
  std::memset(local_.data(), 0, code_.lane_local_bytes * kWarpSize * job_.warps);
  if (code_.lane_call_param_bytes != 0)
    std::memset(call_params_.data(), 0, code_.lane_call_param_bytes * kWarpSize * job_.warps);
  forget_accesses();
  refresh_initialised();
  static_assert(kMaxThreadsPerBlock / kWarpSize <= 32, "a bit for each warp of a block");
  live_warps_ = lowest_bits(job_.warps);
  block_instructions_ = reported_instructions_ = 0;
  kept_ = {};
  ended_ = waiting_ = may_have_findings_ = false;
  mbarriers_.clear();
  start_interval_for_all();
  for (Barrier& barrier : barriers_) barrier = {};
  cluster_barrier_ = {};
  bulk_copies_.start_block();
  if (unfenced_ != nullptr) unfenced_->start_block();
  for (std::uint32_t w = 0; w < job_.warps; ++w) start_warp(w);
}

std::optional<Error> BlockRunner::run_block(std::uint64_t linear, bool brisk) {
  turn_ = turn_of_block_ = brisk ? kBriskTurn : job_.options.turn;
  start_block(linear);
  if (job_.options.limit != 0) {
    ++job_.blocks_begun;
    job_.last_begun = linear;
  }
  if (auto error = run_rounds()) return error;
  if (!waiting_) end_block();
  return std::nullopt;
}

void BlockRunner::end_block() {
  report_progress();
  if (machine_.recording_events) event_log.end_block(linear_);
}

/// Every warp that is not waiting gets its turn. `ran`: whether there was one.
std::optional<Error> BlockRunner::run_round(bool& ran) {
  progressed_ = false;
  polls_in_vain_ = true;
  for (std::uint32_t w = 0; w < job_.warps && !ended_; ++w) {
    if (warps_[w].status != WarpStatus::ready) continue;
    ran = true;
    if (auto error = run_turn(w)) return error;
    if (job_.at_limit() && live_warps_ != 0) {
      end_launch();
      ended_ = true;
    }
  }
  return std::nullopt;
}

std::optional<Error> BlockRunner::run_rounds() {
  while (live_warps_ != 0 && !ended_ && !waiting_) {
    if (cancelled()) return cancelled_error();
    bool ran = false;
    if (auto error = run_round(ran)) return error;
    // Warps that poll in vain may be waiting for those that stand at the end of an iteration.
    if ((!ran || polls_in_vain_) && extrapolate_loop()) continue;
    if (!ran) report_deadlock();
    if (ended_) break;
    if (progressed_) {
      turn_ = turn_of_block_;
      kept_ = {};
    } else if (auto error = after_idle_round()) {
      return error;
    }
  }
  return std::nullopt;
}

void BlockRunner::enter(std::uint32_t w) {
  WarpState& warp = warps_[w];
  machine_.registers = warp.registers;
  machine_.memory.local = warp.local;
  machine_.memory.call_params = warp.call_params;
  machine_.calls = static_cast<std::uint32_t>(warp.calls.size());
  machine_.active = warp.active;
  machine_.alive = warp.alive;
  machine_.gone = warp.gone;
  machine_.awaits_lanes = !warp.awaited.empty();
  machine_.launched = warp.launched;
  machine_.join = warp.join;
  machine_.stack = warp.stack.data();
  machine_.capacity = static_cast<std::uint32_t>(warp.stack.size());
  machine_.depth = warp.depth;
  machine_.suspended = warp.suspended.data();
  machine_.turn.earlier = warp.executed;
  machine_.turn.executed = machine_.turn.threads = machine_.turn.strong_accesses = 0;
  machine_.turn.yield_at = job_.options.limit == 0 ? turn_ : std::min(turn_, job_.instructions_left);
  machine_.phase.number = warp.phase;
  machine_.phase.row = phases[warp.phase].data();
  machine_.warp = w;
  machine_.ended.why = Stop::none;
  if (log_start_[w] == nullptr) log_start_[w] = machine_.log.next;
  log_of_turn_ = compared_until_ = machine_.log.next;
  if (!warp.copies.pending.empty()) log_copies_in_flight();
  if (machine_.active != machine_.alive) update_suspended();
}

void BlockRunner::leave(std::uint32_t w) {
  WarpState& warp = warps_[w];
  warp.active = machine_.active;
  warp.alive = machine_.alive;
  warp.gone = machine_.gone;
  warp.join = machine_.join;
  warp.depth = machine_.depth;
  warp.phase = machine_.phase.number;
  warp.resume = machine_.ended.resume;
  log_stop_[w] = machine_.log.next;
  warp.executed += machine_.turn.executed;
  warp_instructions += machine_.turn.executed;
  thread_instructions += machine_.turn.threads;
  block_instructions_ += machine_.turn.executed;
  if (poll_ != nullptr) {
    end_poll(warp);
  } else {
    polls_in_vain_ = false;
  }
  if (job_.options.limit != 0)
    job_.instructions_left -= std::min(job_.instructions_left, machine_.turn.executed);
  if (block_instructions_ - reported_instructions_ >= kReportedInstructions) report_progress();
  if (machine_.recording_events) limit_events();
}

std::optional<Error> BlockRunner::run_turn(std::uint32_t w) {
  enter(w);
  if (warps_[w].polls_at != nullptr) begin_poll();
  code_.core->run(machine_, warps_[w].resume);
  leave(w);
  warps_[w].polls_at = machine_.ended.why == Stop::polled ? warps_[w].resume : nullptr;
  if (job_.events.load(std::memory_order_relaxed) > job_.options.max_events)
    return too_many_events(code_, job_.options);
  if (event_log.shapes() > kMaxEventShapes) return too_many_shapes(code_);
  const std::uint64_t limit = job_.options.max_warp_instructions;
  if (limit != 0 && block_instructions_ > limit)
    return stopped_error(marked("block {x},{y},{z} of `{kernel}` ran longer than it may"),
                         tr("The limit is {most} warp instructions a block.", "most"_a = limit));
  switch (machine_.ended.why) {
    case Stop::exited:
      progressed_ = true;
      warps_[w].status = WarpStatus::done;
      live_warps_ &= ~(1u << w);
      report_awaited(w);
      end_interval(w);
      land_all_copies(w);
      bulk_copies_.land_all(w);
      on_exit();
      break;
    case Stop::barrier:
      progressed_ = true;
      arrive(w);
      break;
    case Stop::yielded:
    case Stop::polled: return on_yield(w);
    case Stop::iteration_end:
      progressed_ = true;
      warps_[w].status = WarpStatus::at_iteration_end;
      cut_interval(w);
      break;
    case Stop::unsupported: {
      const ptx::Instruction& i = code_.function.instructions[machine_.ended.at->index];
      return Error{tr("`{instruction}` cannot be replayed: {reason}", "instruction"_a = i.text,
                      "reason"_a = code_.reasons[machine_.ended.at->index]),
                   place_of(i),
                   tr("Run `warplens check` to see everything in the kernel that cannot be replayed.")};
    }
    case Stop::trapped: {
      const ptx::Instruction& i = code_.function.instructions[machine_.ended.at->index];
      return Error{
          tr("the kernel stopped itself (`{instruction}`) in block {x},{y},{z}, warp {warp}",
             "instruction"_a = i.text, "x"_a = block_.x, "y"_a = block_.y, "z"_a = block_.z, "warp"_a = w),
          place_of(i), tr("A check in the kernel did this.")};
    }
    case Stop::asserted:  // On a GPU the whole launch ends, at some time; here the block, so that what the
                          // others do is the same each time
      progressed_ = true;
      ended_ = true;
      break;
    case Stop::too_deep: {
      const ptx::Instruction& i = code_.function.instructions[machine_.ended.at->index];
      return Error{
          tr("`{instruction}`: the calls in block {x},{y},{z}, warp {warp}, nest too deep",
             "instruction"_a = i.text, "x"_a = block_.x, "y"_a = block_.y, "z"_a = block_.z, "warp"_a = w),
          place_of(i),
          tr("A function that calls itself has to end; on a GPU its calls have a stack of 1,024 bytes by "
             "default.")};
    }
    case Stop::lost: {
      const ptx::Instruction& i = code_.function.instructions[machine_.ended.at->index];
      return Error{
          tr("`{instruction}` calls what is no such function, in block {x},{y},{z}, warp {warp}",
             "instruction"_a = i.text, "x"_a = block_.x, "y"_a = block_.y, "z"_a = block_.z, "warp"_a = w),
          place_of(i), tr("Look at where the function's address comes from.")};
    }
    case Stop::none: break;
  }
  return std::nullopt;
}

void keep_findings(Findings findings, const Program::Code& code, Progress* progress) {
  if (progress == nullptr || !progress->cancel) return;
  progress->found = findings.take();
  progress->found_files = code.files;
}

Error too_many_events(const Program::Code& code, const Options& options) {
  return {tr("the chosen blocks make more than the {millions:.1f} million accesses that can be kept",
             "millions"_a = static_cast<double>(options.max_events) / 1e6),
          code.function.plain_name,
          tr("Keep those of fewer blocks: `All, draw one` in the window's menu Blocks, --blocks on the "
             "command line.")};
}

Error too_many_shapes(const Program::Code& code) {
  return {tr("the accesses to record have more than {most} shapes", "most"_a = kMaxEventShapes),
          code.function.plain_name, tr("Choose fewer blocks to record.")};
}

std::string BlockRunner::place_of(const ptx::Instruction& instruction) const {
  const auto file = instruction.location.outer_file;
  const std::string source = file < code_.files.size() && instruction.location.outer_line != 0
                                 ? fmt::format(" ({}:{})", code_.files[file], instruction.location.outer_line)
                                 : std::string();
  return fmt::format("{}:{}{}", code_.module_name, instruction.ptx_line, source);
}

const ptx::Instruction& BlockRunner::last_instruction() const {
  const bool goes_on = machine_.ended.why == Stop::yielded || machine_.ended.why == Stop::polled ||
                       machine_.ended.why == Stop::iteration_end;
  const Instr* at = goes_on                              ? machine_.ended.resume
                    : machine_.ended.why == Stop::exited ? nullptr
                                                         : machine_.ended.at;
  return at != nullptr ? code_.function.instructions[at->index] : code_.function.instructions.back();
}

void BlockRunner::report_progress() {
  Progress* progress = job_.options.progress;
  if (progress == nullptr) return;
  progress->warp_instructions.fetch_add(block_instructions_ - reported_instructions_,
                                        std::memory_order_relaxed);
  reported_instructions_ = block_instructions_;
  progress->line.store(live_warps_ != 0 ? last_instruction().location.outer_line : 0,
                       std::memory_order_relaxed);
}

void BlockRunner::end_launch() {
  if (job_.ended) return;
  const ptx::Instruction& last = last_instruction();
  job_.ended = EarlyEnd{.limit = job_.options.limit,
                        .file = last.location.outer_file,
                        .line = last.location.outer_line,
                        .block = block_,
                        .warp = machine_.warp};
}

Error BlockRunner::cancelled_error() const {
  const std::uint64_t count =
      job_.options.progress->warp_instructions + block_instructions_ - reported_instructions_;
  if (warp_instructions == 0) return {tr("cancelled"), "", ""};
  return {tr("cancelled"), place_of(last_instruction()),
          tr_n(count, "After {n} warp instruction it was in block {x},{y},{z}, warp {warp}.",
               "After {n} warp instructions it was in block {x},{y},{z}, warp {warp}.", "x"_a = block_.x,
               "y"_a = block_.y, "z"_a = block_.z, "warp"_a = machine_.warp)};
}

Error BlockRunner::stopped_error(const char* what, const std::string& hint) const {
  const Instr* at = machine_.ended.why == Stop::exited ? &code_.instructions.back() : machine_.ended.resume;
  const ptx::Instruction& i = code_.function.instructions[at->index];
  return {tr(fmt::runtime(what), "x"_a = block_.x, "y"_a = block_.y, "z"_a = block_.z,
             "kernel"_a = code_.function.plain_name),
          place_of(i), hint};
}

std::optional<Error> BlockRunner::on_yield(std::uint32_t w) {
  races_unknown_ = true;
  end_interval(w);
  if (machine_.ended.why == Stop::polled) run_arriving_lanes_first(warps_[w]);
  if (cancelled()) return cancelled_error();
  return std::nullopt;
}

void BlockRunner::refresh_initialised() {
  if (machine_.shadow.all_initialised) return;
  const std::uint64_t* words = machine_.shadow.initialised;
  machine_.shadow.all_initialised =
      std::all_of(words, words + shadow_words_, [](std::uint64_t word) { return ~word == 0; });
}

bool BlockRunner::cancelled() const {
  const Progress* progress = job_.options.progress;
  return progress != nullptr && progress->cancel.load(std::memory_order_relaxed);
}

std::uint32_t BlockRunner::phase_after(std::uint32_t phase) {
  const std::uint32_t next = std::min(phase + 1, kMaxPhases - 1);
  if (phases.size() <= next) phases.resize(next + 1);
  return next;
}

void BlockRunner::finish() {
  if (iteration_counts_ != nullptr) end_counting(0);
  patterns_.report();
}

}  // namespace warplens::replay
