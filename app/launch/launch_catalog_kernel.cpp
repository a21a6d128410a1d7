// Launches a kernel of the ladder, and checks what it computed.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/launch/host.h"
#include "app/launch/inlined.h"
#include "app/launch/launch_support.h"
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

void complete(Recording& recording, const KernelDescriptor& kernel, const LaunchPlan& plan,
              const Problem& problem, const ptx::Module& module) {
  recording.kernel = kernel.id;
  recording.origin = Origin::ladder;
  for (SourceFile& file : recording.files) {
    if (file.name == kernel.source_file) file.text = ladder_source(kernel.source_file);
  }
  place_sites(recording, module);
  recording.ptx = ladder_ptx(kernel.source_file);
  recording.m = problem.m;
  recording.p = problem.p;
  recording.n = problem.n;
  recording.parameters = problem.parameters;
  recording.value_type = problem.value_type;
  describe_shared_arrays(plan, recording.shared_arrays);
}

void fill_for(const std::vector<Dim3>& blocks, const Workload& workload, replay::Memory& memory) {
  if (!workload.fill) return;
  std::vector<std::byte*> buffers;
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) buffers.push_back(memory.bytes(b).data());
  workload.fill(blocks, buffers);
}

/// Whether the blocks compute what they should: they are run once more, with values.
Result<bool> verify_blocks(const replay::Program& program, const replay::Launch& launch,
                           replay::Memory& memory, const replay::Options& options, const Workload& workload,
                           const std::vector<Dim3>& blocks) {
  fill_for(blocks, workload, memory);
  replay::Options with_values = options;
  with_values.replay_blocks = blocks;
  with_values.event_blocks.clear();
  const Result<Recording> recording = replay::run(program, launch, memory, with_values);
  if (!recording.ok()) return recording.error();
  return workload.verify(memory.bytes(workload.output), blocks);
}

/// A large launch of which not every block is run; nullopt: it is not such a one.
Result<std::optional<LaunchResult>> follow_plan(const KernelDescriptor& kernel, const Problem& problem,
                                                const LaunchPlan& plan, const ptx::Module& module,
                                                const replay::Program& program,
                                                const replay::Options& options, const Verifier& verifier,
                                                std::string& obstacle) {
  Workload workload = make_partial_workload(kernel, problem, plan);
  LaunchResult result = make_memory(workload);
  const replay::Launch launch =
      make_launch({plan.grid, plan.block, plan.dynamic_shared_bytes}, workload, result.memory);
  Result<std::optional<replay::Extrapolation>> followed =
      extrapolate_large(program, launch, result.memory, options, obstacle);
  if (!followed.ok()) return followed.error();
  if (!*followed) return std::optional<LaunchResult>{};
  result.recording = *std::move((*followed)->recording);
  complete(result.recording, kernel, plan, problem, module);
  const auto verification = [&] {
    return verify_blocks(program, launch, result.memory, options, workload, (*followed)->run);
  };
  const Result<bool> right = verifier ? verifier(result.recording, verification) : verification();
  if (!right.ok()) return right.error();
  result.recording.verified = *right;
  return std::optional(std::move(result));
}

Result<ptx::Module> module_of(const KernelDescriptor& kernel) {
  return ptx::parse(ladder_ptx(kernel.source_file),
                    std::filesystem::path(kernel.source_file).replace_extension(".ptx").string());
}

Result<replay::Program> decoded(const ptx::Module& module, const KernelDescriptor& kernel,
                                const LaunchPlan& plan) {
  if (const ptx::Function* const entry = module.find_entry(plan.entry))
    return replay::Program::decode(module, entry->name);
  return Error{tr("no entry {entry}", "entry"_a = plan.entry), kernel.source_file,
               tr("The PTX and the catalogue are of different versions.")};
}

