#include "kernels/replay/core/video.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace warplens::replay {
namespace {

using ptx::AtomicOp;
using ptx::Compare;
using ptx::Opcode;
using ptx::Type;

__extension__ typedef __int128 Int128;

std::int64_t extended(std::uint32_t bits, int bytes, bool is_signed) {
  const int up = 64 - 8 * bytes;
  const std::uint64_t high = std::uint64_t{bits} << up;
  return is_signed ? static_cast<std::int64_t>(high) >> up : static_cast<std::int64_t>(high >> up);
}
std::int64_t extended(std::uint32_t bits, VideoForm::Part part, bool is_signed) {
  return extended(bits >> (8 * part.first), part.bytes, is_signed);
}

std::int64_t clamped(std::int64_t v, int bytes, bool is_signed) {
  const std::int64_t count = std::int64_t{1} << (8 * bytes), low = is_signed ? -count / 2 : 0;
  return std::clamp(v, low, low + count - 1);
}

bool holds(Compare compare, std::int64_t a, std::int64_t b) {
  switch (compare) {
    case Compare::eq: return a == b;
    case Compare::ne: return a != b;
    case Compare::lt: return a < b;
    case Compare::le: return a <= b;
    case Compare::gt: return a > b;
    default: return a >= b;
  }
}

std::int64_t shift_of(const VideoForm& form, std::int64_t b) {
  return form.wrap ? b & 31 : std::min<std::int64_t>(b, 32);
}

/// Of one part of each.
std::int64_t combined(const VideoForm& form, std::int64_t a, std::int64_t b) {
  switch (form.opcode) {
    case Opcode::vadd:
    case Opcode::vadd2:
    case Opcode::vadd4: return a + b;
    case Opcode::vsub:
    case Opcode::vsub2:
    case Opcode::vsub4: return a - b;
    case Opcode::vabsdiff:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4: return std::abs(a - b);
    case Opcode::vmin:
    case Opcode::vmin2:
    case Opcode::vmin4: return std::min(a, b);
    case Opcode::vmax:
    case Opcode::vmax2:
    case Opcode::vmax4: return std::max(a, b);
    case Opcode::vavrg2:
    case Opcode::vavrg4: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case Opcode::vshl: return a << shift_of(form, b);
    case Opcode::vshr: return a >> shift_of(form, b);
    default: return holds(form.compare, a, b) ? 1 : 0;
  }
}

std::uint32_t with_secondary(const VideoForm& form, std::int64_t v, std::uint32_t c) {
  const auto bits = static_cast<std::uint32_t>(v);
  const auto first = static_cast<std::int32_t>(bits), second = static_cast<std::int32_t>(c);
  switch (form.secondary) {
    case AtomicOp::add: return bits + c;
    case AtomicOp::min:
      return form.signed_d ? static_cast<std::uint32_t>(std::min(first, second)) : std::min(bits, c);
    case AtomicOp::max:
      return form.signed_d ? static_cast<std::uint32_t>(std::max(first, second)) : std::max(bits, c);
    default: break;
  }
  if (form.d.bytes == 4) return bits;
  const std::uint32_t ones = ((1u << (8 * form.d.bytes)) - 1) << (8 * form.d.first);
  return (c & ~ones) | (bits << (8 * form.d.first) & ones);
}

std::uint32_t multiply_add(const VideoForm& form, std::int64_t a, std::int64_t b, std::uint32_t c) {
  const bool is_signed = form.signed_a || form.signed_b || form.minus_product || form.minus_c;
  const Int128 addend = extended(c, 4, is_signed);
  Int128 sum = Int128{a} * b;
  sum = (form.minus_product ? -sum : sum) + (form.minus_c ? -addend : addend) + (form.plus_one ? 1 : 0);
  sum >>= form.scale;
  if (!form.sat) return static_cast<std::uint32_t>(sum);
  const Int128 low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
  return static_cast<std::uint32_t>(std::clamp(sum, low, high));
}

std::uint32_t of_parts(const VideoForm& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const int bytes = 4 / form.parts;
  const std::uint32_t ones = bytes == 1 ? 0xffu : 0xffffu;
  const auto part = [&](int from, bool is_signed) {
    return extended((from < form.parts ? a : b) >> (8 * bytes * (from % form.parts)), bytes, is_signed);
  };
  std::uint32_t sum = c, packed = 0;
  for (int at = 0; at < form.parts; ++at) {
    std::int64_t v =
        combined(form, part(form.from_a[at], form.signed_a), part(form.from_b[at], form.signed_b));
    if (form.sat) v = clamped(v, bytes, form.signed_d);
    const bool is_written = (form.mask >> at & 1) != 0;
    if (is_written) sum += static_cast<std::uint32_t>(v);
    packed |= ((is_written ? static_cast<std::uint32_t>(v) : c >> (8 * bytes * at)) & ones)
              << (8 * bytes * at);
  }
  return form.secondary == AtomicOp::add ? sum : packed;
}

/// `b2` or `h1`.
bool read_part(const std::string& text, VideoForm::Part& part) {
  if (text.empty()) return true;
  if (text.size() != 2) return false;
  const int index = text[1] - '0', bytes = text[0] == 'b' ? 1 : 2;
  part = {static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes * index)};
  return index < 4 / bytes;
}
/// `h10`, `b7610`: where each part comes from, the highest first.
bool read_sources(const std::string& text, int parts, std::uint8_t (&from)[4]) {
  if (text.empty()) return true;
  if (text[0] != (parts == 2 ? 'h' : 'b') || text.size() != static_cast<std::size_t>(parts) + 1) return false;
  for (int at = 0; at < parts; ++at) {
    const int source = text[static_cast<std::size_t>(parts - at)] - '0';
    if (source >= 2 * parts) return false;
    from[at] = static_cast<std::uint8_t>(source);
  }
  return true;
}
/// `h1`, `b310`: the parts that are written.
bool read_mask(const std::string& text, int parts, std::uint8_t& mask) {
  if (text.empty()) return true;
  if (text[0] != (parts == 2 ? 'h' : 'b')) return false;
  mask = 0;
  for (const char digit : text.substr(1)) {
    if (digit - '0' >= parts) return false;
    mask = static_cast<std::uint8_t>(mask | 1u << (digit - '0'));
  }
  return true;
}

