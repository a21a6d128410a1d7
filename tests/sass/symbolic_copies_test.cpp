// Small programs that copy asynchronously, or load and multiply matrices.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <tuple>

#include "sass/symbolic_program.h"

namespace warplens::sass {
namespace {

TEST(SymbolicExecution, AsynchronousCopiesReadGlobalAndWriteSharedMemory) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "IMAD.WIDE R2, R0, 0x10, c[0x0][0x160]\n"
      "IMAD R4, R0, 0x20, RZ\n"
      "ISETP.GE.AND P0, PT, R0, 0x8, PT\n"
      "LDGSTS.E.BYPASS.128 [R4+0x400], [R2.64+0x20]\n"
      "LDGSTS.E.LTC128B.64 [R4], [R2.64], !P0\n"
      "@!P0 LDGSTS.E [R4], desc[UR6][R2.64]\n"
      "LDGDEPBAR\n"
      "DEPBAR.LE SB0, 0x1\n"
      "ARRIVES.LDGSTSBAR.64 [URZ+0x400]\n"
      "EXIT\n",
      one_warp({0x1000, 0x7}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 6u);
  for (std::size_t site = 0; site < 6; ++site) {
    EXPECT_EQ(result->sites[site].op, AccessOp::cp_async);
    EXPECT_EQ(result->sites[site].space, site % 2 == 0 ? Space::global : Space::shared);
    EXPECT_EQ(result->sites[site].instruction, 4 + site / 2);
    EXPECT_EQ(result->sites[site].bytes, site < 2 ? 16 : site < 4 ? 8 : 4);
  }
  const Seen from = only_pattern(*result, 0), to = only_pattern(*result, 1);
  EXPECT_EQ(from.pattern.alignment, 0x20u);
  EXPECT_EQ(to.pattern.alignment, 0u);
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(from.shape[static_cast<std::size_t>(lane)], 16 * lane);
    EXPECT_EQ(to.shape[static_cast<std::size_t>(lane)], 32 * lane);
  }
  EXPECT_EQ(only_pattern(*result, 2).pattern.mask, 0xffu) << "the others write zeros";
  EXPECT_EQ(only_pattern(*result, 3).pattern.mask, 0xffffffffu);
  EXPECT_EQ(result->totals[2].divergent_requests, 1u) << "fewer lanes read than the warp has";
  EXPECT_EQ(result->totals[3].divergent_requests, 0u);
  EXPECT_EQ(only_pattern(*result, 4).pattern.mask, 0xffu);
  EXPECT_EQ(only_pattern(*result, 5).pattern.mask, 0xffu);
  EXPECT_EQ(result->totals[4].divergent_requests, 1u);
}

TEST(SymbolicExecution, CopiesWhoseReadingIsUnknownStop) {
  const auto [listing, result] = execution(
      "LDG.E R6, [RZ.64]\n"
      "ISETP.GE.AND P0, PT, R6, 0x8, PT\n"
      "LDGSTS.E [RZ], [RZ.64], !P0\n"
      "EXIT\n",
      one_warp());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("LDGSTS"), std::string::npos);
}

TEST(SymbolicExecution, MatricesAreAccessedByTheLanesThatNameRows) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "IMAD R4, R0, 0x10, RZ\n"
      "LDSM.16.M88 R8, [R4]\n"
      "LDSM.16.MT88.2 R8, [R4+0x200]\n"
      "LDSM.16.M88.4 R8, [R4]\n"
      "STSM.16.M88.4 [R4+0x20], R8\n"
      "MOVM.16.MT88 R5, R4\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 4u);
  for (const std::size_t site : {0u, 1u, 2u, 3u}) {
    EXPECT_EQ(result->sites[site].op, site == 3 ? AccessOp::stmatrix : AccessOp::ldmatrix);
    EXPECT_EQ(result->sites[site].space, Space::shared);
    EXPECT_EQ(result->sites[site].bytes, 16);
    EXPECT_EQ(result->sites[site].matrices, site == 0 ? 1 : site == 1 ? 2 : 4);
    EXPECT_EQ(only_pattern(*result, site).pattern.mask, site == 0   ? 0xffu
                                                        : site == 1 ? 0xffffu
                                                                    : 0xffffffffu);
    EXPECT_EQ(result->totals[site].divergent_requests, 0u);
  }
}

