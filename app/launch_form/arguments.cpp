#include "app/launch_form/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "app/launch_form/address_spec.h"
#include "app/launch_form/buffer_contents.h"
#include "app/launch_form/expression.h"
#include "app/launch_form/tensor_map_spec.h"
#include "app/launch_form/texture_spec.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arguments and buffers are passed on as they lie in memory");

constexpr const char* kSyntax = marked(
    "An argument is TYPE:VALUE, such as i32:256 or f32x4:0,0,0,1; bytes:HEX; or a buffer, "
    "buf:TYPE:COUNT[:INIT] or TYPE[ROWS][COLUMNS][:INIT]. TYPE "
    "is i4, u4 (two a byte), i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, e4m3, e5m2, tf32, f32 or f64; "
    "INIT zero, iota, "
    "random, ints:SEED, "
    "uniform, normal, identity, value:V, below:N, list:1,2 or "
    "file=PATH. TYPE*[ROWS][COLUMNS] is passed by rows, &A[INDEX] is an address in the buffer of A, null "
    "none, ptr[COUNT]:&A,&B a table of such. A "
    "texture is tex2d:TYPE[ROWS][COLUMNS][:INIT][,OPTION], a surface surf2d:..; OPTION linear, normalized, "
    "floats, memory, wrap, mirror "
    "or border. A tensor map is tensormap:TYPE[ROWS][COLUMNS]@A:box=64x64[:swizzle=128B].");
constexpr std::uint64_t kLargestBuffer =
    std::uint64_t{1} << 60;  // More than any address space has; sums of a few do not overflow
constexpr std::size_t kMostScalarBytes = 32764;     // What all parameters of a kernel may have together
constexpr std::uint64_t kMostAddresses = 1u << 20;  // In a table
constexpr std::uint64_t kMostListed = 4096;         // Values of Fill::list

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

/// "[m][n,n+1]": what stands in each pair of brackets.
std::optional<std::vector<std::string_view>> bracketed(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t close = text.find(']');
    if (text.front() != '[' || close == std::string_view::npos) return std::nullopt;
    parts.push_back(text.substr(1, close - 1));
    text.remove_prefix(close + 1);
  }
  return parts;
}

/// One argument's text, and what its numbers may be written with.
class ArgumentReader {
 public:
  ArgumentReader(const std::string& text, const ArgumentScope& scope) : text_(text), scope_(scope) {}

  [[nodiscard]] Result<ArgumentSpec> read() const {
    const std::string_view text = text_;
    const std::size_t colon = std::min(text.find(':'), text.size()), bracket = text.find('[');
    if (is_tensor_map(text)) return explained<ArgumentSpec>(parse_tensor_map(text, scope_));
    if (is_address(text)) return explained<ScalarSpec>(parse_address(text, scope_));
    if (const std::optional<Texture> kind = texture_of_word(text.substr(0, colon));
        kind && colon < text.size())
      return texture(*kind, text.substr(colon + 1));
    if (bracket < colon && text.substr(0, bracket) == "ptr") return table(text.substr(bracket));
    if (bracket < colon) return matrix(text.substr(0, bracket), text.substr(bracket));
    const std::string_view type = text.substr(0, colon);
    if (colon == text.size()) {
      if (scope_.type.empty()) return bad(tr("there is no colon"));
      return scalar(scope_.type, text);
    }
    if (type == "buf") return row(text.substr(colon + 1));
    if (type == "bytes") return bytes(text.substr(colon + 1));
    return scalar(type, text.substr(colon + 1));
  }

 private:
  [[nodiscard]] Error bad(const std::string& what) const { return bad_argument(text_, what); }

