// nvcc, run as a program. Private to kernels/compile.
#pragma once

#include <string>

#include "kernels/compile/compile.h"

namespace warplens::compile {

/// What messages call the file where the instance of Source::instances stands on its line, counted from 1.
inline constexpr const char* kFileOfInstances = "instances";

/// Whether nvcc is here.
[[nodiscard]] bool has_nvcc();
/// An error: it could not be run at all.
[[nodiscard]] Result<Compiled> compile_with_nvcc(const Source& source);
/// "nvcc (path)"; empty: there is none.
[[nodiscard]] std::string nvcc_name();

}  // namespace warplens::compile
