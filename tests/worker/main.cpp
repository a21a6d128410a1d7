#include <gtest/gtest.h>

#include "kernels/compile/compiler_process.h"
#include "worker/test_worker.h"

int main(int argc, char** argv) {
  if (const auto status = warplens::compile::run_as_compiler_process(argc, argv)) return *status;
  if (const int status = warplens::worker::run_as_worker({argv + 1, argv + argc}); status >= 0) return status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
