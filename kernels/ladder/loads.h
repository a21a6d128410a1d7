// What the kernels of the ladder load from global memory, counted on paper. Extents are those that the kernel
// gets, padding included.
#pragma once

#include "kernels/catalog/catalog.h"

namespace warplens {

/// m n p: the multiply-adds of the product that the kernel is given.
[[nodiscard]] inline std::uint64_t multiply_adds(const LaunchPlan& plan) {
  return plan.kernel_m() * plan.kernel_n() * plan.kernel_p();
}

/// Two loads for each multiply-add: nothing is kept.
[[nodiscard]] inline LoadFormula loads_of_every_operand() {
  return {"2 m n p", "1 / 4", [](const Problem&, const LaunchPlan& plan) { return 2 * multiply_adds(plan); }};
}

/// Whole square tiles, edge T: a value of A is loaded by each of the n / T blocks across, one of B by each of
/// the m / T blocks down.
[[nodiscard]] inline LoadFormula loads_of_tiles() {
  return {"2 m n p / T", "T / 4", [](const Problem& problem, const LaunchPlan& plan) {
            return 2 * multiply_adds(plan) / static_cast<std::uint64_t>(problem.parameter("T"));
          }};
}

/// The same with guards: a column of blocks loads all of A once, a row of blocks all of B, and nothing
/// outside of them is loaded.
[[nodiscard]] inline std::uint64_t loads_of_guarded_tiles(const LaunchPlan& plan, std::uint64_t edge) {
  const std::uint64_t across = (plan.c.columns + edge - 1) / edge, down = (plan.c.rows + edge - 1) / edge;
  return plan.a.rows * plan.a.columns * across + plan.b.rows * plan.b.columns * down;
}

}  // namespace warplens
