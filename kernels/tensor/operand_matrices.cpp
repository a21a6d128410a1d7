#include "kernels/tensor/operand_matrices.h"

#include <cstdint>
#include <numeric>
#include <span>

#include "kernels/base/dim3.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/tensor/fragment_access.h"
#include "kernels/tensor/mma_plan.h"

namespace warplens::tensor {
namespace {

using ptx::Effect;
using ptx::Opcode;

std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::vector ? std::span<const ptx::Operand>(operand.elements)
                                                    : std::span(&operand, 1);
}

std::vector<ptx::Operand> first_of(std::span<const ptx::Operand> elements, std::size_t count) {
  const auto some = elements.first(std::min(count, elements.size()));
  return {some.begin(), some.end()};
}

/// Lane l holds elements 2 (l % 4) and the next of row l / 4, or of column l / 4 where rows and columns are
/// exchanged. PTX ISA, "ldmatrix".
Fragment eight_by_eight(bool is_transposed) {
  constexpr int kSide = 8;
  Fragment fragment{.registers = 1, .element_bits = 16, .rows = kSide, .columns = kSide};
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) {
      const int across = is_transposed ? column : row, along = is_transposed ? row : column;
      fragment.places.push_back(static_cast<std::uint16_t>(2 * (4 * across + along / 2) + along % 2));
    }
  }
  return fragment;
}

std::vector<OperandMatrix> of_product(const ptx::Instruction& instruction) {
  constexpr int kAnyCapability = 90;  // Which forms there are does not depend on it
  if (!MmaForm::of(instruction, kAnyCapability)) return {};
  constexpr std::pair<char, MatrixRole> kRoles[] = {
      {'D', MatrixRole::d}, {'A', MatrixRole::a}, {'B', MatrixRole::b}, {'C', MatrixRole::c}};
  std::vector<OperandMatrix> matrices;
  for (const auto& [name, role] : kRoles) {
    Fragment fragment = fragment_of(instruction, role);
    const auto elements = elements_of(instruction.operands[matrices.size()]);
    std::vector<ptx::Operand> registers = first_of(elements, fragment.registers);
    matrices.push_back({.name = name,
                        .is_written = role == MatrixRole::d,
                        .type = element_type(instruction, role),
                        .fragment = std::move(fragment),
                        .registers = std::move(registers)});
  }
  return matrices;
}

/// A matrix in shared memory, as an execution keeps it: row by row.
Fragment row_by_row(std::size_t rows, std::size_t columns, const HeldMatrix& held) {
  constexpr std::size_t kBitsOfRegister = std::size_t{32} * kWarpSize;
  Fragment fragment{.registers = static_cast<std::uint8_t>(rows * columns * held.bits / kBitsOfRegister),
                    .element_bits = held.bits,
                    .rows = static_cast<std::uint16_t>(rows),
                    .columns = static_cast<std::uint16_t>(columns)};
  fragment.places.resize(rows * columns);
  std::iota(fragment.places.begin(), fragment.places.end(), std::uint16_t{0});
  return fragment;
}

/// `tiles` matrices of the same kind side by side, each in registers of its own.
Fragment side_by_side(std::size_t rows, std::size_t columns, std::size_t tiles, const HeldMatrix& held) {
  const std::size_t places_of_tile = std::size_t{held.registers} * kWarpSize * 32 / held.bits;
  Fragment fragment{.registers = static_cast<std::uint8_t>(held.registers * tiles),
                    .element_bits = held.bits,
                    .rows = static_cast<std::uint16_t>(rows),
                    .columns = static_cast<std::uint16_t>(columns * tiles)};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns * tiles; ++column) {
      const std::size_t in_tile = held.places[row * columns + column % columns];
      fragment.places.push_back(static_cast<std::uint16_t>(in_tile + column / columns * places_of_tile));
    }
  }
  return fragment;
}

