// From a PTX function to the flat array of instructions that the cores run.
#include "kernels/replay/decode/decoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/grid_barrier.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/core/lane_functions.h"
#include "kernels/replay/decode/dependence.h"
#include "kernels/replay/decode/layout.h"
#include "kernels/replay/decode/tensor_totals.h"
#include "kernels/replay/decode/waits.h"

namespace warplens::replay {

Decoder::Decoder(const ptx::Module& module, const ptx::Function& function)
    : code_(std::make_shared<Program::Code>()), linked_(link_functions(module, function)) {
  code_->module_name = module.name;
  code_->function = std::move(linked_.function);
  code_->flow = std::move(linked_.flow);
  code_->core = &best_core();
}

Result<std::shared_ptr<Program::Code>> Decoder::decode() {
  load_texture_queries();
  lay_out_variables(*code_, variable_address_);
  lay_out_calls();
  code_->variable_addresses = variable_address_;
  set_initial_addresses();
  find_properties();
  code_->provenance = find_provenance(function());
  Result<RegisterSlots> slots = allocate_registers(function(), code_->flow, linked_.first_instructions());
  if (!slots.ok()) return Error{slots.error().what, code_->module_name, slots.error().hint};
  slots_ = *std::move(slots);
  pass_parameters();
  SiteList list = list_sites(function());
  code_->sites = std::move(list.sites);
  code_->generic_site = std::move(list.generic);
  first_site_ = std::move(list.first_site);
  code_->tensor = list_tensor_instructions(function());
  code_->tensor_before = tensor_instructions_before(code_->tensor, function().instructions.size());
  group_loads();
  find_sums();
  find_crossings();
  code_->wgmma_registers = plan_wgmma_register_checks(function(), code_->flow, linked_.first_instructions());
  number_heads();
  emit_all();
  place_heads();
  finish_pieces();
  return code_;
}

void Decoder::find_properties() {
  results_used_ = results_used(function());
  for (std::size_t i = 0; i < function().instructions.size(); ++i) {
    const ptx::Instruction& instruction = function().instructions[i];
    if (ptx::is_any_barrier(instruction)) code_->has_barrier = true;
    maps_generic_addresses_ |= instruction.opcode == Opcode::mapa && instruction.space == StateSpace::generic;
    code_->uses_cluster |= instruction.multicast;
    code_->uses_async_proxy |=
        ptx::is_bulk_copy(instruction) || ptx::effect_of(instruction) == Effect::warpgroup_product;
    if (ptx::allocates(instruction)) code_->allocates = true;
    const bool may_be_shared =
        instruction.space == StateSpace::shared || instruction.space == StateSpace::generic;
    if (ptx::may_write(instruction, StateSpace::shared)) stores_to_shared_ = true;
    if (may_be_shared && instruction.is_volatile) code_->has_volatile_shared = true;
    if (ptx::reads_grid_workspace(instruction)) code_->waits_for_grid = true;
    const bool reduces = ptx::is_bulk_copy(instruction) && instruction.atomic != ptx::AtomicOp::none;
    const Effect effect = ptx::effect_of(instruction);
    if (effect == Effect::texture_store || effect == Effect::tensor_map || reduces)
      code_->sequential = true;  // Others may read what it writes
    const bool may_be_global =
        instruction.space == StateSpace::global || instruction.space == StateSpace::generic;
    if (!may_be_global || !ptx::is_access(instruction)) continue;
    const auto op = instruction.atomic;
    const bool commutes = !ptx::is_float(instruction.type) && op != ptx::AtomicOp::exch &&
                          op != ptx::AtomicOp::cas && op != ptx::AtomicOp::inc && op != ptx::AtomicOp::dec;
    if (ptx::is_atomic(instruction) ? results_used_[i] || !commutes : is_strong(instruction))
      code_->sequential = true;
  }
}

/// Instructions by which lanes wait for each other, and for what the others have loaded from shared memory.
void Decoder::find_crossings() {
  if (!stores_to_shared_) return;
  const auto& instructions = function().instructions;
  std::vector<std::uint32_t> loads, crossings;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const ptx::Instruction& instruction = instructions[i];
    if (ptx::may_read(instruction, StateSpace::shared) && !ptx::is_atomic(instruction)) loads.push_back(i);
    const bool is_of_matrices =
        instruction.opcode == Opcode::movmatrix || ptx::is_product_of_matrices(instruction);
    const bool is_crossing = instruction.opcode == Opcode::shfl || instruction.opcode == Opcode::vote ||
                             instruction.opcode == Opcode::match || instruction.opcode == Opcode::redux ||
                             is_of_matrices;
    if (is_crossing && instruction.sync && instruction.guard.kind == Kind::none) crossings.push_back(i);
  }
  if (loads.empty() || crossings.empty()) return;
  const std::vector<bool> loaded = Dependence(function(), code_->flow).registers_from(loads);
  for (const std::uint32_t i : crossings) {
    const std::vector<std::uint32_t> reads = ptx::register_use(instructions[i]).reads;
    if (std::ranges::any_of(reads, [&](std::uint32_t r) { return loaded[r]; })) crossings_.push_back(i);
  }
}

