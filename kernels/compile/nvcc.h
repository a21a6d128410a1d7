// nvcc, run as a program. Private to kernels/compile.
#pragma once

#include <string>

#include "kernels/compile/compile.h"

namespace warplens::compile {

/// Whether nvcc is here.
[[nodiscard]] bool has_nvcc();
/// An error: it could not be run at all.
[[nodiscard]] Result<Compiled> compile_with_nvcc(const Source& source);
/// "nvcc (path)"; empty: there is none.
[[nodiscard]] std::string nvcc_name();

}  // namespace warplens::compile