  /// A number of the type as it lies in memory.
  [[nodiscard]] Result<std::vector<std::byte>> number(ElementType type, std::string_view text) const {
    const auto no_value = [&] {
      return bad(tr("`{value}` is no {type} value", "value"_a = std::string(text), "type"_a = name_of(type)));
    };
    if (is_float(type)) {
      if (const auto value = parse_number<double>(text)) {
        if (type == ElementType::f32) return bytes_of_f32(text);
        return element_bytes(type, *value);
      }
    } else if (type == ElementType::u64) {
      if (const auto value = parse_number<std::uint64_t>(text))
        return integer_bytes(type, static_cast<std::int64_t>(*value));
    }
    const auto plain = parse_number<std::int64_t>(text);
    const Result<std::int64_t> value = plain ? Result<std::int64_t>(*plain) : evaluate(text, scope_.values);
    if (!value.ok()) return scope_.values.empty() ? no_value() : bad(value.error().what);
    if (is_float(type)) return element_bytes(type, static_cast<double>(*value));
    if (!holds(type, *value)) return no_value();
    return integer_bytes(type, *value);
  }
  /// Rounded once.
  static std::vector<std::byte> bytes_of_f32(std::string_view text) {
    const float value = parse_number<float>(text).value_or(0.0f);
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  [[nodiscard]] Result<ArgumentSpec> scalar(std::string_view type, std::string_view values) const {
    const std::size_t times = type.find('x');
    const std::optional<ElementType> element = parse_element_type(type.substr(0, times));
    const std::optional<unsigned> lanes =
        times == std::string_view::npos ? 1u : parse_number<unsigned>(type.substr(times + 1));
    if (!element || !lanes || *lanes < 1 || *lanes > 16)
      return bad(tr("there is no type `{type}`", "type"_a = std::string(type)));
    ScalarSpec spec{std::string(type), {}};
    for (unsigned i = 0; i < *lanes; ++i) {
      const std::size_t end =
          times == std::string_view::npos ? values.size() : std::min(values.find(','), values.size());
      if (i > 0 && values.empty()) return bad(tr("it has fewer values than {count}", "count"_a = *lanes));
      const Result<std::vector<std::byte>> one = number(*element, values.substr(0, end));
      if (!one.ok()) return one.error();
      spec.bytes.insert(spec.bytes.end(), one->begin(), one->end());
      values.remove_prefix(std::min(end + 1, values.size()));
    }
    if (!values.empty()) return bad(tr("it has more values than {count}", "count"_a = *lanes));
    return ArgumentSpec{spec};
  }

  /// With the argument in the error.
  template <class T>
  [[nodiscard]] Result<ArgumentSpec> explained(Result<T> made) const {
    if (!made.ok()) return bad(made.error().what);
    return ArgumentSpec(*std::move(made));
  }

  /// Of "bytes:HEX@8=&A", what stands behind the colon.
  [[nodiscard]] Result<ArgumentSpec> bytes(std::string_view rest) const {
    ScalarSpec spec{"bytes", {}};
    const std::string_view digits = rest.substr(0, rest.find('@'));
    for (std::size_t i = 0; i < digits.size() && spec.bytes.size() <= kMostScalarBytes; i += 2) {
      unsigned value = 0;
      const std::string_view two = digits.substr(i, 2);
      const auto [end, error] = std::from_chars(two.data(), two.data() + two.size(), value, 16);
      if (error != std::errc{} || two.size() != 2 || end != two.data() + 2)
        return bad(tr("two hexadecimal digits make a byte"));
      spec.bytes.push_back(static_cast<std::byte>(value));
    }
    if (spec.bytes.empty() || spec.bytes.size() > kMostScalarBytes)
      return bad(tr("an argument has 1 to {most} bytes", "most"_a = kMostScalarBytes));
    Result<std::vector<PlacedSpec>> addresses = parse_within(rest.substr(digits.size()), scope_);
    if (!addresses.ok()) return bad(addresses.error().what);
    for (const PlacedSpec& one : *addresses) {
      if (one.at + sizeof(std::uint64_t) > spec.bytes.size())
        return bad(tr("an address at byte {at} does not lie in it", "at"_a = one.at));
    }
    spec.addresses = *std::move(addresses);
    return ArgumentSpec{spec};
  }

  [[nodiscard]] Result<std::uint64_t> extent(std::string_view text) const {
    const Result<std::int64_t> value = evaluate(text, scope_.values);
    if (!value.ok() && !scope_.values.empty()) return bad(value.error().what);
    if (!value.ok() || *value < 1)
      return bad(tr("`{count}` is no number of elements", "count"_a = std::string(text)));
    return static_cast<std::uint64_t>(*value);
  }

  /// Of "buf:TYPE:COUNT[:INIT]", what stands behind the first colon.
  [[nodiscard]] Result<ArgumentSpec> row(std::string_view rest) const {
    const std::size_t type_end = rest.find(':');
    if (type_end == std::string_view::npos) return bad(tr("the number of elements is missing"));
    const std::optional<ElementType> type = parse_element_type(rest.substr(0, type_end));
    if (!type)
      return bad(tr("there is no element type `{type}`", "type"_a = std::string(rest.substr(0, type_end))));
    rest.remove_prefix(type_end + 1);
    const std::size_t count_end = rest.find(':');
    const Result<std::uint64_t> count = extent(rest.substr(0, count_end));
    if (!count.ok()) return count.error();
    return with_contents({.type = *type, .count = *count, .file = {}},
                         count_end == std::string_view::npos ? "zero" : rest.substr(count_end + 1));
  }

  /// Of "ptr[COUNT]:&A,&B", what begins with the bracket.
  [[nodiscard]] Result<ArgumentSpec> table(std::string_view rest) const {
    const std::size_t colon = rest.find(':');
    const auto shape = bracketed(rest.substr(0, colon));
    if (!shape || shape->size() != 1 || colon == std::string_view::npos)
      return bad(tr("a table is ptr[COUNT]:&A,&B"));
    const Result<std::uint64_t> count = extent(shape->front());
    if (!count.ok()) return count.error();
    if (*count > kMostAddresses)
      return bad(tr("a table has at most {most} addresses", "most"_a = kMostAddresses));
    Result<std::vector<PlacedSpec>> addresses = parse_addresses(rest.substr(colon + 1), *count, scope_);
    if (!addresses.ok()) return bad(addresses.error().what);
    return ArgumentSpec{BufferSpec{
        .type = ElementType::u64, .count = *count, .file = {}, .addresses = *std::move(addresses)}};
  }

  /// Of "f32[m][n]:INIT", or "f32*[m][n]:INIT", the type and what begins with the first bracket.
  [[nodiscard]] Result<ArgumentSpec> matrix(std::string_view name, std::string_view rest) const {
    const bool by_rows = name.ends_with('*');
    if (by_rows) name.remove_suffix(1);
    const std::optional<ElementType> type = parse_element_type(name);
    if (!type) return bad(tr("there is no element type `{type}`", "type"_a = std::string(name)));
    const std::size_t shape_end = rest.find(']', rest.rfind('[')) + 1, colon = rest.find(':', rest.find(']'));
    const auto shape = bracketed(rest.substr(0, std::min(colon, rest.size())));
    if (!shape || shape_end == 0 || shape->size() > 2)
      return bad(tr("a shape is [COUNT], [ROWS][COLUMNS] or [ROWS][COLUMNS,PITCH]"));
    BufferSpec buffer{.type = *type, .file = {}, .by_rows = by_rows};
    if (const Result<Done> set = set_shape(buffer, *shape); !set.ok()) return set.error();
    if (by_rows && (shape->size() != 2 || buffer.rows > kMostAddresses))
      return bad(tr("what is passed by rows has a shape, TYPE*[ROWS][COLUMNS], of at most {most} rows",
                    "most"_a = kMostAddresses));
    return with_contents(buffer, colon == std::string_view::npos ? "zero" : rest.substr(colon + 1));
  }

  /// Returns what stands behind the first colon of "tex2d:f32x4[h][w]:INIT,OPTION".
  [[nodiscard]] Result<ArgumentSpec> texture(Texture kind, std::string_view rest) const {
    for (std::size_t comma = rest.rfind(',');
         comma != std::string_view::npos && add_texture_option(rest.substr(comma + 1), kind);
         comma = rest.rfind(',')) {
      rest = rest.substr(0, comma);
    }
    const std::size_t bracket = std::min(rest.find('['), rest.size()),
                      colon = std::min(rest.find(':', rest.rfind(']')), rest.size());
    const std::string_view name = rest.substr(0, bracket);
    const std::size_t times = name.find('x');
    const std::optional<ElementType> type = parse_element_type(name.substr(0, times));
    const std::optional<std::uint32_t> channels =
        times == std::string_view::npos ? 1u : parse_number<std::uint32_t>(name.substr(times + 1));
    if (!type || !channels) return bad(tr("there is no element type `{type}`", "type"_a = std::string(name)));
    const auto shape = bracketed(rest.substr(bracket, colon - bracket));
    if (!shape) return bad(tr("a shape is [COUNT], [ROWS][COLUMNS] or [ROWS][COLUMNS,PITCH]"));
    std::vector<std::uint64_t> extents;
    for (const std::string_view one : *shape) {
      const Result<std::uint64_t> value = extent(one);
      if (!value.ok()) return value.error();
      extents.push_back(*value);
    }
    const Result<Texture> made = with_texels(kind, *type, *channels, extents);
    if (!made.ok()) return bad(made.error().what);
    const std::uint64_t columns = std::uint64_t{made->width} * *channels,
                        pitch = made->pitch_bytes / made->channel_bytes();
    const std::uint64_t rows = std::uint64_t{made->height} * made->depth;
    if (rows > UINT32_MAX || pitch > kLargestBuffer / rows)
      return bad(tr("so many elements have no address"));
    BufferSpec buffer{.type = *type, .count = rows * pitch, .file = {}, .texture = *made};
    if (rows > 1) {
      buffer.rows = static_cast<std::uint32_t>(rows);
      buffer.columns = columns;
      buffer.pitch = pitch;
    }
    return with_contents(buffer, colon == rest.size() ? "zero" : rest.substr(colon + 1));
  }

  Result<Done> set_shape(BufferSpec& buffer, const std::vector<std::string_view>& shape) const {
    if (shape.size() == 1) {
      const Result<std::uint64_t> count = extent(shape.front());
      if (!count.ok()) return count.error();
      buffer.count = *count;
      return Done{};
    }
    const std::size_t comma = pitch_comma(shape[1]);
    const Result<std::uint64_t> rows = extent(shape[0]), columns = extent(shape[1].substr(0, comma));
    if (!rows.ok()) return rows.error();
    if (!columns.ok()) return columns.error();
    const Result<std::uint64_t> pitch =
        comma == std::string_view::npos ? columns : extent(shape[1].substr(comma + 1));
    if (!pitch.ok()) return pitch.error();
    if (*pitch < *columns)
      return bad(tr("a pitch of {pitch} is less than {columns} columns", "pitch"_a = *pitch,
                    "columns"_a = *columns));
    if (*rows > UINT32_MAX || *pitch > kLargestBuffer / *rows)
      return bad(tr("so many elements have no address"));
    if (*rows > 1 && bytes_of(buffer.type, *pitch) * 2 != bytes_of(buffer.type, *pitch * 2))
      return bad(tr("a row of {pitch} elements of {type} does not end with a byte", "pitch"_a = *pitch,
                    "type"_a = name_of(buffer.type)));
    buffer.count = *rows * *pitch;
    if (*rows == 1 && *pitch == *columns) return Done{};
    buffer.rows = static_cast<std::uint32_t>(*rows);
    buffer.columns = *columns;
    buffer.pitch = *pitch;
    return Done{};
  }
  /// Returns the place of the comma of "max(n,m),n+1" that is in no parentheses.
  static std::size_t pitch_comma(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')') --depth;
      if (text[i] == ',' && depth == 0) return i;
    }
    return std::string_view::npos;
  }

  [[nodiscard]] Result<ArgumentSpec> with_contents(BufferSpec buffer, std::string_view init) const {
    if (bytes_to_fill(buffer) == UINT64_MAX) return bad(tr("so many elements have no address"));
    constexpr std::string_view kFile = "file=";
    if (init.starts_with(kFile)) {
      buffer.fill = Fill::file;
      buffer.file = std::string(init.substr(kFile.size()));
      return ArgumentSpec{buffer};
    }
    const std::size_t colon = init.find(':');
    const std::string_view word = init.substr(0, colon), rest = colon == std::string_view::npos
                                                                    ? std::string_view()
                                                                    : init.substr(colon + 1);
    const auto unknown = [&] {
      return bad(tr("there is no initial value `{value}`", "value"_a = std::string(init)));
    };
    const std::optional<Fill> fill = parse_fill(word);
    if (!fill) return unknown();
    buffer.fill = *fill;
    if (buffer.fill == Fill::value) {
      const auto value = parse_number<double>(rest);
      if (!value) return unknown();
      buffer.value = *value;
    } else if (buffer.fill == Fill::list) {
      for (const std::string_view one : parts_at_commas(rest)) {
        const auto value = parse_number<double>(one);
        if (!value) return unknown();
        buffer.values.push_back(*value);
      }
      if (buffer.values.size() > std::min<std::uint64_t>(buffer.count, kMostListed))
        return bad(tr("it lists more values than {most}",
                      "most"_a = std::min<std::uint64_t>(buffer.count, kMostListed)));
    } else if (buffer.fill == Fill::below) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const Result<std::int64_t> limit = evaluate(rest.substr(0, end), scope_.values);
      if (!limit.ok() || *limit < 1) return unknown();
      buffer.value = static_cast<double>(*limit);
      const auto seed = parse_number<std::uint64_t>(rest.substr(std::min(end + 1, rest.size())));
      if (end < rest.size() && !seed) return unknown();
      buffer.seed = seed.value_or(0);
    } else if (colon != std::string_view::npos) {
      const auto seed = parse_number<std::uint64_t>(rest);
      if (!takes_seed(buffer.fill) || !seed) return unknown();
      buffer.seed = *seed;
    }
    if ((buffer.fill == Fill::uniform || buffer.fill == Fill::normal) && !is_float(buffer.type)) {
      return bad(
          tr("`{word}` is of floating-point numbers; integers take ints", "word"_a = std::string(word)));
    }
    return ArgumentSpec{buffer};
  }
  static std::optional<Fill> parse_fill(std::string_view word) {
    if (word == "zero") return Fill::zero;
    if (word == "iota") return Fill::iota;
    if (word == "random" || word == "ints") return Fill::random;
    if (word == "uniform") return Fill::uniform;
    if (word == "normal") return Fill::normal;
    if (word == "identity") return Fill::identity;
    if (word == "value") return Fill::value;
    if (word == "below") return Fill::below;
    if (word == "list") return Fill::list;
    return std::nullopt;
  }
  static bool takes_seed(Fill fill) {
    return fill == Fill::random || fill == Fill::uniform || fill == Fill::normal;
  }

  const std::string& text_;
  const ArgumentScope& scope_;
};

