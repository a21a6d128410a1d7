// Every kernel once, plain and instrumented, on a small odd problem: what compute-sanitizer is let loose on
// (docs/gpu.md says how).
#include <gtest/gtest.h>

#include <optional>

#include "app/session/loaded.h"
#include "device/device.h"
#include "kernels/gpu/run.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kM = 33, kP = 65, kN = 17;

class SmallLaunches : public gpu::OnGpu {
 protected:
  static std::vector<const KernelDescriptor*> kernels() {
    std::vector<const KernelDescriptor*> right;
    for (const KernelDescriptor& kernel : catalog().kernels()) {
      if (!kernel.fault) right.push_back(&kernel);
    }
    return right;
  }
  static std::optional<std::uint64_t> extent(const KernelDescriptor& kernel, char name, std::uint64_t value) {
    return kernel.has_extent(name) ? std::optional(value) : std::nullopt;
  }
};

TEST_F(SmallLaunches, Plain) {
  for (const KernelDescriptor* kernel : kernels()) {
    SCOPED_TRACE(kernel->id);
    const auto result = gpu::run({.kernel = kernel->id,
                                  .m = extent(*kernel, 'm', kM),
                                  .p = extent(*kernel, 'p', kP),
                                  .n = extent(*kernel, 'n', kN),
                                  .value_type = kernel->value_types.front(),
                                  .launches = 1,
                                  .seconds = 0});
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_TRUE(result->verified);
  }
}

TEST_F(SmallLaunches, Instrumented) {
  for (const KernelDescriptor* kernel : kernels()) {
    SCOPED_TRACE(kernel->id);
    LaunchRequest request = launch_of_kernel(kernel->id);
    for (const auto& [name, value] : {std::pair{'m', kM}, {'p', kP}, {'n', kN}}) {
      if (kernel->has_extent(name)) request.set(std::string(1, name), static_cast<std::int64_t>(value));
    }
    request.value_type = kernel->value_types.front();
    request.engine = Engine::gpu;
    request.event_blocks = BlockChoice{};
    const auto recording = record(request);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    EXPECT_EQ(recording->verified, true);
  }
}

}  // namespace
}  // namespace warplens::app
