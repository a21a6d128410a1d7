#include "app/views/arithmetic_model.h"

#include <algorithm>

#include "app/session/arithmetic.h"
#include "app/views/own_runs.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/arithmetic.h"

namespace warplens::app {
namespace {

std::optional<analysis::MeasuredRate> measured_of(const gpu::RunResult& run) {
  const KernelDescriptor* const kernel = catalog().find(run.kernel);
  if (kernel == nullptr) return std::nullopt;
  const Result<Problem> problem = make_problem(*kernel, run.m, run.p, run.n, run.parameters, run.value_type);
  if (!problem) return std::nullopt;
  const auto figures = figures_by_formula(*kernel, *problem);
  if (!figures) return std::nullopt;
  return analysis::MeasuredRate{
      run.gflops, figures->intensity(),
      tr("{kernel} at {size} on {device}", "kernel"_a = name_with_tile(run.kernel, problem->parameters),
         "size"_a = product_size_in_words(run.m, run.p, run.n), "device"_a = run.device)};
}

/// The kernel's own run of what the kernel is about, whatever its size, which is said beside it; the latest
/// kind of run first.
const gpu::RunResult* run_of(const std::vector<const gpu::RunResult*>& runs,
                             const analysis::FormulaKernel& catalog_kernel, const std::string& value_type) {
  const auto found = std::ranges::find_if(runs, [&](const gpu::RunResult* run) {
    return run->kernel == catalog_kernel.kernel && tile_of(run->parameters) == catalog_kernel.tile &&
           run->value_type == (catalog_kernel.recorded ? value_type : catalog_kernel.value_type);
  });
  return found == runs.end() ? nullptr : *found;
}

}  // namespace

analysis::Arithmetic arithmetic_with_runs(const Frame& frame, const analysis::Roof& roof,
                                          const std::string& device) {
  analysis::Arithmetic arithmetic = frame.loaded().arithmetic;
  arithmetic.roof = roof;
  arithmetic.device = device;
  const std::vector<const gpu::RunResult*> runs = own_runs(frame.model.gpu);
  for (analysis::FormulaKernel& catalog_kernel : arithmetic.ladder) {
    if (const gpu::RunResult* const run = run_of(runs, catalog_kernel, frame.recording().value_type))
      catalog_kernel.measured = measured_of(*run);
  }
  return arithmetic;
}

}  // namespace warplens::app
