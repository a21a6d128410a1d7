// Loads, stores, atomics.
#include "kernels/replay/decode/decoder.h"

#include <algorithm>

#include "kernels/base/texts.h"

namespace warplens::replay {

void Decoder::group_loads() {
  code_->load_groups = find_load_groups(function(), code_->flow);
  for (std::uint32_t g = 0; g < code_->load_groups.size(); ++g) {
    LoadGroupPlan& plan = code_->load_groups[g];
    for (LoadGroupPlan::Load& load : plan.loads) {
      load.site = first_site_[load.instruction];
      grouped_.emplace(load.instruction, Grouped{g, load.above});
    }
  }
}

void Decoder::fill_access(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  const bool is_load = ptx::effect_of(instruction) == Effect::load;
  const ptx::Operand& data = ptx::data_of(instruction);
  instr.bytes = static_cast<std::uint8_t>(ptx::size_of(instruction.type));
  instr.count = instruction.vector;
  instr.type = static_cast<std::uint8_t>(instruction.type);
  instr.detail = static_cast<std::uint8_t>(instruction.atomic);
  instr.space = static_cast<std::uint8_t>(instruction.space);
  instr.site = first_site_[index_] != kNoOperand ? first_site_[index_]
                                                 : static_cast<std::uint32_t>(code_->sites.size());
  // access_asynchronously executes them as st and red.
  if (instruction.opcode == Opcode::st_async) traits.opcode = Opcode::st;
  if (instruction.opcode == Opcode::red_async) traits.opcode = Opcode::red;
  if (is_strong(instruction)) instr.flags |= kStrong;
  if (ptx::is_signed(instruction.type)) instr.flags |= kSigned;
  const bool passes = instruction.space == StateSpace::param && is_call_param(ptx::address_of(instruction));
  if (instruction.space == StateSpace::param && !passes && (!is_load || piece_at(index_) != 0))
    return fail(tr("the address of a parameter is not a name"));
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
    const std::uint8_t bytes = is_register        ? exact_bytes(element)
                               : instr.bytes == 8 ? std::uint8_t{8}
                                                  : std::uint8_t{4};
    if (traits.register_bytes != 0 && (traits.register_bytes == 8) != (bytes == 8))
      fail(tr("elements of different widths"));
    if (is_register || traits.register_bytes == 0) traits.register_bytes = bytes;
  }
  if (is_load && instr.bytes > traits.register_bytes)
    return fail(tr("the register is narrower than what is loaded"));
  if (!is_load && instr.bytes == 8 && traits.register_bytes != 8)
    return fail(tr("the register is narrower than what is stored"));
  instr.register_bytes = traits.register_bytes;
  if (registers.size() == 1 && registers[0] == kNoOperand)
    return fail(tr("the destination is not a register"));
  if (registers.size() == 1) {
    instr.d = registers[0];
  } else {
    set_more(instr, registers);
  }
  if (passes) fill_call_param(instruction, instr);
}

void Decoder::fill_matrices(const ptx::Instruction& instruction, Instr& instr) {
  const ptx::Operand& data = ptx::data_of(instruction);
  const bool is_plain =
      instruction.type == Type::b16 && data.kind == Kind::vector;  // Of m8n8: other shapes are unknown
  const bool may_be_shared =
      instruction.space == StateSpace::shared || instruction.space == StateSpace::generic;
  if (!is_plain || !may_be_shared || data.elements.size() != instruction.matrices) return refuse(instruction);
  instr.bytes = 4;
  instr.count = 4;
  instr.register_bytes = 0;
  instr.detail = instruction.matrices;
  instr.space = static_cast<std::uint8_t>(instruction.space);
  instr.site = first_site_[index_];
  if (instruction.transposed) instr.flags |= kTransposed;
  fill_address(ptx::address_of(instruction), instr);
  std::vector<std::uint32_t> registers;
  for (const ptx::Operand& element : data.elements) {
    registers.push_back(operand_head(element, 4, Type::b32));
    const bool is_stored = ptx::effect_of(instruction) == Effect::store_matrices;
    if (is_stored && registers.back() == kNoOperand) fail(tr("an element to be stored is missing"));
  }
  set_more(instr, registers);
}

