// Small programs for compute capability 9.0, followed with values: warps and blocks of a cluster that wait
// for each other.
#include <gtest/gtest.h>

#include "sass/symbolic_program.h"

namespace warplens::sass {
namespace {

/// The mbarrier at 0x408 is made by the first warp, for one arrival. R0 is the thread, P0: it is not of the
/// first warp; R2 and R3 are the address of the thread's own word.
const std::string kBegin = R"(S2R R0, SR_TID.X
S2UR UR20, SR_CgaCtaId
UMOV UR4, 0x1
UIADD3 UR4, -UR4, 0x100000, URZ
USHF.L.U32 UR5, UR4, 0xb, URZ
USHF.L.U32 UR4, UR4, 0x1, URZ
UMOV UR9, 0x408
ULEA UR9, UR20, UR9, 0x18
UMOV UR8, 0x800
ULEA UR8, UR20, UR8, 0x18
ISETP.GE.AND P0, PT, R0, 0x20, PT
VOTEU.ALL UP0, P0
@!UP0 SYNCS.EXCH.64 URZ, [UR9], UR4
BAR.SYNC.DEFER_BLOCKING 0x0
IMAD.WIDE R2, R0, 0x4, c[0x0][0x210]
)";
const std::string kWait = R"(.L_wait:
SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9], RZ
@!P1 BRA `(.L_wait)
)";

TEST(Mbarriers, WaitIsForTheWarpThatArrives) {
  WithMemory memory(std::vector<std::uint32_t>(64, 7));
  memory.launch.block = {64, 1, 1};
  // The first warp waits for what the second one stores.
  const auto [listing, result] = hopper(kBegin + "@P0 BRA `(.L_second)\n" + kWait +
                                            "LDS R4, [UR8]\n"
                                            "STG.E desc[UR14][R2.64], R4\n"
                                            "EXIT\n"
                                            ".L_second:\n"
                                            "ISETP.NE.AND P2, PT, R0, 0x20, PT\n"
                                            "@P2 EXIT\n"
                                            "MOV R5, 0x63\n"
                                            "STS [UR8], R5\n"
                                            "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR9], RZ\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_FALSE(result->stored_unknown);
  EXPECT_EQ(memory.words[0], 0x63u);
  EXPECT_EQ(memory.words[31], 0x63u);
  EXPECT_EQ(memory.words[32], 7u);
}

TEST(Mbarriers, WaitByTheStateThatAnArrivalGave) {
  WithMemory memory(std::vector<std::uint32_t>(32, 7));
  const auto [listing, result] = hopper(kBegin +
                                            "ISETP.NE.AND P2, PT, R0, RZ, PT\n"
                                            "@P2 EXIT\n"
                                            "SYNCS.ARRIVE.TRANS64.A1T0 R6, [UR9], RZ\n"
                                            "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9], R7\n"
                                            "@P1 STG.E desc[UR14][R2.64], RZ\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(memory.words[0], 0u);
}

TEST(Mbarriers, CopyInBulkLandsBeforeItsWaitEnds) {
  WithMemory memory(counted(64));
  const auto [listing, result] = hopper(kBegin +
                                            "ISETP.NE.AND P2, PT, R0, RZ, PT\n"
                                            "@P2 BRA `(.L_wait)\n"
                                            "MOV R5, 0x80\n"
                                            "SYNCS.ARRIVE.TRANS64 RZ, [UR9], R5\n"
                                            "ULDC.64 UR10, c[0x0][0x210]\n"
                                            "UMOV UR12, 0x8\n"
                                            "UBLKCP.S.G [UR8], [UR10], UR12\n" +
                                            kWait +
                                            "LEA R6, R0, UR8, 0x2\n"
                                            "LDS R4, [R6]\n"
                                            "VIADD R4, R4, 0x64\n"
                                            "STG.E desc[UR14][R2.64+0x80], R4\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_FALSE(result->stored_unknown);
  EXPECT_EQ(memory.words[32], 100u);
  EXPECT_EQ(memory.words[63], 131u);
}

TEST(Mbarriers, BulkStoreWritesGlobalMemory) {
  WithMemory memory(std::vector<std::uint32_t>(64, 7));
  const auto [listing, result] = hopper(kBegin +
                                            "LEA R6, R0, UR8, 0x2\n"
                                            "STS [R6], R0\n"
                                            "ISETP.NE.AND P2, PT, R0, RZ, PT\n"
                                            "@P2 EXIT\n"
                                            "ULDC.64 UR10, c[0x0][0x210]\n"
                                            "UMOV UR12, 0x4\n"
                                            "UBLKCP.G.S [UR10], [UR8], UR12\n"
                                            "UTMACMDFLUSH\n"
                                            "DEPBAR.LE SB0, 0x0\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(memory.words[15], 15u);
  EXPECT_EQ(memory.words[16], 7u);
}

TEST(Mbarriers, WaitForAPhaseThatNeverEndsStopsTheExecution) {
  WithMemory memory(counted(32));
  const auto [listing, result] = hopper(kBegin + kWait + "EXIT\n", memory.launch);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("it waits for other warps that never arrive"), std::string::npos)
      << result.error().message();
}

TEST(Mbarriers, WaitOnMemoryThatIsNoMbarrierStopsTheExecution) {
  WithMemory memory(counted(32));
  const auto [listing, result] = hopper(
      "UMOV UR9, 0x408\n"
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9], RZ\n"
      "EXIT\n",
      memory.launch);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("no mbarrier is at its address"), std::string::npos);
}

