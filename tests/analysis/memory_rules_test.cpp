#include "viz/analysis/memory_rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "analysis/accesses.h"
#include "analysis/literal_rules.h"

namespace warplens::analysis {
namespace {

std::string text_of(const WarpAccess& access) {
  return fmt::format("{} {} of {} bytes, mask {:#x}: {}", name_of(access.space), name_of(access.op),
                     access.bytes, access.mask, fmt::join(access.address, " "));
}

/// The models whose rules are those of 5.0 and later.
std::vector<ComputeCapability> modern() {
  std::vector<ComputeCapability> found;
  for (const DeviceModel& model : device_models()) {
    if (!(model.cc < ComputeCapability{5, 0})) found.push_back(model.cc);
  }
  return found;
}

TEST(MemoryRules, EqualTheLiteralRulesOnRandomAccesses) {
  const std::vector<ComputeCapability> models = modern();
  RandomAccesses accesses(1);
  for (std::size_t i = 0; i < 60000; ++i) {
    const WarpAccess access = accesses.next();
    const AccessCost expected =
        access.space == Space::shared ? literal::shared(access) : literal::sectors(access);
    ASSERT_EQ(access_cost(access, models[i % models.size()]), expected) << text_of(access);
  }
}

/// Misaligned accesses are errors on the device, but measured patterns of sectors may hold them.
TEST(MemoryRules, CountTheSectorsOfMisalignedAccesses) {
  EXPECT_EQ(access_cost(global_load(8, [](int) { return 28; }), {9, 0}).sectors, 2u);
  EXPECT_EQ(access_cost(global_load(16, [](int k) { return 24 + 32 * k; }), {9, 0}).sectors, 33u);
}

TEST(MemoryRules, AnEmptyMaskCostsNothing) {
  for (const DeviceModel& model : device_models()) {
    for (const Space space : {Space::global, Space::shared, Space::local}) {
      EXPECT_EQ(access_cost(access_of(
                                space, AccessOp::load, 4, [](int k) { return 4 * k; }, 0),
                            model.cc),
                AccessCost{});
    }
  }
}

TEST(MemoryRules, IdealIsThatOfConsecutiveLanes) {
  for (const auto& [bytes, sectors] : {std::pair{1, 1u}, {2, 2u}, {4, 4u}, {8, 8u}, {16, 16u}}) {
    const AccessCost spread = access_cost(global_load(bytes, [](int k) { return 1024 * k; }), {9, 0});
    EXPECT_EQ(spread.ideal_sectors, sectors);
    EXPECT_EQ(spread.sectors, 32u);
    EXPECT_EQ(spread.lines, 32u);
    EXPECT_EQ(access_cost(global_load(bytes, [b = bytes](int k) { return b * k; }), {9, 0}).sectors, sectors);
  }
  for (const auto& [bytes, wavefronts] : {std::pair{1, 1u}, {2, 1u}, {4, 1u}, {8, 2u}, {16, 4u}}) {
    const AccessCost cost = access_cost(shared_store(bytes, [b = bytes](int k) { return b * k; }), {9, 0});
    EXPECT_EQ(cost.wavefronts, wavefronts);
    EXPECT_EQ(cost.ideal_wavefronts, wavefronts);
    EXPECT_EQ(cost.bank_conflicts, 0u);
  }
}

TEST(MemoryRules, WideLoadsOfNeighboursThatAgreeAreMerged) {
  EXPECT_EQ(access_cost(shared_load(16, [](int) { return 0; }), {9, 0}).wavefronts, 2u) << "a broadcast";
  EXPECT_EQ(access_cost(shared_load(16, [](int k) { return 16 * k; }), {9, 0}).wavefronts, 4u) << "spread";
  EXPECT_EQ(access_cost(shared_load(8, [](int k) { return k / 2 * 8; }), {9, 0}).wavefronts, 1u)
      << "lanes l and l^1 agree";
  EXPECT_EQ(access_cost(shared_load(8, [](int k) { return (k & ~2) * 8; }), {9, 0}).wavefronts, 2u)
      << "lanes l and l^2 agree: merged, and in conflict";
  EXPECT_EQ(access_cost(shared_load(8, [](int k) { return (k & ~4) * 8; }), {9, 0}).wavefronts, 2u)
      << "lanes l and l^4 agree: no merging";
  EXPECT_EQ(access_cost(shared_load(
                            8, [](int k) { return k * 8; }, 0x55555555u),
                        {9, 0})
                .wavefronts,
            2u)
      << "partners inactive: merged, 32 words in 16 banks";
  EXPECT_EQ(access_cost(shared_store(16, [](int) { return 0; }), {9, 0}).wavefronts, 4u)
      << "stores are never merged";
}

TEST(MemoryRules, CopiesPastL1TakeNoWavefronts) {
  Site site;
  site.space = Space::shared;
  site.op = AccessOp::cp_async;
  site.bytes = 16;
  Shape shape{};
  for (std::size_t lane = 0; lane < 32; ++lane) shape[lane] = static_cast<std::int64_t>(16 * lane);
  site.text = "cp.async.cg.shared.global [%r1], [%rd1], 16;";
  EXPECT_EQ(pattern_cost(site, shape, 0xffffffffu, 0, "9.0"), AccessCost{});
  site.text = "LDGSTS.E.BYPASS.LTC128B.128 [R13+0x400], [R2.64]";
  EXPECT_EQ(pattern_cost(site, shape, 0xffffffffu, 0, "9.0"), AccessCost{});
  site.text = "LDGSTS.E.128 [R13], [R2.64]";
  EXPECT_EQ(pattern_cost(site, shape, 0xffffffffu, 0, "9.0").wavefronts, 4u);
  site.text = "cp.async.ca.shared.global [%r1], [%rd1], 16;";
  EXPECT_EQ(pattern_cost(site, shape, 0xffffffffu, 0, "9.0").wavefronts, 4u);
}

/// The costs of an access follow from its pattern: shape, mask, and the address of the lowest active lane
/// modulo kPatternAlignment.
TEST(MemoryRules, PatternsCostWhatTheirAccessesCost) {
  RandomAccesses accesses(2);
  for (std::size_t i = 0; i < 40000; ++i) {
    const WarpAccess access = accesses.next();
    if (access.mask == 0) continue;
    const ComputeCapability cc = device_models()[i % device_models().size()].cc;
    const std::uint64_t base = access.address[static_cast<std::size_t>(std::countr_zero(access.mask))];
    Site site;
    site.space = access.space;
    site.op = access.op;
    site.bytes = static_cast<std::uint8_t>(access.bytes);
    site.matrices = static_cast<std::uint8_t>(access.matrices);
    if (access.bypass_l1) site.text = "cp.async.cg.shared.global";
    Shape shape{};
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((access.mask >> lane & 1u) != 0)
        shape[lane] = static_cast<std::int64_t>(access.address[lane] - base);
    }
    WarpAccess plain = access;  // Site has no bank mode: the default one
    plain.eight_byte_banks = false;
    ASSERT_EQ(pattern_cost(site, shape, access.mask, static_cast<std::uint32_t>(base % kPatternAlignment),
                           cc.name()),
              access_cost(plain, cc))
        << text_of(access);
  }
}

}  // namespace
}  // namespace warplens::analysis
