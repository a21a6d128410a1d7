// Small programs, followed and held to what they would do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "kernels/sass/mix.h"
#include "sass/symbolic_program.h"

namespace warplens::sass {
namespace {

TEST(SymbolicExecution, ComputesAddresses) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]\n"
      "STG.E [R2.64+0x10], RZ\n"
      "EXIT\n",
      one_warp({0x1000, 0x7}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Seen seen = only_pattern(*result);
  EXPECT_EQ(seen.pattern.mask, 0xffffffffu);
  EXPECT_EQ(seen.pattern.alignment, 0x10u);
  for (std::int64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(seen.shape[static_cast<std::size_t>(lane)], 4 * lane);
}

TEST(SymbolicExecution, CarriesInto64Bits) {
  const auto [listing, result] = execution(
      "MOV R2, 0xfffffff0\n"
      "MOV R3, 0x1\n"
      "S2R R0, SR_TID.X\n"
      "IADD3 R4, P0, R2, R0, RZ\n"
      "IADD3.X R5, RZ, R3, RZ, P0, !PT\n"
      "LDG.E.U8 R6, [R4.64]\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Seen seen = only_pattern(*result);
  EXPECT_EQ(result->sites[0].bytes, 1);
  EXPECT_EQ(seen.pattern.alignment, 0xf0u);
  for (std::int64_t lane = 0; lane < 32; ++lane) EXPECT_EQ(seen.shape[static_cast<std::size_t>(lane)], lane);
}

TEST(SymbolicExecution, CountsLoopsAndDivergence) {
  // Lane l makes l + 1 rounds; those that are through wait for the others.
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "MOV R1, RZ\n"
      "BSSY B0, `(.L_x_1)\n"
      ".L_x_0:\n"
      "LDS R4, [R0.X4]\n"
      "IADD3 R1, R1, 0x1, RZ\n"
      "ISETP.GT.AND P0, PT, R1, R0, PT\n"
      "@!P0 BRA `(.L_x_0)\n"
      "BSYNC B0\n"
      ".L_x_1:\n"
      "STS [R0.X4], R4\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].requests, 32u);
  EXPECT_EQ(result->totals[0].thread_accesses, 32u * 33 / 2);
  EXPECT_EQ(result->totals[0].divergent_requests, 31u);
  EXPECT_EQ(result->totals[1].requests, 1u) << "all lanes meet again";
  EXPECT_EQ(result->executed[3], 32u);
  const auto loop = hottest_loop(listing.functions.front(), result->executed);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->first, 3u);
  EXPECT_EQ(loop->end, 7u);
  const InstructionMix mix =
      instruction_mix(listing.functions.front(), result->executed, loop->first, loop->end);
  EXPECT_EQ(mix.total, 128u);
  EXPECT_EQ(mix.share(InstructionKind::shared), 0.25);
  EXPECT_EQ(mix.share(InstructionKind::integer), 0.5);
}

TEST(SymbolicExecution, SkipsPredicatedOffInstructions) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "ISETP.LT.AND P0, P1, R0, 0x4, PT\n"
      "@P0 LDS R4, [R0.X4]\n"
      "@P1 EXIT\n"
      "LDS.64 R4, [R0.X8]\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result, 0).pattern.mask, 0xfu);
  EXPECT_EQ(only_pattern(*result, 1).pattern.mask, 0xfu);
}

TEST(SymbolicExecution, TracksSpilledRegisters) {
  const auto [listing, result] = execution(
      "MOV R1, c[0x0][0x28]\n"
      "IADD3 R1, R1, -0x10, RZ\n"
      "S2R R0, SR_TID.X\n"
      "STL [R1+0x4], R0\n"
      "LDL R3, [R1+0x4]\n"
      "LDS R4, [R3.X4]\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->shapes[result->totals[2].patterns[0].shape][31], 124);
}

TEST(SymbolicExecution, StopsWhereALoadedValueDecides) {
  const auto [listing, by_address] = execution("LDS R0, [RZ]\nLDS R1, [R0]\nEXIT\n", one_warp());
  ASSERT_FALSE(by_address.ok());
  EXPECT_NE(by_address.error().message().find(
                "`LDS R1, [R0]` cannot be followed: its address depends on a loaded value"),
            std::string::npos);
  const auto [other, by_branch] = execution(
      "LDS R0, [RZ]\n"
      "ISETP.GT.AND P0, PT, R0, RZ, PT\n"
      "@P0 BRA `(.L_x_0)\n"
      "STS [RZ], R0\n"
      ".L_x_0:\n"
      "EXIT\n",
      one_warp());
  ASSERT_FALSE(by_branch.ok());
  EXPECT_NE(by_branch.error().message().find("its branch target depends on a loaded value"),
            std::string::npos);
}

TEST(SymbolicExecution, SkipsBranchesThatOnlyCompute) {
  const auto [listing, result] = execution(
      "LDS R0, [RZ]\n"
      "FCHK P0, R0, R0\n"
      "@P0 BRA `(.L_x_0)\n"
      "FADD R0, R0, R0\n"
      ".L_x_0:\n"
      "STS [RZ], R0\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[1].requests, 1u);
}

TEST(SymbolicExecution, UnknownValuesStayUnknown) {
  const auto [listing, result] = execution("F2I.F16 R0, RZ\nLDS R1, [R0]\nEXIT\n", one_warp());
  EXPECT_FALSE(result.ok());
  const auto [other, texture] = execution("TEX.SCR.LL R0, R0, R0, 0x0\nEXIT\n", one_warp());
  EXPECT_FALSE(texture.ok());
}

TEST(SymbolicExecution, SubroutineThatStoresIsNotSkipped) {
  const auto [listing, result] = execution(std::string(kOwnWord) + kReturnsEarly, one_warp({0x1000, 0}));
  ASSERT_FALSE(result.ok()) << "its store would be missing";
  EXPECT_NE(result.error().message().find("what it calls is not followed"), std::string::npos)
      << result.error().message();
}

TEST(SymbolicExecution, SubroutineResultsAreUnknown) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "MOV R4, 0x8\n"
      "LDS R6, [R4]\n"
      "MOV R8, 0x50\n"
      "CALL.REL.NOINC `($twice)\n"
      "LDS R7, [R4]\n"
      "EXIT\n"
      "$twice:\n"
      "IMAD.SHL.U32 R4, R0, 0x8, RZ\n"
      "RET.REL.NODEC R8 `(_Z1k)\n",
      one_warp());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("`LDS R7, [R4]`"), std::string::npos) << result.error().message();
}

