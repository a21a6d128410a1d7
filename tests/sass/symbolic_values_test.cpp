// Small programs whose addresses and branches depend on loaded values.
#include <gtest/gtest.h>

#include <algorithm>

#include "sass/symbolic_program.h"

namespace warplens::sass {
namespace {

TEST(SymbolicValues, LoadedValuesDecideOnAddressesAndBranches) {
  WithMemory with(counted(64, 3));
  const auto [listing, result] = execution(std::string(kOwnWord) +
                                               "LDS R5, [R4.X4]\n"
                                               "ISETP.LT.AND P0, PT, R4, 0x8, PT\n"
                                               "@P0 STG.E [R2.64], RZ\n"
                                               "EXIT\n",
                                           with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result, 1).shape[31], 31 * 12);
  EXPECT_EQ(only_pattern(*result, 2).pattern.mask, 0x7u);
  EXPECT_EQ(with.words[2], 0u);
  EXPECT_EQ(with.words[3], 9u);
}

TEST(SymbolicValues, UnknownAddressStops) {
  WithMemory with(counted(16));  // Half of the lanes read behind it
  const auto [listing, result] = execution(std::string(kOwnWord) + "LDS R5, [R4.X4]\nEXIT\n", with.launch);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("its address depends on a loaded value"), std::string::npos);
}

