// Where kernels run.
#include "app/launch/host.h"
#include "app/launch/launch_support.h"
#include "kernels/base/texts.h"
#include "kernels/gpu/context.h"

namespace warplens::app {
namespace {

/// Null: nothing, for which `obstacle` may say why.
Result<std::optional<Recording>> prove(const replay::Program& program, const replay::Launch& launch,
                                       const replay::Memory& memory, replay::Options options,
                                       std::string& obstacle) {
  options.event_blocks.clear();
  Result<std::optional<replay::Extrapolation>> followed =
      extrapolate_large(program, launch, memory, options, obstacle);
  if (!followed.ok()) return followed.error();
  return *followed ? std::move((*followed)->recording) : std::nullopt;
}

}  // namespace

Result<Recording> run_engine(const LaunchRequest& request, const ptx::Module& module,
                             const replay::Program& program, const replay::Launch& launch,
                             replay::Memory& memory, const replay::Options& options,
                             gpu::RecordTimes* times) {
  if (request.engine == Engine::cpu) {
    Result<Recording> recording = replay::run(program, launch, memory, options);
    if (!recording.ok()) return recording;
    recording->engine = "cpu";
    recording->device = cpu_name();
    return recording;
  }
  if (options.limit != 0) {
    return Error{tr("a GPU cannot end a launch after so many instructions"), "",
                 tr("The CPU replay can: --limit goes with --engine cpu.")};
  }
  const Result<gpu::ContextPointer> context = gpu::Context::open();
  if (!context.ok()) return context.error();
  replay::Options there = options;
  there.shared_base =
      analysis::memory_rules_of({(*context)->gpu().cc_major, (*context)->gpu().cc_minor}).shared_base;
  std::optional<Recording> known;
  std::string obstacle;
  if (may_extrapolate(request, options)) {
    Result<std::optional<Recording>> proved = prove(program, launch, memory, there, obstacle);
    if (!proved.ok()) return proved.error();
    known = *std::move(proved);
  }
  Result<Recording> recording =
      gpu::record(*context, module, program, launch, memory, there, times, known ? &*known : nullptr);
  if (!recording.ok()) return recording;
  recording->not_extrapolated = obstacle;
  if (known) recording->seconds += known->seconds;
  recording->engine = "gpu";
  recording->device = (*context)->gpu().name;
  return recording;
}

}  // namespace warplens::app