TEST(Mbarriers, NumberedBarrierIsOfSomeWarps) {
  WithMemory memory(std::vector<std::uint32_t>(96, 7));
  memory.launch.block = {96, 1, 1};
  // The first warp waits for what the second one stores; the third takes no part, and waits at none.
  const auto [listing, result] = hopper(kBegin +
                                            "ISETP.GE.AND P2, PT, R0, 0x40, PT\n"
                                            "@P2 EXIT\n"
                                            "MOV R9, 0x3\n"
                                            "@P0 STS [UR8], R9\n"
                                            "@P0 BAR.ARV 0x3, 0x40\n"
                                            "@P0 EXIT\n"
                                            "BAR.SYNC.DEFER_BLOCKING R9, 0x40\n"
                                            "LDS R4, [UR8]\n"
                                            "STG.E desc[UR14][R2.64], R4\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_FALSE(result->stored_unknown);
  EXPECT_EQ(memory.words[31], 3u);
}

TEST(Mbarriers, BlocksOfAClusterArriveAtEachOthers) {
  WithMemory memory(std::vector<std::uint32_t>(64, 7));
  memory.launch.grid = memory.launch.cluster = {2, 1, 1};
  // Each block copies 16 bytes with its rank into the other's shared memory.
  const auto [listing, result] = hopper(kBegin +
                                            "UCGABAR_ARV\n"
                                            "UCGABAR_WAIT\n"
                                            "S2R R8, SR_CTAID.X\n"
                                            "IMAD R9, R8, 0x80, RZ\n"
                                            "IMAD.IADD R2, R2, 0x1, R9\n"
                                            "ISETP.NE.AND P2, PT, R0, RZ, PT\n"
                                            "@P2 BRA `(.L_wait)\n"
                                            "VIADD R8, R8, 0x64\n"
                                            "STS [UR8+0x100], R8\n"
                                            "STS [UR8+0x104], R8\n"
                                            "STS [UR8+0x108], R8\n"
                                            "STS [UR8+0x10c], R8\n"
                                            "MOV R5, 0x10\n"
                                            "SYNCS.ARRIVE.TRANS64 RZ, [UR9], R5\n"
                                            "UIADD3 UR16, -UR20, 0x1, URZ\n"
                                            "UMOV UR10, 0x800\n"
                                            "UMOV UR11, 0x408\n"
                                            "ULEA UR10, UR16, UR10, 0x18\n"
                                            "ULEA UR11, UR16, UR11, 0x18\n"
                                            "UIADD3 UR18, UR8, 0x100, URZ\n"
                                            "UMOV UR12, 0x1\n"
                                            "UBLKCP.S.S [UR10], [UR18], UR12\n" +
                                            kWait +
                                            "LDS R4, [UR8]\n"
                                            "STG.E desc[UR14][R2.64], R4\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_FALSE(result->stored_unknown);
  EXPECT_EQ(memory.words[0], 101u);
  EXPECT_EQ(memory.words[32], 100u);
}

TEST(Mbarriers, BlocksOfAClusterReadEachOthersSharedMemory) {
  WithMemory memory(std::vector<std::uint32_t>(64, 7));
  memory.launch.grid = memory.launch.cluster = {2, 1, 1};
  const auto [listing, result] = hopper(kBegin +
                                            "S2R R8, SR_CTAID.X\n"
                                            "IMAD R9, R8, 0x80, RZ\n"
                                            "IMAD.IADD R2, R2, 0x1, R9\n"
                                            "VIADD R9, R8, 0x64\n"
                                            "STS [UR8], R9\n"
                                            "UCGABAR_ARV\n"
                                            "UCGABAR_WAIT\n"
                                            "LOP3.LUT R8, R8, 0x1, RZ, 0x3c, !PT\n"
                                            "MOV R4, UR8\n"
                                            "PRMT R4, R8, 0x654, R4\n"
                                            "S2R R5, SR_SWINHI\n"
                                            "LD.E R6, desc[UR14][R4.64]\n"
                                            "STG.E desc[UR14][R2.64], R6\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_FALSE(result->stored_unknown);
  EXPECT_EQ(memory.words[0], 101u);
  EXPECT_EQ(memory.words[32], 100u);
}

TEST(Mbarriers, ResultsOfProductsAreStoredAsUnknown) {
  WithMemory memory(counted(128));
  memory.launch.block = {128, 1, 1};
  const auto [listing, result] = hopper(kBegin +
                                            "UMOV UR4, 0x80040\n"
                                            "UMOV UR5, 0x10\n"
                                            "UMOV UR6, 0x80240\n"
                                            "UMOV UR7, 0x10\n"
                                            "HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT, gsb0\n"
                                            "STG.E desc[UR14][R2.64], R24\n"
                                            "EXIT\n",
                                        memory.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(result->stored_unknown);
}

}  // namespace
}  // namespace warplens::sass
