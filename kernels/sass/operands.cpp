#include "kernels/sass/operands.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace warplens::sass {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes `prefix` and the number after it off the front: "R12.64" leaves ".64".
std::optional<std::uint32_t> take_numbered(std::string_view& text, std::string_view prefix,
                                           std::uint32_t end) {
  if (!text.starts_with(prefix) || text.size() == prefix.size() || !is_digit(text[prefix.size()]))
    return std::nullopt;
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number);
  if (error != std::errc() || number >= end) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.empty() && text.front() != '.') return std::nullopt;
  return number;
}

bool take_name(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || (text.size() > name.size() && text[name.size()] != '.')) return false;
  text.remove_prefix(name.size());
  return true;
}

/// A register or predicate at the front of `text`; what follows stays there.
bool take_register(std::string_view& text, Operand& operand) {
  struct Names {
    Operand::Kind kind;
    std::string_view prefix, last;
    std::uint32_t end, last_index;
  };
  constexpr Names kNames[] = {
      {Operand::Kind::uniform_reg, "UR", "URZ", kUniformZeroRegister, kUniformZeroRegister},
      {Operand::Kind::uniform_predicate, "UP", "UPT", kTruePredicate, kTruePredicate},
      {Operand::Kind::reg, "R", "RZ", kZeroRegister, kZeroRegister},
      {Operand::Kind::predicate, "P", "PT", kTruePredicate, kTruePredicate}};
  for (const Names& names : kNames) {
    std::optional<std::uint32_t> index;
    if (take_name(text, names.last)) {
      index = names.last_index;
    } else {
      index = take_numbered(text, names.prefix, names.end);
    }
    if (!index) continue;
    operand.kind = names.kind;
    operand.index = *index;
    return true;
  }
  return false;
}

/// One term of an address: a register with suffixes, or an offset.
bool add_term(std::string_view term, Address& address) {
  if (const auto offset = parse_integer(term)) {
    address.offset += *offset;
    return true;
  }
  Operand base;
  if (!take_register(term, base)) return false;
  if (base.kind == Operand::Kind::uniform_reg) {
    address.uniform_base = base.index;
    return true;
  }
  if (base.kind != Operand::Kind::reg) return false;
  address.base = base.index;
  if (term.find(".64") != std::string_view::npos) address.wide = true;
  if (term.find(".U32") != std::string_view::npos) address.zero_extended = true;
  for (const auto& [suffix, scale] : {std::pair{".X16", 16u}, {".X8", 8u}, {".X4", 4u}}) {
    if (term.find(suffix) != std::string_view::npos) address.scale = scale;
  }
  return true;
}

std::optional<Address> parse_address(std::string_view inside) {
  Address address;
  while (!inside.empty()) {
    const std::size_t plus = inside.find('+');
    if (!add_term(trimmed(inside.substr(0, plus)), address)) return std::nullopt;
    if (plus == std::string_view::npos) break;
    inside.remove_prefix(plus + 1);
  }
  return address;
}

/// "c[0x0][0x160]", "c[0x3][R4+0x10]"; of halves "c[0x0] [0x180]".
bool parse_constant(std::string_view text, Operand& operand) {
  const std::size_t middle = text.find(']'), open = text.find('[', std::min(middle, text.size()));
  if (!text.starts_with("c[") || open == std::string_view::npos || text.back() != ']' ||
      !trimmed(text.substr(middle + 1, open - middle - 1)).empty())
    return false;
  const auto bank = parse_integer(text.substr(2, middle - 2));
  const auto address = parse_address(text.substr(open + 1, text.size() - open - 2));
  if (!bank || *bank < 0 || *bank > 31 || !address) return false;
  operand.kind = Operand::Kind::constant;
  operand.index = static_cast<std::uint32_t>(*bank);
  operand.address = *address;
  return true;
}

/// "[R4.64+0x10]", also after a descriptor: "desc[UR8][R20.64]".
bool parse_memory(std::string_view text, Operand& operand) {
  if (text.starts_with("desc[")) {
    const std::size_t middle = text.find("][");
    if (middle == std::string_view::npos) return false;
    text.remove_prefix(middle + 1);
  }
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  const auto address = parse_address(text.substr(1, text.size() - 2));
  if (!address) return false;
  operand.kind = Operand::Kind::memory;
  operand.address = *address;
  return true;
}

bool parse_float(std::string_view text, Operand& operand) {
  const std::string copy(text);
  char* end = nullptr;
  operand.number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || *end != '\0') return false;
  operand.kind = Operand::Kind::floating;
  return true;
}

Operand parse_operand(std::string_view text) {
  Operand operand;
  operand.text = text;
  if (text.starts_with("`(") && text.back() == ')') {
    operand.kind = Operand::Kind::label;
    operand.text = text.substr(2, text.size() - 3);
    return operand;
  }
  if (text.starts_with("0x") || text.starts_with("-0x")) {
    if (const auto value = parse_integer(text)) {
      operand.kind = Operand::Kind::immediate;
      operand.value = *value;
      return operand;
    }
  }
  if (parse_float(text, operand)) return operand;
  std::string_view rest = text;
  for (; !rest.empty() && (rest.front() == '-' || rest.front() == '~' || rest.front() == '!');
       rest.remove_prefix(1)) {
    (rest.front() == '-' ? operand.negated : operand.inverted) = true;
  }
  if (parse_constant(rest, operand) || parse_memory(rest, operand)) return operand;
  // An absolute value, or a part of a register, is not for those that compute addresses: left as a name.
  const auto is_part = [](std::string_view suffix) {
    return suffix.find(".H") != std::string_view::npos || suffix.find(".B") != std::string_view::npos;
  };
  if (std::string_view suffix = rest; take_register(suffix, operand) && !is_part(suffix)) return operand;
  operand.kind = Operand::Kind::name;
  return operand;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || stop != text.data() + text.size() ||
      value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return std::nullopt;
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

std::optional<std::vector<Operand>> parse_operands(std::string_view text) {
  std::vector<Operand> operands;
  int depth = 0;
  std::size_t begin = 0;
  const auto finish = [&](std::size_t end) {
    const std::string_view operand = trimmed(text.substr(begin, end - begin));
    if (!operand.empty()) operands.push_back(parse_operand(operand));
    begin = end;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth < 0) return std::nullopt;
    if (depth == 0 && c == '`') finish(at);  // "RET.REL.NODEC R20 `(name)" has no comma between the two
    if (depth == 0 && c == ',') {
      finish(at);
      ++begin;
    }
  }
  if (depth != 0) return std::nullopt;
  finish(text.size());
  return operands;
}

}  // namespace warplens::sass
