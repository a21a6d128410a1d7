#include "kernels/ptx/module.h"

#include <array>
#include <iterator>

#include "kernels/ptx/demangle.h"

namespace warplens::ptx {
namespace {

enum class Family : std::uint8_t { bits, unsigned_integer, signed_integer, floating };

struct TypeInfo {
  std::string_view name;
  std::uint8_t bytes;
  Family family;
};

constexpr TypeInfo kTypes[] = {
    {"none", 0, Family::bits},
    {"pred", 1, Family::bits},
    {"b8", 1, Family::bits},
    {"b16", 2, Family::bits},
    {"b32", 4, Family::bits},
    {"b64", 8, Family::bits},
    {"b128", 16, Family::bits},
    {"u8", 1, Family::unsigned_integer},
    {"u16", 2, Family::unsigned_integer},
    {"u32", 4, Family::unsigned_integer},
    {"u64", 8, Family::unsigned_integer},
    {"s8", 1, Family::signed_integer},
    {"s16", 2, Family::signed_integer},
    {"s32", 4, Family::signed_integer},
    {"s64", 8, Family::signed_integer},
    {"f16", 2, Family::floating},
    {"f16x2", 4, Family::floating},
    {"bf16", 2, Family::floating},
    {"bf16x2", 4, Family::floating},
    {"f32", 4, Family::floating},
    {"f64", 8, Family::floating},
    {"tf32", 4, Family::floating},
    {"e4m3x2", 2, Family::floating},
    {"e5m2x2", 2, Family::floating},
    {"u16x2", 4, Family::unsigned_integer},
    {"s16x2", 4, Family::signed_integer},
    {"f32x2", 8, Family::floating},
    {"u4", 1, Family::unsigned_integer},
    {"s4", 1, Family::signed_integer},
    {"u2", 1, Family::unsigned_integer},
    {"s2", 1, Family::signed_integer},
    {"e4m3", 1, Family::floating},
    {"e5m2", 1, Family::floating},
    {"b1", 1, Family::bits},
};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::b1) + 1);

const TypeInfo& info(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

int size_of(Type type) {
  return info(type).bytes;
}
bool is_float(Type type) {
  return info(type).family == Family::floating;
}
bool is_signed(Type type) {
  return info(type).family == Family::signed_integer;
}
std::string_view name_of(Type type) {
  return info(type).name;
}

std::string_view name_of(StateSpace space) {
  static constexpr std::array<std::string_view, 8> kNames{"none",  "generic", "global", "shared",
                                                          "local", "const",   "param",  "reg"};
  return kNames[static_cast<std::size_t>(space)];
}

const Function* Module::find_entry(std::string_view wanted) const {
  const Function* by_plain_name = nullptr;
  const Function* by_template = nullptr;
  const Function* by_base = nullptr;
  std::size_t plain_matches = 0, template_matches = 0, base_matches = 0;
  const std::string comparable = comparable_name(wanted);
  for (const Function& function : functions) {
    if (!function.is_entry) continue;
    if (function.name == wanted) return &function;
    const std::string own = comparable_name(function.plain_name);
    if (own == comparable) {
      by_plain_name = &function;
      ++plain_matches;
    } else if (without_template_arguments(own) == comparable) {
      by_template = &function;
      ++template_matches;
    } else if (base_name(own) == comparable) {
      by_base = &function;
      ++base_matches;
    }
  }
  if (plain_matches > 0) return plain_matches == 1 ? by_plain_name : nullptr;
  if (template_matches > 0) return template_matches == 1 ? by_template : nullptr;
  return base_matches == 1 ? by_base : nullptr;
}

}  // namespace warplens::ptx