void Decoder::emit_all() {
  const auto& instructions = function().instructions;
  std::vector<bool> is_join(code_->flow.blocks.size());
  for (const ptx::BasicBlock& block : code_->flow.blocks) {
    const ptx::Instruction& last = instructions[block.end - 1];
    const Effect effect = ptx::effect_of(last);
    const bool branches =
        effect == Effect::indexed_branch || (effect == Effect::branch && last.guard.kind == Kind::reg);
    if (branches && block.immediate_post_dominator != ptx::kNoBlock)
      is_join[block.immediate_post_dominator] = true;
  }
  code_->reasons.resize(instructions.size());
  position_.resize(instructions.size());
  for (index_ = 0; index_ < instructions.size(); ++index_) {
    const std::uint32_t block = code_->flow.block_of[index_];
    position_[index_] = static_cast<std::uint32_t>(code_->instructions.size());
    if (code_->flow.blocks[block].first == index_ && is_join[block]) {
      code_->instructions.push_back({.run = code_->core->join, .index = index_, .flags = kHelper});
    }
    emit(instructions[index_]);
  }
  link();
}

void Decoder::emit(const ptx::Instruction& instruction) {
  reason_.clear();
  const Effect effect = ptx::effect_of(instruction);
  if (stores_to_shared_) log_order(instruction);
  check_wgmma_registers(instruction);
  const bool takes_guard = effect == Effect::branch || effect == Effect::ret ||
                           (effect == Effect::call && is_replayed_call(instruction));
  if (instruction.guard.kind == Kind::reg && !takes_guard) {
    Instr guard{.run = code_->core->guard,
                .a = operand_head(instruction.guard, 1, Type::pred),
                .index = index_,
                .flags = kHelper};
    if (instruction.guard.negated) guard.flags |= kNegateGuard;
    code_->instructions.push_back(guard);
  }
  if (const auto sum = sums_.find(index_); sum != sums_.end()) begin_sum(sum->second);
  if (const auto grouped = grouped_.find(index_); grouped != grouped_.end())
    begin_loads(grouped->second.group);
  const std::size_t lists = more_of_.size();
  Instr instr{.index = index_};
  Traits traits = traits_of(instruction);
  fill(instruction, instr, traits);
  if (reason_.empty() && instr.run == nullptr) choose_handler(instruction, instr, traits);
  if (reason_.empty()) reach_cluster(instruction, instr);
  if (!reason_.empty()) {
    more_of_.resize(lists);
    instr = {.run = code_->core->unsupported, .index = index_};
    code_->reasons[index_] = reason_;
    code_->unsupported.push_back({instruction.ptx_line, instruction.location.outer_file,
                                  instruction.location.outer_line, instruction.text, reason_, kind_});
  }
  code_->instructions.push_back(instr);
  if (instr.run != code_->core->call) return;
  code_->instructions.push_back({.run = code_->core->after_call, .imm = instr.imm, .index = index_ + 1});
  if (code_->calls[static_cast<std::size_t>(instr.imm)].piece == kByAddress) {
    code_->instructions.push_back({.run = code_->core->join,
                                   .index = index_ + 1,
                                   .flags = kHelper});  // Where lanes meet that call different functions
  }
}

