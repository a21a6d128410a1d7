// The recorder without a GPU: instrumented code in which every call is replaced by the recorder's own PTX, so that the replay runs both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/base/result.h"
#include "kernels/ptx/instrument.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

struct Inlined {
  std::string text;         ///< PTX of one entry
  std::uint64_t calls = 0;  ///< Places where the recorder was called
};

/// `constants`: what the recorder's constant memory holds (gpu::Recorder).
[[nodiscard]] Inlined inline_recorder(const std::string& instrumented, std::span<const std::byte> constants);

/// Warp instructions of PTX that the instrumented kernels executed, those of the recorder among them.
struct RecordCosts {
  std::uint64_t totals = 0, events = 0;
};

/// What kernels/gpu/record.h does on a GPU, done by the replay. `one_window` as in ptx::InstrumentOptions.
[[nodiscard]] Result<Recording> record_in_replay(const ptx::Module& module, const replay::Program& program, const replay::Launch& launch,
                                                 const replay::Memory& memory, const replay::Options& options, bool one_window,
                                                 RecordCosts* costs = nullptr);

}  // namespace warplens::gpu
