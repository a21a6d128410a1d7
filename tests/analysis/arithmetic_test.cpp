#include "viz/analysis/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warplens::analysis {
namespace {

TEST(Roof, TheTextbooksExample) {
  const Roof roof{200, 1500};
  EXPECT_EQ(roof.attainable(0.25), 50);  // 4 B a flop at 200 GB/s
  EXPECT_NEAR(100 * roof.attainable(0.25) / roof.peak_gflops, 3.3, 0.05);
  EXPECT_TRUE(roof.bound_by_memory(0.25));
  EXPECT_EQ(roof.ridge(), 7.5);
  EXPECT_EQ(roof.attainable(7.5), 1500);
  EXPECT_EQ(roof.attainable(8), 1500);
  EXPECT_FALSE(roof.bound_by_memory(8));
}

TEST(DeviceCards, TheFirstIsTheTextbooksAndAllHaveASource) {
  EXPECT_EQ(device_cards().front().roof, (Roof{200, 1500}));
  for (const DeviceCard& card : device_cards()) {
    SCOPED_TRACE(card.name);
    EXPECT_GT(card.roof.bandwidth_gbps, 0);
    EXPECT_GT(card.roof.peak_gflops, 0);
    EXPECT_FALSE(std::string_view(card.source).empty());
  }
}

TEST(DeviceCards, AreFoundByTheDriversName) {
  const auto name = [](const char* device) {
    const DeviceCard* const card = find_card(device);
    return card == nullptr ? std::string() : std::string(card->name);
  };
  EXPECT_EQ(name("NVIDIA H200"), "H200 SXM");
  EXPECT_EQ(name("NVIDIA H100 80GB HBM3"), "H100 SXM");
  EXPECT_EQ(name("NVIDIA A100-SXM4-80GB"), "A100 80 GB");
  EXPECT_EQ(name("Tesla P100-SXM2-16GB"), "P100 SXM2");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4070"), "RTX 4070");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4070 Ti"), "");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4070 SUPER"), "");
  EXPECT_EQ(name("NVIDIA H100 PCIe"), "");
  EXPECT_EQ(name("NVIDIA A100-SXM4-40GB"), "");
  EXPECT_EQ(name("Tesla V100-SXM2-32GB"), "V100 SXM2");
  for (const char* const other :
       {"NVIDIA GH200 480GB", "Tesla V100-PCIE-16GB", "Tesla P100-PCIE-12GB", "Tesla V100S-PCIE-32GB", "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GeForce GTX 770M", "NVIDIA H200 MIG 1g.18gb", "NVIDIA GeForce RTX 4090 Laptop GPU"}) {
    EXPECT_EQ(name(other), "") << other;
  }
  EXPECT_EQ(name("Test GPU"), "");
}

TEST(Gain, BufferingIsAtMostTwo) {
  EXPECT_NEAR(gain_of_buffering({100, 10}), 200.0 / 110, 1e-12);
  EXPECT_EQ(gain_of_buffering({100, 100}), 1);
  EXPECT_NEAR(gain_of_buffering({1e9, 1}), 2, 1e-8);
  EXPECT_LT(gain_of_buffering({1e9, 1}), 2);
}

TEST(Gain, TilesGoTowardsBAndTowardsTheRatioOfTheTimes) {
  const AccessTimes times{100, 10};
  EXPECT_NEAR(gain_of_tiles(times, 16), 100 / (100.0 / 16 + 10), 1e-12);
  EXPECT_NEAR(gain_of_tiles(times, 1e12), times.global / times.shared, 1e-6);  // B towards infinity
  EXPECT_NEAR(gain_of_tiles({100, 1e-12}, 16), 16, 1e-9);                      // Shared memory that takes no time
  for (double edge = 1; edge < 1000; edge *= 2) {
    EXPECT_LT(gain_of_tiles(times, edge), edge);
    EXPECT_LT(gain_of_tiles(times, edge), times.global / times.shared);
    EXPECT_LT(gain_of_tiles(times, edge), gain_of_tiles(times, 2 * edge));
  }
}

TEST(Gain, NaiveIsTheMeasureAndFollowsTheCounts) {
  EXPECT_EQ(gain({100, 10}, {2, 0}), 1);
  EXPECT_EQ(gain({100, 10}, {1, 1}), gain_of_buffering({100, 10}));
  EXPECT_EQ(gain({100, 10}, {2.0 / 32, 2}), gain_of_tiles({100, 10}, 32));
  EXPECT_EQ((AccessesPerMultiplyAdd{2.0 / 32, 2}.reuse()), 32);
}

TEST(Gain, DependsOnTheRatioOfTheTimesAlone) {
  EXPECT_NEAR(gain_of_tiles({400, 40}, 8), gain_of_tiles({10, 1}, 8), 1e-12);
}

}  // namespace
}  // namespace warplens::analysis