std::string text_of_bytes(const std::vector<std::byte>& bytes) {
  std::string text = "bytes:";
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string text_of(const ScalarSpec& scalar) {
  const std::optional<ElementType> type =
      parse_element_type(std::string_view(scalar.type).substr(0, scalar.type.find('x')));
  if (scalar.type == "ptr" && scalar.addresses.size() == 1) return text_of(scalar.addresses.front().to);
  if (scalar.type == "ptr") return "null";
  if (scalar.map) return text_of(*scalar.map, scalar.addresses.front().to, false);
  if (!type) return text_of_bytes(scalar.bytes) + text_within(scalar.addresses);
  std::string text = scalar.type;
  const auto each = static_cast<std::size_t>(size_of(*type));
  for (std::size_t at = 0; at + each <= scalar.bytes.size(); at += each) {
    text += (at == 0 ? ":" : ",") + element_text(*type, std::span(scalar.bytes).subspan(at, each));
  }
  return text;
}

std::string text_of_fill(const BufferSpec& buffer) {
  const std::string seed = buffer.seed == 0 ? std::string() : fmt::format(":{}", buffer.seed);
  switch (buffer.fill) {
    case Fill::zero: return {};
    case Fill::iota: return ":iota";
    case Fill::random: return ":random" + seed;
    case Fill::uniform: return ":uniform" + seed;
    case Fill::normal: return ":normal" + seed;
    case Fill::identity: return ":identity";
    case Fill::value: return fmt::format(":value:{}", buffer.value);
    case Fill::below: return fmt::format(":below:{}{}", static_cast<std::int64_t>(buffer.value), seed);
    case Fill::list: return fmt::format(":list:{}", fmt::join(buffer.values, ","));
    case Fill::file: break;
  }
  return ":file=" + buffer.file.filename().string();
}

}  // namespace

