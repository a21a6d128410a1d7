#include "kernels/tensor/register_matrices.h"

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

std::vector<RegisterMatrix> of_product(const ptx::Instruction& instruction) {
  constexpr int kAnyCapability = 90;  // Which forms there are does not depend on it
  if (!MmaForm::of(instruction, kAnyCapability)) return {};
  constexpr std::pair<char, MatrixRole> kRoles[] = {
      {'D', MatrixRole::d}, {'A', MatrixRole::a}, {'B', MatrixRole::b}, {'C', MatrixRole::c}};
  std::vector<RegisterMatrix> matrices;
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

std::vector<RegisterMatrix> of_rows(const ptx::Instruction& instruction, bool is_written) {
  const auto elements = elements_of(ptx::data_of(instruction));
  if (elements.size() != instruction.matrices || instruction.type != ptx::Type::b16) return {};
  std::vector<RegisterMatrix> matrices;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    matrices.push_back({.name = static_cast<char>('0' + k),
                        .is_written = is_written,
                        .type = instruction.type,
                        .fragment = eight_by_eight(instruction.transposed),
                        .registers = {elements[k]}});
  }
  return matrices;
}

std::vector<RegisterMatrix> of_transposition(const ptx::Instruction& instruction) {
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

std::vector<RegisterMatrix> of_access(const ptx::Instruction& instruction, bool is_written) {
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

std::vector<RegisterMatrix> of_any(const ptx::Instruction& instruction) {
  if (ptx::is_product_of_matrices(instruction)) return of_product(instruction);
  if (instruction.opcode == Opcode::movmatrix) return of_transposition(instruction);
  const Effect effect = ptx::effect_of(instruction);
  if (effect == Effect::load_matrices) return of_rows(instruction, true);
  if (effect == Effect::store_matrices) return of_rows(instruction, false);
  if (effect == Effect::load_fragment) return of_access(instruction, true);
  if (effect == Effect::store_fragment) return of_access(instruction, false);
  return {};
}

}  // namespace

std::vector<RegisterMatrix> register_matrices(const ptx::Instruction& instruction) {
  std::vector<RegisterMatrix> matrices = of_any(instruction);
  for (const RegisterMatrix& matrix : matrices) {
    if (matrix.registers.size() != matrix.fragment.registers) return {};
  }
  return matrices;
}

}  // namespace warplens::tensor