TEST(SymbolicExecution, ResultsOfTensorCoresAreUnknownAndNothingElseIs) {
  // R4 to R7 of HMMA, R4 and R5 of the half one, R4 to R11 of the tall DMMA: what lies behind keeps its
  // value.
  const auto stores_at = [](const std::string& instruction, const std::string& address) {
    return execution("S2R R0, SR_TID.X\nIMAD R6, R0, 0x4, RZ\nIMAD R8, R0, 0x4, RZ\nIMAD R12, R0, 0x4, RZ\n" +
                         instruction + "\nSTS [" + address + "], RZ\nEXIT\n",
                     one_warp());
  };
  for (const auto& [instruction, kept, lost] :
       {std::tuple{"HMMA.16816.F32 R4, R20.reuse, R24, RZ", "R8", "R6"},
        {"HMMA.16816.F32.BF16 R4, R20, R24, R4", "R8", "R6"},
        {"HMMA.1688.F16 R5, R20, R24, RZ", "R8", "R6"},
        {"HMMA.SP.16832.F32 R4, R20, R24, R4, R25, 0x0", "R8", "R6"},
        {"IMMA.16832.U8.S8 R5, R20.reuse.ROW, R24.reuse.COL, R16", "R12", "R8"},
        {"IMMA.8816.S8.S8 R5, R20.ROW, R24.COL, RZ", "R8", "R6"},
        {"BMMA.168256.AND.POPC R4, R20.ROW, R24.COL, R16", "R8", "R6"},
        {"QMMA.16832.F32.E4M3.E4M3 R4, R20, R24, R4", "R8", "R6"},
        {"DMMA.884 R4, R24, R22, R4", "R8", "R6"},
        {"DMMA.8x8x4 R4, R24, R22, R4", "R8", "R6"},
        {"DMMA.16x8x4 R4, R24, R22, R4", "R12", "R8"}}) {
    SCOPED_TRACE(instruction);
    EXPECT_TRUE(stores_at(instruction, kept).execution.ok());
    EXPECT_FALSE(stores_at(instruction, lost).execution.ok());
  }
}

TEST(SymbolicExecution, CopiesAndMatricesMoveValues) {
  std::vector<std::byte> memory(8192);
  std::vector<std::uint16_t> halves(256);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::memcpy(memory.data(), halves.data(), 512);
  Launch launch = one_warp({0x10000, 0});
  launch.memory = {{{.base = 0x10000, .bytes = memory}}};
  // 32 rows of 16 bytes, of which the last 8 are zeros; stored as they are, transposed, and read as they lie
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "IMAD.WIDE R2, R0, 0x10, c[0x0][0x160]\n"
      "IMAD R4, R0, 0x10, RZ\n"
      "ISETP.GE.AND P0, PT, R0, 0x18, PT\n"
      "LDGSTS.E.128 [R4], [R2.64], !P0\n"
      "LDSM.16.M88.4 R8, [R4]\n"
      "IMAD.WIDE R6, R0, 0x4, c[0x0][0x160]\n"
      "STG.E [R6.64+0x400], R8\n"
      "STG.E [R6.64+0x480], R11\n"
      "LDSM.16.MT88 R12, [R4]\n"
      "STG.E [R6.64+0x500], R12\n"
      "STSM.16.MT88 [R4+0x800], R8\n"
      "LDS R13, [R4+0x800]\n"
      "STG.E [R6.64+0x580], R13\n"
      "EXIT\n",
      launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  const auto half = [&](std::size_t offset, std::size_t index) {
    std::uint16_t value = 0;
    std::memcpy(&value, memory.data() + offset + 2 * index, 2);
    return value;
  };
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t h = 0; h < 2; ++h) {
      const std::size_t row = lane / 4, column = 2 * (lane % 4) + h;
      EXPECT_EQ(half(0x400, 2 * lane + h), 8 * row + column);
      EXPECT_EQ(half(0x480, 2 * lane + h), 0) << "filled with zeros";
      EXPECT_EQ(half(0x500, 2 * lane + h), 8 * column + row);
      if (lane >= 8) continue;
      EXPECT_EQ(half(0x580, 2 * lane + h), 8 * h + lane);
    }
  }
}

}  // namespace
}  // namespace warplens::sass
