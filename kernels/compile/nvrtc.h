// NVIDIA's run-time compiler, found when it is asked for. Private to kernels/compile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/compile/compile.h"

namespace warplens::compile {

/// Compiles in a child process. nullopt: this machine has no NVRTC.
[[nodiscard]] Result<std::optional<Compiled>> compile_with_nvrtc(const Source& source);
/// Compiles in the child process, in the job's folder, as the arguments of its command say. Returns the exit
/// status.
[[nodiscard]] int run_nvrtc(const std::vector<std::string>& arguments);
/// "NVRTC 13.0 (path)"; empty: there is none.
[[nodiscard]] std::string nvrtc_name();

}  // namespace warplens::compile
