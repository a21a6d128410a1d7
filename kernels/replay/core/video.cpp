#include "kernels/replay/core/video.h"

#include <algorithm>
#include <cstdlib>

namespace warplens::replay {
namespace {

using ptx::Type;

/// Returns part `at` of a register, extended.
std::int64_t part_of(std::uint32_t bits, int at, int bytes, bool is_signed) {
  const std::uint64_t high = std::uint64_t{bits >> (8 * bytes * at)} << (64 - 8 * bytes);
  return is_signed ? static_cast<std::int64_t>(high) >> (64 - 8 * bytes)
                   : static_cast<std::int64_t>(high >> (64 - 8 * bytes));
}

std::int64_t saturated(std::int64_t value, int bytes, bool is_signed) {
  const std::int64_t count = std::int64_t{1} << (8 * bytes), low = is_signed ? -count / 2 : 0;
  return std::clamp(value, low, low + count - 1);
}

bool is_signed_type(Type type) {
  return type == Type::s32;
}

}  // namespace

std::uint32_t video_result(const VideoForm& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const int bytes = 4 / form.parts;
  const std::uint32_t ones = bytes == 1 ? 0xffu : 0xffffu;
  std::uint32_t sum = c, packed = 0;
  for (int at = 0; at < form.parts; ++at) {
    std::int64_t difference =
        std::abs(part_of(a, at, bytes, form.signed_a) - part_of(b, at, bytes, form.signed_b));
    if (form.saturates) difference = saturated(difference, bytes, form.signed_d);
    sum += static_cast<std::uint32_t>(difference);
    packed |= (static_cast<std::uint32_t>(difference) & ones) << (8 * bytes * at);
  }
  return form.adds_up ? sum : packed;
}

bool find_video_form(const ptx::Instruction& instruction, VideoForm& form) {
  const bool of_halves = instruction.opcode == ptx::Opcode::vabsdiff2;
  if (!of_halves && instruction.opcode != ptx::Opcode::vabsdiff4) return false;
  for (const Type type : {instruction.type, instruction.source_type, instruction.b_type}) {
    if (type != Type::u32 && type != Type::s32) return false;
  }
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.minus || !operand.part.empty()) return false;
  }
  if (instruction.secondary != ptx::AtomicOp::none && instruction.secondary != ptx::AtomicOp::add)
    return false;
  form = {.parts = static_cast<std::uint8_t>(of_halves ? 2 : 4),
          .signed_d = is_signed_type(instruction.type),
          .signed_a = is_signed_type(instruction.source_type),
          .signed_b = is_signed_type(instruction.b_type),
          .saturates = instruction.sat,
          .adds_up = instruction.secondary == ptx::AtomicOp::add};
  return true;
}

}  // namespace warplens::replay
