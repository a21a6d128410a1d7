#include "app/launch_form/struct_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/launch_form/arguments.h"

namespace warplens::app {
namespace {

struct NamedType {
  const char* cuda;
  const char* argument;  ///< As arguments name it
};
constexpr NamedType kScalars[] = {{"int", "i32"},
                                  {"int32_t", "i32"},
                                  {"unsigned", "u32"},
                                  {"unsigned int", "u32"},
                                  {"uint", "u32"},
                                  {"uint32_t", "u32"},
                                  {"long", "i64"},
                                  {"long int", "i64"},
                                  {"long long", "i64"},
                                  {"long long int", "i64"},
                                  {"int64_t", "i64"},
                                  {"ptrdiff_t", "i64"},
                                  {"unsigned long", "u64"},
                                  {"unsigned long long", "u64"},
                                  {"unsigned long long int", "u64"},
                                  {"uint64_t", "u64"},
                                  {"size_t", "u64"},
                                  {"short", "i16"},
                                  {"int16_t", "i16"},
                                  {"unsigned short", "u16"},
                                  {"uint16_t", "u16"},
                                  {"char", "i8"},
                                  {"signed char", "i8"},
                                  {"int8_t", "i8"},
                                  {"unsigned char", "u8"},
                                  {"uint8_t", "u8"},
                                  {"uchar", "u8"},
                                  {"bool", "u8"},
                                  {"float", "f32"},
                                  {"double", "f64"},
                                  {"half", "f16"},
                                  {"__half", "f16"},
                                  {"__nv_bfloat16", "bf16"},
                                  {"nv_bfloat16", "bf16"},
                                  {"__nv_fp8_e4m3", "e4m3"},
                                  {"__nv_fp8_e5m2", "e5m2"}};
constexpr NamedType kVectors[] = {
    {"char", "i8"},  {"uchar", "u8"},     {"short", "i16"},     {"ushort", "u16"}, {"int", "i32"},
    {"uint", "u32"}, {"longlong", "i64"}, {"ulonglong", "u64"}, {"float", "f32"},  {"double", "f64"}};

/// Returns "size_t" for "const std::size_t".
std::string bare(std::string type) {
  for (const char* word : {"const ", "volatile ", "std::", " const"}) {
    for (std::size_t at = type.find(word); at != std::string::npos; at = type.find(word))
      type.erase(at, std::string_view(word).size());
  }
  return type;
}

}  // namespace

PointedAt pointed_at(const std::string& written) {
  PointedAt at{.type = bare(written)};
  while (at.type.ends_with('*')) {
    at.type.pop_back();
    ++at.depth;
    while (at.type.ends_with(' ')) at.type.pop_back();
  }
  return at;
}

std::string argument_type(const std::string& written) {
  const std::string type = bare(written);
  for (const NamedType& known : kScalars) {
    if (type == known.cuda) return known.argument;
  }
  for (const NamedType& known : kVectors) {
    const std::string_view name = known.cuda;
    if (type.starts_with(name) && type.size() == name.size() + 1 && type.back() >= '1' &&
        type.back() <= '4') {
      return fmt::format("{}x{}", known.argument, type.back());
    }
  }
  return {};
}

namespace {

struct Extent {
  std::uint64_t bytes = 0, alignment = 1;
};

constexpr std::size_t kMostStructFields = 64;

/// Returns the size and alignment of "f32", or "f32x4": CUDA aligns vectors of 2 and 4 as their size, those
/// of 3 as their element ("CUDA C++ Programming Guide", table "Alignment Requirements").
Extent extent_of_argument(const std::string& type) {
  const std::size_t times = type.find('x');
  const auto each = static_cast<std::uint64_t>(
      size_of(parse_element_type(type.substr(0, times)).value_or(ElementType::u8)));
  const auto lanes = times == std::string::npos ? 1u : static_cast<std::uint64_t>(type[times + 1] - '0');
  return {each * lanes, lanes == 3 ? each : std::min<std::uint64_t>(each * lanes, 16)};
}

const compile::SourceStruct* find_struct(std::span<const compile::SourceStruct> structs,
                                         const std::string& name) {
  const auto found = std::ranges::find(structs, name.substr(0, name.find('<')), &compile::SourceStruct::name);
  return found == structs.end() || found->fields.empty() ? nullptr : &*found;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Adds the fields of a structure that begins at `base`; an extent of 0 bytes: it holds what is no scalar, or
/// too many.
Extent add_fields(const compile::SourceStruct& of, std::span<const compile::SourceStruct> structs,
                  const std::string& prefix, std::uint64_t base, int nested,
                  std::vector<ParameterField>& fields) {
  Extent whole;
  for (const compile::SourceField& field : of.fields) {
    const auto [pointed, depth] = pointed_at(field.type);
    const std::string type = argument_type(pointed);
    const compile::SourceStruct* const inner =
        type.empty() && depth == 0 ? find_struct(structs, bare(field.type)) : nullptr;
    std::uint64_t count = 1;
    if (!field.extent.empty()) {
      const bool digits = field.extent.size() < 4 &&
                          std::ranges::all_of(field.extent, [](char c) { return c >= '0' && c <= '9'; });
      count = digits ? std::stoul(field.extent) : 0;
    }
    if ((type.empty() && inner == nullptr && depth == 0) || count == 0 || nested > 4) return {};
    Extent each = depth > 0 ? Extent{sizeof(std::uint64_t), sizeof(std::uint64_t)} : extent_of_argument(type);
    if (inner != nullptr) {  // Its alignment is needed before its place
      std::vector<ParameterField> ignored;
      each = add_fields(*inner, structs, "", 0, nested + 1, ignored);
      if (each.bytes == 0) return {};
    }
    whole.alignment = std::max(whole.alignment, each.alignment);
    whole.bytes = rounded_up(whole.bytes, each.alignment);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string name = prefix + field.name + (field.extent.empty() ? "" : fmt::format("[{}]", i));
      if (inner != nullptr) {
        add_fields(*inner, structs, name + ".", base + whole.bytes, nested + 1, fields);
      } else {
        fields.push_back({.name = name,
                          .type = type,
                          .offset = base + whole.bytes,
                          .bytes = each.bytes,
                          .pointer_depth = depth});
      }
      if (fields.size() > kMostStructFields) return {};
      whole.bytes += each.bytes;
    }
  }
  whole.bytes = rounded_up(whole.bytes, whole.alignment);
  return whole;
}

}  // namespace

std::vector<ParameterField> fields_of_struct(const std::string& name,
                                             std::span<const compile::SourceStruct> structs,
                                             std::uint64_t bytes) {
  std::vector<ParameterField> fields;
  const compile::SourceStruct* const of = find_struct(structs, bare(name));
  if (of == nullptr || add_fields(*of, structs, "", 0, 0, fields).bytes != bytes) return {};
  return fields;
}

}  // namespace warplens::app
