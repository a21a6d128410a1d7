#include "app/launch/launch_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace warplens::app {
namespace {

TEST(ReplayOptions, ThreadsAreNoMoreThanCores) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const auto threads = [](unsigned wanted) {
    LaunchRequest request;
    request.threads = wanted;
    return replay_options({}, {1, 1, 1}, request, nullptr)->threads;
  };
  EXPECT_EQ(threads(2000), cores);
  EXPECT_EQ(threads(1), 1u);
  EXPECT_EQ(threads(0), 0u) << "as many as there are";
}

TEST(ReplayOptions, ChosenBlocksBringTheirClusters) {
  const auto replayed = [](Dim3 grid, Dim3 cluster) {
    LaunchRequest request;
    request.replay_blocks = {.all = false, .blocks = {{0, 0, 0}}};
    return replay_options(grid, cluster, request, nullptr)->replay_blocks;
  };
  EXPECT_EQ(replayed({4, 1, 1}, {2, 1, 1}), (std::vector<Dim3>{{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(replayed({2, 1, 1}, {2, 1, 1}), std::nullopt) << "all of them";
  EXPECT_EQ(replayed({3, 1, 1}, {2, 1, 1}), (std::vector<Dim3>{{0, 0, 0}})) << "the launch is refused later";
  EXPECT_EQ(replayed({1, 3, 1}, {2, 1, 1}), (std::vector<Dim3>{{0, 0, 0}}))
      << "a cluster wider than the grid";
}

TEST(ReplayOptions, ParsingBlocksIsLinear) {
  BlockChoice choice{.all = false, .blocks = {}};
  for (std::uint32_t i = 0; i < 500'000; ++i) choice.blocks.push_back({i, 0, 0});
  EXPECT_EQ(chosen_blocks({1u << 20, 1, 1}, choice)->size(), 500'000u);
}

}  // namespace
}  // namespace warplens::app
