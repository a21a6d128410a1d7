// From a PTX function to the flat array of instructions that the cores run.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/register_use.h"
#include "kernels/replay/code.h"
#include "kernels/replay/lane_functions.h"
#include "kernels/replay/layout.h"
#include "kernels/replay/link.h"
#include "kernels/replay/registers.h"
#include "kernels/replay/video.h"

namespace warplens::replay {
namespace {

using Kind = ptx::Operand::Kind;
using ptx::Effect;
using ptx::Opcode;
using ptx::StateSpace;
using ptx::Type;

constexpr std::uint32_t kNoOperand = 0xffffffffu;

/// What a source or destination register must hold: 1 for a predicate, 4 or 8 bytes, 0 for either of the two.
using Width = int;

Width width_of_type(Type type) {
  return type == Type::pred ? 1 : ptx::size_of(type) == 8 ? 8 : 4;
}

/// The width that operand `k` of an instruction must have.
Width operand_width(const ptx::Instruction& instruction, std::size_t k) {
  using Holds = ptx::OperandForm::Holds;
  const Width type = width_of_type(instruction.type);
  switch (ptx::form_of_operand(instruction, k).holds) {
    case Holds::type: return type;
    case Holds::second_type: return width_of_type(instruction.source_type);
    case Holds::widened: return instruction.mul != ptx::MulMode::wide ? type : ptx::size_of(instruction.type) >= 4 ? 8 : 4;
    case Holds::predicate: return 1;
    case Holds::bits32: return 4;
    case Holds::bits64: return 8;
    case Holds::any_but_predicate: break;
  }
  return 0;
}

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& function)
      : code_(std::make_shared<Program::Code>()), linked_(link_functions(module, function)) {
    code_->module_name = module.name;
    code_->function = std::move(linked_.function);
    code_->flow = std::move(linked_.flow);
    code_->core = &best_core();
  }

  Result<std::shared_ptr<Program::Code>> decode() {
    lay_out_variables(*code_, variable_address_);
    lay_out_calls();
    set_initial_addresses();
    find_properties();
    code_->provenance = find_provenance(function());
    Result<RegisterSlots> slots = allocate_registers(function(), code_->flow, linked_.first_instructions());
    if (!slots.ok()) return Error{slots.error().what, code_->module_name, slots.error().hint};
    slots_ = *std::move(slots);
    SiteList list = list_sites(function());
    code_->sites = std::move(list.sites);
    code_->generic_site = std::move(list.generic);
    first_site_ = std::move(list.first_site);
    group_loads();
    number_heads();
    emit_all();
    place_heads();
    finish_pieces();
    return code_;
  }

 private:
  const ptx::Function& function() const { return code_->function; }

  void find_properties() {
    const std::vector<bool> used = results_used(function());
    for (std::size_t i = 0; i < function().instructions.size(); ++i) {
      const ptx::Instruction& instruction = function().instructions[i];
      if (ptx::is_barrier(instruction)) code_->has_barrier = true;
      const bool may_be_global = instruction.space == StateSpace::global || instruction.space == StateSpace::generic;
      if (!may_be_global || !ptx::is_access(instruction)) continue;
      const auto op = instruction.atomic;
      const bool commutes = !ptx::is_float(instruction.type) && op != ptx::AtomicOp::exch && op != ptx::AtomicOp::cas && op != ptx::AtomicOp::inc &&
                            op != ptx::AtomicOp::dec;
      if (ptx::is_atomic(instruction) ? used[i] || !commutes : is_strong(instruction)) code_->sequential = true;
    }
  }

  void group_loads() {
    code_->load_groups = find_load_groups(function(), code_->flow);
    for (std::uint32_t g = 0; g < code_->load_groups.size(); ++g) {
      LoadGroupPlan& plan = code_->load_groups[g];
      for (LoadGroupPlan::Load& load : plan.loads) {
        load.site = first_site_[load.instruction];
        grouped_.emplace(load.instruction, Grouped{g, load.above});
      }
    }
  }

  // ---- functions that are called

