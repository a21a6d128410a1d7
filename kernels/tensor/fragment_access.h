// How a warp loads and stores a matrix in registers: wmma.load and wmma.store. PTX ISA, "wmma.load".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/base/dim3.h"
#include "kernels/ptx/module.h"
#include "kernels/tensor/fragments.h"

namespace warplens::tensor {

/// The place of a lane's piece of the matrix: as many bytes as are neighbours both in a register and in
/// memory.
struct FragmentPlace {
  std::uint16_t line = 0;   ///< Row or column, whichever the layout stores one behind the other
  std::uint16_t bytes = 0;  ///< From where the line begins
};

struct FragmentAccess {
  std::uint8_t registers = 0;       ///< Of a lane, with elements of their own; further ones repeat them
  std::uint8_t register_bytes = 4;  ///< 8 of f64
  std::uint8_t pieces = 1;          ///< Of a register: each is an access of all lanes
  std::uint8_t piece_bytes = 4;
  std::uint8_t element_bits = 0;                             ///< The stride counts elements
  std::uint32_t default_stride = 0;                          ///< Elements of a line
  std::vector<std::array<FragmentPlace, kWarpSize>> places;  ///< By register, then piece
};

/// Returns the fragment that a wmma.load or wmma.store accesses; nullopt if its shape and type do not exist
/// together.
[[nodiscard]] std::optional<Fragment> accessed_fragment(const ptx::Instruction& instruction);
/// Returns which matrix of a product that is.
[[nodiscard]] MatrixRole accessed_role(const ptx::Instruction& instruction);

/// Returns the accesses that it makes; nullopt if its shape, type and layout do not exist together.
[[nodiscard]] std::optional<FragmentAccess> fragment_access_of(const ptx::Instruction& instruction);
/// How many registers of a lane the instruction must name.
[[nodiscard]] int fragment_registers(const ptx::Instruction& instruction);

}  // namespace warplens::tensor
