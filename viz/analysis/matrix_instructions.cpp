#include "viz/analysis/matrix_instructions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/arithmetic/float8.h"
#include "kernels/arithmetic/half.h"
#include "kernels/ptx/opcodes.h"
#include "kernels/ptx/own_lines.h"
#include "kernels/ptx/parser.h"
#include "kernels/tensor/mma_plan.h"

namespace warplens::analysis {
namespace {

using ptx::Type;
using Bits = std::uint64_t;

/// Names of the opcodes that work on matrices. A text without them need not be parsed.
bool may_have_matrices(const std::string& text) {
  return text.find("mma") != std::string::npos || text.find("matrix") != std::string::npos;
}

std::string name_of_operand(const ptx::Function& function, const ptx::Operand& operand) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind == Kind::reg) return function.registers[static_cast<std::size_t>(operand.reg)].name;
  return operand.kind == Kind::immediate ? std::to_string(operand.bits) : "_";
}

std::size_t bytes_of(const tensor::Fragment& fragment) {
  return fragment.registers * fragment.register_bytes() * kWarpSize;
}
std::uint32_t values_in_register(const tensor::Fragment& fragment) {
  return static_cast<std::uint32_t>(8 * fragment.register_bytes()) / fragment.element_bits;
}

const std::byte* registers_of(const MatrixInstruction& instruction, const MatrixExecution& execution,
                              std::size_t matrix) {
  const std::byte* at = execution.registers.data();
  for (std::size_t k = 0; k < matrix; ++k) at += bytes_of(instruction.matrices[k].fragment);
  return at;
}

int capability_of(ComputeCapability cc) {
  return 10 * cc.major + cc.minor;
}

/// Returns the bits of an element that change where the matrix is multiplied by -1.
Bits sign_changed(const tensor::OperandMatrix& matrix) {
  return matrix.is_negated ? Bits{1} << (matrix.fragment.element_bits - 1) : 0;
}

/// Returns the rows of B by row of A and term of mma.sp, from the metadata.
std::vector<std::uint16_t> rows_of_b(const MatrixExecution& execution, const tensor::MmaPlan& plan) {
  std::vector<std::uint16_t> rows(std::size_t{plan.m} * plan.terms);
  tensor::find_rows_of_b(plan, execution.metadata.data(), rows.data());
  return rows;
}

}  // namespace

bool MatrixInstruction::is_product() const {
  return matrix('B') && matrix('D');
}

std::uint32_t MatrixInstruction::rows_before(std::uint32_t warp) const {
  constexpr std::uint32_t kWarpsOfGroup = 4, kRowsOfWarp = 16;
  return is_of_warpgroup ? warp % kWarpsOfGroup * kRowsOfWarp : 0;
}

std::optional<std::size_t> MatrixInstruction::matrix(char name) const {
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    if (matrices[k].name == name) return k;
  }
  return std::nullopt;
}

std::vector<MatrixInstruction> matrix_instructions(const Recording& recording) {
  std::vector<MatrixInstruction> instructions;
  if (!may_have_matrices(recording.ptx)) return instructions;
  Result<ptx::Module> module = ptx::parse(recording.ptx, recording.kernel);
  if (module.ok()) ptx::give_own_lines(*module);
  const ptx::Function* const entry = module.ok() ? module->find_entry(recording.entry) : nullptr;
  if (entry == nullptr) return instructions;
  for (std::uint32_t i = 0; i < entry->instructions.size(); ++i) {
    const ptx::Instruction& ptx = entry->instructions[i];
    std::vector<tensor::OperandMatrix> matrices = tensor::operand_matrices(ptx);
    if (matrices.empty()) continue;
    MatrixInstruction& instruction = instructions.emplace_back(
        MatrixInstruction{.instruction = i,
                          .file = ptx.location.outer_file,
                          .line = ptx.location.own_line,
                          .ptx = ptx,
                          .matrices = std::move(matrices),
                          .register_names = {},
                          .is_of_warpgroup = ptx::effect_of(ptx) == ptx::Effect::warpgroup_product});
    for (const tensor::OperandMatrix& matrix : instruction.matrices) {
      std::vector<std::string>& names = instruction.register_names.emplace_back();
      for (const ptx::Operand& operand : matrix.registers) names.push_back(name_of_operand(*entry, operand));
    }
  }
  return instructions;
}

std::size_t nearest_instruction(std::span<const MatrixInstruction> instructions, const Recording& recording,
                                std::optional<std::size_t> event, const BlockDetails* warp) {
  const auto is_left_out = [&](const MatrixInstruction& instruction) {
    return warp != nullptr && !warp->cut && !warp->executions.empty() &&
           std::ranges::find(warp->executions, instruction.instruction, &MatrixExecution::instruction) ==
               warp->executions.end();
  };
  const std::uint32_t at = event ? recording.sites[recording.events.site[*event]].instruction : 0;
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (event && instructions[i].instruction == at) return i;
    if (!instructions[i].is_product() || is_left_out(instructions[i])) continue;
    nearest = i;
    if (instructions[i].instruction > at) break;
  }
  return nearest;
}

const MatrixExecution* nearest_execution(const BlockDetails& warp, std::uint32_t instruction,
                                         std::uint32_t order) {
  const MatrixExecution* nearest = nullptr;
  for (const MatrixExecution& execution : warp.executions) {
    if (execution.instruction != instruction) continue;
    nearest = &execution;
    if (execution.order >= order) return nearest;
  }
  return warp.cut ? nullptr : nearest;  // Those that follow were not kept
}

