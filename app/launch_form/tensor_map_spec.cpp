#include "app/launch_form/tensor_map_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/launch_form/address_spec.h"
#include "app/launch_form/expression.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::string_view kByValue = "tensormap:", kByAddress = "tensormap*:";
constexpr std::pair<std::string_view, TensorSwizzle> kSwizzles[] = {{"none", TensorSwizzle::none},
                                                                    {"32B", TensorSwizzle::bytes32},
                                                                    {"64B", TensorSwizzle::bytes64},
                                                                    {"128B", TensorSwizzle::bytes128}};
constexpr std::pair<std::string_view, TensorInterleave> kInterleaves[] = {
    {"none", TensorInterleave::none}, {"16B", TensorInterleave::bytes16}, {"32B", TensorInterleave::bytes32}};

Error wrong(std::string what) {
  return {std::move(what), "", ""};
}

std::optional<TensorElement> parse_element(std::string_view name) {
  for (int k = 0; k < kTensorElements; ++k) {
    if (name == name_of(static_cast<TensorElement>(k))) return static_cast<TensorElement>(k);
  }
  return std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class Reader {
 public:
  Reader(std::string_view text, const ArgumentScope& scope) : text_(text), scope_(scope) {}

  Result<TensorMap> map() {
    const std::size_t bracket = std::min(text_.find('['), text_.size());
    const std::optional<TensorElement> element = parse_element(text_.substr(0, bracket));
    if (!element)
      return wrong(
          tr("a tensor's elements are u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16, f32ftz, tf32 or "
             "tf32ftz"));
    map_.element = *element;
    const std::size_t at = text_.find("]@", bracket);
    if (at == std::string_view::npos) return wrong(tr("behind the extents stands @ and the tensor's buffer"));
    const std::size_t colon = std::min(text_.find(':', at), text_.size());
    address_ = text_.substr(at + 2, colon - at - 2);
    std::vector<std::string_view> options;
    if (colon < text_.size()) options = split(text_.substr(colon + 1), ':');
    // Of interleaved tensors the extents count slices.
    const auto others = std::stable_partition(options.begin(), options.end(), [](std::string_view option) {
      return option.starts_with("interleave=");
    });
    const auto first = static_cast<std::size_t>(others - options.begin());
    for (std::size_t k = 0; k <= options.size(); ++k) {
      if (k == first) {
        const Result<Done> set = set_extents(text_.substr(bracket, at + 1 - bracket));
        if (!set.ok()) return set.error();
      }
      if (k == options.size()) break;
      if (const Result<Done> set = set_option(options[k]); !set.ok()) return set.error();
    }
    if (has_box_ == map_.im2col.has_value())
      return wrong(
          tr("the box is missing: box=ROWSxCOLUMNS, or channels=COUNT:pixels=COUNT for im2col mode"));
    if (const char* const rule = broken_rule_of(map_)) return wrong(tr(rule));
    return map_;
  }
  [[nodiscard]] std::string_view address() const { return address_; }

 private:
  Result<std::uint64_t> number(std::string_view text) const {
    const Result<std::int64_t> value = evaluate(text, scope_.values);
    if (!value.ok()) return wrong(value.error().what);
    if (*value < 1) return wrong(tr("`{text}` is not at least 1", "text"_a = std::string(text)));
    return static_cast<std::uint64_t>(*value);
  }

  Result<Done> set_extents(std::string_view brackets) {
    std::vector<std::string_view> parts = split(brackets.substr(1, brackets.size() - 2), ']');
    if (parts.size() > kMaxTensorRank) return wrong(tr("a tensor has 1 to 5 dimensions"));
    std::ranges::reverse(parts);
    map_.rank = static_cast<std::uint32_t>(parts.size());
    std::uint64_t stride = map_.unit_bytes();
    for (std::size_t d = 0; d < parts.size(); ++d) {
      std::string_view one = parts[d];
      if (d + 1 < parts.size() && !one.starts_with('[')) return wrong(tr("extents are [ROWS][COLUMNS]"));
      if (one.starts_with('[')) one.remove_prefix(1);
      const std::size_t comma = one.find(',');
      const Result<std::uint64_t> extent = number(one.substr(0, comma));
      if (!extent.ok()) return extent.error();
      const Result<std::uint64_t> pitch =
          comma == std::string_view::npos ? extent : number(one.substr(comma + 1));
      if (!pitch.ok()) return pitch.error();
      if (*pitch < *extent) return wrong(tr("a pitch is less than the extent that it stands with"));
      map_.extents.at(d) = *extent;
      map_.strides.at(d) = d == 0 ? 0 : stride;
      if (*pitch > UINT64_MAX / stride) return wrong(tr("so many elements have no address"));
      stride *= *pitch;
    }
    return Done{};
  }

  /// "64x64", outermost first.
  Result<Done> set_each(std::string_view text, std::array<std::uint32_t, kMaxTensorRank>& to) const {
    const std::vector<std::string_view> parts = split(text, 'x');
    if (parts.size() != map_.rank)
      return wrong(tr("a box and its steps have a number for each dimension: 64x32"));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Result<std::uint64_t> value = number(parts[k]);
      if (!value.ok()) return value.error();
      to.at(parts.size() - 1 - k) = static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, UINT32_MAX));
    }
    return Done{};
  }

  /// In bytes, of all dimensions but the innermost.
  Result<Done> set_strides(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, 'x');
    if (parts.size() + 1 != map_.rank)
      return wrong(tr("strides are those of all dimensions but the innermost"));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t dimension = parts.size() - k;
      const bool is_unused = parts[k] == "0" && map_.extents.at(dimension) == 1;
      const Result<std::uint64_t> value = is_unused ? std::uint64_t{0} : number(parts[k]);
      if (!value.ok()) return value.error();
      map_.strides.at(dimension) = *value;
    }
    return Done{};
  }

  /// Of im2col mode, of W last. They may be negative.
  Result<Done> set_corner(std::string_view text, std::array<std::int32_t, kMaxSpatialRank>& to) const {
    const std::vector<std::string_view> parts = split(text, 'x');
    if (parts.size() + 2 != map_.rank)
      return wrong(tr("a corner has a number for each of D, H and W: -1x-1"));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Result<std::int64_t> value = evaluate(parts[k], scope_.values);
      if (!value.ok()) return wrong(value.error().what);
      to.at(parts.size() - 1 - k) =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(*value, INT16_MIN - 1, INT16_MAX + 1));
    }
    return Done{};
  }

  /// Whether the option is one of im2col mode.
  static bool is_of_im2col(std::string_view name) {
    return name == "channels" || name == "pixels" || name == "lower" || name == "upper";
  }
  Result<Done> set_im2col(std::string_view name, std::string_view text) {
    if (!map_.im2col) map_.im2col.emplace();
    if (name == "lower") return set_corner(text, map_.im2col->lower);
    if (name == "upper") return set_corner(text, map_.im2col->upper);
    const Result<std::uint64_t> value = number(text);
    if (!value.ok()) return value.error();
    (name == "channels" ? map_.im2col->channels : map_.im2col->pixels) =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, UINT16_MAX));
    return Done{};
  }

  Result<Done> set_option(std::string_view option) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string_view name = option.substr(0, equals),
                           value = option.substr(std::min(equals + 1, option.size()));
    if (name == "box") {
      has_box_ = true;
      return set_each(value, map_.box);
    }
    if (is_of_im2col(name)) return set_im2col(name, value);
    if (name == "steps") return set_each(value, map_.element_strides);
    if (name == "strides") return set_strides(value);
    if (name == "fill" && (value == "nan" || value == "zero")) {
      map_.fills_with_nan = value == "nan";
      return Done{};
    }
    const auto* const swizzle =
        std::ranges::find(kSwizzles, value, [](const auto& one) { return one.first; });
    if (name == "swizzle" && swizzle != std::end(kSwizzles)) {
      map_.swizzle = swizzle->second;
      return Done{};
    }
    const auto* const interleave =
        std::ranges::find(kInterleaves, value, [](const auto& one) { return one.first; });
    if (name == "interleave" && interleave != std::end(kInterleaves)) {
      map_.interleave = interleave->second;
      return Done{};
    }
    return wrong(
        tr("`{option}` is not one of box=64x64, steps=1x2, strides=256, swizzle=none, 32B, 64B, 128B, "
           "interleave=none, 16B, 32B, fill=zero, nan, channels=64, pixels=128, lower=-1x-1, upper=-1x-1",
           "option"_a = std::string(option)));
  }

  std::string_view text_, address_;
  const ArgumentScope& scope_;
  TensorMap map_;
  bool has_box_ = false;
};

