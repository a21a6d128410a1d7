#include "kernels/tensor/fragment_access.h"

#include <algorithm>

#include "kernels/tensor/fragments.h"
#include "kernels/tensor/mma_plan.h"

namespace warplens::tensor {
namespace {

using ptx::Opcode;
using ptx::Type;

/// A product that such a matrix is part of.
ptx::Instruction product_with(const ptx::Instruction& instruction) {
  const Type type = instruction.type;
  const bool is_factor =
      accessed_role(instruction) == MatrixRole::a || accessed_role(instruction) == MatrixRole::b;
  ptx::Instruction product;
  product.opcode = Opcode::wmma_mma;
  product.m = instruction.m;
  product.n = instruction.n;
  product.k = instruction.k;
  // The types that go with it; of a sum, factors of any type that has the shape.
  Type factor = Type::f16, sum = Type::f32;
  if (is_factor) {
    factor = type;
    const bool is_integer =
        type == Type::s8 || type == Type::u8 || type == Type::s4 || type == Type::u4 || type == Type::b1;
    sum = is_integer ? Type::s32 : type == Type::f64 ? Type::f64 : Type::f32;
  } else {
    sum = type;
    const bool is_of_bits = instruction.k == 128;
    factor = type == Type::f64     ? Type::f64
             : type != Type::s32   ? (instruction.k == 8 ? Type::tf32 : Type::f16)
             : is_of_bits          ? Type::b1
             : instruction.k == 32 ? Type::s4
                                   : Type::s8;
  }
  if (factor == Type::b1) product.bool_op = ptx::BoolOp::xor_;
  if (factor == Type::f64) product.rounding = ptx::Rounding::rn;
  product.source_type = product.b_type = factor;
  product.type = product.c_type = sum;
  product.by_columns = 2;  // Row by column, which every type has
  return product;
}

}  // namespace

MatrixRole accessed_role(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::wmma_load_a: return MatrixRole::a;
    case Opcode::wmma_load_b: return MatrixRole::b;
    case Opcode::wmma_load_c: return MatrixRole::c;
    default: return MatrixRole::d;
  }
}

int fragment_registers(const ptx::Instruction& instruction) {
  return registers_of(product_with(instruction), accessed_role(instruction));
}

std::optional<Fragment> accessed_fragment(const ptx::Instruction& instruction) {
  const ptx::Instruction product = product_with(instruction);
  constexpr int kAnyCapability = 90;
  if (!MmaForm::of(product, kAnyCapability)) return std::nullopt;
  return fragment_of(product, accessed_role(instruction));
}

std::optional<FragmentAccess> fragment_access_of(const ptx::Instruction& instruction) {
  const std::optional<Fragment> accessed = accessed_fragment(instruction);
  if (!accessed) return std::nullopt;
  const Fragment& fragment = *accessed;
  const bool by_columns = instruction.by_columns != 0;
  const int register_bits = fragment.element_bits == 64 ? 64 : 32,
            width = register_bits / fragment.element_bits;
  std::vector<FragmentPlace> of_value(static_cast<std::size_t>(fragment.registers) * kWarpSize * width);
  for (std::size_t row = 0; row < fragment.rows; ++row) {
    for (std::size_t column = 0; column < fragment.columns; ++column) {
      const std::size_t line = by_columns ? column : row, in_line = by_columns ? row : column;
      of_value[fragment.places[row * fragment.columns + column]] = {
          static_cast<std::uint16_t>(line), static_cast<std::uint16_t>(in_line * fragment.element_bits / 8)};
    }
  }
  const auto is_neighbour = [&](std::size_t value) {
    const FragmentPlace &before = of_value[value - 1], &here = of_value[value];
    return here.line == before.line && (here.bytes > before.bytes || fragment.element_bits < 8);
  };
  bool side_by_side = true;
  for (std::size_t value = 0; value < of_value.size(); ++value)
    side_by_side &= value % static_cast<std::size_t>(width) == 0 || is_neighbour(value);
  if (!side_by_side && fragment.element_bits < 8) return std::nullopt;
  const int type_bits = instruction.type == Type::b1 ? 1 : fragment.element_bits;
  FragmentAccess access{
      .registers = fragment.registers,
      .register_bytes = static_cast<std::uint8_t>(register_bits / 8),
      .pieces = static_cast<std::uint8_t>(side_by_side ? 1 : width),
      .piece_bytes = static_cast<std::uint8_t>((side_by_side ? register_bits : fragment.element_bits) / 8),
      .element_bits = static_cast<std::uint8_t>(type_bits),
      .default_stride = static_cast<std::uint32_t>((by_columns ? fragment.rows : fragment.columns) *
                                                   fragment.element_bits / type_bits),
      .places = {}};
  for (std::size_t reg = 0; reg < access.registers; ++reg) {
    for (std::size_t piece = 0; piece < access.pieces; ++piece) {
      auto& places = access.places.emplace_back();
      for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        places[lane] = of_value[(reg * kWarpSize + lane) * static_cast<std::size_t>(width) + piece];
    }
  }
  return access;
}

}  // namespace warplens::tensor
