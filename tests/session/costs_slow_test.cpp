// What the ladder's kernels pay beyond the ideal; and mends against the kernels that have them in their
// source.
#include "viz/analysis/costs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/launch/launch.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

/// Whatever the rules and the kernel: rows are ranked, their excess is the report's, mends lower the cost.
TEST(LadderCosts, HoldUnderAllRules) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    LaunchRequest request = launch_of_kernel(kernel.id);
    request.event_blocks = BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
    const Result<Recording> recording = record(request);
    ASSERT_TRUE(recording.ok()) << kernel.id << ": " << recording.error().message();
    for (const analysis::DeviceModel& model : analysis::device_models()) {
      SCOPED_TRACE(kernel.id + " under " + model.cc.name());
      const analysis::Report report = analysis::report(*recording, model.cc);
      std::uint64_t excess = 0, expected = 0, before = ~std::uint64_t{0};
      for (const analysis::LineCost& cost : analysis::costs(*recording, report)) {
        EXPECT_LE(cost.excess(), before);
        before = cost.excess();
        excess += before;
        if (cost.fix) {
          EXPECT_LT(cost.fix->cost, cost.figures.cost());
        }
      }
      for (const analysis::Totals& totals : report.by_site) {
        expected += totals.cost.sectors - totals.cost.ideal_sectors + totals.cost.wavefronts -
                    totals.cost.ideal_wavefronts;
      }
      EXPECT_EQ(excess, expected);
    }
  }
}

}  // namespace
}  // namespace warplens::app
