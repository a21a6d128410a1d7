// The recorder without a GPU: instrumented code with the recorder's own PTX behind it, so that the replay
// runs both.
#pragma once

#include <cstdint>

#include "kernels/base/result.h"
#include "kernels/ptx/instrument/instrument.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

/// Warp instructions of PTX that the instrumented kernels executed, those of the recorder among them.
struct RecordCosts {
  std::uint64_t totals = 0, events = 0;
};

/// What kernels/gpu/record.h does on a GPU, done by the replay. `one_window` as in ptx::InstrumentOptions.
[[nodiscard]] Result<Recording> record_in_replay(const ptx::Module& module, const replay::Program& program,
                                                 const replay::Launch& launch, const replay::Memory& memory,
                                                 const replay::Options& options, bool one_window,
                                                 RecordCosts* costs = nullptr);

}  // namespace warplens::gpu
