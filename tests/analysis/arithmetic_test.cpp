#include "viz/analysis/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>

namespace warplens::analysis {
namespace {

TEST(Roof, TheTextbooksExample) {
  const Roof roof;
  EXPECT_EQ(roof.attainable(0.25), 50);  // 4 B a flop at 200 GB/s
  EXPECT_NEAR(100 * roof.attainable(0.25) / roof.peak_gflops, 3.3, 0.05);
  EXPECT_TRUE(roof.bound_by_memory(0.25));
  EXPECT_EQ(roof.ridge(), 7.5);
  EXPECT_EQ(roof.attainable(7.5), 1500);
  EXPECT_EQ(roof.attainable(8), 1500);
  EXPECT_FALSE(roof.bound_by_memory(8));
}

TEST(DeviceCards, TheFirstIsTheTextbooksAndAllHaveASource) {
  EXPECT_EQ(device_cards().front().roof, Roof());
  for (const DeviceCard& card : device_cards()) {
    SCOPED_TRACE(card.name);
    EXPECT_GT(card.roof.bandwidth_gbps, 0);
    EXPECT_GT(card.roof.peak_gflops, 0);
    EXPECT_FALSE(std::string_view(card.source).empty());
  }
}

TEST(DeviceCards, PeakDependsOnTheTensorCoreType) {
  const auto peak = [](const char* device, const char* type) {
    const std::optional<Roof> roof = roof_for(*find_card(device), type);
    return roof ? roof->peak_gflops * 1e-3 : 0;
  };
  EXPECT_EQ(peak("NVIDIA H200", ""), 67);
  EXPECT_EQ(peak("NVIDIA H200", "f16"), 989.5);
  EXPECT_EQ(peak("NVIDIA A100-SXM4-80GB", "tf32"), 156);
  EXPECT_EQ(peak("NVIDIA A100-SXM4-80GB", "e4m3"), 0);
  EXPECT_EQ(peak("Tesla T4", "s8"), 130);
  EXPECT_EQ(peak("Tesla V100-SXM2-32GB", "bf16"), 0);
  EXPECT_EQ(peak("NVIDIA GeForce RTX 4090", "e5m2"), 330.3);
  EXPECT_EQ(peak("NVIDIA GeForce GTX 770", "f16"), 0);
  EXPECT_EQ(roof_for(*find_card("NVIDIA H200"), "f16")->bandwidth_gbps, 4800);
}

TEST(DeviceCards, SharedMemoryDeliversWhatItsBanksDoInAClock) {
  // Multiprocessors x boost clock x bytes a clock, of the figures that the makers publish.
  const auto expect = [](const char* device, double multiprocessors, double gigahertz, double bytes) {
    const double expected = multiprocessors * gigahertz * bytes;
    EXPECT_NEAR(find_card(device)->roof.shared_gbps, expected, 0.01 * expected) << device;
  };
  expect("NVIDIA H200", 132, 1.98, 128);
  expect("NVIDIA A100-SXM4-80GB", 108, 1.41, 128);
  expect("Tesla V100-SXM2-32GB", 80, 1.53, 128);
  expect("Tesla P100-SXM2-16GB", 56, 1.48, 128);
  expect("NVIDIA GeForce RTX 4070", 46, 2.475, 128);
  expect("NVIDIA GeForce GTX 770", 8, 1.085, 256);
  expect("NVIDIA GeForce GTS 450", 4, 1.566, 64);  // Two of the shader's clocks a pass
}

CountedArithmetic counted(double flops, std::uint64_t requested, std::optional<std::uint64_t> fetched,
                          SharedPasses shared) {
  CountedArithmetic figures;
  figures.flops = flops;
  figures.requested_bytes = requested;
  figures.fetched_bytes = fetched;
  figures.shared = std::move(shared);
  return figures;
}

TEST(Ceilings, AreOfWhatIsFetchedAndOfWavefronts) {
  const Roof roof;
  const Ceilings found =
      ceilings(counted(12800, 1600, 3200, {.wavefronts = 100, .ideal = 50, .architecture = ""}), roof);
  EXPECT_EQ(found.memory, 4 * 200);
  EXPECT_EQ(found.shared, 2000);
  EXPECT_EQ(found.without_conflicts, 4000);
  EXPECT_EQ(found.peak, 1500);
  EXPECT_EQ(found.attainable(), 800);
  EXPECT_EQ(found.bound(), Bound::memory);
}

TEST(Ceilings, LowestIsTheLimit) {
  const Roof roof;
  const auto bound = [&](std::uint64_t bytes, std::uint64_t wavefronts, std::uint64_t ideal) {
    return ceilings(
               counted(12800, bytes, bytes, {.wavefronts = wavefronts, .ideal = ideal, .architecture = ""}),
               roof)
        .bound();
  };
  EXPECT_EQ(bound(3200, 0, 0), Bound::memory);
  EXPECT_EQ(bound(100, 0, 0), Bound::arithmetic);
  EXPECT_EQ(bound(100, 10, 10), Bound::arithmetic);
  EXPECT_EQ(bound(100, 200, 200), Bound::shared);
  EXPECT_EQ(bound(100, 200, 100), Bound::conflicts);
}

TEST(Ceilings, ScatteredAccessesAreTheLimitWhereIdealFetchesLess) {
  CountedArithmetic figures = counted(12800, 3200, 6400, {});
  figures.ideal_bytes = 3200;
  EXPECT_EQ(ceilings(figures, Roof()).bound(), Bound::scattered);
  EXPECT_EQ(ceilings(figures, Roof()).with_perfect_addresses, 800);
  figures.ideal_bytes = 6400;
  EXPECT_EQ(ceilings(figures, Roof()).bound(), Bound::memory);
}

TEST(Ceilings, WithoutFetchedBytesRequestedOnesAreUsed) {
  EXPECT_EQ(ceilings(counted(1600, 1600, std::nullopt, {}), Roof()).memory, 200);
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
  EXPECT_EQ(name("Tesla T4"), "T4");
  EXPECT_EQ(name("NVIDIA L4"), "L4");
  EXPECT_EQ(name("NVIDIA B200"), "B200 HGX");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4070"), "RTX 4070");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4070 Ti"), "");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4070 SUPER"), "");
  EXPECT_EQ(name("NVIDIA H100 PCIe"), "");
  EXPECT_EQ(name("NVIDIA A100-SXM4-40GB"), "");
  EXPECT_EQ(name("Tesla V100-SXM2-32GB"), "V100 SXM2");
  for (const char* const other :
       {"NVIDIA GH200 480GB", "Tesla V100-PCIE-16GB", "Tesla P100-PCIE-12GB", "Tesla V100S-PCIE-32GB",
        "NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce GTX 770M", "NVIDIA H200 MIG 1g.18gb",
        "NVIDIA GeForce RTX 4090 Laptop GPU"}) {
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

TEST(Gain, TilesApproachTheRatioOfTheTimes) {
  const AccessTimes times{100, 10};
  EXPECT_NEAR(gain_of_tiles(times, 16), 100 / (100.0 / 16 + 10), 1e-12);
  EXPECT_NEAR(gain_of_tiles(times, 1e12), times.global / times.shared, 1e-6);  // B towards infinity
  EXPECT_NEAR(gain_of_tiles({100, 1e-12}, 16), 16, 1e-9);  // Shared memory that takes no time
  for (double edge = 1; edge < 1000; edge *= 2) {
    EXPECT_LT(gain_of_tiles(times, edge), edge);
    EXPECT_LT(gain_of_tiles(times, edge), times.global / times.shared);
    EXPECT_LT(gain_of_tiles(times, edge), gain_of_tiles(times, 2 * edge));
  }
}

TEST(Gain, NaiveIsTheBaseline) {
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