Result<LaunchResult> launch_plan(const KernelDescriptor& kernel, const Problem& problem,
                                 const LaunchPlan& plan, const LaunchRequest& request,
                                 replay::Progress* progress, gpu::RecordTimes* times,
                                 const Verifier& verifier) {
  const Result<ptx::Module> module = module_of(kernel);
  if (!module.ok()) return module.error();
  const Result<replay::Program> program = decoded(*module, kernel, plan);
  if (!program.ok()) return program.error();
  const Dim3 cluster = module->find_entry(plan.entry)->bounds.cluster_or({1, 1, 1});
  const Result<replay::Options> replayed = replay_options(plan.grid, cluster, request, progress);
  if (!replayed.ok()) return replayed.error();
  const replay::Options& options = *replayed;

  std::string obstacle;
  if (request.engine == Engine::cpu && may_extrapolate(request, options)) {
    Result<std::optional<LaunchResult>> followed =
        follow_plan(kernel, problem, plan, *module, *program, options, verifier, obstacle);
    if (!followed.ok()) return followed.error();
    if (*followed) return **std::move(followed);
  }
  // A few blocks read a small part of large matrices.
  constexpr std::size_t kFewBlocks = 64;
  const bool few =
      request.engine == Engine::cpu && options.replay_blocks && options.replay_blocks->size() <= kFewBlocks;
  if (const Result<Done> fits = check_memory(few ? 0 : workload_bytes(plan, problem.value_type)); !fits.ok())
    return fits.error();
  Workload workload =
      few ? make_partial_workload(kernel, problem, plan) : make_workload(kernel, problem, plan);
  LaunchResult result = make_memory(workload);
  if (few) fill_for(*options.replay_blocks, workload, result.memory);
  const replay::Launch launch =
      make_launch({plan.grid, plan.block, plan.dynamic_shared_bytes}, workload, result.memory);
  Result<Recording> recording = run_engine(request, *module, *program, launch, result.memory, options, times);
  if (!recording.ok()) return recording.error();
  if (!recording->ended)
    recording->verified = workload.verify(result.memory.bytes(workload.output), options.replay_blocks);
  if (request.engine == Engine::cpu) recording->not_extrapolated = obstacle;
  complete(*recording, kernel, plan, problem, *module);
  result.recording = std::move(*recording);
  return result;
}

}  // namespace

Result<const KernelDescriptor*> find_kernel(const std::string& id) {
  if (const KernelDescriptor* kernel = catalog().find(id)) return kernel;
  if (id == gpu::kCublasId)
    return Error{tr("cuBLAS has no PTX to replay"), "", tr("`warplens run cublas` launches and times it.")};
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return Error{tr("there is no kernel `{kernel}`", "kernel"_a = id), "",
               tr("The kernels: {kernels}.", "kernels"_a = fmt::join(ids, ", "))};
}

bool failed(const Recording& recording) {
  if (recording.ended) return true;
  const KernelDescriptor* const kernel = ladder_kernel_of(recording);
  return recording.verified == false && (kernel == nullptr || !kernel->fault);
}

const char* name_of_result(const Recording& recording) {
  return recording.p == 0 ? tr("the result") : "C";
}

Result<LaunchResult> launch_catalog_kernel(const LaunchRequest& request, const CatalogKernel& catalog_kernel,
                                           replay::Progress* progress, gpu::RecordTimes* times,
                                           const Verifier& verifier) {
  const Result<const KernelDescriptor*> kernel = find_kernel(catalog_kernel.id);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.values, request.value_type);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = (*kernel)->plan(*problem);
  return launch_plan(**kernel, *problem, plan, request, progress, times, verifier);
}

Result<Countable> countable_catalog_kernel(const LaunchRequest& request, const CatalogKernel& catalog_kernel,
                                           bool contents) {
  const Result<const KernelDescriptor*> kernel = find_kernel(catalog_kernel.id);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.values, request.value_type);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = (*kernel)->plan(*problem);
  struct Kept {
    replay::Program program;
    LaunchResult result;
  };
  const Result<ptx::Module> module = module_of(**kernel);
  if (!module.ok()) return module.error();
  Result<replay::Program> program = decoded(*module, **kernel, plan);
  if (!program.ok()) return program.error();
  if (const Result<Done> fits = check_memory(contents ? workload_bytes(plan, problem->value_type) : 0);
      !fits.ok())
    return fits.error();
  Workload workload =
      contents ? make_workload(**kernel, *problem, plan) : make_partial_workload(**kernel, *problem, plan);
  auto kept = std::make_shared<Kept>(Kept{*std::move(program), make_memory(workload)});
  Countable countable{.program = &kept->program,
                      .launch = make_launch({plan.grid, plan.block, plan.dynamic_shared_bytes}, workload,
                                            kept->result.memory),
                      .memory = &kept->result.memory};
  countable.keeps = std::move(kept);
  return countable;
}

Result<gpu::RunRequest> run_request_of_catalog_kernel(const LaunchRequest& request,
                                                      const CatalogKernel& catalog_kernel) {
  gpu::RunRequest run;
  run.kernel = catalog_kernel.id;
  for (const NamedValue& value : request.values) {
    std::optional<std::uint64_t>* const extent = value.name == "m"   ? &run.m
                                                 : value.name == "p" ? &run.p
                                                 : value.name == "n" ? &run.n
                                                                     : nullptr;
    if (extent == nullptr) {
      run.parameters.push_back(value);
    } else {
      *extent =
          static_cast<std::uint64_t>(std::max<std::int64_t>(value.value, 0));  // No size is refused, as 0 is
    }
  }
  run.value_type = request.value_type;
  const Result<Problem> problem = gpu::check_request(run);
  if (!problem.ok()) return problem.error();
  run.parameters = problem->parameters;
  run.value_type = problem->value_type;
  return run;
}

}  // namespace warplens::app
