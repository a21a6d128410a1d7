// The launch that Volkov's kernels have in common.
#pragma once

#include "kernels/ladder/loads.h"
#include "kernels/ladder/parameters.h"

namespace warplens {

// As in the .cu files.
inline constexpr std::uint32_t kVolkovM = 16, kVolkovN = 64, kVolkovK = 32;

/// A's tile lies in `as`: `rows` rows of `pitch` words.
[[nodiscard]] inline LaunchPlan plan_volkov(const Problem& problem, const char* entry, std::uint32_t rows,
                                            std::uint32_t pitch) {
  LaunchPlan plan = padded_plan(problem, kVolkovM, kVolkovK, kVolkovN);
  plan.entry = entry;
  plan.block = {kVolkovN, 1, 1};
  plan.grid = grid_over(problem.n, kVolkovN, problem.m, kVolkovM);
  plan.output = {.rows = kVolkovM, .columns = kVolkovN};
  plan.shared_arrays = {{.name = "as", .rows = rows, .pitch = pitch}};
  return plan;
}

/// A value of A is loaded by each block across, n / 64 of them; a value of B by each block down, m / 16.
[[nodiscard]] inline LoadFormula loads_of_volkov() {
  return {"m n p / 64 + m n p / 16", "32 / 5", [](const Problem&, const LaunchPlan& plan) {
            return multiply_adds(plan) / kVolkovN + multiply_adds(plan) / kVolkovM;
          }};
}

}  // namespace warplens
