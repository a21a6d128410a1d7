#include "kernels/gpu/matrix_pieces.h"

#include <array>
#include <optional>

#include "kernels/tensor/fragment_access.h"

namespace warplens::gpu {
namespace {

using Places = std::array<tensor::FragmentPlace, kWarpSize>;

/// Expresses one number per lane as a LaneNumber; nullopt if they do not have that form.
template <class NumberOf>
std::optional<ptx::LaneNumber> lane_number(const Places& places, NumberOf number_of) {
  constexpr std::uint32_t kGroup = 4;
  const std::uint32_t constant = number_of(places[0]);
  const ptx::LaneNumber number{.constant = constant,
                               .by_group = number_of(places[kGroup]) - constant,
                               .by_lane = number_of(places[1]) - constant};
  if (number.by_group != 0 && number.by_lane != 0) return std::nullopt;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t follows =
        constant + number.by_group * (lane / kGroup) + number.by_lane * (lane % kGroup);
    if (number_of(places[lane]) != follows) return std::nullopt;
  }
  return number;
}

}  // namespace

std::vector<ptx::MatrixPiece> pieces_of_matrix(const ptx::Instruction& instruction) {
  const std::optional<tensor::FragmentAccess> access = tensor::fragment_access_of(instruction);
  if (!access) return {};
  ptx::Operand stride;
  if (instruction.operands.size() > 2) {
    stride = instruction.operands[2];
  } else {
    stride.kind = ptx::Operand::Kind::immediate;
    stride.bits = access->default_stride;
  }
  std::vector<ptx::MatrixPiece> pieces;
  for (const Places& places : access->places) {
    const auto line = lane_number(
                   places, [](const tensor::FragmentPlace& place) { return std::uint32_t{place.line}; }),
               bytes = lane_number(
                   places, [](const tensor::FragmentPlace& place) { return std::uint32_t{place.bytes}; });
    if (!line || !bytes) return {};
    pieces.push_back(
        {.line = *line, .bytes = *bytes, .stride = stride, .element_bits = access->element_bits});
  }
  return pieces;
}

}  // namespace warplens::gpu