  /// Where parameters of calls lie, and what functions declare that may be called while they run: in the memory of each call.
  void lay_out_calls() {
    code_->pieces.resize(linked_.pieces.size());
    for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p) code_->pieces[p].is_recursive = linked_.pieces[p].is_recursive;
    const std::vector<std::uint32_t>& of_kernel = function().parameters;
    for (std::uint32_t v = 0; v < function().variables.size(); ++v) {
      const ptx::Variable& variable = function().variables[v];
      CalledPiece& piece = code_->pieces[linked_.piece_of_variable[v]];
      const bool is_passed = variable.space == StateSpace::param && std::find(of_kernel.begin(), of_kernel.end(), v) == of_kernel.end();
      const bool is_local = variable.space == StateSpace::local && piece.is_recursive;
      if (!is_passed && !is_local) continue;
      std::uint64_t& bytes = is_local ? piece.local_bytes : piece.is_recursive ? piece.passed_bytes : code_->passed_bytes;
      variable_address_[v] = place_in(bytes, variable);
    }
    const auto has = [&](std::uint64_t CalledPiece::*bytes) {
      return std::any_of(code_->pieces.begin(), code_->pieces.end(),
                         [&](const CalledPiece& piece) { return piece.is_recursive && piece.*bytes != 0; });
    };
    code_->lane_passed_bytes = (code_->passed_bytes + 15) / 16 * 16 + (has(&CalledPiece::passed_bytes) ? kStackBytes : 0);
    code_->lane_local_bytes = code_->local.bytes + (has(&CalledPiece::local_bytes) ? kStackBytes : 0);
    for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p) {
      for (const std::uint32_t v : linked_.pieces[p].parameters) code_->pieces[p].parameters.push_back(passed_variable(v));
      for (const std::uint32_t v : linked_.pieces[p].returns) code_->pieces[p].returns.push_back(passed_variable(v));
    }
  }
  static std::uint64_t place_in(std::uint64_t& bytes, const ptx::Variable& variable) {
    const std::uint64_t alignment = std::max<std::uint64_t>({1, variable.alignment, static_cast<std::uint64_t>(ptx::size_of(variable.type))});
    const std::uint64_t offset = (bytes + alignment - 1) / alignment * alignment;
    bytes = std::min(kEndlessBytes, offset + std::min(variable.bytes(), kEndlessBytes));
    return offset;
  }
  [[nodiscard]] PassedValue passed_variable(std::uint32_t v) const {
    return {.piece = linked_.piece_of_variable[v], .offset = variable_address_[v], .bytes = function().variables[v].bytes()};
  }
  [[nodiscard]] bool is_passed(const ptx::Operand& address) const {
    if (address.address_base != Kind::variable) return false;
    const ptx::Variable& variable = function().variables[address.variable];
    const std::vector<std::uint32_t>& of_kernel = function().parameters;
    return variable.space == StateSpace::param && std::find(of_kernel.begin(), of_kernel.end(), address.variable) == of_kernel.end();
  }
  [[nodiscard]] static std::uint64_t address_of_piece(std::uint32_t piece) { return kFunctionWindow + kFunctionStride * piece; }

  void set_initial_addresses() {
    std::map<std::string, std::uint32_t> variable_of;
    for (std::uint32_t v = 0; v < function().variables.size(); ++v) {
      if (function().variables[v].of_module) variable_of.emplace(function().variables[v].name, v);
    }
    for (VariableSpace* const space : {&code_->global, &code_->constant}) {
      for (VariableSpace::Placed& placed : space->variables) {
        for (const ptx::InitialAddress& address : function().variables[placed.variable].initial_addresses) {
          std::uint64_t value = 0;
          if (const auto variable = variable_of.find(address.name); variable != variable_of.end()) {
            value = variable_address_[variable->second];
            if (address.is_generic && function().variables[variable->second].space == StateSpace::constant) value += kConstantWindow;
          } else if (const auto piece = linked_.piece_of.find(address.name); piece != linked_.piece_of.end()) {
            value = address_of_piece(piece->second);
          } else {
            continue;
          }
          value += static_cast<std::uint64_t>(address.addend);
          if (address.offset + sizeof value <= placed.initial.size()) std::memcpy(placed.initial.data() + address.offset, &value, sizeof value);
        }
      }
    }
  }

  /// Of a recursive function: the address of what it declares, in the memory of the call.
  std::uint32_t in_call(std::uint32_t v, std::int64_t offset) {
    CalledPiece& piece = code_->pieces[linked_.piece_of_variable[v]];
    auto& bases = function().variables[v].space == StateSpace::local ? piece.local_bases : piece.passed_bases;
    const std::uint64_t at = variable_address_[v] + static_cast<std::uint64_t>(offset);
    for (const CalledPiece::Base& base : bases) {
      if (base.offset == at) return slot_head(base.head);
    }
    const std::uint32_t head = add_head({.initial = at});
    bases.push_back({head / static_cast<std::uint32_t>(sizeof(Head)), at});
    return head;
  }

  void finish_pieces() {
    std::vector<bool> seen(slots_.slots.size());
    std::uint32_t i = 0;
    for (std::uint32_t p = 0; p < linked_.pieces.size(); ++p) {
      CalledPiece& piece = code_->pieces[p];
      piece.entry = code_->instructions.data() + position_[linked_.pieces[p].first_instruction];
      const bool is_last = p + 1 == linked_.pieces.size();
      const auto end = is_last ? static_cast<std::uint32_t>(function().instructions.size()) : linked_.pieces[p + 1].first_instruction;
      for (; piece.is_recursive && i < end; ++i) {
        const ptx::RegisterUse use = ptx::register_use(function().instructions[i]);
        for (const auto* const list : {&use.reads, &use.writes}) {
          for (const std::uint32_t r : *list) {
            if (!seen[slots_.slot_of[r]]) piece.registers.push_back(slots_.slot_of[r]);
            seen[slots_.slot_of[r]] = true;
          }
        }
      }
      i = end;
    }
  }

  [[nodiscard]] std::uint32_t piece_at(std::uint32_t index) const {
    const auto after = std::upper_bound(linked_.pieces.begin(), linked_.pieces.end(), index,
                                        [](std::uint32_t i, const Piece& piece) { return i < piece.first_instruction; });
    return static_cast<std::uint32_t>(after - linked_.pieces.begin()) - 1;
  }

  void fill_call(const ptx::Instruction& instruction, Instr& instr) {
    const ptx::Operand &returned = instruction.operands[0], &callee = instruction.operands[1], &arguments = instruction.operands[2];
    CallSite site;
    if (callee.kind == Kind::reg) {
      site.target = operand_head(callee, 8, Type::b64);
    } else if (const auto piece = linked_.piece_of.find(callee.text); piece != linked_.piece_of.end() && piece->second != 0) {
      site.piece = piece->second;
    } else if ((site.system = system_function(callee.text))) {
      // Who allocates first gets the lowest addresses
      if (*site.system == SystemFunction::allocate || *site.system == SystemFunction::release) code_->sequential = true;
    } else {
      fail(tr("the file has no body of the function"));
      kind_ = RefusalKind::calls;
      return;
    }
    for (const ptx::Operand& argument : arguments.elements) site.arguments.push_back(passed_operand(argument));
    for (const ptx::Operand& result : returned.elements) site.results.push_back(passed_operand(result));
    if (site.piece != kByAddress && !site.system) {
      const CalledPiece& piece = code_->pieces[site.piece];
      const bool fits = site.arguments.size() == piece.parameters.size() && (site.results.empty() || site.results.size() == piece.returns.size());
      if (!fits) fail(tr("the function has another number of parameters"));
    }
    instr.imm = static_cast<std::int64_t>(code_->calls.size());
    instr.a = instruction.guard.kind == Kind::reg ? operand_head(instruction.guard, 1, Type::pred) : kNoOperand;
    if (instruction.guard.negated) instr.flags |= kNegateGuard;
    instr.run = code_->core->call;
    code_->calls.push_back(std::move(site));
  }
  PassedValue passed_operand(const ptx::Operand& operand) {
    if (operand.kind == Kind::variable) {
      const bool is_whole = function().variables[operand.variable].space == StateSpace::param && operand.offset == 0;
      if (!is_whole) fail(tr("an argument of a call is no parameter"));
      return passed_variable(operand.variable);
    }
    PassedValue value{.in_register = true, .bytes = sizeof(std::uint64_t)};
    if (operand.kind == Kind::reg) value.bytes = register_width(operand) == 8 ? 8 : 4;
    value.head = operand_head(operand, 0, Type::b64);
    if (value.head == kNoOperand) fail(tr("an operand is missing"));
    return value;
  }

  // ---- the register file

  std::uint32_t slot_head(std::uint32_t slot) const { return slot * static_cast<std::uint32_t>(sizeof(Head)); }

  /// Slots first, so that a register's Head offset tells its slot; then special registers and constants as they are met.
  void number_heads() {
    for (const SlotClass c : slots_.slots) {
      HeadPlan plan;
      plan.wide = c == SlotClass::wide;
      plan.lanes_offset = c == SlotClass::predicate ? 0 : 1;  // placed later
      code_->heads.push_back(plan);
    }
    code_->live_heads = slots_.live_in;
    condition_code_ = add_head({});
  }
  std::uint32_t add_head(HeadPlan plan) {
    code_->heads.push_back(plan);
    return slot_head(static_cast<std::uint32_t>(code_->heads.size() - 1));
  }
  std::uint32_t constant(std::uint64_t bits, bool in_shared = false) {
    const auto [entry, is_new] = constants_.try_emplace({bits, in_shared}, 0u);
    if (is_new) entry->second = add_head({.initial = bits, .in_shared = in_shared});
    return entry->second;
  }
  /// The address of a variable and `offset` bytes.
  std::uint32_t variable(const ptx::Operand& operand, std::int64_t offset) {
    const StateSpace space = function().variables[operand.variable].space;
    const bool in_shared = space == StateSpace::shared;
    if ((space == StateSpace::local || space == StateSpace::param) && code_->pieces[linked_.piece_of_variable[operand.variable]].is_recursive)
      return in_call(operand.variable, offset);
    return constant(variable_address_[operand.variable] + static_cast<std::uint64_t>(offset), in_shared);
  }
  std::uint32_t special(ptx::SpecialRegister which, Width width) {
    const auto [entry, is_new] = specials_.try_emplace({which, width}, 0u);
    if (is_new) entry->second = add_head({.lanes_offset = 1, .wide = width == 8, .special = which});
    return entry->second;
  }
  void place_heads() {
    auto at = static_cast<std::uint32_t>((code_->heads.size() * sizeof(Head) + 63) / 64 * 64);
    for (HeadPlan& plan : code_->heads) {
      if (plan.lanes_offset == 0) continue;
      plan.lanes_offset = at;
      at += plan.wide ? 256 : 128;
    }
    code_->register_file_bytes = at;
  }

  // ---- operands

  void fail(std::string reason) {
    if (!reason_.empty()) return;
    reason_ = std::move(reason);
    kind_ = RefusalKind::form;
  }
  void refuse(const ptx::Instruction& instruction) {
    Refusal refusal = refusal_of(instruction);
    fail(std::move(refusal.reason));
    kind_ = refusal.kind;
  }

  Width register_width(const ptx::Operand& operand) const {
    switch (slot_class(function().registers[static_cast<std::uint32_t>(operand.reg)].type)) {
      case SlotClass::predicate: return 1;
      case SlotClass::narrow: return 4;
      case SlotClass::wide: return 8;
    }
    return 0;
  }

  static std::uint64_t immediate_bits(const ptx::Operand& operand, Type type) {
    if (operand.immediate_type == Type::f64 && type == Type::f32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    switch (ptx::size_of(type)) {
      case 1: return type == Type::pred ? (operand.bits != 0 ? 0xffffffffu : 0u) : operand.bits & 0xffu;
      case 2: return operand.bits & 0xffffu;
      case 8: return operand.bits;
      default: return operand.bits & 0xffffffffu;
    }
  }

  /// The Head of a register, constant or special register. `width` 0: any but a predicate.
  std::uint32_t operand_head(const ptx::Operand& operand, Width width, Type type) {
    switch (operand.kind) {
      case Kind::reg: {
        const Width actual = register_width(operand);
        if (width != 0 ? actual != width : actual == 1) fail(tr("an operand has another width than the instruction"));
        return slot_head(slots_.slot_of[static_cast<std::uint32_t>(operand.reg)]);
      }
      case Kind::immediate: return constant(immediate_bits(operand, width == 4 && ptx::size_of(type) > 4 ? Type::b32 : type));
      case Kind::special: return special(operand.special, width == 8 ? 8 : 4);
      case Kind::variable: return variable(operand, operand.offset);
      case Kind::function:
        if (const auto piece = linked_.piece_of.find(operand.text); piece != linked_.piece_of.end()) return constant(address_of_piece(piece->second));
        fail(tr("the file has no body of the function"));
        return kNoOperand;
      case Kind::none:
      case Kind::sink: return kNoOperand;
      default: fail(tr("an operand of a kind that the replay does not know")); return kNoOperand;
    }
  }

  std::uint32_t source(const ptx::Instruction& instruction, std::size_t k) {
    if (k >= instruction.operands.size()) return kNoOperand;
    const Width width = operand_width(instruction, k);
    const Type own = ptx::size_of(instruction.type) == 2 || width == 0 ? instruction.type
                     : width == 8                                      ? Type::b64
                     : width == 1                                      ? Type::pred
                                                                       : Type::b32;
    const bool is_float = ptx::is_float(instruction.type) && width == width_of_type(instruction.type);
    const std::uint32_t head = operand_head(instruction.operands[k], width, is_float ? instruction.type : own);
    if (head == kNoOperand) fail(tr("an operand is missing"));
    return head;
  }
  std::uint32_t destination(const ptx::Instruction& instruction, std::size_t k) {
    const ptx::Operand& operand = instruction.operands[k];
    if (operand.kind != Kind::reg && operand.kind != Kind::sink && operand.kind != Kind::none) fail(tr("the destination is no register"));
    return operand.kind == Kind::reg ? operand_head(operand, operand_width(instruction, k), instruction.type) : kNoOperand;
  }
  bool negated(const ptx::Instruction& instruction, std::size_t k) const {
    return k < instruction.operands.size() && instruction.operands[k].negated;
  }

  /// Remembers a list for Instr::more; pointers are set at the end.
  void set_more(Instr& instr, const std::vector<std::uint32_t>& list) {
    more_of_.emplace_back(code_->instructions.size(), code_->operand_lists.size());
    code_->operand_lists.insert(code_->operand_lists.end(), list.begin(), list.end());
    instr.more = nullptr;
  }

  // ---- instructions

  void emit_all() {
    const auto& instructions = function().instructions;
    std::vector<bool> is_join(code_->flow.blocks.size());
    for (const ptx::BasicBlock& block : code_->flow.blocks) {
      const ptx::Instruction& last = instructions[block.end - 1];
      const Effect effect = ptx::effect_of(last);
      const bool branches = effect == Effect::indexed_branch || (effect == Effect::branch && last.guard.kind == Kind::reg);
      if (branches && block.immediate_post_dominator != ptx::kNoBlock) is_join[block.immediate_post_dominator] = true;
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

  void emit(const ptx::Instruction& instruction) {
    reason_.clear();
    const Effect effect = ptx::effect_of(instruction);
    const bool takes_guard = effect == Effect::branch || effect == Effect::leave || (effect == Effect::call && is_replayed_call(instruction));
    if (instruction.guard.kind == Kind::reg && !takes_guard) {
      Instr guard{.run = code_->core->guard, .a = operand_head(instruction.guard, 1, Type::pred), .index = index_, .flags = kHelper};
      if (instruction.guard.negated) guard.flags |= kNegateGuard;
      code_->instructions.push_back(guard);
    }
    if (const auto grouped = grouped_.find(index_); grouped != grouped_.end()) begin_loads(grouped->second.group);
    const std::size_t lists = more_of_.size();
    Instr instr{.index = index_};
    Traits traits = traits_of(instruction);
    fill(instruction, instr, traits);
    if (reason_.empty() && instr.run == nullptr) choose_handler(instruction, instr, traits);
    if (!reason_.empty()) {
      more_of_.resize(lists);
      instr = {.run = code_->core->unsupported, .index = index_};
      code_->reasons[index_] = reason_;
      code_->unsupported.push_back(
          {instruction.ptx_line, instruction.location.outer_file, instruction.location.outer_line, instruction.text, reason_, kind_});
    }
    code_->instructions.push_back(instr);
    if (instr.run != code_->core->call) return;
    code_->instructions.push_back({.run = code_->core->after_call, .imm = instr.imm, .index = index_ + 1});
    if (code_->calls[static_cast<std::size_t>(instr.imm)].piece == kByAddress) {
      code_->instructions.push_back(
          {.run = code_->core->join, .index = index_ + 1, .flags = kHelper});  // Where lanes meet that call different functions
    }
  }
  [[nodiscard]] bool is_replayed_call(const ptx::Instruction& instruction) const {
    const ptx::Operand& callee = instruction.operands[1];
    return callee.kind == Kind::reg || linked_.piece_of.contains(callee.text);
  }

  void choose_handler(const ptx::Instruction& instruction, Instr& instr, const Traits& traits) {
    instr.run = code_->core->select(traits);
    if (instr.run != nullptr) return;
    const LaneFunction by_lane = find_lane_function(traits);
    if (by_lane == nullptr) return refuse(instruction);
    const bool has_pairs = instruction.type == Type::f16x2 || instruction.type == Type::bf16x2;
    instr.run = instruction.opcode == Opcode::setp    ? (has_pairs ? code_->core->compare_pairs_by_lane : code_->core->compare_by_lane)
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
      const bool wide = operand.kind == Kind::reg ? register_width(operand) == 8
                                                  : ptx::size_of(traits.source_type != Type::none ? traits.source_type : traits.type) == 8;
      instr.detail = static_cast<std::uint8_t>(instr.detail | (wide ? 2u : 1u) << (2 * (k - 1)));
    }
  }

  Traits traits_of(const ptx::Instruction& i) {
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

  /// The exact bytes of a register: 2 and 4 share a class, and narrow signed values are extended to one or the other.
  std::uint8_t exact_bytes(const ptx::Operand& operand) const {
    return operand.kind == Kind::reg ? static_cast<std::uint8_t>(ptx::size_of(function().registers[static_cast<std::uint32_t>(operand.reg)].type))
                                     : std::uint8_t{0};
  }

  void fill(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    switch (ptx::effect_of(instruction)) {
      case Effect::load:
      case Effect::store:
      case Effect::atomic:
      case Effect::reduction: return fill_access(instruction, instr, traits);
      case Effect::branch: return fill_branch(instruction, instr, traits);
      case Effect::indexed_branch: return fill_indexed_branch(instruction, instr);
      case Effect::leave:
        if (instruction.opcode == Opcode::ret && piece_at(index_) != 0) {
          instr.a = kNoOperand;
          instr.run = code_->core->return_from_call;
        }
        if (instruction.guard.kind == Kind::reg) instr.a = operand_head(instruction.guard, 1, Type::pred);
        if (instruction.guard.negated) instr.flags |= kNegateGuard;
        return;
      case Effect::barrier: return fill_barrier(instruction, instr);
      case Effect::call: return fill_call(instruction, instr);
      case Effect::unknown:
      case Effect::load_matrices:
      case Effect::store_matrices:
      case Effect::copy:
      case Effect::copy_order: return refuse(instruction);
      case Effect::stop: return;
      case Effect::idle: return fill_idle(instruction, instr, traits);
      case Effect::none: break;
    }
    if (refusal_of(instruction).kind == RefusalKind::tensor_cores) return refuse(instruction);
    fill_result(instruction, instr, traits);
  }

  /// Of instructions that do nothing but compute one, those whose operands stand otherwise than in most.
  void fill_result(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    switch (instruction.opcode) {
      case Opcode::mov: return fill_move(instruction, instr, traits);
      case Opcode::setp:
      case Opcode::set: return fill_comparison(instruction, instr);
      case Opcode::shfl: return fill_shuffle(instruction, instr);
      case Opcode::vote:
      case Opcode::match:
      case Opcode::redux:
      case Opcode::elect: return fill_warp(instruction, instr);
      case Opcode::cvta: return fill_cvta(instruction, instr);
      default: break;
    }
    if (VideoForm form; find_video_form(instruction, form)) return fill_video(instruction, form, instr);
    fill_plain(instruction, instr, traits);
  }

  void fill_video(const ptx::Instruction& instruction, const VideoForm& form, Instr& instr) {
    const auto& kept = code_->video_forms.emplace_back(std::make_shared<const VideoForm>(form));
    instr.d = destination(instruction, 0);
    if (instr.d == kNoOperand) return fail(tr("the destination is no register"));
    instr.a = source(instruction, 1);
    instr.b = source(instruction, 2);
    instr.c = instruction.operands.size() > 3 ? source(instruction, 3) : constant(0);
    instr.imm = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(kept.get()));
    instr.run = code_->core->video;
  }

  void fill_plain(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    const std::size_t n = instruction.operands.size();
    if (n == 0) return fail(tr("the replay does not run this form of the instruction"));
    if (instruction.opcode == Opcode::lop3 && instruction.bool_op != ptx::BoolOp::none) return fill_lop3_test(instruction, instr);
    instr.d = destination(instruction, 0);
    if (instr.d == kNoOperand) return fail(tr("the destination is no register"));
    traits.register_bytes = instr.register_bytes = exact_bytes(instruction.operands[0]);
    traits.sources = static_cast<std::uint8_t>(n - 1);
    if (n > 1) traits.source_bytes = exact_bytes(instruction.operands[1]);
    const bool has_table = instruction.opcode == Opcode::lop3;
    const bool odd_source = instruction.opcode == Opcode::cvt;
    if (n > 1) instr.a = odd_source ? operand_head(instruction.operands[1], 0, instruction.source_type) : source(instruction, 1);
    if (n > 2) instr.b = odd_source ? operand_head(instruction.operands[2], 0, instruction.source_type) : source(instruction, 2);
    if (n > 3) instr.c = source(instruction, 3);
    if (has_table && n > 4) {
      if (instruction.operands[4].kind != Kind::immediate) return fail(tr("the table of lop3 is no constant"));
      instr.imm = static_cast<std::int64_t>(instruction.operands[4].bits);
    } else if (n > 4) {
      set_more(instr, {source(instruction, 4)});
    }
    if (instruction.carry_out || ptx::reads_carry(instruction)) set_more(instr, {condition_code_});
    if (instruction.opcode == Opcode::selp && negated(instruction, 3)) instr.flags |= kSecondNegated;
    if (negated(instruction, 1)) instr.flags |= kNegateGuard;
    if (negated(instruction, 2)) instr.flags |= kSecondNegated;
    if (instruction.opcode == Opcode::isspacep) instr.detail = static_cast<std::uint8_t>(instruction.space);
  }

  // lop3.and d|p, a, b, c, table, q: whether the result is not zero, and q
  void fill_lop3_test(const ptx::Instruction& instruction, Instr& instr) {
    if (!instruction.paired_destination || instruction.operands.size() != 7) return refuse(instruction);
    instr.d = destination(instruction, 0);
    instr.a = source(instruction, 2);
    instr.b = source(instruction, 3);
    instr.c = source(instruction, 4);
    if (instruction.operands[5].kind != Kind::immediate) return fail(tr("the table of lop3 is no constant"));
    instr.imm = static_cast<std::int64_t>(instruction.operands[5].bits);
    instr.detail = static_cast<std::uint8_t>(instruction.bool_op);
    if (negated(instruction, 6)) instr.flags |= kSecondNegated;
    set_more(instr, {destination(instruction, 1), operand_head(instruction.operands[6], 1, Type::pred)});
  }

  /// What only advises caches leaves zero where it leaves anything.
  void fill_idle(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    if (ptx::count_destinations(instruction) == 0) return;
    instr.d = destination(instruction, 0);
    instr.a = constant(0);
    if (instr.d == kNoOperand) return fail(tr("the destination is no register"));
    traits.opcode = Opcode::mov;
    traits.register_bytes = exact_bytes(instruction.operands[0]);
  }

  void fill_access(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    const bool is_load = ptx::effect_of(instruction) == Effect::load;
    const ptx::Operand& data = ptx::data_of(instruction);
    instr.bytes = static_cast<std::uint8_t>(ptx::size_of(instruction.type));
    instr.count = instruction.vector;
    instr.type = static_cast<std::uint8_t>(instruction.type);
    instr.detail = static_cast<std::uint8_t>(instruction.atomic);
    instr.space = static_cast<std::uint8_t>(instruction.space);
    instr.site = first_site_[index_] != kNoOperand ? first_site_[index_] : static_cast<std::uint32_t>(code_->sites.size());
    if (is_strong(instruction)) instr.flags |= kStrong;
    if (ptx::is_signed(instruction.type)) instr.flags |= kSigned;
    const bool passes = instruction.space == StateSpace::param && is_passed(ptx::address_of(instruction));
    if (instruction.space == StateSpace::param && !passes && (!is_load || piece_at(index_) != 0))
      return fail(tr("an address of a parameter that is no name"));
    fill_address(ptx::address_of(instruction), instr);
    if (const auto grouped = grouped_.find(index_); grouped != grouped_.end()) {
      traits.grouped = true;
      instr.b = grouped->second.group;
      instr.c = grouped->second.above;
    }
    if (ptx::is_atomic(instruction)) return fill_atomic(instruction, instr, traits);

    std::vector<std::uint32_t> registers;
    const std::vector<ptx::Operand> single{data};
    for (const ptx::Operand& element : data.kind == Kind::vector ? data.elements : single) {
      const bool is_register = element.kind == Kind::reg;
      registers.push_back(is_load && !is_register ? kNoOperand : operand_head(element, 0, instruction.type));
      if (!is_load && registers.back() == kNoOperand) fail(tr("an element to be stored is missing"));
      const std::uint8_t bytes = is_register ? exact_bytes(element) : instr.bytes == 8 ? std::uint8_t{8} : std::uint8_t{4};
      if (traits.register_bytes != 0 && (traits.register_bytes == 8) != (bytes == 8)) fail(tr("elements of different widths"));
      if (is_register || traits.register_bytes == 0) traits.register_bytes = bytes;
    }
    if (is_load && instr.bytes > traits.register_bytes) return fail(tr("the register is narrower than what is loaded"));
    if (!is_load && instr.bytes == 8 && traits.register_bytes != 8) return fail(tr("the register is narrower than what is stored"));
    instr.register_bytes = traits.register_bytes;
    if (registers.size() == 1 && registers[0] == kNoOperand) return fail(tr("the destination is no register"));
    if (registers.size() == 1) {
      instr.d = registers[0];
    } else {
      set_more(instr, registers);
    }
    if (passes) fill_passed(instruction, instr);
  }
  /// Before a group's first load.
  void begin_loads(std::uint32_t group) {
    const LoadGroupPlan& plan = code_->load_groups[group];
    if (plan.loads.front().instruction != index_) return;
    Instr instr{.b = group, .index = index_, .flags = kHelper};
    fill_address(ptx::address_of(function().instructions[index_]), instr);
    instr.imm = plan.lowest;
    instr.run = code_->core->begin_loads(plan.in_shared, plan.bytes);
    code_->instructions.push_back(instr);
  }
  void fill_passed(const ptx::Instruction& instruction, Instr& instr) {
    const ptx::Operand& address = ptx::address_of(instruction);
    const std::uint64_t bytes = function().variables[address.variable].bytes(), accessed = std::uint64_t{instr.bytes} * instr.count;
    const auto offset = static_cast<std::uint64_t>(address.offset);
    if (instr.bytes > 8 || offset > bytes || accessed > bytes - offset) return fail(tr("it reaches past the end of the parameter"));
    instr.run = ptx::effect_of(instruction) == Effect::load ? code_->core->load_passed : code_->core->store_passed;
  }
  void fill_address(const ptx::Operand& address, Instr& instr) {
    instr.imm = address.offset;
    switch (address.address_base) {
      case Kind::reg:
        instr.a = operand_head({.kind = Kind::reg, .reg = address.reg}, 0, Type::b64);
        if (register_width(address) == 8) instr.flags |= kWideAddress;
        return;
      case Kind::variable: instr.a = variable(address, 0); break;
      case Kind::immediate: instr.a = constant(address.bits); break;
      default: return fail(tr("an address of a kind that the replay does not know"));
    }
    instr.flags |= kWideAddress;
  }
  void fill_atomic(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    const bool returns = ptx::effect_of(instruction) == Effect::atomic;
    const std::size_t first = returns ? 2 : 1;
    const Width width = width_of_type(instruction.type);
    instr.flags |= kStrong;
    if (instruction.vector > 1 || instruction.type == Type::b128) return fill_atomic_of_vector(instruction, first, instr);
    traits.register_bytes = instr.register_bytes = width == 8 ? std::uint8_t{8} : std::uint8_t{4};
    if (returns && instruction.operands[0].kind == Kind::reg) {
      instr.d = operand_head(instruction.operands[0], width, instruction.type);
      instr.flags |= kHasResult;
    } else if (returns && instruction.operands[0].kind != Kind::sink) {
      return fail(tr("the destination is no register"));
    }
    instr.b = operand_head(instruction.operands[first], width, instruction.type);
    if (instruction.atomic != ptx::AtomicOp::cas) return;  // What stands behind is a cache policy
    if (instruction.operands.size() < first + 2) return fail(tr("an operand is missing"));
    instr.c = operand_head(instruction.operands[first + 1], width, instruction.type);
  }
  /// Of several elements, or of 16 bytes, whose registers are pairs.
  void fill_atomic_of_vector(const ptx::Instruction& instruction, std::size_t first, Instr& instr) {
    const bool is_wide = instruction.type == Type::b128;
    const std::size_t n = is_wide ? 2 : instruction.vector, sources = instruction.atomic == ptx::AtomicOp::cas ? 2 : 1;
    const Width width = is_wide ? 8 : 4;
    instr.register_bytes = static_cast<std::uint8_t>(width);
    std::vector<std::uint32_t> list(n, kNoOperand);
    if (first == 2 && instruction.operands[0].kind == Kind::vector) {
      for (std::size_t k = 0; k < n; ++k) list[k] = operand_head(instruction.operands[0].elements[k], width, instruction.type);
    }
    for (std::size_t s = first; s < first + sources; ++s) {
      if (instruction.operands.size() <= s || instruction.operands[s].elements.size() != n) return fail(tr("an operand is missing"));
      for (const ptx::Operand& element : instruction.operands[s].elements) list.push_back(operand_head(element, width, instruction.type));
    }
    if (std::find(list.begin() + static_cast<std::ptrdiff_t>(n), list.end(), kNoOperand) != list.end()) return fail(tr("an operand is missing"));
    set_more(instr, list);
  }

  void fill_branch(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    const std::uint32_t target = instruction.operands[0].label;
    const std::uint32_t block = code_->flow.block_of[index_];
    traits.backward = target <= index_;
    branches_.push_back({static_cast<std::uint32_t>(code_->instructions.size()), target, block});
    if (traits.backward && !code_->has_barrier) {
      const auto& loops = code_->flow.outermost_loops;
      if (std::binary_search(loops.begin(), loops.end(), code_->flow.block_of[target])) instr.flags |= kOuterLoop;
    }
    if (!traits.conditional) return;
    instr.a = operand_head(instruction.guard, 1, Type::pred);
    if (instruction.guard.negated) instr.flags |= kNegateGuard;
  }
  void fill_indexed_branch(const ptx::Instruction& instruction, Instr& instr) {
    if (instruction.guard.kind == Kind::reg) return fail(tr("a guarded brx.idx"));
    instr.a = operand_head(instruction.operands[0], 4, Type::u32);
    std::vector<std::uint32_t> list{static_cast<std::uint32_t>(instruction.operands[1].elements.size())};
    for (const ptx::Operand& label : instruction.operands[1].elements) list.push_back(label.label);
    branches_.push_back({static_cast<std::uint32_t>(code_->instructions.size()), kNoOperand, code_->flow.block_of[index_]});
    indexed_.push_back({static_cast<std::uint32_t>(code_->instructions.size()), static_cast<std::uint32_t>(code_->operand_lists.size())});
    set_more(instr, list);
  }

  void fill_barrier(const ptx::Instruction& instruction, Instr& instr) {
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

  void fill_move(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    const ptx::Operand &to = instruction.operands[0], &from = instruction.operands[1];
    if (to.kind == Kind::vector && from.kind == Kind::vector) return fill_move_of_pair(instruction, instr, traits);
    if (to.kind == Kind::vector || from.kind == Kind::vector) {
      const ptx::Operand &elements = to.kind == Kind::vector ? to : from, &whole = to.kind == Kind::vector ? from : to;
      const std::size_t n = elements.elements.size();
      const int bytes = ptx::size_of(instruction.type);
      if (bytes > 8 || n == 0 || bytes % static_cast<int>(n) != 0) return fail(tr("the replay does not run this form of the instruction"));
      instr.bytes = static_cast<std::uint8_t>(bytes / static_cast<int>(n));
      instr.count = static_cast<std::uint8_t>(n);
      instr.register_bytes = static_cast<std::uint8_t>(bytes);
      const Type part = instr.bytes == 4 ? Type::b32 : instr.bytes == 2 ? Type::b16 : Type::b8;
      std::vector<std::uint32_t> list;
      for (const ptx::Operand& element : elements.elements) list.push_back(operand_head(element, instr.bytes == 8 ? 8 : 4, part));
      set_more(instr, list);
      const std::uint32_t head = operand_head(whole, bytes == 8 ? 8 : 4, instruction.type);
      if (head == kNoOperand) return fail(tr("an operand is missing"));
      (to.kind == Kind::vector ? instr.a : instr.d) = head;
      (to.kind == Kind::vector ? traits.unpack : traits.pack) = static_cast<std::uint8_t>(n);
      if (traits.pack != 0 && std::find(list.begin(), list.end(), kNoOperand) != list.end()) fail(tr("an operand is missing"));
      return;
    }
    if (to.kind != Kind::reg) return fail(tr("the destination is no register"));
    const Width width = register_width(to);
    instr.d = operand_head(to, width, instruction.type);
    traits.register_bytes = instr.register_bytes = exact_bytes(to);
    if (from.kind == Kind::special && fill_clock(from.special, instr, traits)) return;
    instr.a = operand_head(from, width, width == 8 && ptx::size_of(instruction.type) != 8 ? Type::b64 : instruction.type);
    if (instr.a == kNoOperand) fail(tr("an operand is missing"));
    if (from.negated) instr.flags |= kNegateGuard;
  }
  /// mov.b128, whose registers are pairs here: see split_wide_registers.
  void fill_move_of_pair(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
    std::vector<std::uint32_t> list;
    for (const ptx::Operand& operand : instruction.operands) {
      if (instruction.type != Type::b128 || operand.elements.size() != 2) return refuse(instruction);
      for (const ptx::Operand& element : operand.elements) list.push_back(operand_head(element, 8, Type::b64));
    }
    if (list[2] == kNoOperand || list[3] == kNoOperand) return fail(tr("an operand is missing"));
    traits.pack = traits.unpack = 2;
    set_more(instr, list);
  }
  static bool fill_clock(ptx::SpecialRegister which, Instr& instr, Traits& traits) {
    using S = ptx::SpecialRegister;
    if (which != S::clock && which != S::clock_hi && which != S::clock64 && which != S::globaltimer) return false;
    traits.clock = true;
    instr.imm = which == S::clock_hi ? 1 : 0;
    return true;
  }

  /// What set leaves where the comparison holds: 1.0, or all ones.
  static std::int64_t one_of(Type type) {
    switch (type) {
      case Type::f32: return 0x3f800000;
      case Type::f16: return 0x3c00;
      case Type::f16x2: return 0x3c003c00;
      case Type::bf16: return 0x3f80;
      case Type::bf16x2: return 0x3f803f80;
      case Type::u16:
      case Type::s16: return 0xffff;
      default: return 0xffffffff;
    }
  }

  void fill_comparison(const ptx::Instruction& instruction, Instr& instr) {
    const bool paired = instruction.paired_destination;
    const std::size_t first = paired ? 2 : 1;
    instr.d = destination(instruction, 0);
    const Type type = instruction.opcode == Opcode::set ? instruction.source_type : instruction.type;
    instr.a = operand_head(instruction.operands[first], width_of_type(type), type);
    instr.b = operand_head(instruction.operands[first + 1], width_of_type(type), type);
    if (instr.a == kNoOperand || instr.b == kNoOperand) return fail(tr("an operand is missing"));
    const bool combined = instruction.operands.size() > first + 2;
    if (combined || paired || instr.d == kNoOperand) {
      const std::uint32_t other = combined ? operand_head(instruction.operands[first + 2], 1, Type::pred) : kNoOperand;
      set_more(instr, {paired ? destination(instruction, 1) : kNoOperand, other});
      if (combined && instruction.operands[first + 2].negated) instr.flags |= kSecondNegated;
      instr.detail = static_cast<std::uint8_t>(combined ? instruction.bool_op : ptx::BoolOp::none);
    }
    if (instruction.opcode == Opcode::set && instr.d == kNoOperand) return fail(tr("the destination is no register"));
    if (instruction.opcode == Opcode::set) instr.imm = one_of(instruction.type);
  }

  void fill_shuffle(const ptx::Instruction& instruction, Instr& instr) {
    const std::size_t first = instruction.paired_destination ? 2 : 1;
    instr.d = destination(instruction, 0);
    instr.a = source(instruction, first);
    instr.b = source(instruction, first + 1);
    const std::uint32_t c = source(instruction, first + 2);
    const std::uint32_t mask = instruction.sync ? operand_head(instruction.operands.back(), 4, Type::b32) : constant(0xffffffffu);
    set_more(instr, {c, mask, instruction.paired_destination ? destination(instruction, 1) : kNoOperand});
  }
  void fill_warp(const ptx::Instruction& instruction, Instr& instr) {
    const std::size_t first = instruction.paired_destination ? 2 : 1;
    const std::size_t last = instruction.operands.size() - 1;
    instr.d = destination(instruction, 0);
    const bool has_mask = instruction.opcode != Opcode::vote || instruction.sync;
    if (instruction.opcode != Opcode::elect) instr.a = source(instruction, first);
    instr.b = has_mask ? operand_head(instruction.operands[last], 4, Type::b32) : constant(0xffffffffu);
    if (negated(instruction, first)) instr.flags |= kSecondNegated;
    if (instruction.opcode == Opcode::match || instruction.opcode == Opcode::elect) {
      set_more(instr, {instruction.paired_destination ? destination(instruction, 1) : kNoOperand});
    } else if (instr.d == kNoOperand) {
      fail(tr("the destination is no register"));
    }
  }

  void fill_cvta(const ptx::Instruction& instruction, Instr& instr) {
    const StateSpace space = instruction.space == StateSpace::generic ? instruction.to_space : instruction.space;
    instr.d = destination(instruction, 0);
    if (instr.d == kNoOperand || ptx::size_of(instruction.type) != 8) return fail(tr("the replay does not run this form of the instruction"));
    instr.a = operand_head(instruction.operands[1], 8, Type::b64);
    switch (space) {
      case StateSpace::shared: instr.imm = static_cast<std::int64_t>(kSharedWindow); break;
      case StateSpace::local: instr.imm = static_cast<std::int64_t>(kLocalWindow); break;
      case StateSpace::constant: instr.imm = static_cast<std::int64_t>(kConstantWindow); break;
      case StateSpace::param: instr.imm = static_cast<std::int64_t>(kParameterWindow); break;
      default: instr.imm = 0; break;
    }
  }

  /// Addresses are known now: branch targets, joins, operand lists.
  void link() {
    auto& instructions = code_->instructions;
    for (const auto& [at, list] : indexed_) {
      const std::uint32_t n = code_->operand_lists[list];
      for (std::uint32_t k = 0; k < n; ++k) code_->operand_lists[list + 1 + k] = position_[code_->operand_lists[list + 1 + k]] - at;
    }
    for (const auto& [at, list] : more_of_) instructions[at].more = code_->operand_lists.data() + list;
    for (const Branch& branch : branches_) {
      Instr& instr = instructions[branch.at];
      if (branch.target != kNoOperand) instr.target = instructions.data() + position_[branch.target];
      const std::uint32_t join = code_->flow.blocks[branch.block].immediate_post_dominator;
      if (join != ptx::kNoBlock) instr.join = instructions.data() + position_[code_->flow.blocks[join].first];
    }
  }

  struct Branch {
    std::uint32_t at, target, block;
  };
  struct Grouped {
    std::uint32_t group, above;
  };

  std::shared_ptr<Program::Code> code_;
  Linked linked_;  ///< Its function and flow are in code_
  RegisterSlots slots_;
  std::vector<std::uint64_t> variable_address_;
  std::vector<std::uint32_t> first_site_, position_;
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constants_;
  std::map<std::pair<ptx::SpecialRegister, Width>, std::uint32_t> specials_;
  std::map<std::uint32_t, Grouped> grouped_;  ///< By PTX instruction
  std::uint32_t condition_code_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> more_of_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> indexed_;
  std::vector<Branch> branches_;
  std::string reason_;
  RefusalKind kind_ = RefusalKind::form;  ///< Of reason_
  std::uint32_t index_ = 0;
};

}  // namespace

Result<Program> Program::decode(const ptx::Module& module, const std::string& entry) {
  const ptx::Function* function = module.find_entry(entry);
  if (function == nullptr) {
    std::string names;
    for (const ptx::Function& f : module.functions) {
      if (f.is_entry) names += fmt::format("{}{}", names.empty() ? "" : ", ", f.plain_name);
    }
    return Error{tr("there is no kernel `{kernel}`, or several of that name", "kernel"_a = entry), module.name,
                 names.empty() ? tr("The file holds no kernel.")
                               : tr("Its kernels are {kernels}; give the mangled name if a plain one is not unique.", "kernels"_a = names)};
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
  return Inspection{.unsupported = std::move((*code)->unsupported), .static_shared_bytes = (*code)->shared.bytes};
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