/// cp.async [shared], [global], bytes{, bytes that are read | predicate: none are}{, cache policy}
void Decoder::fill_copy(const ptx::Instruction& instruction, Instr& instr) {
  const std::uint64_t bytes = instruction.operands[2].bits;
  const bool is_plain = instruction.operands[2].kind == Kind::immediate &&
                        (bytes == 4 || bytes == 8 || bytes == 16) && instruction.space == StateSpace::shared;
  if (!is_plain) return refuse(instruction);
  instr.shape = AccessShape::copy;
  instr.bytes = static_cast<std::uint8_t>(bytes);
  instr.register_bytes = 0;
  instr.space = static_cast<std::uint8_t>(StateSpace::global);
  instr.site = first_site_[index_];
  Instr to{};
  fill_address(instruction.operands[0], to);
  fill_address(instruction.operands[1], instr);
  instr.b = to.a;
  instr.c = instr.d = kNoOperand;
  if (const ptx::Operand size = ptx::read_bytes_of(instruction); size.kind != Kind::none) {
    const bool is_predicate = size.kind == Kind::reg && register_width(size) == 1;
    (is_predicate ? instr.d : instr.c) = operand_head(size, is_predicate ? 1 : 4, Type::u32);
    if (is_predicate && size.negated) instr.flags |= kSecondNegated;
  }
  const auto offset = static_cast<std::uint64_t>(to.imm);
  set_more(instr, {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32),
                   static_cast<std::uint32_t>(to.flags & kWideAddress)});
}

/// Instr::imm: how many groups may be left in flight; less than 0: what belongs to none lands too.
void Decoder::fill_copy_order(const ptx::Instruction& instruction, Instr& instr) {
  const bool is_bulk = instruction.opcode == Opcode::cp_async_bulk_commit_group ||
                       instruction.opcode == Opcode::cp_async_bulk_wait_group ||
                       instruction.opcode == Opcode::cp_async_bulk_wait_group_read;
  if (instruction.opcode == Opcode::cp_async_commit_group ||
      instruction.opcode == Opcode::cp_async_bulk_commit_group) {
    instr.run = is_bulk ? commit_bulk_copies : commit_copies;
    return;
  }
  instr.imm = -1;
  if (instruction.opcode != Opcode::cp_async_wait_all) {
    if (instruction.operands[0].kind != Kind::immediate) return refuse(instruction);
    instr.imm = static_cast<std::int64_t>(instruction.operands[0].bits);
  }
  instr.run = is_bulk ? wait_for_bulk_copies : wait_for_copies;
}

/// Instr::b: the count, bytes, state or parity; none where a count is left out. Of a time limit the replay
/// needs nothing.
void Decoder::fill_mbarrier(const ptx::Instruction& instruction, Instr& instr) {
  const std::size_t address = ptx::count_destinations(instruction);
  instr.run = run_mbarrier;
  instr.space = static_cast<std::uint8_t>(instruction.space);
  instr.b = instr.d = kNoOperand;
  fill_address(instruction.operands[address], instr);
  if (address > 0) instr.d = destination(instruction, 0);
  if (instruction.operands.size() > address + 1) instr.b = source(instruction, address + 1);
}

void Decoder::begin_loads(std::uint32_t group) {
  if (begun_[group]) return;
  begun_[group] = true;
  const LoadGroupPlan& plan = code_->load_groups[group];
  const std::uint32_t first = plan.loads.front().instruction;
  Instr instr{.b = group, .index = index_, .flags = kHelper};
  fill_address(ptx::address_of(function().instructions[first]), instr);
  instr.imm = plan.lowest;
  instr.run = code_->core->begin_loads(plan.in_shared, plan.bytes);
  code_->instructions.push_back(instr);
}

void Decoder::find_sums() {
  begun_.resize(code_->load_groups.size());
  for (ProductSumPlan& sum : find_product_sums(function(), code_->flow, code_->load_groups))
    sums_.emplace(sum.first, std::move(sum));
}

