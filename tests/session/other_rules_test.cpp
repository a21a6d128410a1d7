#include "app/session/other_rules.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "app/launch/launch.h"

namespace warplens::app {
namespace {

/// What there is after at most a minute.
std::shared_ptr<const Loaded> awaited(OtherRules& rules, const std::shared_ptr<const Loaded>& loaded,
                                      analysis::ComputeCapability cc, const std::function<void()>& wake) {
  for (int i = 0; i < 6000; ++i) {
    if (auto by_rules = rules.by_rules(loaded, cc, wake)) return by_rules;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return nullptr;
}

TEST(OtherRules, EqualRecomputedCosts) {
  Result<Recording> recording = record(launch_of_kernel("tiled_swapped", {{"m", 64}, {"p", 64}, {"n", 64}}));
  ASSERT_TRUE(recording.ok());
  const auto loaded = make_loaded(*std::move(recording), {9, 0});
  std::atomic<int> woken{0};
  const std::function<void()> wake = [&woken] { ++woken; };
  OtherRules rules;
  const auto by_rules = awaited(rules, loaded, {1, 0}, wake);
  ASSERT_TRUE(by_rules);
  EXPECT_EQ(by_rules->recording, loaded->recording) << "it is shared";
  EXPECT_EQ(by_rules->cc, (analysis::ComputeCapability{1, 0}));
  EXPECT_EQ(by_rules->report.shared_load.cost.wavefronts,
            with_rules(*loaded, {1, 0})->report.shared_load.cost.wavefronts);
  EXPECT_NE(by_rules->report.shared_load.cost.wavefronts, loaded->report.shared_load.cost.wavefronts);
  EXPECT_EQ(rules.by_rules(loaded, {1, 0}, wake), by_rules) << "once is enough";
  EXPECT_EQ(awaited(rules, loaded, {2, 0}, wake)->cc, (analysis::ComputeCapability{2, 0}));
  EXPECT_EQ(woken, 2);
}

}  // namespace
}  // namespace warplens::app
