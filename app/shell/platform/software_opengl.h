// OpenGL without the GPU.
#pragma once

#include "kernels/base/result.h"

namespace warplens::app {

/// Has EGL, where it is opened after this, give contexts of Mesa's software renderer. Changes the
/// environment. The error: Mesa is not installed.
[[nodiscard]] Result<Done> choose_software_opengl();

}  // namespace warplens::app
