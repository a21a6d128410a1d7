#include "kernels/ptx/literals.h"

#include <bit>
#include <charconv>
#include <limits>

namespace warplens::ptx {
namespace {

constexpr std::uint64_t kSignOf32 = 1u << 31, kSignOf64 = 1ull << 63;

std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (status != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool has_prefix(std::string_view text, char lower) {
  return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == lower;
}

Operand immediate(std::uint64_t bits, Type type) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.bits = bits;
  operand.immediate_type = type;
  return operand;
}

std::optional<Operand> parse_float_bits(std::string_view digits, std::size_t length, std::uint64_t sign,
                                        Type type, bool negative) {
  const auto bits = digits.size() == length ? parse_digits(digits, 16) : std::nullopt;
  if (!bits) return std::nullopt;
  return immediate(*bits ^ (negative ? sign : 0), type);
}

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  if (text.size() > 1 && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  if (has_prefix(text, 'x')) return parse_digits(text.substr(2), 16);
  if (has_prefix(text, 'b')) return parse_digits(text.substr(2), 2);
  if (text.size() > 1 && text[0] == '0') return parse_digits(text.substr(1), 8);
  return parse_digits(text, 10);
}

std::optional<Operand> parse_number(std::string_view text, bool negative) {
  if (has_prefix(text, 'f')) return parse_float_bits(text.substr(2), 8, kSignOf32, Type::f32, negative);
  if (has_prefix(text, 'd')) return parse_float_bits(text.substr(2), 16, kSignOf64, Type::f64, negative);
  if (const auto value = parse_integer(text)) {
    if (negative) return immediate(0 - *value, Type::s64);
    return immediate(*value, *value > std::numeric_limits<std::int64_t>::max() ? Type::u64 : Type::s64);
  }
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return immediate(std::bit_cast<std::uint64_t>(negative ? -value : value), Type::f64);
}

}  // namespace warplens::ptx
