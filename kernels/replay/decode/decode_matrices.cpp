// Products of matrices: mma, mma.sp and wmma.mma.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>

#include "kernels/base/texts.h"
#include "kernels/replay/decode/decoder.h"
#include "kernels/replay/decode/warpgroup_flags.h"
#include "kernels/tensor/fragment_access.h"
#include "kernels/tensor/mma_plan.h"

namespace warplens::replay {
namespace {

/// What of an instruction decides how its product is computed, beside the GPU.
auto form_of(const ptx::Instruction& i) {
  const std::uint64_t selector = tensor::is_sparse(i) ? i.operands[5].bits : 0;
  return std::tuple(i.opcode, i.type, i.source_type, i.b_type, i.c_type, i.m, i.n, i.k, i.by_columns,
                    i.sat_finite, i.bool_op, i.rounding, selector);
}

}  // namespace

void Decoder::fill_product(const ptx::Instruction& instruction, Instr& instr) {
  constexpr int kAnyCapability = 90;  // Which forms there are does not depend on it
  const std::optional<tensor::MmaForm> form = tensor::MmaForm::of(instruction, kAnyCapability);
  if (!form) return refuse(instruction);
  const auto& instructions = function().instructions;
  auto& products = code_->products;
  const auto same = std::ranges::find_if(
      products, [&](std::uint32_t p) { return form_of(instructions[p]) == form_of(instruction); });
  instr.imm = same - products.begin();
  if (same == products.end()) products.push_back(index_);
  instr.run = code_->core->multiply_matrices;

  constexpr tensor::MatrixRole kRoles[] = {tensor::MatrixRole::d, tensor::MatrixRole::a,
                                           tensor::MatrixRole::b, tensor::MatrixRole::c};
  const tensor::HeldMatrix held[] = {form->plan().d, form->plan().a, form->plan().b, form->plan().c};
  std::vector<std::uint32_t> registers;
  for (std::size_t k = 0; k < std::size(kRoles); ++k) {
    const ptx::Operand& operand = instruction.operands[k];
    const bool is_wide = held[k].bits == 64;
    const std::span<const ptx::Operand> elements = operand.kind == Kind::vector
                                                       ? std::span<const ptx::Operand>(operand.elements)
                                                       : std::span(&operand, 1);
    if (elements.size() != static_cast<std::size_t>(tensor::registers_of(instruction, kRoles[k])))
      return refuse(instruction);
    const Type type = is_wide                                                     ? Type::f64
                      : tensor::element_type(instruction, kRoles[k]) == Type::f32 ? Type::f32
                                                                                  : Type::b32;
    for (std::size_t e = 0; e < held[k].registers; ++e) {
      registers.push_back(operand_head(elements[e], is_wide ? 8 : 4, type));
      if (registers.back() == kNoOperand && k != 0) fail(tr("an operand is missing"));
    }
  }
  if (tensor::is_sparse(instruction)) {
    registers.push_back(operand_head(instruction.operands[4], 4, Type::b32));
    if (registers.back() == kNoOperand) fail(tr("an operand is missing"));
  }
  set_more(instr, registers);
}

void Decoder::fill_fragment(const ptx::Instruction& instruction, Instr& instr) {
  std::optional<tensor::FragmentAccess> access = tensor::fragment_access_of(instruction);
  if (!access) return refuse(instruction);
  const bool loads = ptx::effect_of(instruction) == Effect::load_fragment;
  const ptx::Operand& data = ptx::data_of(instruction);
  const std::span<const ptx::Operand> elements =
      data.kind == Kind::vector ? std::span<const ptx::Operand>(data.elements) : std::span(&data, 1);
  if (elements.size() != static_cast<std::size_t>(tensor::fragment_registers(instruction)))
    return refuse(instruction);
  instr.shape = AccessShape::fragment;
  instr.bytes = access->piece_bytes;
  instr.register_bytes = 0;
  instr.space = static_cast<std::uint8_t>(instruction.space);
  instr.site = first_site_[index_];
  fill_address(ptx::address_of(instruction), instr);
  instr.b =
      instruction.operands.size() > 2 ? operand_head(instruction.operands[2], 4, Type::u32) : kNoOperand;
  const bool is_wide = access->register_bytes == 8;
  const Type type = is_wide ? Type::f64 : instruction.type == Type::f32 ? Type::f32 : Type::b32;
  const auto place = reinterpret_cast<std::uintptr_t>(
      code_->fragment_accesses
          .emplace_back(std::make_shared<const tensor::FragmentAccess>(*std::move(access)))
          .get());
  std::vector<std::uint32_t> list{static_cast<std::uint32_t>(place),
                                  static_cast<std::uint32_t>(std::uint64_t{place} >> 32)};
  for (const ptx::Operand& element : elements) {
    list.push_back(operand_head(element, is_wide ? 8 : 4, type));
    if (list.back() == kNoOperand && !loads) fail(tr("an element to be stored is missing"));
  }
  instr.c = static_cast<std::uint32_t>(elements.size());
  set_more(instr, list);
}

/// wgmma.mma_async d, a | descriptor of a, descriptor of b{, metadata, selector}, whether C counts{, scales
/// of a and b{, whether a and b are MN-major}}. Instr::more: see WarpgroupOperands.
void Decoder::fill_warpgroup_product(const ptx::Instruction& instruction, Instr& instr) {
  const std::optional<tensor::MmaForm> form = tensor::MmaForm::of_warpgroup(instruction);
  if (!form) return refuse(instruction);
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const std::optional<WarpgroupFlags> flags = warpgroup_flags_of(instruction);
  if (!flags) return refuse(instruction);
  const bool is_in_registers = flags->a_is_in_registers;
  const bool is_sparse = flags->is_sparse;
  const std::size_t of_c = is_sparse ? 5 : 3;

  const auto form_of_product = [](const ptx::Instruction& i) {
    return std::tuple(i.opcode, i.type, i.source_type, i.b_type, i.n, i.sat_finite, i.bool_op,
                      i.operands[1].kind == Kind::vector,
                      i.opcode == Opcode::wgmma_mma_async_sp ? i.operands[4].bits : 0);
  };
  const auto& instructions = function().instructions;
  auto& products = code_->products;
  const auto same = std::ranges::find_if(products, [&](std::uint32_t p) {
    return instructions[p].opcode == instruction.opcode &&
           form_of_product(instructions[p]) == form_of_product(instruction);
  });
  instr.imm = same - products.begin();
  if (same == products.end()) products.push_back(index_);

  const std::span<const ptx::Operand> d = operands[0].kind == Kind::vector
                                              ? std::span<const ptx::Operand>(operands[0].elements)
                                              : std::span(&operands[0], 1);
  instr.count = static_cast<std::uint8_t>(instruction.n / 8);
  if (d.size() != std::size_t{form->plan().d.registers} * instr.count) return refuse(instruction);
  const bool takes_c = operands[of_c].kind == Kind::reg;
  if (!takes_c && operands[of_c].kind != Kind::immediate) return refuse(instruction);
  std::vector<std::uint32_t> list{flags->bits(), operand_head(operands[of_c], 1, Type::pred),
                                  is_in_registers ? kNoOperand : operand_head(operands[1], 8, Type::b64),
                                  operand_head(operands[2], 8, Type::b64),
                                  is_sparse ? operand_head(operands[3], 4, Type::b32) : kNoOperand};
  const Type register_type = instruction.type == Type::f32 ? Type::f32 : Type::b32;
  for (const ptx::Operand& element : d) list.push_back(operand_head(element, 4, register_type));
  if (is_in_registers) {
    if (operands[1].elements.size() != form->plan().a.registers) return refuse(instruction);
    for (const ptx::Operand& element : operands[1].elements)
      list.push_back(operand_head(element, 4, Type::b32));
  }
  instr.bytes = 16;  // Of a piece
  instr.register_bytes = 0;
  instr.site = first_site_[index_];
  instr.run = code_->core->multiply_in_warpgroup;
  set_more(instr, list);
}

/// Products are computed where they are issued. What waits for them ends their reads of shared memory.
void Decoder::fill_warpgroup_order(const ptx::Instruction& instruction, Instr& instr) {
  if (instruction.opcode == Opcode::wgmma_wait_group && instruction.operands[0].kind != Kind::immediate)
    return refuse(instruction);
  instr.run = instruction.opcode == Opcode::wgmma_commit_group ? commit_products
              : instruction.opcode == Opcode::wgmma_wait_group ? wait_for_products
                                                               : nop;
  if (instruction.opcode == Opcode::wgmma_wait_group)
    instr.imm = static_cast<std::int64_t>(instruction.operands[0].bits);
}

}  // namespace warplens::replay