void Decoder::log_order(const ptx::Instruction& instruction) {
  const bool waits = instruction.opcode == Opcode::bar_warp_sync;
  const bool in_shared = instruction.space == StateSpace::shared || instruction.space == StateSpace::generic;
  const Effect effect = ptx::effect_of(instruction);
  // Of a volatile load of shared memory the walk through the log sees what it meets.
  const bool acquires =
      (effect == Effect::atomic && results_used_[index_]) ||
      (effect == Effect::load && is_strong(instruction) && !(in_shared && instruction.is_volatile));
  const bool crosses = std::ranges::binary_search(crossings_, index_);
  if (!waits && !acquires && !crosses) return;
  Instr order{.run = replay::log_order, .a = kNoOperand, .index = index_, .flags = kHelper};
  if (crosses) {
    const ptx::Operand* const mask = ptx::member_mask_of(instruction);
    order.a = mask != nullptr ? operand_head(*mask, 4, Type::b32) : constant(0xffffffffu);
    order.detail = 1;
  }
  if (waits) order.a = operand_head(instruction.operands.back(), 4, Type::b32);
  code_->instructions.push_back(order);
}

void Decoder::check_wgmma_registers(const ptx::Instruction& instruction) {
  const std::optional<std::uint32_t> check = code_->wgmma_registers.check_of(index_);
  if (!check) return;
  Instr instr{
      .run = replay::check_wgmma_registers, .a = kNoOperand, .b = *check, .index = index_, .flags = kHelper};
  if (instruction.guard.kind == Kind::reg) instr.a = operand_head(instruction.guard, 1, Type::pred);
  if (instruction.guard.negated) instr.flags |= kNegateGuard;
  code_->instructions.push_back(instr);
}

bool Decoder::is_replayed_call(const ptx::Instruction& instruction) const {
  const ptx::Operand& callee = instruction.operands[1];
  return callee.kind == Kind::reg || linked_.piece_of.contains(callee.text);
}

void Decoder::choose_handler(const ptx::Instruction& instruction, Instr& instr, const Traits& traits) {
  if (is_query_of_surface(instruction.opcode))
    return fail(tr("its texture or surface is not itself a parameter of the kernel"));
  instr.run = code_->core->select(traits);
  if (instr.run != nullptr) return;
  const LaneFunction by_lane = find_lane_function(traits);
  if (by_lane == nullptr) return refuse(instruction);
  const bool has_pairs = instruction.type == Type::f16x2 || instruction.type == Type::bf16x2;
  instr.run = instruction.opcode == Opcode::setp
                  ? (has_pairs ? code_->core->compare_pairs_by_lane : code_->core->compare_by_lane)
              : instruction.opcode == Opcode::set   ? code_->core->set_by_lane
              : instruction.opcode == Opcode::testp ? code_->core->test_by_lane
                                                    : code_->core->by_lane;
  if (instruction.opcode == Opcode::set) instr.c = static_cast<std::uint32_t>(instr.imm);
  instr.imm = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(by_lane));
  if (instruction.opcode == Opcode::setp || instruction.opcode == Opcode::set) return;
  if (instruction.opcode == Opcode::cvt && instr.register_bytes > ptx::size_of(instruction.type)) {
    instr.bytes = static_cast<std::uint8_t>(ptx::size_of(instruction.type));
    if (ptx::is_signed(instruction.type)) instr.flags |= kSigned;
  }
  instr.count = static_cast<std::uint8_t>(instruction.operands.size() - 1);
  for (std::size_t k = 1; k < instruction.operands.size() && k <= 3; ++k) {
    const ptx::Operand& operand = instruction.operands[k];
    const bool wide =
        operand.kind == Kind::reg
            ? register_width(operand) == 8
            : ptx::size_of(traits.source_type != Type::none ? traits.source_type : traits.type) == 8;
    instr.detail = static_cast<std::uint8_t>(instr.detail | (wide ? 2u : 1u) << (2 * (k - 1)));
  }
}

Traits Decoder::traits_of(const ptx::Instruction& i) {
  Traits t;
  t.opcode = i.opcode;
  t.type = i.type;
  t.source_type = i.source_type;
  t.b_type = i.b_type;
  t.space = i.space;
  t.to_space = i.to_space;
  t.rounding = i.rounding;
  t.compare = i.compare;
  t.bool_op = i.bool_op;
  t.atomic = i.atomic;
  t.shuffle = i.shuffle;
  t.vote = i.vote;
  t.mul = i.mul;
  t.barrier = i.barrier;
  t.permute = i.permute;
  t.test = i.test;
  t.ftz = i.ftz;
  t.sat = i.sat;
  t.sat_finite = i.sat_finite;
  t.approx = i.approx;
  t.full = i.full;
  t.relu = i.relu;
  t.wrap = i.wrap;
  t.left = i.left;
  t.carry_out = i.carry_out;
  t.nan = i.nan;
  t.xor_sign = i.xor_sign;
  t.absolute = i.absolute;
  t.shiftamt = i.shiftamt;
  t.vector = i.vector;
  t.conditional = i.guard.kind == Kind::reg;
  t.strong = is_strong(i);
  return t;
}

