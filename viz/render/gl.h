// OpenGL 3.3 core, and how its functions are found.
#pragma once

#include <glad/gl.h>

#include "kernels/base/result.h"

namespace warplens::render {

using LoadFunction = void (*(*)(const char*))();

/// Finds the functions of the current context. The error says which version there is.
[[nodiscard]] Result<Done> load_functions(LoadFunction load);
/// "Mesa llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5"
[[nodiscard]] std::string describe_context();

}  // namespace warplens::render