TEST(SymbolicExecution, BreakReleasesWaitingLanes) {
  // Lanes 0 to 3 leave the loop's barrier and go to the end; without that the others would wait for them.
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "BSSY B0, `(.L_x_1)\n"
      "ISETP.LT.AND P0, PT, R0, 0x4, PT\n"
      "@P0 BREAK B0\n"
      "@P0 BRA `(.L_x_2)\n"
      "BSYNC B0\n"
      ".L_x_1:\n"
      "STS [R0.X4], RZ\n"
      ".L_x_2:\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result, 0).pattern.mask, 0xfffffff0u);
}

TEST(SymbolicExecution, AnExitMayHaveAPredicateOfItsOwn) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "ISETP.LT.AND P1, PT, R0, 0x10, PT\n"
      "ISETP.GE.AND P2, PT, R0, 0x4, PT\n"
      "@P1 EXIT P2\n"
      "STS [R0.X4], RZ\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result, 0).pattern.mask, 0xffff000fu);
}

TEST(SymbolicExecution, PredicatesComeFromTheBitsOfARegister) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\nR2P PR, R0, 0x3\n@P1 STS [R0.X4], RZ\n@P0 STS [R0.X4], RZ\nEXIT\n", one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result, 0).pattern.mask, 0xccccccccu);
  EXPECT_EQ(only_pattern(*result, 1).pattern.mask, 0xaaaaaaaau);
}