void Decoder::fill(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  switch (ptx::effect_of(instruction)) {
    case Effect::load:
    case Effect::store:
    case Effect::atomic:
    case Effect::reduction: return fill_access(instruction, instr, traits);
    case Effect::branch: return fill_branch(instruction, instr, traits);
    case Effect::indexed_branch: return fill_indexed_branch(instruction, instr);
    case Effect::ret:
      if (instruction.opcode == Opcode::ret && piece_at(index_) != 0) {
        instr.a = kNoOperand;
        instr.run = code_->core->return_from_call;
      }
      if (instruction.guard.kind == Kind::reg) instr.a = operand_head(instruction.guard, 1, Type::pred);
      if (instruction.guard.negated) instr.flags |= kNegateGuard;
      return;
    case Effect::texture_load:
    case Effect::texture_store: return fill_texels(instruction, instr);
    case Effect::barrier: return fill_barrier(instruction, instr);
    case Effect::call: return fill_call(instruction, instr);
    case Effect::load_matrices:
    case Effect::store_matrices: return fill_matrices(instruction, instr);
    case Effect::load_fragment:
    case Effect::store_fragment: return fill_fragment(instruction, instr);
    case Effect::copy: return fill_copy(instruction, instr);
    case Effect::bulk_copy: return fill_bulk_copy(instruction, instr);
    case Effect::cluster_barrier: return fill_cluster_barrier(instruction, instr);
    case Effect::warpgroup_product: return fill_warpgroup_product(instruction, instr);
    case Effect::warpgroup_order: return fill_warpgroup_order(instruction, instr);
    case Effect::copy_order: return fill_copy_order(instruction, instr);
    case Effect::mbarrier: return fill_mbarrier(instruction, instr);
    case Effect::tensor_map: return fill_tensor_map(instruction, instr);
    case Effect::unknown: return refuse(instruction);
    case Effect::trap: return;
    case Effect::no_op: return fill_idle(instruction, instr, traits);
    case Effect::none: break;
  }
  fill_result(instruction, instr, traits);
}

void Decoder::fill_branch(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  const std::uint32_t target = instruction.operands[0].label;
  const std::uint32_t block = code_->flow.block_of[index_];
  traits.backward = target <= index_;
  branches_.push_back({static_cast<std::uint32_t>(code_->instructions.size()), target, block});
  const bool waits = traits.backward && waits_in_loop_of(*code_, code_->flow.block_of[target]);
  if (waits) instr.flags |= kWaitLoop;
  if (traits.backward && !waits && !code_->has_barrier) {
    const auto& loops = code_->flow.outermost_loops;
    if (std::binary_search(loops.begin(), loops.end(), code_->flow.block_of[target]))
      instr.flags |= kOuterLoop;
  }
  if (!traits.conditional) return;
  instr.a = operand_head(instruction.guard, 1, Type::pred);
  if (instruction.guard.negated) instr.flags |= kNegateGuard;
}

void Decoder::fill_indexed_branch(const ptx::Instruction& instruction, Instr& instr) {
  if (instruction.guard.kind == Kind::reg) return fail(tr("a guarded brx.idx"));
  instr.a = operand_head(instruction.operands[0], 4, Type::u32);
  std::vector<std::uint32_t> list{static_cast<std::uint32_t>(instruction.operands[1].elements.size())};
  for (const ptx::Operand& label : instruction.operands[1].elements) list.push_back(label.label);
  branches_.push_back(
      {static_cast<std::uint32_t>(code_->instructions.size()), kNoOperand, code_->flow.block_of[index_]});
  indexed_.push_back({static_cast<std::uint32_t>(code_->instructions.size()),
                      static_cast<std::uint32_t>(code_->operand_lists.size())});
  set_more(instr, list);
}

