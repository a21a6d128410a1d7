// Tests that need a GPU skip where there is none, and say why.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/gpu/context.h"
#include "kernels/gpu/device.h"

namespace warplens::gpu {

/// Why no GPU can be used; empty if one can.
inline const std::string& no_gpu() {
  static const std::string kReason = check_driver().missing;
  return kReason;
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!no_gpu().empty()) GTEST_SKIP() << "no NVIDIA GPU here: " << no_gpu();
    static const Result<ContextPointer> kKept =
        Context::open();  // To make one anew for every launch takes longer than the tests
    ASSERT_TRUE(kKept.ok()) << kKept.error().message();
  }
};

}  // namespace warplens::gpu