/// How often a sum of three carries: once for the lanes below 17, else twice.
constexpr const char* kTwoCarries =
    "S2R R0, SR_TID.X\n"
    "MOV R2, 0xffffffff\n"
    "MOV R3, 0xfffffff0\n"
    "IADD3 R4, P0, P1, R2, R3, R0\n";

TEST(SymbolicExecution, TwoCarriesOfASumAreAddedTogether) {
  const auto [listing, result] = execution(
      std::string(kTwoCarries) + "IADD3.X R5, RZ, RZ, RZ, P1, P0\nLDS R6, [R5.X4]\nEXIT\n", one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Seen seen = only_pattern(*result);
  EXPECT_EQ(seen.pattern.alignment, 4u);
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(seen.shape[lane], lane < 17 ? 0 : 4) << lane;
}

TEST(SymbolicExecution, RepresentativeBlocksCoverCarriesAndMasks) {
  // The index of the block decides which lanes carry twice, which bytes are picked and which half is chosen.
  const std::string body =
      "S2R R0, SR_TID.X\n"
      "S2R R1, SR_CTAID.X\n"
      "MOV R2, 0xffffffff\n"
      "MOV R3, 0xfffffff0\n"
      "IADD3 R4, P0, P1, R2, R3, R1\n"
      "IADD3.X R5, R0, RZ, RZ, P0, P1\n"
      "LDS R6, [R5.X4]\n"
      "PRMT R6, R1, 0x7610, R6\n"
      "LOP3.LUT R7, R6, 0xff, RZ, 0xc0, !PT\n"
      "ISETP.GT.AND P2, PT, R1, 0x13, PT\n"
      "SEL R8, R7, R5, P2\n"
      "LDS R9, [R8.X4]\n"
      "EXIT\n";
  Launch whole = one_warp();
  whole.grid = {96, 1, 1};
  Launch each = whole;
  each.blocks.emplace();
  for (std::uint32_t x = 0; x < 96; ++x) each.blocks->push_back({x, 0, 0});
  const auto [listing, of_whole] = execution(body, whole);
  const auto [same, of_each] = execution(body, each);
  ASSERT_TRUE(of_whole.ok()) << of_whole.error().message();
  ASSERT_TRUE(of_each.ok()) << of_each.error().message();
  EXPECT_TRUE(of_whole->totals == of_each->totals);
  EXPECT_TRUE(of_whole->shapes == of_each->shapes);
  EXPECT_EQ(of_whole->totals[0].patterns.size(), 2u);
}

TEST(SymbolicExecution, UnknownCarryStaysUnknown) {
  for (const char* const read :
       {"@P0 LDS R6, [RZ]\n", "IADD3.X R5, RZ, RZ, RZ, P0, !PT\nLDS R6, [R5]\n",
        "ISETP.EQ.AND P1, PT, R0, RZ, PT\nIADD3.X R5, RZ, RZ, RZ, P0, P1\nLDS R6, [R5]\n"}) {
    const auto [listing, result] = execution(std::string(kTwoCarries) + read + "EXIT\n", one_warp());
    EXPECT_FALSE(result.ok()) << read;
  }
}

/// R7: not known but for its lower half, which is 1 in lanes 0 to 3 and else 0.
constexpr const char* kKnownHalf =
    "S2R R0, SR_TID.X\n"
    "LDS R7, [RZ]\n"
    "MOV R8, 0x1\n"
    "ISETP.LT.AND P0, PT, R0, 0x4, PT\n"
    "PRMT R7, RZ, 0x7610, R7\n"
    "@P0 PRMT R7, R8, 0x7610, R7\n";

TEST(SymbolicExecution, KnownHalfOfARegisterIsUsed) {
  for (const char* const read :
       {"PRMT R6, R7, 0x9910, RZ\n", "LOP3.LUT R6, R7, 0xff, RZ, 0xc0, !PT\n", "SHF.L.U32 R6, R7, 0x10, RZ\n",
        "IMAD.MOV.U32 R7, RZ, RZ, R7\nPRMT R6, R7, 0x5410, RZ\n",
        "MOV R9, R7\nLOP3.LUT R6, R9, 0x3, RZ, 0xc0, !PT\n", "SEL R9, R7, RZ, PT\nPRMT R6, R9, 0x4440, RZ\n",
        "SHF.L.U32 R9, R7, 0x10, RZ\nSHF.R.S32.HI R6, RZ, 0x10, R9\n",
        "SHF.R.U32.HI R9, RZ, 0x0, R7\nPRMT R6, R9, 0x4440, RZ\n"}) {
    const auto [listing, result] = execution(
        std::string(kKnownHalf) + read + "ISETP.NE.AND P1, PT, R6, RZ, PT\n@P1 LDS R9, [R0.X4]\nEXIT\n",
        one_warp());
    ASSERT_TRUE(result.ok()) << read << result.error().message();
    EXPECT_EQ(only_pattern(*result, 1).pattern.mask, 0xfu) << read;
  }
  const auto [listing, by_test] = execution(
      std::string(kKnownHalf) + "LOP3.LUT P1, RZ, R7, 0xff, RZ, 0xc0, !PT\n@P1 LDS R9, [R0.X4]\nEXIT\n",
      one_warp());
  ASSERT_TRUE(by_test.ok()) << by_test.error().message();
  EXPECT_EQ(only_pattern(*by_test, 1).pattern.mask, 0xfu);
}

TEST(SymbolicExecution, UnknownHalfOfARegisterStaysUnknown) {
  for (const char* const read :
       {"PRMT R6, R7, 0x4442, RZ\n", "PRMT R6, R7, 0x444a, RZ\n", "LOP3.LUT R6, R7, 0x1ffff, RZ, 0xc0, !PT\n",
        "SHF.R.U32.HI R6, RZ, 0x10, R7\n", "SHF.L.U32 R6, R7, 0xf, RZ\n", "MOV R6, R7\n",
        "IMAD R6, R7, 0x10000, RZ\n", "FADD R7, R7, R7\nPRMT R6, R7, 0x9910, RZ\n",
        "LDS R7, [RZ]\nPRMT R6, R7, 0x9910, RZ\n"}) {
    const auto [listing, result] =
        execution(std::string(kKnownHalf) + read + "LDS R9, [R6.X4]\nEXIT\n", one_warp());
    EXPECT_FALSE(result.ok()) << read;
  }
}

TEST(SymbolicExecution, SumHasTheKnownLowBitsOfItsTerms) {
  // A counter of 16 bits, in a register of whose upper half nothing is known.
  const std::string body =
      "PRMT R6, RZ, 0x7610, R6\n"
      "VIADD R6, R6, 0x3\n"
      "IMAD R6, R6, 0x5, R6\n";
  const auto [listing, result] =
      execution(body + "LOP3.LUT R7, R6, 0xff, RZ, 0xc0, !PT\nSTS [R7], RZ\nEXIT\n", one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result).pattern.alignment, 18u);
  const auto [same, stopped] =
      execution(body + "SHF.R.U32.HI R7, RZ, 0x8, R6\nSTS [R7], RZ\nEXIT\n", one_warp());
  EXPECT_FALSE(stopped.ok()) << "the upper half is not known";
}

