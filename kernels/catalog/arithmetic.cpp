#include "kernels/catalog/arithmetic.h"

#include <fmt/core.h>

#include <algorithm>

namespace warplens {

std::optional<FormulaFigures> figures_by_formula(const KernelDescriptor& kernel, const Problem& problem) {
  if (kernel.global_loads.count == nullptr) return std::nullopt;
  const auto element_bytes = static_cast<std::uint64_t>(size_of(value_type_of(problem.value_type).operand));
  FormulaFigures figures;
  figures.flops =
      2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.p) * static_cast<double>(problem.n);
  figures.loads = kernel.global_loads.count(problem, kernel.plan(problem));
  figures.loaded_bytes = figures.loads * element_bytes;
  return figures;
}

std::string name_with_tile(const std::string& kernel, const std::vector<NamedValue>& parameters) {
  for (const NamedValue& parameter : parameters) {
    if (parameter.name == "T") return fmt::format("{}, T = {}", kernel, parameter.value);
  }
  return kernel;
}

std::vector<CatalogKernel> ladder_by_formula(std::uint64_t m, std::uint64_t p, std::uint64_t n,
                                             const std::string& chosen,
                                             const std::vector<NamedValue>& parameters,
                                             const std::string& value_type) {
  // Types that no kernel of the catalogue has (s8, e4m3, ..) are types of tensor cores.
  const auto on_tensor_cores = [](std::string_view type) {
    const auto known = std::ranges::find(value_types(), type, &ValueType::name);
    return known == value_types().end() || known->on_tensor_cores;
  };
  const bool tensor = !value_type.empty() && on_tensor_cores(value_type);
  std::vector<CatalogKernel> ladder_kernels;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group != KernelGroup::ladder) continue;
    const bool is_chosen = kernel.id == chosen;
    const Result<Problem> problem =
        make_problem(kernel, m, p, n, is_chosen ? parameters : std::vector<NamedValue>{},
                     is_chosen || tensor ? value_type : "");
    if (!problem || on_tensor_cores(problem->value_type) != tensor) continue;
    const std::optional<FormulaFigures> figures = figures_by_formula(kernel, *problem);
    if (figures)
      ladder_kernels.push_back({kernel.id, problem->parameters, kernel.global_loads.loads,
                                kernel.global_loads.intensity, problem->value_type, *figures});
  }
  return ladder_kernels;
}

}  // namespace warplens