template <class Values>
std::string numbers_of(const Values& values, std::size_t count) {
  std::string text;
  for (std::size_t d = count; d-- > 0;) text += fmt::format("{}{}", values.at(d), d > 0 ? "x" : "");
  return text;
}

std::string text_of(const Im2col& im2col, std::uint32_t rank) {
  std::string text = fmt::format("channels={}:pixels={}", im2col.channels, im2col.pixels);
  for (const auto& [name, corner] : {std::pair("lower", &im2col.lower), std::pair("upper", &im2col.upper)}) {
    if (std::ranges::any_of(*corner, [](std::int32_t x) { return x != 0; }))
      text += fmt::format(":{}={}", name, numbers_of(*corner, rank - 2));
  }
  return text;
}

/// Whether each dimension's stride is a multiple of the one inside it, and wide enough for it.
bool has_pitches(const TensorMap& map) {
  std::uint64_t inner = map.unit_bytes();
  for (std::size_t d = 1; d < map.rank; ++d) {
    const std::uint64_t stride = map.strides.at(d);
    if (stride % inner != 0 || stride / inner < map.extents.at(d - 1)) return false;
    inner = stride;
  }
  return true;
}

}  // namespace

bool is_tensor_map(std::string_view text) {
  return text.starts_with(kByValue) || text.starts_with(kByAddress);
}

