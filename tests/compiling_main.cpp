// The main of tests that compile CUDA C++.
#include <gtest/gtest.h>

#include "kernels/compile/compiler_process.h"

int main(int argc, char** argv) {
  if (const auto status = warplens::compile::run_as_compiler_process(argc, argv)) return *status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