std::vector<MatrixPosition> elements_of_lane(const tensor::Fragment& fragment, int lane) {
  std::vector<MatrixPosition> elements;
  for (std::size_t row = 0; row < fragment.all_rows(); ++row) {
    for (std::size_t column = 0; column < fragment.columns; ++column) {
      const RegisterPlace place = place_of(fragment, row, column);
      if (static_cast<int>(place.lane) == lane)
        elements.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), place.reg});
    }
  }
  return elements;
}

RegisterPlace place_of(const tensor::Fragment& fragment, std::size_t row, std::size_t column) {
  const std::uint32_t place = fragment.places[row * fragment.columns + column],
                      width = values_in_register(fragment);
  return {.lane = place / width % kWarpSize, .reg = place / width / kWarpSize, .value = place % width};
}

std::optional<tensor::SharedMatrix> shared_matrix_of(const MatrixInstruction& instruction,
                                                     const MatrixExecution* execution, std::size_t matrix) {
  const tensor::OperandMatrix& of = instruction.matrices[matrix];
  if (!of.descriptor || execution == nullptr || execution->descriptors.empty()) return std::nullopt;
  return tensor::SharedMatrix::of(execution->descriptors[matrix], of.is_mn_major);
}

std::uint32_t address_of_element(const MatrixInstruction& instruction, const tensor::SharedMatrix& shared,
                                 std::size_t matrix, std::uint32_t warp, std::size_t row,
                                 std::size_t column) {
  const tensor::OperandMatrix& of = instruction.matrices[matrix];
  const bool is_b = of.name == 'B';
  const auto mn = static_cast<std::uint32_t>(is_b ? column : instruction.rows_before(warp) + row),
             k = static_cast<std::uint32_t>(is_b ? row : column);
  return shared.address_of_element(mn, k, of.fragment.element_bits / 8u);
}

std::optional<std::uint64_t> element_bits(const MatrixInstruction& instruction,
                                          const MatrixExecution& execution, std::size_t matrix,
                                          std::size_t row, std::size_t column) {
  if ((execution.unknown >> matrix & 1) != 0) return std::nullopt;
  const tensor::Fragment& fragment = instruction.matrices[matrix].fragment;
  const std::size_t bit =
      std::size_t{fragment.places[row * fragment.columns + column]} * fragment.element_bits;
  const std::byte* const at = registers_of(instruction, execution, matrix) + bit / 8;
  Bits bits = 0;
  std::memcpy(&bits, at, std::max<std::size_t>(fragment.element_bits / 8, 1));
  return fragment.element_bits < 8 ? bits >> (bit % 8) & ((1u << fragment.element_bits) - 1) : bits;
}

bool holds_numbers(Type type) {
  return type != Type::b1 && type != Type::b16;
}

double number_of(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::f16: return arithmetic::Float16::widen(static_cast<std::uint16_t>(bits));
    case Type::bf16: return arithmetic::Bfloat16::widen(static_cast<std::uint16_t>(bits));
    case Type::tf32:
    case Type::f32: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Type::f64: return std::bit_cast<double>(bits);
    case Type::e4m3: return arithmetic::E4m3::widen(static_cast<std::uint8_t>(bits));
    case Type::e5m2: return arithmetic::E5m2::widen(static_cast<std::uint8_t>(bits));
    case Type::s8: return static_cast<std::int8_t>(bits);
    case Type::s4: return static_cast<double>(static_cast<std::int64_t>((bits & 15) ^ 8) - 8);
    case Type::s32: return static_cast<std::int32_t>(bits);
    default: return static_cast<double>(bits);
  }
}

ElementSum element_sum(const MatrixInstruction& instruction, const MatrixExecution* execution,
                       ComputeCapability cc, std::size_t row, std::size_t column) {
  ElementSum sum;
  const auto form = tensor::MmaForm::of_any(instruction.ptx, capability_of(cc));
  const auto a = instruction.matrix('A'), b = instruction.matrix('B'), c = instruction.matrix('C');
  if (!form || !a || !b || !c) return sum;
  const tensor::MmaPlan& plan = form->plan();
  sum.rule = plan.rule;
  const bool is_sparse = plan.stored != nullptr;
  if (is_sparse && (execution == nullptr || execution->metadata.empty())) return sum;
  const std::vector<std::uint16_t> rows =
      is_sparse ? rows_of_b(*execution, plan) : std::vector<std::uint16_t>{};
  const std::size_t matrix = row / plan.m;  // Of several that are multiplied at once
  for (const std::uint16_t t : tensor::order_of_terms(plan.rule, plan.terms)) {
    // Terms are stored in the order of addition, so the index of one is the number of those before.
    const std::size_t term = sum.terms.size(),
                      in_b = is_sparse ? rows[row * plan.terms + term] : std::size_t{t};
    sum.terms.push_back({.a_column = t, .b_row = matrix * plan.b_rows + in_b});
  }
  if (execution == nullptr) return sum;
  std::vector<Bits> x, y;
  for (ProductTerm& term : sum.terms) {
    const auto of_a = element_bits(instruction, *execution, *a, row, term.a_column),
               of_b = element_bits(instruction, *execution, *b, term.b_row, column);
    if (!of_a || !of_b) return sum;
    x.push_back(term.a = *of_a ^ sign_changed(instruction.matrices[*a]));
    y.push_back(term.b = *of_b ^ sign_changed(instruction.matrices[*b]));
  }
  sum.c = element_bits(instruction, *execution, *c, row, column);
  if (!sum.c) return sum;
  sum.d = tensor::dot_product(sum.rule, x, y, *sum.c);
  sum.blocks = tensor::aligned_blocks(sum.rule, x, y, *sum.c);
  return sum;
}

}  // namespace warplens::analysis
