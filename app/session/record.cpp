// Runs a kernel of the ladder and checks what it computed.
#include <fmt/core.h>
#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <utility>

#include "app/session/launch_support.h"
#include "app/session/machine.h"
#include "app/session/session.h"
#include "kernels/catalog/workload.h"
#include "kernels/gpu/run.h"
#include "kernels/ptx/demangle.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

replay::Launch make_launch(const LaunchPlan& plan, const Workload& workload) {
  replay::Launch launch{.grid = plan.grid, .block = plan.block, .dynamic_shared_bytes = plan.dynamic_shared_bytes, .arguments = {}};
  for (const Workload::Argument& argument : workload.arguments) {
    if (const auto* const buffer = std::get_if<std::uint32_t>(&argument)) {
      launch.arguments.push_back(replay::BufferArgument{*buffer});
    } else {
      launch.arguments.push_back(replay::ScalarArgument{std::get<std::vector<std::byte>>(argument)});
    }
  }
  return launch;
}

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

Result<Recording> record_plan(const KernelDescriptor& kernel, const Problem& problem, const LaunchPlan& plan, const replay::Options& options,
                              Engine engine, gpu::RecordTimes* times) {
  const std::string ptx_name = std::filesystem::path(kernel.source_file).replace_extension(".ptx").string();
  const Result<ptx::Module> module = ptx::parse(ladder_ptx(kernel.source_file), ptx_name);
  if (!module.ok()) return module.error();
  const ptx::Function* const entry = module->find_entry(plan.entry);
  if (entry == nullptr) return Error{fmt::format("no entry {}", plan.entry), ptx_name, "The PTX and the catalogue are of different versions."};
  const Result<replay::Program> program = replay::Program::decode(*module, entry->name);
  if (!program.ok()) return program.error();

  Workload workload = make_workload(kernel, problem, plan);
  replay::Memory memory;
  for (std::size_t i = 0; i < workload.buffers.size(); ++i) memory.add(workload.buffers[i], std::move(workload.contents[i]));

  Result<Recording> recording = run_engine(engine, *module, *program, make_launch(plan, workload), memory, options, times);
  if (!recording.ok()) return recording;
  recording->verified = workload.verify(memory.contents(workload.output), options.replay_blocks);
  complete(*recording, kernel, plan, problem);
  return recording;
}

Error not_enough_memory(const RecordRequest& request) {
  return {fmt::format("not enough memory for the replay of {}", request.kernel), "", "Choose smaller matrices, or fewer blocks to keep events of."};
}

}  // namespace

Result<const KernelDescriptor*> find_kernel(const std::string& id) {
  if (const KernelDescriptor* kernel = catalog().find(id)) return kernel;
  if (id == gpu::kCublasId) return Error{"cuBLAS has no PTX to replay", "", "`warplens run cublas` launches and times it."};
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return Error{fmt::format("there is no kernel `{}`", id), "", fmt::format("The kernels: {}.", fmt::join(ids, ", "))};
}

bool failed(const Recording& recording) {
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  return recording.verified == false && (kernel == nullptr || !kernel->fault);
}

const char* name_of_result(const Recording& recording) {
  return recording.p == 0 ? "the result" : "C";
}

Result<Recording> record(const RecordRequest& request, replay::Progress* progress, gpu::RecordTimes* times) {
  const Result<const KernelDescriptor*> kernel = find_kernel(request.kernel);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.m, request.p, request.n, request.parameters, request.value_type);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = (*kernel)->plan(*problem);
  const Result<replay::Options> options =
      replay_options(plan.grid, request.replay_blocks, request.event_blocks, request.cc, request.threads, progress);
  if (!options.ok()) return options.error();
  if (const Result<Done> fits = check_memory(workload_bytes(plan, problem->value_type)); !fits.ok()) return fits.error();
  try {
    return record_plan(**kernel, *problem, plan, *options, request.engine, times);
  } catch (const std::bad_alloc&) {
    return not_enough_memory(request);
  } catch (const std::length_error&) {  // Of a container that is asked for more than there are addresses
    return not_enough_memory(request);
  }
}

}  // namespace warplens::app