TEST(SymbolicExecution, MaskedUnknownMayDifferByBlock) {
  // The block's index masks a loaded value out in block 0 only.
  Launch launch = one_warp();
  launch.grid = {64, 1, 1};
  const auto [listing, result] = execution(
      "LDS R7, [RZ]\nS2R R0, SR_CTAID.X\nLOP3.LUT R6, R7, R0, RZ, 0xc0, !PT\nLDS R9, [R6.X4]\nEXIT\n",
      launch);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("its address depends on a loaded value"), std::string::npos);
}

TEST(SymbolicExecution, DistancesAndTheExtremeOfThree) {
  const auto [listing, result] = execution(
      "S2R R0, SR_TID.X\n"
      "VABSDIFF.U32 R5, R0, 0x11, RZ\n"
      "LDS R6, [R5.X4]\n"
      "IADD3 R1, R0, -0x11, RZ\n"
      "VABSDIFF R5, R1, 0x1, 0x3\n"
      "LDS R6, [R5.X4]\n"
      "VABSDIFF.U32 R5, R1, RZ, RZ\n"
      "LDS R6, [R5.X4]\n"
      "VIMNMX3 R5, R0, 0x14, R1, PT\n"
      "LDS R6, [R5.X4]\n"
      "VIMNMX3.U32 R5, R0, 0x14, R1, !PT\n"
      "LDS R6, [R5.X4]\n"
      "EXIT\n",
      one_warp());
  ASSERT_TRUE(result.ok()) << result.error().message();
  const auto expect = [&, &counted = *result](std::size_t site, auto&& value) {
    const Shape shape = only_pattern(counted, site).shape;
    for (std::int64_t lane = 0; lane < 32; ++lane) {
      const auto word = [&](std::int64_t l) {
        return static_cast<std::int64_t>(static_cast<std::uint32_t>(4 * value(l)));
      };
      EXPECT_EQ(shape[static_cast<std::size_t>(lane)], word(lane) - word(0)) << site << " " << lane;
    }
  };
  expect(0, [](std::int64_t l) { return std::abs(l - 17); });
  expect(1, [](std::int64_t l) { return std::abs(l - 17 - 1) + 3; });
  expect(2, [](std::int64_t l) { return l - 17; });
  expect(3, [](std::int64_t l) { return std::min({l, std::int64_t{20}, l - 17}); });
  expect(4, [](std::int64_t l) { return l < 17 ? l - 17 : std::max(l, std::int64_t{20}); });
}

