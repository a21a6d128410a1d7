// Where kernels run.
#include "app/session/host.h"
#include "app/session/launch_support.h"
#include "kernels/base/texts.h"
#include "kernels/gpu/context.h"

namespace warplens::app {

Result<Recording> run_engine(Engine engine, const ptx::Module& module, const replay::Program& program, const replay::Launch& launch,
                             replay::Memory& memory, const replay::Options& options, gpu::RecordTimes* times) {
  if (engine == Engine::cpu) {
    Result<Recording> recording = replay::run(program, launch, memory, options);
    if (!recording.ok()) return recording;
    recording->engine = "cpu";
    recording->device = cpu_name();
    return recording;
  }
  if (options.limit != 0) {
    return Error{tr("a GPU cannot end a launch after so many instructions"), "", tr("The CPU replay can: --limit goes with --engine cpu.")};
  }
  const Result<gpu::ContextPointer> context = gpu::Context::open();
  if (!context.ok()) return context.error();
  replay::Options there = options;
  there.shared_base = analysis::memory_rules_of({(*context)->gpu().cc_major, (*context)->gpu().cc_minor}).shared_base;
  Result<Recording> recording = gpu::record(*context, module, program, launch, memory, there, times);
  if (!recording.ok()) return recording;
  recording->engine = "gpu";
  recording->device = (*context)->gpu().name;
  return recording;
}

}  // namespace warplens::app