/// wgmma.mma_async d, a, b, whether C counts{, scales of a and b{, whether a and b are MN-major}}.
std::vector<OperandMatrix> of_warpgroup(const ptx::Instruction& instruction) {
  const auto form = MmaForm::of_warpgroup(instruction);
  const std::vector<ptx::Operand>& operands = instruction.operands;
  constexpr std::size_t kScales = 4;
  const bool is_sparse = instruction.opcode == Opcode::wgmma_mma_async_sp;  // Their metadata has no picture
  if (!form || operands.size() < kScales || is_sparse) return {};
  const MmaPlan& plan = form->plan();
  const std::size_t tiles = instruction.n / plan.n;
  const bool is_a_in_registers = operands[1].kind == ptx::Operand::Kind::vector,
             has_scales = instruction.type != ptx::Type::s32;
  const auto is_negated = [&](std::size_t k) {
    return has_scales && k < operands.size() && static_cast<std::int64_t>(operands[k].bits) < 0;
  };
  const std::size_t layouts = kScales + (has_scales ? 2 : 0);
  const auto elements = elements_of(operands[0]);
  const OperandMatrix d{.name = 'D',
                        .is_written = true,
                        .type = instruction.type,
                        .fragment = side_by_side(plan.m, plan.n, tiles, plan.d),
                        .registers = {elements.begin(), elements.end()}};
  OperandMatrix c = d;
  c.name = 'C';
  c.is_written = false;
  OperandMatrix a{.name = 'A',
                  .type = instruction.source_type,
                  .fragment = is_a_in_registers ? side_by_side(plan.m, plan.terms, 1, plan.a)
                                                : row_by_row(plan.m, plan.terms, plan.a),
                  .registers = {},
                  .is_negated = is_negated(kScales)};
  OperandMatrix b{
      .name = 'B',
      .type = instruction.b_type == ptx::Type::none ? instruction.source_type : instruction.b_type,
      .fragment = row_by_row(plan.terms, instruction.n, plan.b),
      .registers = {},
      .descriptor = operands[2],
      .is_mn_major = operands.size() > layouts && operands.back().bits != 0,
      .is_negated = is_negated(kScales + 1)};
  if (is_a_in_registers) {
    a.registers = operands[1].elements;
  } else {
    a.descriptor = operands[1];
    a.is_mn_major = operands.size() > layouts && operands[layouts].bits != 0;
  }
  return {d, std::move(a), std::move(b), std::move(c)};
}

std::vector<OperandMatrix> of_rows(const ptx::Instruction& instruction, bool is_written) {
  const auto elements = elements_of(ptx::data_of(instruction));
  if (elements.size() != instruction.matrices || instruction.type != ptx::Type::b16) return {};
  std::vector<OperandMatrix> matrices;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    matrices.push_back({.name = static_cast<char>('0' + k),
                        .is_written = is_written,
                        .type = instruction.type,
                        .fragment = eight_by_eight(instruction.transposed),
                        .registers = {elements[k]}});
  }
  return matrices;
}

std::vector<OperandMatrix> of_transposition(const ptx::Instruction& instruction) {
  if (instruction.type != ptx::Type::b16) return {};
  return {{.name = 'D',
           .is_written = true,
           .type = instruction.type,
           .fragment = eight_by_eight(false),
           .registers = {instruction.operands[0]}},
          {.name = 'A',
           .is_written = false,
           .type = instruction.type,
           .fragment = eight_by_eight(false),
           .registers = {instruction.operands[1]}}};
}

std::vector<OperandMatrix> of_access(const ptx::Instruction& instruction, bool is_written) {
  std::optional<Fragment> fragment = accessed_fragment(instruction);
  if (!fragment) return {};
  constexpr char kNames[] = {'A', 'B', 'C', 'D'};  // By MatrixRole
  std::vector<ptx::Operand> registers = first_of(elements_of(ptx::data_of(instruction)), fragment->registers);
  return {{.name = kNames[static_cast<std::size_t>(accessed_role(instruction))],
           .is_written = is_written,
           .type = instruction.type,
           .fragment = *std::move(fragment),
           .registers = std::move(registers)}};
}

std::vector<OperandMatrix> of_any(const ptx::Instruction& instruction) {
  if (ptx::is_product_of_matrices(instruction)) return of_product(instruction);
  if (instruction.opcode == Opcode::movmatrix) return of_transposition(instruction);
  const Effect effect = ptx::effect_of(instruction);
  if (effect == Effect::warpgroup_product) return of_warpgroup(instruction);
  if (effect == Effect::load_matrices) return of_rows(instruction, true);
  if (effect == Effect::store_matrices) return of_rows(instruction, false);
  if (effect == Effect::load_fragment) return of_access(instruction, true);
  if (effect == Effect::store_fragment) return of_access(instruction, false);
  return {};
}

}  // namespace

std::vector<OperandMatrix> operand_matrices(const ptx::Instruction& instruction) {
  std::vector<OperandMatrix> matrices = of_any(instruction);
  for (const OperandMatrix& matrix : matrices) {
    if (!matrix.descriptor && matrix.registers.size() != matrix.fragment.registers) return {};
  }
  return matrices;
}

}  // namespace warplens::tensor
