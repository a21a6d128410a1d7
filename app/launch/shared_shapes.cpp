#include "app/launch/shared_shapes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/launch_form/expression.h"
#include "kernels/compile/signatures.h"

namespace warplens::app {
namespace {

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    parts.emplace_back(part.substr(0, std::min(part.find('='), part.size())));
    while (!parts.back().empty() && parts.back().back() == ' ') parts.back().pop_back();
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

/// "int T, bool kFast" and "<16, true>": T is 16.
void add_template_values(const std::vector<compile::SourceKernel>& kernels, const std::string& kernel,
                         std::vector<NamedValue>& values) {
  const std::size_t open = kernel.find('<'), close = kernel.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open) return;
  const auto of_name = [&](const compile::SourceKernel& one) {
    return kernel.substr(0, open).ends_with(one.name) && !one.template_arguments.empty();
  };
  const auto found = std::ranges::find_if(kernels, of_name);
  if (found == kernels.end()) return;
  const std::vector<std::string> names = split_at_commas(found->template_arguments),
                                 given = split_at_commas(kernel.substr(open + 1, close - open - 1));
  for (std::size_t i = 0; i < std::min(names.size(), given.size()); ++i) {
    const Result<std::int64_t> value = evaluate(given[i]);
    if (value.ok()) values.push_back({names[i].substr(names[i].rfind(' ') + 1), *value});
  }
}

std::optional<std::vector<std::uint64_t>> extents_of(const compile::SourceArray& array,
                                                     const std::vector<NamedValue>& values) {
  std::vector<std::uint64_t> extents;
  for (const std::string& text : array.extents) {
    const Result<std::int64_t> extent = evaluate(text, values);
    if (!extent.ok() || *extent < 1 || *extent > UINT32_MAX) return std::nullopt;
    extents.push_back(static_cast<std::uint64_t>(*extent));
  }
  return extents;
}

}  // namespace

void give_shapes(std::vector<SharedArray>& arrays, const std::string& source, const std::string& kernel) {
  std::vector<NamedValue> values;
  add_template_values(compile::kernels_in(source), kernel, values);
  for (const compile::SourceConstant& constant : compile::constants_in(source)) {
    if (const Result<std::int64_t> value = evaluate(constant.value, values); value.ok())
      values.push_back({constant.name, *value});
  }
  const std::vector<compile::SourceArray> declared = compile::shared_arrays_in(source);
  for (SharedArray& array : arrays) {
    const auto known = std::ranges::find(declared, array.name, &compile::SourceArray::name);
    if (known == declared.end()) continue;
    const auto extents = extents_of(*known, values);
    if (!extents) continue;
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : *extents)
      elements = std::min<std::uint64_t>(elements * extent, UINT32_MAX);
    const std::uint64_t each = array.bytes / elements;
    if (elements == 0 || each * elements != array.bytes || (each & (each - 1)) != 0 || each > 16 || each == 0)
      continue;
    array.element_bytes = static_cast<std::uint32_t>(each);
    array.pitch = static_cast<std::uint32_t>(extents->back());
    array.rows = static_cast<std::uint32_t>(elements / extents->back());
  }
}

}  // namespace warplens::app
