// Records a kernel on the GPU: its own PTX, instrumented, run there.
#pragma once

#include "kernels/base/result.h"
#include "kernels/gpu/context.h"
#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/program.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

/// Kernel times, by events on the GPU, in milliseconds; 0 for what was not run.
struct RecordTimes {
  double totals_ms = 0,
         events_ms =
             0;  ///< The latter is that of the plain launch where no events are wanted, and totals are known
  double compile_ms = 0;  ///< Instrumenting, linking and compiling, by the host's clock
};

/// As replay::run, and the same recording, access by access: totals of the whole grid (or of the chosen
/// blocks, which alone are launched then) from one run, events of the chosen blocks from a second one. What
/// the replay alone can tell is missing: there are no findings. What differs otherwise is in docs/gpu.md.
///
/// `known`: a record of the same launch without events, as `replay::extrapolate` makes it. Then totals and
/// findings are taken from there, and only events are recorded; the whole grid runs, and its memory is the
/// GPU's, all the same.
///
/// `options.shared_base` must be where this GPU has it, whatever the rules that accesses are costed by.
/// `program` is decoded from an entry of `module`. Changes `memory` as the kernel does. Errors: as of
/// replay::run; the driver's, where a kernel faults the context is lost with it; a kernel with instructions
/// that the replay does not know, whose accesses the record might miss.
[[nodiscard]] Result<Recording> record(const ContextPointer& context, const ptx::Module& module,
                                       const replay::Program& program, const replay::Launch& launch,
                                       replay::Memory& memory, const replay::Options& options,
                                       RecordTimes* times = nullptr, const Recording* known = nullptr);

}  // namespace warplens::gpu
