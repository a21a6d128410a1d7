#include "app/session/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <type_traits>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

static_assert(std::endian::native == std::endian::little, "arguments and buffers are passed on as they lie in memory");

constexpr const char* kSyntax = marked(
    "An argument is i32:256 (or u32, i64, u64, f32, f64), or buf:TYPE:COUNT[:INIT] with TYPE f32, f64, i32 or u8 and INIT zero, iota, random or "
    "file=PATH.");

Error bad_argument(const std::string& text, const std::string& what) {
  return {tr("argument `{argument}`: {what}", "argument"_a = text, "what"_a = what), "", tr(kSyntax)};
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
Result<ArgumentSpec> parse_scalar(const std::string& text, const std::string& type, std::string_view value) {
  const std::optional<T> number = parse_number<T>(value);
  if (!number) return bad_argument(text, tr("`{value}` is no {type} value", "value"_a = value, "type"_a = type));
  return ArgumentSpec{ScalarSpec{type, bytes_of(*number)}};
}

template <class T>
std::string text_of_value(const ScalarSpec& scalar) {
  T value{};
  std::memcpy(&value, scalar.bytes.data(), std::min(sizeof value, scalar.bytes.size()));
  return fmt::format("{}:{}", scalar.type, value);
}

std::string text_of(const ScalarSpec& scalar) {
  if (scalar.type == "i32") return text_of_value<std::int32_t>(scalar);
  if (scalar.type == "u32") return text_of_value<std::uint32_t>(scalar);
  if (scalar.type == "i64") return text_of_value<std::int64_t>(scalar);
  if (scalar.type == "u64") return text_of_value<std::uint64_t>(scalar);
  if (scalar.type == "f32") return text_of_value<float>(scalar);
  return text_of_value<double>(scalar);
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const ElementType type : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::u8}) {
    if (text == name_of(type)) return type;
  }
  return std::nullopt;
}

/// nullopt: so many elements have no address.
std::optional<std::uint64_t> buffer_bytes(const BufferSpec& buffer) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;  // More than any address space has; sums of a few do not overflow
  const auto each = static_cast<std::uint64_t>(size_of(buffer.type));
  return buffer.count > kMost / each ? std::nullopt : std::optional(buffer.count * each);
}

Result<ArgumentSpec> parse_buffer(const std::string& text, std::string_view rest) {
  const std::size_t type_end = rest.find(':');
  if (type_end == std::string_view::npos) return bad_argument(text, tr("the number of elements is missing"));
  const std::optional<ElementType> type = parse_element_type(rest.substr(0, type_end));
  if (!type) return bad_argument(text, tr("there is no element type `{type}`", "type"_a = rest.substr(0, type_end)));
  rest.remove_prefix(type_end + 1);

  const std::size_t count_end = rest.find(':');
  const std::string_view init = count_end == std::string_view::npos ? "zero" : rest.substr(count_end + 1);
  const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(rest.substr(0, count_end));
  if (!count || *count == 0) return bad_argument(text, tr("`{count}` is no number of elements", "count"_a = rest.substr(0, count_end)));
  BufferSpec buffer{.type = *type, .count = *count};
  if (!buffer_bytes(buffer)) return bad_argument(text, tr("so many elements have no address"));

  constexpr std::string_view kFile = "file=";
  if (init.substr(0, kFile.size()) == kFile) {
    buffer.fill = Fill::file;
    buffer.file = std::string(init.substr(kFile.size()));
  } else if (init == "iota") {
    buffer.fill = Fill::iota;
  } else if (init == "random") {
    buffer.fill = Fill::random;
  } else if (init != "zero") {
    return bad_argument(text, tr("there is no initial value `{value}`", "value"_a = init));
  }
  return ArgumentSpec{buffer};
}

template <class T>
std::vector<std::byte> counted(std::uint64_t count) {
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::uint64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(i);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return bytes;
}

template <class T>
std::vector<std::byte> small_integers(std::uint64_t count, std::uint64_t seed) {
  constexpr float kLift = std::is_unsigned_v<T> ? 3.0f : 0.0f;
  const std::vector<float> values = integer_matrix(1, count, seed);
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::uint64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(values[i] + kLift);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return bytes;
}