TEST(SymbolicExecution, TakesOnlyTheBlocksAskedFor) {
  Launch launch = one_warp();
  launch.grid = {8, 4, 1};
  launch.block = {40, 1, 1};
  launch.blocks = {{1, 0, 0}, {7, 3, 0}};
  const auto [listing, result] = execution("S2R R0, SR_TID.X\nSTS [R0.X4], RZ\nEXIT\n", launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].requests, 4u);
  EXPECT_EQ(result->totals[0].thread_accesses, 80u);
  EXPECT_EQ(result->totals[0].divergent_requests, 0u) << "a warp of 8 threads is whole";
}

TEST(SymbolicExecution, EndsWhereTheLimitIsReached) {
  // As many iterations as a parameter says: more than anyone would wait for.
  const std::string loop =
      "MOV R0, c[0x0][0x160]\n"
      ".L_x_0:\n"
      "IADD3 R0, R0, -0x1, RZ\n"
      "ISETP.NE.AND P0, PT, R0, RZ, PT\n"
      "@P0 BRA `(.L_x_0)\n"
      "STG.E [R2.64], RZ\n"
      "EXIT\n";
  Launch launch = one_warp({0xffffffff});
  launch.max_instructions = 1'000'000;
  const auto [listing, result] = execution(loop, launch);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(),
            "the machine code executes more than 1000000 warp instructions; fewer blocks can be followed");

  Launch short_launch = one_warp({1000});
  short_launch.max_instructions = 1'000'000;
  const auto [same_listing, ends] = execution(loop, short_launch);
  ASSERT_FALSE(ends.ok());
  EXPECT_NE(ends.error().message().find("its address depends on a loaded value"), std::string::npos)
      << ends.error().message();
}

TEST(SymbolicExecution, AWarpThatNeverEndsCanBeCancelled) {
  const Result<Listing> listing = parse_listing(
      "\t.target\tsm_86\n_Z1k:\n.L_x_0:\n/*0000*/ BRA `(.L_x_0) ;\n/*0010*/ EXIT ;\n", "k.sass");
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  const std::atomic<bool> cancelled{true};
  EXPECT_EQ(execute_symbolically(*listing, listing->functions.front(), one_warp(), &cancelled).error().what,
            "stopped");
  std::atomic<bool> cancelled_later{false};
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancelled_later = true;
  });
  EXPECT_EQ(
      execute_symbolically(*listing, listing->functions.front(), one_warp(), &cancelled_later).error().what,
      "stopped");
  canceller.join();
}

