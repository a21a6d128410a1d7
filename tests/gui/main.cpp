#include <gtest/gtest.h>

#include "gui/gpu_worker.h"

int main(int argc, char** argv) {
  if (const int status = warplens::app::run_as_gpu_worker({argv + 1, argv + argc}); status >= 0) return status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