template <class T>
std::vector<std::byte> filled(const BufferSpec& buffer, std::uint64_t seed) {
  switch (buffer.fill) {
    case Fill::iota: return counted<T>(buffer.count);
    case Fill::random: return small_integers<T>(buffer.count, seed);
    case Fill::zero:
    case Fill::file: break;
  }
  return std::vector<std::byte>(buffer.count * sizeof(T));
}

Result<std::vector<std::byte>> read_contents(const BufferSpec& buffer, std::uint64_t bytes) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(buffer.file, error);
  if (error) return Error{tr("cannot read it: {reason}", "reason"_a = error.message()), buffer.file.string(), tr("Check the path behind `file=`.")};
  if (size != bytes) {
    return Error{tr("it has {size} bytes; {count} elements of {type} are {needed}", "size"_a = size, "count"_a = buffer.count,
                    "type"_a = name_of(buffer.type), "needed"_a = bytes),
                 buffer.file.string(), tr("The file holds exactly the buffer's bytes, little-endian.")};
  }
  return read_file(buffer.file, bytes);
}

}  // namespace

Result<ArgumentSpec> parse_argument(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return bad_argument(text, tr("there is no colon"));
  const std::string type = text.substr(0, colon);
  const std::string_view rest = std::string_view(text).substr(colon + 1);
  if (type == "buf") return parse_buffer(text, rest);
  if (type == "i32") return parse_scalar<std::int32_t>(text, type, rest);
  if (type == "u32") return parse_scalar<std::uint32_t>(text, type, rest);
  if (type == "i64") return parse_scalar<std::int64_t>(text, type, rest);
  if (type == "u64") return parse_scalar<std::uint64_t>(text, type, rest);
  if (type == "f32") return parse_scalar<float>(text, type, rest);
  if (type == "f64") return parse_scalar<double>(text, type, rest);
  return bad_argument(text, tr("there is no type `{type}`", "type"_a = type));
}

Result<NamedArgument> parse_named_argument(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool named = equals != std::string::npos && equals < text.find(':');  // `buf:u8:9:file=PATH` has one too
  Result<ArgumentSpec> value = parse_argument(named ? text.substr(equals + 1) : text);
  if (!value.ok()) return value.error();
  return NamedArgument{named ? text.substr(0, equals) : std::string(), *std::move(value)};
}

std::string text_of(const ArgumentSpec& argument) {
  if (const auto* const scalar = std::get_if<ScalarSpec>(&argument)) return text_of(*scalar);
  const auto& buffer = std::get<BufferSpec>(argument);
  std::string text = fmt::format("buf:{}:{}", name_of(buffer.type), buffer.count);
  switch (buffer.fill) {
    case Fill::zero: break;
    case Fill::iota: return text + ":iota";
    case Fill::random: return text + ":random";
    case Fill::file: return text + ":file=" + buffer.file.filename().string();
  }
  return text;
}

Result<std::vector<std::byte>> initial_contents(const BufferSpec& buffer, std::uint64_t seed) {
  const std::optional<std::uint64_t> bytes = buffer_bytes(buffer);
  if (!bytes || *bytes == 0)
    return Error{tr("a buffer cannot have {count} elements", "count"_a = buffer.count), "", tr("It has at least one, and has an address.")};
  if (buffer.fill == Fill::file) return read_contents(buffer, *bytes);
  switch (buffer.type) {
    case ElementType::f32: return filled<float>(buffer, seed);
    case ElementType::f64: return filled<double>(buffer, seed);
    case ElementType::i32: return filled<std::int32_t>(buffer, seed);
    case ElementType::u8: return filled<std::uint8_t>(buffer, seed);
  }
  return Error{tr("unknown element type"), "", ""};
}

std::uint64_t bytes_to_fill(const BufferSpec& buffer) {
  const std::optional<std::uint64_t> bytes = buffer_bytes(buffer);
  if (!bytes) return UINT64_MAX;
  return buffer.fill == Fill::random ? *bytes + buffer.count * sizeof(float) : *bytes;  // Made as floats first
}

}  // namespace warplens::app