Result<ArgumentSpec> parse_tensor_map(std::string_view text, const ArgumentScope& scope) {
  const bool by_address = text.starts_with(kByAddress);
  Reader reader(text.substr((by_address ? kByAddress : kByValue).size()), scope);
  const Result<TensorMap> map = reader.map();
  if (!map.ok()) return map.error();
  Result<ScalarSpec> address = parse_address("&" + std::string(reader.address()), scope);
  if (!address.ok()) return address.error();
  const auto bytes = encode_tensor_map(*map);
  std::vector<PlacedSpec> addresses = std::move(address->addresses);  // Of the tensor: the first eight bytes
  if (by_address) {
    return ArgumentSpec{BufferSpec{.type = ElementType::u64,
                                   .count = kTensorMapBytes / sizeof(std::uint64_t),
                                   .file = {},
                                   .addresses = std::move(addresses),
                                   .map = *map}};
  }
  return ArgumentSpec{ScalarSpec{.type = "tensormap",
                                 .bytes = {bytes.begin(), bytes.end()},
                                 .addresses = std::move(addresses),
                                 .map = *map}};
}

std::string text_of(const TensorMap& map, const AddressSpec& address, bool by_address) {
  std::string text = fmt::format("{}{}", by_address ? kByAddress : kByValue, name_of(map.element));
  const bool by_pitch = has_pitches(map);
  std::string extents, strides;
  for (std::size_t d = 0; d < map.rank; ++d) {
    const std::uint64_t extent = map.extents.at(d), own = d == 0 ? map.unit_bytes() : map.strides.at(d),
                        pitch = by_pitch && d + 1 < map.rank ? map.strides.at(d + 1) / own : extent;
    extents.insert(0, pitch == extent ? fmt::format("[{}]", extent) : fmt::format("[{},{}]", extent, pitch));
    if (d > 0) strides = fmt::format("{}{}{}", own, strides.empty() ? "" : "x", strides);
  }
  text += fmt::format("{}@{}:", extents, text_of(address).substr(1));
  text += map.im2col ? text_of(*map.im2col, map.rank) : "box=" + numbers_of(map.box, map.rank);
  if (!by_pitch) text += ":strides=" + strides;
  if (std::ranges::any_of(map.element_strides, [](std::uint32_t step) { return step != 1; }))
    text += ":steps=" + numbers_of(map.element_strides, map.rank);
  for (const auto& [name, swizzle] : kSwizzles) {
    if (map.swizzle == swizzle && swizzle != TensorSwizzle::none) text += fmt::format(":swizzle={}", name);
  }
  for (const auto& [name, interleave] : kInterleaves) {
    if (map.interleave == interleave && map.is_interleaved()) text += fmt::format(":interleave={}", name);
  }
  return text + (map.fills_with_nan ? ":fill=nan" : "");
}

}  // namespace warplens::app