void Decoder::fill_barrier(const ptx::Instruction& instruction, Instr& instr) {
  const bool reduces = instruction.barrier >= ptx::BarrierMode::red_popc;
  std::size_t k = reduces ? 1 : 0;
  instr.detail = static_cast<std::uint8_t>(instruction.barrier);
  instr.a = operand_head(instruction.operands[k++], 4, Type::u32);
  const std::size_t left = instruction.operands.size() - k - (reduces ? 1 : 0);
  instr.b = left > 0 ? operand_head(instruction.operands[k++], 4, Type::u32) : kNoOperand;
  if (!reduces) return;
  instr.d = destination(instruction, 0);
  instr.register_bytes = instruction.type == Type::pred ? 1 : 4;
  instr.c = operand_head(instruction.operands[k], 1, Type::pred);
  if (negated(instruction, k)) instr.flags |= kSecondNegated;
}

void Decoder::link() {
  auto& instructions = code_->instructions;
  for (const auto& [at, list] : indexed_) {
    const std::uint32_t n = code_->operand_lists[list];
    for (std::uint32_t k = 0; k < n; ++k)
      code_->operand_lists[list + 1 + k] = position_[code_->operand_lists[list + 1 + k]] - at;
  }
  for (const auto& [at, behind] : fused_ends_) instructions[at].imm = position_[behind] - at;
  for (const auto& [at, list] : more_of_) instructions[at].more = code_->operand_lists.data() + list;
  for (const Branch& branch : branches_) {
    Instr& instr = instructions[branch.at];
    if (branch.target != kNoOperand) instr.target = instructions.data() + position_[branch.target];
    const std::uint32_t join = code_->flow.blocks[branch.block].immediate_post_dominator;
    if (join == ptx::kNoBlock) continue;
    instr.join = instructions.data() + position_[code_->flow.blocks[join].first];
    if (exits_at(*code_, code_->flow.blocks[join].first)) instr.flags |= kExitsAtJoin;
  }
}

bool exits_at(const Program::Code& code, std::uint32_t instruction) {
  const ptx::Instruction& one = code.function.instructions[instruction];
  const bool is_of_kernel = code.called.empty() || instruction < code.called.front().first_instruction;
  return ptx::effect_of(one) == ptx::Effect::ret && one.guard.kind == ptx::Operand::Kind::none &&
         (one.opcode == ptx::Opcode::exit || is_of_kernel);
}

Result<Program> Program::decode(const ptx::Module& module, const std::string& entry) {
  const ptx::Function* function = module.find_entry(entry);
  if (function == nullptr) {
    std::string names;
    for (const ptx::Function& f : module.functions) {
      if (f.is_entry) names += fmt::format("{}{}", names.empty() ? "" : ", ", f.plain_name);
    }
    return Error{
        tr("there is no kernel `{kernel}`, or several of that name", "kernel"_a = entry), module.name,
        names.empty() ? tr("The file holds no kernel.")
                      : tr("Its kernels are {kernels}; give the mangled name if a plain one is not unique.",
                           "kernels"_a = names)};
  }
  Result<std::shared_ptr<Code>> code = Decoder(module, *function).decode();
  if (!code.ok()) return code.error();
  (*code)->files = module.files;
  Program program;
  program.code_ = *std::move(code);
  return program;
}

Result<Inspection> inspect(const ptx::Module& module, const ptx::Function& function) {
  Result<std::shared_ptr<Program::Code>> code = Decoder(module, function).decode();
  if (!code.ok()) return code.error();
  Inspection inspection{.unsupported = std::move((*code)->unsupported),
                        .handles = {},
                        .static_shared_bytes = (*code)->shared.bytes};
  for (const auto& access : (*code)->texel_accesses) {
    inspection.handles.push_back({.parameter = access->parameter,
                                  .geometry = access->geometry,
                                  .is_surface = access->of_surface,
                                  .by_index = access->by_index});
  }
  for (const TextureQuery& query : (*code)->texture_queries)
    inspection.handles.push_back({.parameter = query.parameter, .is_surface = query.of_surface});
  return inspection;
}

const std::vector<Unsupported>& Program::unsupported() const {
  return code_->unsupported;
}
std::uint32_t Program::static_shared_bytes() const {
  return static_cast<std::uint32_t>(code_->shared.bytes);
}
const ptx::Function& Program::function() const {
  return code_->function;
}
const std::vector<std::string>& Program::files() const {
  return code_->files;
}

}  // namespace warplens::replay
