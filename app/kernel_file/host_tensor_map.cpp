#include "app/kernel_file/host_tensor_map.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warplens::app {
namespace {

using host::Argument;
using host::FormulaPtr;
using Names = std::map<const host::Formula*, std::string>;

const Argument* field_of(const Argument& structure, std::string_view name) {
  const auto found =
      std::ranges::find(structure.fields, name, [](const auto& one) { return std::string_view(one.name); });
  return found == structure.fields.end() ? nullptr : &found->value;
}

std::optional<std::int64_t> number_of(const Argument& structure, std::string_view name) {
  const Argument* const field = field_of(structure, name);
  const bool is_number = field != nullptr && field->kind == Argument::Kind::number;
  return is_number ? field->number->integer : std::nullopt;
}

/// Returns the first `count` elements of an array, innermost dimension first; empty: some are not known.
std::vector<FormulaPtr> numbers_of(const Argument& structure, std::string_view name, std::int64_t count) {
  std::vector<FormulaPtr> numbers;
  const Argument* const array = field_of(structure, name);
  for (std::int64_t d = 0; d < count; ++d) {
    const Argument* const element = array == nullptr ? nullptr : field_of(*array, std::to_string(d));
    if (element == nullptr || element->kind != Argument::Kind::number || !element->number->integer) return {};
    numbers.push_back(element->number);
  }
  return numbers;
}

/// "64x32", outermost dimension first. Names that hold an x are written as their values.
std::string joined(const std::vector<FormulaPtr>& numbers, const Names& names) {
  std::string text;
  for (const FormulaPtr& number : numbers) {
    std::optional<std::string> words = text_of(number, names);
    if (!words || words->find('x') != std::string::npos) words = std::to_string(*number->integer);
    text.insert(0, *words + (text.empty() ? "" : "x"));
  }
  return text;
}

/// ":box=64x32", or what im2col mode has in its place.
std::optional<std::string> what_is_moved(const Argument& map, std::int64_t rank, const Names& names) {
  if (const std::vector<FormulaPtr> box = numbers_of(map, "boxDim", rank); !box.empty())
    return ":box=" + joined(box, names);
  const auto count_of = [&](const char* name) -> std::optional<std::string> {
    if (!number_of(map, name)) return std::nullopt;
    const FormulaPtr& number = field_of(map, name)->number;
    return text_of(number, names).value_or(std::to_string(*number->integer));
  };
  const std::optional<std::string> channels = count_of("channelsPerPixel"),
                                   pixels = count_of("pixelsPerColumn");
  const std::vector<FormulaPtr> lower = numbers_of(map, "pixelBoxLowerCorner", rank - 2),
                                upper = numbers_of(map, "pixelBoxUpperCorner", rank - 2);
  if (!channels || !pixels || lower.empty() || upper.empty()) return std::nullopt;
  return ":channels=" + *channels + ":pixels=" + *pixels + ":lower=" + joined(lower, names) +
         ":upper=" + joined(upper, names);
}

}  // namespace

std::optional<HostTensorMap> tensor_map_in_words(const Argument& map, const host::HostProgram& program,
                                                 const Names& names) {
  constexpr const char* kSwizzles[] = {"", ":swizzle=32B", ":swizzle=64B", ":swizzle=128B"};
  constexpr const char* kInterleaves[] = {"", ":interleave=16B", ":interleave=32B"};
  const auto type = number_of(map, "tensorDataType"), rank = number_of(map, "tensorRank"),
             swizzle = number_of(map, "swizzle"), fill = number_of(map, "oobFill"),
             interleave = number_of(map, "interleave");
  const Argument* const address = field_of(map, "globalAddress");
  const bool is_known = type && *type < kTensorElements && rank && *rank >= 1 && swizzle &&
                        *swizzle < static_cast<int>(std::size(kSwizzles)) && fill && interleave &&
                        *interleave < static_cast<int>(std::size(kInterleaves)) && address != nullptr &&
                        address->kind == Argument::Kind::address;
  if (!is_known) return std::nullopt;
  const std::vector<FormulaPtr> extents = numbers_of(map, "globalDim", *rank),
                                strides = numbers_of(map, "globalStrides", *rank - 1),
                                steps = numbers_of(map, "elementStrides", *rank);
  if (extents.empty() || (strides.empty() && *rank > 1) || steps.empty()) return std::nullopt;
  const std::optional<std::string> moved = what_is_moved(map, *rank, names);
  if (!moved) return std::nullopt;

  HostTensorMap result{.allocation = address->allocation, .element = static_cast<TensorElement>(*type)};
  std::int64_t bytes = bytes_of(result.element);
  if (const auto index = text_of(divided(address->number, bytes), names); !index) {
    return std::nullopt;
  } else if (*index != "0") {
    result.index = "[" + *index + "]";
  }
  if (*interleave != 0) bytes = bytes_of(static_cast<TensorInterleave>(*interleave));
  bool is_dense = true;  // Rows lie one behind the other
  for (std::size_t d = 0; d < extents.size(); ++d) {
    result.extents.insert(0, "[" + text_of(extents[d], names).value_or("") + "]");
    bytes *= *extents[d]->integer;
    is_dense = is_dense && (d >= strides.size() || *strides[d]->integer == bytes);
  }
  const FormulaPtr& size = program.allocations[result.allocation].bytes;
  result.is_whole_matrix = *rank == 2 && is_dense && size != nullptr && size->integer == std::optional(bytes);
  result.options = *moved;
  if (!is_dense) result.options += ":strides=" + joined(strides, names);
  const auto is_one = [](const FormulaPtr& step) { return *step->integer == 1; };
  if (!std::ranges::all_of(steps, is_one)) result.options += ":steps=" + joined(steps, names);
  result.options += kSwizzles[*swizzle];
  result.options += kInterleaves[*interleave];
  if (*fill != 0) result.options += ":fill=nan";
  return result;
}

}  // namespace warplens::app