void Decoder::begin_sum(const ProductSumPlan& sum) {
  begin_loads(sum.x_group);
  begin_loads(sum.y_group);
  const auto& instructions = function().instructions;
  const Width width = sum.wide ? 8 : 4;
  Instr instr{.b = sum.x_group, .c = sum.y_group, .index = index_, .flags = kHelper};
  instr.a = operand_head(instructions[sum.addend].operands[3], width, instructions[sum.addend].type);
  instr.d = operand_head(instructions[sum.last].operands[0], width, instructions[sum.last].type);
  if (!reason_.empty()) return reason_.clear();  // The multiply-add will say so
  instr.run = code_->core->add_up(sum.wide);
  std::vector<std::uint32_t> list{static_cast<std::uint32_t>(sum.products.size())};
  for (const ProductSumPlan::Product& product : sum.products)
    list.insert(list.end(), {product.x_above, product.y_above});
  set_more(instr, list);
  fused_ends_.emplace_back(static_cast<std::uint32_t>(code_->instructions.size()), sum.end);
  code_->instructions.push_back(instr);
}

void Decoder::fill_call_param(const ptx::Instruction& instruction, Instr& instr) {
  const ptx::Operand& address = ptx::address_of(instruction);
  const std::uint64_t bytes = function().variables[address.variable].bytes(),
                      accessed = std::uint64_t{instr.bytes} * instr.count;
  const auto offset = static_cast<std::uint64_t>(address.offset);
  if (instr.bytes > 8 || offset > bytes || accessed > bytes - offset)
    return fail(tr("it reaches past the end of the parameter"));
  instr.run = ptx::effect_of(instruction) == Effect::load ? code_->core->load_call_param
                                                          : code_->core->store_call_param;
}

void Decoder::fill_address(const ptx::Operand& address, Instr& instr) {
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

void Decoder::fill_atomic(const ptx::Instruction& instruction, Instr& instr, Traits& traits) {
  const bool returns = ptx::effect_of(instruction) == Effect::atomic;
  const std::size_t first = returns ? 2 : 1;
  const Width width = width_of_type(instruction.type);
  instr.flags |= kStrong;
  if (instruction.vector > 1 || instruction.type == Type::b128)
    return fill_atomic_of_vector(instruction, first, instr);
  traits.register_bytes = instr.register_bytes = width == 8 ? std::uint8_t{8} : std::uint8_t{4};
  if (returns && instruction.operands[0].kind == Kind::reg) {
    instr.d = operand_head(instruction.operands[0], width, instruction.type);
    instr.flags |= kHasResult;
  } else if (returns && instruction.operands[0].kind != Kind::sink) {
    return fail(tr("the destination is not a register"));
  }
  instr.b = operand_head(instruction.operands[first], width, instruction.type);
  if (instruction.atomic != ptx::AtomicOp::cas) return;  // What stands behind is a cache policy
  if (instruction.operands.size() < first + 2) return fail(tr("an operand is missing"));
  instr.c = operand_head(instruction.operands[first + 1], width, instruction.type);
}

void Decoder::fill_atomic_of_vector(const ptx::Instruction& instruction, std::size_t first, Instr& instr) {
  const bool is_wide = instruction.type == Type::b128;
  const std::size_t n = is_wide ? 2 : instruction.vector,
                    sources = instruction.atomic == ptx::AtomicOp::cas ? 2 : 1;
  const Width width = is_wide ? 8 : 4;
  instr.register_bytes = static_cast<std::uint8_t>(width);
  std::vector<std::uint32_t> list(n, kNoOperand);
  if (first == 2 && instruction.operands[0].kind == Kind::vector) {
    for (std::size_t k = 0; k < n; ++k)
      list[k] = operand_head(instruction.operands[0].elements[k], width, instruction.type);
  }
  for (std::size_t s = first; s < first + sources; ++s) {
    if (instruction.operands.size() <= s || instruction.operands[s].elements.size() != n)
      return fail(tr("an operand is missing"));
    for (const ptx::Operand& element : instruction.operands[s].elements)
      list.push_back(operand_head(element, width, instruction.type));
  }
  if (std::find(list.begin() + static_cast<std::ptrdiff_t>(n), list.end(), kNoOperand) != list.end())
    return fail(tr("an operand is missing"));
  set_more(instr, list);
}

}  // namespace warplens::replay
