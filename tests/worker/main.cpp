#include <gtest/gtest.h>

#include "worker/test_worker.h"

int main(int argc, char** argv) {
  if (const int status = warplens::worker::run_as_worker({argv + 1, argv + argc}); status >= 0) return status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
