// The arithmetic of a product's kernel, from its descriptor's formula alone: what it computes, and what it
// loads for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"

namespace warplens {

struct FormulaFigures {
  double flops = 0;                ///< 2 m p n of the caller's sizes: what padding adds is no use to anybody
  std::uint64_t loads = 0;         ///< Elements loaded from global memory by all threads
  std::uint64_t loaded_bytes = 0;  ///< The same in bytes
  /// The ratio of compute to global memory accesses (CGMA), in flop/B.
  [[nodiscard]] double intensity() const { return flops / static_cast<double>(loaded_bytes); }
  friend bool operator==(const FormulaFigures&, const FormulaFigures&) = default;
};
/// nullopt: the kernel has no formula. The problem must come from make_problem.
[[nodiscard]] std::optional<FormulaFigures> figures_by_formula(const KernelDescriptor& kernel,
                                                               const Problem& problem);

/// "naive", "tiled, T = 16"
[[nodiscard]] std::string name_with_tile(const std::string& kernel,
                                         const std::vector<NamedValue>& parameters);

struct CatalogKernel {
  std::string kernel;
  std::vector<NamedValue> parameters;
  std::string loads, intensity;  ///< LoadFormula's texts
  std::string value_type;
  FormulaFigures figures;
};
/// Every kernel of the ladder at one size, in its order; `chosen` at those parameters and with those values,
/// the others at their defaults. Kernels that cannot be launched at that size are left out. With a value
/// type of tensor cores the list holds the kernels that accept it, otherwise those that do not use tensor
/// cores.
[[nodiscard]] std::vector<CatalogKernel> ladder_by_formula(std::uint64_t m, std::uint64_t p, std::uint64_t n,
                                                           const std::string& chosen = {},
                                                           const std::vector<NamedValue>& parameters = {},
                                                           const std::string& value_type = {});

}  // namespace warplens
