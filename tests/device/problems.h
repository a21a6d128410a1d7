// Launches for tests that need no GPU: every kernel at odd sizes, and code in which lanes part in every way.
#pragma once

#include <string>
#include <vector>

#include "kernels/catalog/catalog.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

struct ProblemToRun {
  std::string name, ptx, entry;
  replay::Launch launch;
  replay::Memory memory;
};

/// Three shapes, with the default parameters.
[[nodiscard]] std::vector<ProblemToRun> odd_problems(const KernelDescriptor& kernel);
/// Ids of those in which nothing is wrong.
[[nodiscard]] std::vector<std::string> right_kernels();

/// What each of 77 threads of a block does, over and over, is to add to its word of a buffer.
struct DivergentCode {
  std::string what, body;
};
[[nodiscard]] const std::vector<DivergentCode>& divergent_codes();
[[nodiscard]] ProblemToRun problem_of(const DivergentCode& code);

}  // namespace warplens::gpu
