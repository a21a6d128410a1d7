// The machine code of a recorded kernel: shipped for the ladder's, made here for others. Private to
// app/session.
#pragma once

#include <string>

#include "app/compiled/as_compiled.h"
#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "kernels/sass/symbolic_execution.h"

namespace warplens::app {

/// The machine code that stands for a compute capability: of a file's kernel that of its own architecture, of
/// the ladder that of its family; of newer ones than 9.0 that of 9.0. Empty: none does.
[[nodiscard]] std::string architecture_of_machine_code(const Recording& recording,
                                                       analysis::ComputeCapability cc);

/// The listing for "sm_90". That of a file's kernel takes some tenths of a second the first time; `at_hand`:
/// then it is an error.
[[nodiscard]] Result<std::string> machine_code_of(const Recording& recording, const std::string& architecture,
                                                  MachineCode effort,
                                                  const std::atomic<bool>* cancelled = nullptr);
/// Whether `machine_code_of` would have to make it, and can.
[[nodiscard]] bool can_be_made(const Recording& recording, const std::string& architecture);

/// The launch of a file's kernel as its machine code sees it: its parameters as the machine code of an
/// architecture has them. The error: the recording does not say its arguments, or they do not fit.
[[nodiscard]] Result<sass::Launch> launch_of_file(const Recording& recording,
                                                  const std::string& architecture);

}  // namespace warplens::app
