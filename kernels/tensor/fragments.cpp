#include "kernels/tensor/fragments.h"

#include "kernels/base/dim3.h"

namespace warplens::tensor {
namespace {

using ptx::Opcode;
using ptx::Type;

int bits_of_element(Type type) {
  switch (type) {
    case Type::b1: return 1;
    case Type::s4:
    case Type::u4: return 4;
    default: return 8 * ptx::size_of(type);
  }
}

struct Place {
  int matrix = 0, row = 0, column = 0;
};

/// A lane's element: the `value`-th of register `reg`, which holds `width` elements.
struct Held {
  int lane, reg, value, width;
};

/// Returns the place of an element for mma, where groups of four lanes hold a row of A, or a column of B.
Place in_a(const Held& held, int rows) {
  const int tiles = rows / 8;  // Of eight rows
  return {.row = held.lane / 4 + 8 * (held.reg % tiles),
          .column = (held.lane % 4 + 4 * (held.reg / tiles)) * held.width + held.value};
}
Place in_b(const Held& held) {
  return {.row = (held.lane % 4 + 4 * held.reg) * held.width + held.value, .column = held.lane / 4};
}
Place in_c(const Held& held) {
  const int i = held.reg * held.width + held.value;
  return {.row = held.lane / 4 + 8 * (i / 2), .column = 2 * (held.lane % 4) + i % 2};
}

/// Returns the place of an element for mma.m8n8k4 of f16, where lanes 4 q to 4 q + 3 and 16 + 4 q to 16 + 4 q
/// + 3 hold the matrices of the q-th product.
Place in_four(const Held& held, MatrixRole role, bool by_columns) {
  const int matrix = held.lane % 16 / 4, half = 4 * (held.lane / 16), in_group = held.lane % 4,
            i = held.reg * held.width + held.value;
  switch (role) {
    case MatrixRole::a:
      return by_columns ? Place{matrix, i + half, in_group} : Place{matrix, in_group + half, i};
    case MatrixRole::b:
      return by_columns ? Place{matrix, i, in_group + half} : Place{matrix, in_group, i + half};
    case MatrixRole::c:
    case MatrixRole::d: break;
  }
  if (held.width == 2) return {matrix, in_group + half, i};
  return {matrix, (held.lane & 1) + (i & 2) + half, (i & 4) + (held.lane & 2) + (i & 1)};
}

/// wmma is made of mma of 16 x 8; the product of 8 x 32 is computed transposed.
Place in_wmma(const Held& held, MatrixRole role, const ptx::Instruction& instruction) {
  const bool is_transposed = instruction.n == 32;
  const int rows = is_transposed ? instruction.n : instruction.m;
  if (is_transposed && role != MatrixRole::c && role != MatrixRole::d)
    role = role == MatrixRole::a ? MatrixRole::b : MatrixRole::a;
  Place place;
  Held in_tile = held;
  const int depth = instruction.k / (4 * held.width);  // Registers along k of a tile of eight rows or columns
  switch (role) {
    case MatrixRole::a: {
      const int tile_registers = rows == 8 ? depth : 2 * depth;
      in_tile.reg = held.reg % tile_registers;
      place = in_a(in_tile, rows == 8 ? 8 : 16);
      place.row += 16 * (held.reg / tile_registers);
      break;
    }
    case MatrixRole::b:
      in_tile.reg = held.reg % depth;
      place = in_b(in_tile);
      place.column += 8 * (held.reg / depth);
      break;
    case MatrixRole::c:
    case MatrixRole::d: {
      const int tile_registers = (rows == 8 ? 2 : 4) / held.width, tile = held.reg / tile_registers;
      in_tile.reg = held.reg % tile_registers;
      place = in_c(in_tile);
      (rows == 32 ? place.row : place.column) += (rows == 32 ? 16 : 8) * tile;
      break;
    }
  }
  return is_transposed ? Place{0, place.column, place.row} : place;
}

Place place_of(const Held& held, const ptx::Instruction& instruction, MatrixRole role) {
  if (instruction.opcode == Opcode::wmma_mma) return in_wmma(held, role, instruction);
  if (has_four_products(instruction))
    return in_four(held, role, (instruction.by_columns >> (role == MatrixRole::a ? 0 : 1) & 1) != 0);
  switch (role) {
    case MatrixRole::a: return in_a(held, instruction.m);
    case MatrixRole::b: return in_b(held);
    case MatrixRole::c:
    case MatrixRole::d: break;
  }
  return in_c(held);
}

}  // namespace

Type element_type(const ptx::Instruction& instruction, MatrixRole role) {
  switch (role) {
    case MatrixRole::a: return instruction.source_type;
    case MatrixRole::b: return instruction.b_type;
    case MatrixRole::c: return instruction.c_type;
    case MatrixRole::d: break;
  }
  return instruction.type;
}

bool is_sparse(const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::mma_sp || instruction.opcode == Opcode::mma_sp_ordered;
}

bool has_four_products(const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::mma && instruction.k == 4 && instruction.source_type == Type::f16;
}

Fragment fragment_of(const ptx::Instruction& instruction, MatrixRole role) {
  const Type type = element_type(instruction, role);
  const int at_once = type == Type::b1 ? 32 : 1, bits = bits_of_element(type) * at_once;
  const int depth = instruction.k / at_once / (role == MatrixRole::a && is_sparse(instruction) ? 2 : 1);
  const int matrices = has_four_products(instruction) ? 4 : 1;
  const int rows = role == MatrixRole::b ? instruction.k / at_once : instruction.m,
            columns = role == MatrixRole::a ? depth : instruction.n;
  const int register_bits = bits == 64 ? 64 : 32, width = register_bits / bits;
  const int registers = matrices * rows * columns / (width * kWarpSize);
  Fragment fragment{.registers = static_cast<std::uint8_t>(registers),
                    .element_bits = static_cast<std::uint8_t>(bits),
                    .rows = static_cast<std::uint16_t>(rows),
                    .columns = static_cast<std::uint16_t>(columns),
                    .matrices = static_cast<std::uint16_t>(matrices)};
  fragment.places.resize(static_cast<std::size_t>(matrices) * rows * columns);
  for (int reg = 0; reg < registers; ++reg) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (int value = 0; value < width; ++value) {
        const Place place = place_of({lane, reg, value, width}, instruction, role);
        const int at = (place.matrix * rows + place.row) * columns + place.column;
        fragment.places[static_cast<std::size_t>(at)] =
            static_cast<std::uint16_t>((reg * kWarpSize + lane) * width + value);
      }
    }
  }
  return fragment;
}

int registers_of(const ptx::Instruction& instruction, MatrixRole role) {
  constexpr int kOfHalves = 8;  // Of wmma, whatever the shape
  const bool is_factor = role == MatrixRole::a || role == MatrixRole::b;
  if (instruction.opcode == Opcode::wmma_mma && is_factor && instruction.source_type == Type::f16)
    return kOfHalves;
  return fragment_of(instruction, role).registers;
}

}  // namespace warplens::tensor
