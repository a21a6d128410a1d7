// Launches a kernel of the ladder, and checks what it computed.
#include <fmt/core.h>
#include <fmt/format.h>

#include <utility>

#include "app/session/host.h"
#include "app/session/launch_support.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/workload.h"
#include "kernels/gpu/run.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

// The names and dimensions that the descriptor knows.
void describe_shared_arrays(const LaunchPlan& plan, std::vector<SharedArray>& arrays) {
  for (SharedArray& array : arrays) {
    array.name = ptx::name_of_local(array.name);
    for (const SharedArray& known : plan.shared_arrays) {
      if (known.name != array.name) continue;
      array.element_bytes = known.element_bytes;
      array.rows = known.rows;
      array.pitch = known.pitch;
    }
  }
}

void complete(Recording& recording, const KernelDescriptor& kernel, const LaunchPlan& plan, const Problem& problem) {
  recording.kernel = kernel.id;
  recording.origin = Origin::ladder;
  for (SourceFile& file : recording.files) {
    if (file.name == kernel.source_file) file.text = ladder_source(kernel.source_file);
  }
  recording.ptx = ladder_ptx(kernel.source_file);
  recording.m = problem.m;
  recording.p = problem.p;
  recording.n = problem.n;
  recording.parameters = problem.parameters;
  recording.value_type = problem.value_type;
  describe_shared_arrays(plan, recording.shared_arrays);
}

Result<LaunchResult> launch_plan(const KernelDescriptor& kernel, const Problem& problem, const LaunchPlan& plan, const replay::Options& options,
                                 Engine engine, gpu::RecordTimes* times) {
  const std::string ptx_name = std::filesystem::path(kernel.source_file).replace_extension(".ptx").string();
  const Result<ptx::Module> module = ptx::parse(ladder_ptx(kernel.source_file), ptx_name);
  if (!module.ok()) return module.error();
  const ptx::Function* const entry = module->find_entry(plan.entry);
  if (entry == nullptr)
    return Error{tr("no entry {entry}", "entry"_a = plan.entry), ptx_name, tr("The PTX and the catalogue are of different versions.")};
  const Result<replay::Program> program = replay::Program::decode(*module, entry->name);
  if (!program.ok()) return program.error();

  Workload workload = make_workload(kernel, problem, plan);
  LaunchResult result = make_memory(workload);
  const replay::Launch launch = make_launch({plan.grid, plan.block, plan.dynamic_shared_bytes}, workload);
  Result<Recording> recording = run_engine(engine, *module, *program, launch, result.memory, options, times);
  if (!recording.ok()) return recording.error();
  recording->verified = workload.verify(result.memory.contents(workload.output), options.replay_blocks);
  complete(*recording, kernel, plan, problem);
  result.recording = std::move(*recording);
  return result;
}

}  // namespace

Result<const KernelDescriptor*> find_kernel(const std::string& id) {
  if (const KernelDescriptor* kernel = catalog().find(id)) return kernel;
  if (id == gpu::kCublasId) return Error{tr("cuBLAS has no PTX to replay"), "", tr("`warplens run cublas` launches and times it.")};
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return Error{tr("there is no kernel `{kernel}`", "kernel"_a = id), "", tr("The kernels: {kernels}.", "kernels"_a = fmt::join(ids, ", "))};
}

bool failed(const Recording& recording) {
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  return recording.verified == false && (kernel == nullptr || !kernel->fault);
}

const char* name_of_result(const Recording& recording) {
  return recording.p == 0 ? tr("the result") : "C";
}

Result<LaunchResult> launch_rung(const LaunchRequest& request, const Rung& rung, replay::Progress* progress, gpu::RecordTimes* times) {
  const Result<const KernelDescriptor*> kernel = find_kernel(rung.id);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.values, request.value_type);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = (*kernel)->plan(*problem);
  const Result<replay::Options> options = replay_options(plan.grid, request, progress);
  if (!options.ok()) return options.error();
  if (const Result<Done> fits = check_memory(workload_bytes(plan, problem->value_type)); !fits.ok()) return fits.error();
  return launch_plan(**kernel, *problem, plan, *options, request.engine, times);
}

}  // namespace warplens::app