int parts_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vmad:
    case Opcode::vset: return 1;
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vabsdiff2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vavrg2:
    case Opcode::vset2: return 2;
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vabsdiff4:
    case Opcode::vmin4:
    case Opcode::vmax4:
    case Opcode::vavrg4:
    case Opcode::vset4: return 4;
    default: return 0;
  }
}
bool compares(Opcode opcode) {
  return opcode == Opcode::vset || opcode == Opcode::vset2 || opcode == Opcode::vset4;
}

bool read_types(const ptx::Instruction& i, VideoForm& form) {
  const Type types[] = {compares(i.opcode) ? Type::u32 : i.type, compares(i.opcode) ? i.type : i.source_type,
                        compares(i.opcode) ? i.source_type : i.b_type};
  for (const Type type : types) {
    if (type != Type::u32 && type != Type::s32) return false;
  }
  form.signed_d = types[0] == Type::s32;
  form.signed_a = types[1] == Type::s32;
  form.signed_b = types[2] == Type::s32;
  return true;
}

}  // namespace

std::uint32_t video_result(const VideoForm& form, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (form.parts > 1) return of_parts(form, a, b, c);
  const std::int64_t x = extended(a, form.a, form.signed_a), y = extended(b, form.b, form.signed_b);
  if (form.opcode == Opcode::vmad) return multiply_add(form, x, y, c);
  const std::int64_t v = combined(form, x, y);
  return with_secondary(form, form.sat ? clamped(v, form.d.bytes, form.signed_d) : v, c);
}

bool find_video_form(const ptx::Instruction& instruction, VideoForm& form) {
  const int parts = parts_of(instruction.opcode);
  if (parts == 0 || !read_types(instruction, form)) return false;
  form.opcode = instruction.opcode;
  form.parts = static_cast<std::uint8_t>(parts);
  form.sat = instruction.sat;
  form.wrap = instruction.wrap;
  form.plus_one = instruction.plus_one;
  form.scale = instruction.scale;
  form.secondary = instruction.secondary;
  form.compare = instruction.compare;
  if (compares(instruction.opcode) && instruction.compare == Compare::none) return false;
  const auto& operands = instruction.operands;
  const std::size_t last = operands.size() - 1;
  const bool has_c = last == 3, is_product = instruction.opcode == Opcode::vmad;
  const bool has_minus = std::any_of(operands.begin(), operands.end(),
                                     [](const ptx::Operand& operand) { return operand.minus; });
  if (has_minus && (!is_product || instruction.plus_one)) return false;
  if (is_product) {
    form.minus_product = operands[1].minus != operands[2].minus;
    form.minus_c = has_c && operands[3].minus;
    if (!operands[last].part.empty()) return false;
  }
  if (parts == 1) {
    if (!read_part(operands[0].part, form.d) || !read_part(operands[1].part, form.a) ||
        !read_part(operands[2].part, form.b))
      return false;
    const bool uses_c = instruction.secondary != AtomicOp::none || form.d.bytes != 4 || is_product;
    return uses_c == has_c && (instruction.secondary == AtomicOp::none || form.d.bytes == 4);
  }
  for (int at = 0; at < parts; ++at) {
    form.from_a[at] = static_cast<std::uint8_t>(at);
    form.from_b[at] = static_cast<std::uint8_t>(parts + at);
  }
  form.mask = static_cast<std::uint8_t>((1u << parts) - 1);
  if (form.secondary != AtomicOp::none && form.secondary != AtomicOp::add) return false;
  return read_mask(operands[0].part, parts, form.mask) &&
         read_sources(operands[1].part, parts, form.from_a) &&
         read_sources(operands[2].part, parts, form.from_b);
}

}  // namespace warplens::replay
