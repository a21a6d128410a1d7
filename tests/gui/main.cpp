#include <dlfcn.h>
#include <gtest/gtest.h>

#include "gui/gpu_worker.h"
#include "kernels/compile/compiler_process.h"

int main(int argc, char** argv) {
  if (const auto status = warplens::compile::run_as_compiler_process(argc, argv)) return *status;
  if (const int status = warplens::app::run_as_gpu_worker({argv + 1, argv + argc}); status >= 0)
    return status;
  // Every test opens a window. GLFW loads OpenGL for each and lets it go again, of which Mesa bears about two
  // hundred times in a process.
  for (const char* const library : {"libGL.so.1", "libGLX.so.0", "libEGL.so.1"})
    static_cast<void>(dlopen(library, RTLD_NOW | RTLD_NODELETE));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
