// Bursts of DRAM against their definition, byte by byte.
#include "viz/analysis/bursts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace warplens::analysis {
namespace {

WarpAccess strided(std::uint64_t base, std::uint64_t stride, int bytes = 4) {
  WarpAccess access{.bytes = bytes};
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) access.address[lane] = base + stride * lane;
  return access;
}

TEST(Bursts, NeighboursShareBurstsAndColumnsDoNot) {
  EXPECT_EQ(bursts_of(strided(0x1000, 4)).size(), 2u);
  EXPECT_EQ(bursts_of(strided(0x1000 + 4, 4)).size(), 3u);
  EXPECT_EQ(bursts_of(strided(0x1000, 8)).size(), 4u);
  const std::vector<Burst> column = bursts_of(strided(0x1000, 1024));
  ASSERT_EQ(column.size(), 32u);
  EXPECT_EQ(column[3].address, 0x1000u + 3 * 1024);
  EXPECT_EQ(column[3].used_bytes(), 4);
  EXPECT_EQ(column[3].lanes, 1u << 3);
  EXPECT_EQ(bursts_of(corner_turned(strided(0x1000, 1024))).size(), 2u);
  EXPECT_EQ(bursts_of(strided(0x1000, 0)).size(), 1u);
}

TEST(Bursts, AreThoseOfEveryByte) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    WarpAccess access{.bytes = 1 << random() % 5, .mask = static_cast<std::uint32_t>(random())};
    for (std::uint64_t& address : access.address)
      address = random() % 4096 / static_cast<unsigned>(access.bytes) * static_cast<unsigned>(access.bytes);
    std::map<std::uint64_t, std::set<std::uint64_t>> bytes;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.mask >> lane & 1) == 0) continue;
      for (int byte = 0; byte < access.bytes; ++byte) {
        const std::uint64_t at = access.address[lane] + static_cast<std::uint64_t>(byte);
        bytes[at / 64 * 64].insert(at);
      }
    }
    const std::vector<Burst> bursts = bursts_of(access);
    ASSERT_EQ(bursts.size(), bytes.size());
    for (const Burst& burst : bursts)
      EXPECT_EQ(static_cast<std::size_t>(burst.used_bytes()), bytes.at(burst.address).size());
  }
}

TEST(Bursts, TurningTheCornerKeepsLanesAndBytes) {
  WarpAccess access = strided(0x2000, 4096, 8);
  access.mask = 0x00ff00f0;
  const WarpAccess turned = corner_turned(access);
  EXPECT_EQ(turned.mask, access.mask);
  EXPECT_EQ(turned.address[4], access.address[4]);
  EXPECT_EQ(turned.address[16], access.address[4] + 4 * 8);
  EXPECT_EQ(corner_turned({.mask = 0}).mask, 0u);
  EXPECT_TRUE(bursts_of({.mask = 0}).empty());
}

}  // namespace
}  // namespace warplens::analysis
