#include "app/session/kernel_trial.h"

#include <algorithm>
#include <new>
#include <utility>

#include "app/launch/launch_menus.h"
#include "app/session/navigation.h"
#include "kernels/base/texts.h"
#include "viz/picture/moment.h"

namespace warplens::app {

const std::vector<const KernelDescriptor*>& tried_kernels() {
  static const std::vector<const KernelDescriptor*> kernels = [] {
    std::vector<const KernelDescriptor*> found;
    for (const KernelDescriptor& kernel : catalog().kernels()) {
      if (!kernel.parameters.empty() && !kernel.fault) found.push_back(&kernel);
    }
    return found;
  }();
  return kernels;
}

const std::vector<std::int64_t>& trial_sizes(const KernelDescriptor& kernel) {
  static const std::vector<std::int64_t> edges{256, 512, 1024, 2048, 4096},
      lengths{1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
  return kernel.extents.size() > 1 ? edges : lengths;
}

KernelTrial trial_of(const KernelDescriptor& kernel, analysis::ComputeCapability cc) {
  KernelTrial trial{.kernel = kernel.id, .values = {}, .cc = cc};
  const std::vector<std::int64_t>& sizes = trial_sizes(kernel);
  for (const ExtentInfo& extent : kernel.extents)
    trial.values.push_back({std::string(1, extent.name), sizes[sizes.size() / 2]});
  for (const ParameterInfo& parameter : kernel.parameters)
    trial.values.push_back({parameter.name, parameter.default_value});
  return trial;
}

KernelTrial with_value(KernelTrial trial, const std::string& name, std::int64_t value) {
  std::ranges::find(trial.values, name, &NamedValue::name)->value = value;
  return trial;
}

Result<LaunchRequest> launch_of(const KernelTrial& trial) {
  LaunchRequest request = launch_of_kernel(trial.kernel, trial.values);
  request.cc = trial.cc;
  const Result<Dim3> grid = grid_of(request);
  if (!grid.ok()) return grid.error();
  request.replay_blocks = BlockChoice{.all = false, .blocks = {middle_of(*grid)}};
  request.event_blocks = request.replay_blocks;
  return request;
}

Result<std::shared_ptr<const Loaded>> recorded(const KernelTrial& trial, replay::Progress* progress) {
  const Result<LaunchRequest> request = launch_of(trial);
  if (!request.ok()) return request.error();
  return record_loaded(*request, progress, MachineCode::made);
}

const gpu::RunResult* run_of(const KernelTrial& trial, const std::vector<gpu::RunResult>& runs) {
  const KernelDescriptor* const kernel = catalog().find(trial.kernel);
  if (kernel == nullptr) return nullptr;
  const Result<Problem> problem = make_problem(*kernel, trial.values, "f32");
  if (!problem.ok()) return nullptr;
  const auto found = std::ranges::find_if(runs, [&](const gpu::RunResult& run) {
    return run.kernel == trial.kernel && run.value_type == problem->value_type && run.m == problem->m &&
           run.p == problem->p && run.n == problem->n && run.parameters == problem->parameters;
  });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<SourceAccess> source_accesses(const Recording& recording) {
  const std::vector<std::string> arrays = picture::arrays_of_sites(recording);
  std::vector<SourceAccess> accesses;
  for (std::size_t site = 0; site < arrays.size(); ++site) {
    if (arrays[site].empty()) continue;  // It is never reached in the block that was replayed
    SourceAccess access{recording.sites[site].line,
                        picture::access_words(recording.sites[site], arrays[site])};
    if (std::ranges::find(accesses, access) == accesses.end()) accesses.push_back(std::move(access));
  }
  std::ranges::stable_sort(accesses, {}, &SourceAccess::line);
  return accesses;
}

Selection at_access(const Loaded& loaded, const std::optional<SourceAccess>& access) {
  const Recording& recording = *loaded.recording;
  const Selection opening = opening_selection(loaded);
  if (!access) return opening;
  const std::vector<std::string> arrays = picture::arrays_of_sites(recording);
  std::vector<std::uint32_t> sites;
  for (std::uint32_t site = 0; site < arrays.size(); ++site) {
    if (recording.sites[site].line == access->line &&
        picture::access_words(recording.sites[site], arrays[site]) == access->words) {
      sites.push_back(site);
    }
  }
  return at_costliest(loaded, opening, sites);
}

void TrialRecorder::follow(const KernelTrial& trial, const std::function<void()>& wake) {
  if (followed_ == trial) return;
  followed_ = trial;
  job_ = std::make_unique<Job>();
  job_->thread = std::jthread([job = job_.get(), trial, wake] {
    try {
      job->outcome = recorded(trial, &job->progress);
    } catch (const std::bad_alloc&) {
      job->outcome = Error{tr("there is not enough memory for it"), "", tr("Choose a smaller size.")};
    }
    job->done = true;
    if (wake && !job->progress.cancel) wake();
  });
}

std::optional<Result<std::shared_ptr<const Loaded>>> TrialRecorder::take() {
  if (job_ == nullptr || !job_->done) return std::nullopt;
  std::optional<Result<std::shared_ptr<const Loaded>>> outcome = std::move(job_->outcome);
  job_.reset();
  return outcome;
}

}  // namespace warplens::app