TEST(SymbolicExecution, PartsOfWordsAreMultipliedComparedAndTakenApart) {
  const auto value_of = [](const std::string& instruction) {
    const auto [listing, result] = execution(
        "MOV R1, 0x80ff0203\nMOV R2, 0x1fd0405\nMOV R3, 0x64\n" + instruction +
            "\nS2R R0, SR_TID.X\nIADD3 R0, R0, R5, RZ\nMOV R6, RZ\nISETP.NE.AND P0, PT, R0, RZ, PT\n"
            "IMAD.WIDE.U32 R8, R5, 0x1, RZ\nLDG.E.U8 R7, [R8.64]\nEXIT\n",
        one_warp());
    EXPECT_TRUE(result.ok()) << instruction << ": " << (result.ok() ? "" : result.error().message());
    return result.ok() ? only_pattern(*result).pattern.alignment : 0;
  };
  // 0x80 is -128 or 128, 0xff -1 or 255, 0xfd -3 or 253
  EXPECT_EQ(value_of("IDP.4A.S8.S8 R5, R1, R2, R3"), (100 + -128 * 1 + -1 * -3 + 2 * 4 + 3 * 5) & 0xff);
  EXPECT_EQ(value_of("IDP.4A.U8.U8 R5, R1, R2, R3"), (100 + 128 * 1 + 255 * 253 + 2 * 4 + 3 * 5) & 0xff);
  EXPECT_EQ(value_of("IDP.2A.LO.U16.U8 R5, R1, R2, R3"), (100 + 0x203 * 5 + 0x80ff * 4) & 0xff);
  EXPECT_EQ(value_of("IDP.2A.HI.S16.S8 R5, R1, R2, R3"), (100 + 0x203 * -3 + (0x80ff - 0x10000) * 1) & 0xff);
  EXPECT_EQ(value_of("VABSDIFF4.U8 R5, R1, R2, RZ"), 2);
  // 0x80ff0203 * 2 - (0x64 << 32 | 0x80ff01fe), the lower half of it
  EXPECT_EQ(value_of("MOV R4, 0x80ff01fe\nMOV R5, R3\nIMAD.WIDE.U32 R4, R1, 0x2, -R4\nMOV R5, R4"),
            (2 * 0x80ff0203ull - 0x80ff01feull) & 0xff);
  EXPECT_EQ(value_of("VABSDIFF4.U8.ACC R5, R1, R2, R3"), (100 + 127 + 2 + 2 + 2) & 0xff);
  EXPECT_EQ(value_of("VIMNMX.U16x2 R5, R1, R2, PT"), 0x03);
  EXPECT_EQ(value_of("VIMNMX.S16x2 R5, R1, R2, !PT"), 0x05);
}

TEST(SymbolicExecution, LanesGatherForACollectiveInstruction) {
  const auto gathered = [](const std::string& mask) {
    return execution(
        "S2R R0, SR_TID.X\nIMAD R5, R0, 0x4, RZ\nMOV R4, " + mask +
            "\nISETP.GE.AND P1, PT, R0, 0x8, PT\nBSSY B0, `(.L_x_2)\n@P1 BRA `(.L_x_1)\n"
            "WARPSYNC.COLLECTIVE R4, `(.L_x_0)\nSHFL.IDX PT, R6, R5, 0x3, 0x1f\nENDCOLLECTIVE\n.L_x_0:\n"
            "STS [R6+0x10], RZ\n.L_x_1:\nBSYNC B0\n.L_x_2:\nEXIT\n",
        one_warp());
  };
  const auto [listing, result] = gathered("0xff");
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Seen seen = only_pattern(*result);
  EXPECT_EQ(seen.pattern.mask, 0xffu);
  EXPECT_EQ(seen.pattern.alignment, 0x1cu);
  EXPECT_FALSE(gathered("0xffff").execution.ok()) << "the other lanes do not come";
}

// What ptxas 13.0 makes of cp.async, ldmatrix, stmatrix and mma.sync.
}  // namespace
}  // namespace warplens::sass