TEST(SymbolicValues, WarpsWaitForEachOtherAtABarrier) {
  // Each of 64 lanes reads what its neighbour in the other warp has stored.
  WithMemory with(counted(64));
  with.launch.block = {64, 1, 1};
  const auto [listing, result] = execution(std::string(kOwnWord) +
                                               "STS [R0.X4], R4\n"
                                               "BAR.SYNC.DEFER_BLOCKING 0x0\n"
                                               "LOP3.LUT R6, R0, 0x20, RZ, 0x3c, !PT\n"
                                               "LDS R7, [R6.X4]\n"
                                               "STG.E [R2.64], R7\n"
                                               "EXIT\n",
                                           with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(with.words[i], i ^ 32u);
}

TEST(SymbolicValues, ShufflesAndVotesAreExecuted) {
  WithMemory with(counted(32));
  const auto [listing, result] = execution(std::string(kOwnWord) +
                                               "SHFL.DOWN PT, R5, R4, 0x1, 0x1f\n"
                                               "ISETP.GT.AND P0, PT, R4, 0xf, PT\n"
                                               "VOTE.ANY R6, PT, P0\n"
                                               "POPC R6, R6\n"
                                               "REDUX.SUM UR4, R4\n"
                                               "IADD3 R5, R5, R6, RZ\n"
                                               "IADD3 R5, R5, UR4, RZ\n"
                                               "STG.E [R2.64], R5\n"
                                               "EXIT\n",
                                           with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(with.words[i], std::min(i + 1, 31u) + 16 + 496);
}

TEST(SymbolicValues, LanesWithTheSamePairMatch) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "LOP3.LUT R2, R0, 0x1, RZ, 0xc0, !PT\n"
      "SHF.R.U32.HI R3, RZ, 0x4, R0\n"
      "MATCH.ANY.U64 R4, R2\n"
      "LOP3.LUT R4, R4, 0xff, RZ, 0xc0, !PT\n"
      "ISETP.NE.AND P0, PT, R0, RZ, PT\n"
      "@!P0 STS [R4], RZ\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result).pattern.alignment, 0x55u);
}

TEST(SymbolicValues, SubroutinesReturnValues) {
  WithMemory with(counted(32));
  const auto [listing, result] = execution(std::string(kOwnWord) +
                                               "MOV R8, 0x50\n"
                                               "CALL.REL.NOINC `($twice)\n"
                                               "STG.E [R2.64], R4\n"
                                               "EXIT\n"
                                               "$twice:\n"
                                               "IADD3 R4, R4, R4, RZ\n"
                                               "RET.REL.NODEC R8 `(_Z1k)\n",
                                           with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(with.words[31], 62u);
}

TEST(SymbolicValues, ASubroutineMayReturnFromTheMiddle) {
  WithMemory with(counted(32));
  const auto [listing, result] = execution(std::string(kOwnWord) + kReturnsEarly, with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(with.words[i], i < 20 ? 7 : i);
  EXPECT_EQ(result->totals.at(1).requests, 1u);
}

TEST(SymbolicValues, ReducingBarriersReturnTheirResult) {
  WithMemory with(counted(96));
  with.launch.block = {96, 1, 1};
  const auto [listing, result] = execution(std::string(kOwnWord) +
                                               "ISETP.GT.AND P0, PT, R4, 0x13, PT\n"
                                               "BAR.RED.POPC.DEFER_BLOCKING 0x0, P0\n"
                                               "B2R.RESULT R5\n"
                                               "BAR.RED.AND.DEFER_BLOCKING 0x0, P0\n"
                                               "B2R.RESULT RZ, P1\n"
                                               "@P1 IADD3 R5, R5, 0x100, RZ\n"
                                               "BAR.RED.OR.DEFER_BLOCKING 0x0, !P0\n"
                                               "B2R.RESULT RZ, P2\n"
                                               "@P2 IADD3 R5, R5, 0x200, RZ\n"
                                               "STG.E [R2.64], R5\n"
                                               "EXIT\n",
                                           with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (const std::uint32_t word : with.words) EXPECT_EQ(word, 76u + 0x200u);
}

TEST(SymbolicValues, AnAbsoluteCallOfTheSystemReturns) {
  WithMemory with(counted(32));
  const std::string body = std::string(kOwnWord) + "CALL.ABS.NOINC R6\nSTG.E [R2.64], R0\nEXIT\n";
  const auto refused = execution(body, with.launch);
  ASSERT_FALSE(refused.execution.ok()) << "it may be of code of the module";
  with.launch.calls_system_only = true;
  const auto [listing, result] = execution(body, with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  const std::string returned = std::string(kOwnWord) + "CALL.ABS.NOINC R6\nLDS R7, [R4]\nEXIT\n";
  EXPECT_FALSE(execution(returned, with.launch).execution.ok()) << "what it returns is not known";
}

// Without values a subroutine is passed over: what it gives back is not known, whatever the register held
// before.
TEST(SymbolicValues, AtomicsOfAWarpAreSerialised) {
  WithMemory with(std::vector<std::uint32_t>(32));
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "MOV R2, c[0x0][0x160]\n"
      "MOV R3, c[0x0][0x164]\n"
      "ATOMG.E.ADD.STRONG.GPU PT, R5, [R2.64], R0\n"
      "REDG.E.MAX.S32.STRONG.GPU [R2.64+0x4], R0\n"
      "EXIT\n",
      with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(with.words[0], 496u);
  EXPECT_EQ(with.words[1], 31u);
  ASSERT_EQ(result->sites.size(), 2u);
  EXPECT_EQ(result->sites[1].op, AccessOp::reduction);
}

TEST(SymbolicValues, HalvesAreAddedAtGenericAddressesOfGlobalMemory) {
  // 1 and 2, and to that 0.5 and -2 of each lane; the predicate says that nothing is left to do.
  const std::string body =
      "MOV R2, c[0x0][0x160]\n"
      "MOV R3, c[0x0][0x164]\n"
      "MOV R5, 0xc0003800\n"
      "ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, [R2.64], R5\n"
      "@P0 EXIT\n"
      "ST.E [R2.64], R5\n"
      "EXIT\n";
  WithMemory with({0x40003c00});
  const auto [listing, result] = execution(body, with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(with.words[0], 0xd3c04c40u) << "-62 and 17";
  EXPECT_EQ(result->sites[0].op, AccessOp::atomic);
  WithMemory elsewhere({0});
  elsewhere.launch = one_warp({0x2000, 0});
  elsewhere.launch.memory.emplace();
  const auto [same, stopped] = execution(body, elsewhere.launch);
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().message().find("its address is of no buffer in global memory"),
            std::string::npos);
}

// As they are used where a pointer was loaded, and the compiler does not know what it leads to.
TEST(SymbolicValues, GenericAddressesReachGlobalMemory) {
  const std::string body =
      "MOV R2, c[0x0][0x160]\n"
      "MOV R3, c[0x0][0x164]\n"
      "LD.E R4, [R2.64]\n"
      "IADD3 R4, R4, 0x1, RZ\n"
      "ST.E [R2.64+0x4], R4\n"
      "EXIT\n";
  WithMemory with({41, 0});
  const auto [listing, result] = execution(body, with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(with.words[1], 42u);
  ASSERT_EQ(result->sites.size(), 2u);
  EXPECT_EQ(result->sites[0].space, Space::global);
  EXPECT_EQ(result->sites[1].op, AccessOp::store);
  EXPECT_EQ(result->totals[1].requests, 1u);
  const auto [same, stopped] = execution(body, one_warp({0x2000, 0}));
  ASSERT_FALSE(stopped.ok()) << "without memory nobody knows what they lead to";
}

/// Each lane swaps three words, one after the other, where they hold 3.
std::string swaps(const std::string& result) {
  return std::string(kOwnWord) +
         "MOV R8, 0x3\n"
         "MOV R9, 0x7\n"
         "MOV R10, RZ\n"
         ".L_x_0:\n"
         "ATOMG.E.CAS.STRONG.GPU PT, " +
         result +
         ", [R2.64], R8, R9\n"
         "IADD3 R2, R2, 0x4, RZ\n"
         "LDS R4, [R0.X4]\n"
         "IADD3 R10, R10, 0x1, RZ\n"
         "ISETP.LT.AND P0, PT, R10, 0x3, PT\n"
         "@P0 BRA `(.L_x_0)\n"
         "EXIT\n";
}

TEST(SymbolicValues, UnusedExchangeResultMakesNoWaitLoop) {
  WithMemory with(counted(40));
  const auto [listing, result] = execution(swaps("RZ"), with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(with.words[3], 7u);
  EXPECT_EQ(result->totals[1].requests, 3u);
  EXPECT_FALSE(result->tries_again);
  WithMemory other(counted(40));
  const auto [same, reads] = execution(swaps("R5"), other.launch);
  ASSERT_FALSE(reads.ok());
  EXPECT_NE(reads.error().message().find("its iteration count depends on when other warps arrive"),
            std::string::npos);
}

TEST(SymbolicValues, KnownBytesAreStored) {
  // Of a register that nobody wrote, the lower bytes are stored; a word of it is not known.
  WithMemory with(counted(32));
  const auto [listing, result] = execution(std::string(kOwnWord) +
                                               "PRMT R7, R0, 0x7610, R7\n"
                                               "STG.E.U16 [R2.64], R7\n"
                                               "LDG.E R5, [R2.64]\n"
                                               "LDS R6, [R5.X4]\n"
                                               "STS [R0.X4], R7\n"
                                               "LDS R6, [R0.X4]\n"
                                               "LDS R6, [R6.X4]\n"
                                               "EXIT\n",
                                           with.launch);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("`LDS R6, [R6.X4]` cannot be followed"), std::string::npos)
      << result.error().message();
}

}  // namespace
}  // namespace warplens::sass
