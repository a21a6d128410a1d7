// The GPU's own counters, read through CUPTI, are what the replay says of the same launch.
#include "kernels/gpu/counters.h"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "app/session/counter_check.h"
#include "app/session/grid_counts.h"
#include "app/session/hardware_figures.h"
#include "device/device.h"
#include "kernels/gpu/cupti.h"

namespace warplens::gpu {
namespace {

TEST(Cupti, WhoMayNotReadCountersIsToldHowThatIsAllowed) {
  cupti::Api api{};
  api.result_string = [](int, const char** text) {
    *text = "CUPTI_ERROR_HARDWARE_BUSY";
    return cupti::kSuccess;
  };
  for (const int result : {cupti::kNotPrivileged, cupti::kNotPrivilegedInAVirtualMachine}) {
    const Error error = cupti::error_of(api, result, "cuptiRangeProfilerEnable");
    EXPECT_NE(error.what.find("does not let users read"), std::string::npos) << error.what;
    EXPECT_NE(error.hint.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << error.hint;
  }
  EXPECT_NE(cupti::error_of(api, 26, "cuptiRangeProfilerEnable")
                .what.find("CUPTI_ERROR_HARDWARE_BUSY in cuptiRangeProfilerEnable"),
            std::string::npos);
}

using CountersOnGpu = OnGpu;

TEST_F(CountersOnGpu, AreWhatTheReplaySays) {
  if (!cupti::api().ok()) GTEST_SKIP() << cupti::api().error().message();
  const Error not_privileged = cupti::error_of(*cupti::api(), cupti::kNotPrivileged, "");
  std::size_t compared = 0, compared_instructions = 0;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.fault) continue;
    SCOPED_TRACE(kernel.id);
    app::LaunchRequest launch = app::launch_of_kernel(kernel.id);
    const Result<RunRequest> request = app::run_request_of(launch);
    ASSERT_TRUE(request.ok()) << request.error().message();
    const Result<LaunchCounters> counters = count_launch(*request);
    if (!counters.ok() && counters.error().what == not_privileged.what)
      GTEST_SKIP() << counters.error().message();
    ASSERT_TRUE(counters.ok()) << counters.error().message();
    Result<Recording> recording = app::record(launch);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    const auto loaded = app::with_grid_counts(app::make_loaded(*std::move(recording),
                                                               {counters->cc_major, counters->cc_minor}, {},
                                                               nullptr, app::MachineCode::made));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(counters->why_no_instructions, "");
    const auto with_counted = app::with_hardware(**loaded, *counters);
    const auto instructions = app::checked_instructions(*with_counted);
    std::ptrdiff_t accesses = 0;  // Of copies and of wgmma, single instructions are not compared
    for (std::size_t site = 0; site < (*loaded)->compiled.report.by_site.size(); ++site) {
      const bool is_compared = (*loaded)->compiled.accesses.sites[site].op < AccessOp::cp_async;
      accesses += is_compared && (*loaded)->compiled.report.by_site[site].requests > 0 ? 1 : 0;
    }
    EXPECT_GE(std::ssize(instructions), accesses);
    for (const app::CheckedInstruction& one : instructions) {
      EXPECT_TRUE(one.count.agrees())
          << (*loaded)->compiled.function.instructions[one.instruction].text << ": " << one.count.cost.counted
          << ", not " << one.count.cost.compiled;
    }
    compared_instructions += instructions.size();
    for (const app::CheckedCounter& one : app::checked(**loaded, *counters)) {
      const auto agrees = one.agrees();
      if (!agrees) continue;
      EXPECT_TRUE(*agrees) << one.field->id << ": " << one.counted;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
  EXPECT_GT(compared_instructions, 500u);
  std::cout << compared << " counters of launches, " << compared_instructions << " of single instructions\n";
}

}  // namespace
}  // namespace warplens::gpu