bool is_float(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::tf32:
    case ElementType::e4m3:
    case ElementType::e5m2:
    case ElementType::f32:
    case ElementType::f64: return true;
    case ElementType::i4:
    case ElementType::u4:
    case ElementType::u8:
    case ElementType::i8:
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::u64:
    case ElementType::i64: break;
  }
  return false;
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (int type = 0; type <= static_cast<int>(ElementType::u4); ++type) {
    if (text == name_of(static_cast<ElementType>(type))) return static_cast<ElementType>(type);
  }
  return std::nullopt;
}

Result<ArgumentSpec> parse_argument(const std::string& text, const ArgumentScope& scope) {
  return ArgumentReader(text, scope).read();
}

Result<NamedArgument> parse_named_argument(const std::string& text, const ArgumentScope& scope) {
  const std::size_t equals = text.find('=');
  const bool named = equals != std::string::npos &&
                     equals < std::min(text.find(':'), text.find('['));  // `buf:u8:9:file=PATH` has one too
  Result<ArgumentSpec> value = parse_argument(named ? text.substr(equals + 1) : text, scope);
  if (!value.ok()) return value.error();
  return NamedArgument{named ? text.substr(0, equals) : std::string(), *std::move(value)};
}

std::string text_of(const ArgumentSpec& argument) {
  if (const auto* const scalar = std::get_if<ScalarSpec>(&argument)) return text_of(*scalar);
  const auto& buffer = std::get<BufferSpec>(argument);
  if (buffer.texture)
    return text_before(*buffer.texture) + text_of_fill(buffer) + text_behind(*buffer.texture);
  if (buffer.map) return text_of(*buffer.map, buffer.addresses.front().to, true);
  if (!buffer.addresses.empty())
    return fmt::format("ptr[{}]:{}", buffer.count, text_of(buffer.addresses, buffer.count));
  if (buffer.by_rows) {
    const std::uint64_t columns = buffer.columns == 0 ? buffer.count : buffer.columns,
                        pitch = buffer.columns == 0 ? columns : buffer.pitch;
    const std::string row =
        pitch == columns ? fmt::format("{}", columns) : fmt::format("{},{}", columns, pitch);
    return fmt::format("{}*[{}][{}]{}", name_of(buffer.type), buffer.rows, row, text_of_fill(buffer));
  }
  const std::string shape =
      buffer.columns == 0 ? fmt::format("buf:{}:{}", name_of(buffer.type), buffer.count)
      : buffer.pitch == buffer.columns
          ? fmt::format("{}[{}][{}]", name_of(buffer.type), buffer.rows, buffer.columns)
          : fmt::format("{}[{}][{},{}]", name_of(buffer.type), buffer.rows, buffer.columns, buffer.pitch);
  return shape + text_of_fill(buffer);
}

std::uint64_t bytes_to_fill(const BufferSpec& buffer) {
  const auto each = static_cast<std::uint64_t>(size_of(buffer.type));
  if (buffer.count > kLargestBuffer / std::max<std::uint64_t>(each, sizeof(float))) return UINT64_MAX;
  const std::uint64_t table = buffer.by_rows ? buffer.rows * sizeof(std::uint64_t) : 0;
  return table + bytes_of(buffer.type, buffer.count);
}

}  // namespace warplens::app
