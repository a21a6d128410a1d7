// NVIDIA's run-time compiler, found when it is asked for. Private to kernels/compile.
#pragma once

#include <optional>
#include <string>

#include "kernels/compile/compile.h"

namespace warplens::compile {

/// nullopt: this machine has none.
[[nodiscard]] std::optional<Compiled> compile_with_nvrtc(const Source& source);
/// "NVRTC 13.0 (path)"; empty: there is none.
[[nodiscard]] std::string nvrtc_name();

}  // namespace warplens::compile
