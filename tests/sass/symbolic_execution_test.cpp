// Small programs, followed and held to what they would do.
#include "kernels/sass/symbolic_execution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "kernels/sass/mix.h"

namespace warplens::sass {
namespace {

struct Program {
  Listing listing;
  Result<SymbolicExecution> execution;
};

Launch one_warp(std::vector<std::uint32_t> parameters = {}) {
  Launch launch{.grid = {1, 1, 1},
                .block = {32, 1, 1},
                .parameters = std::vector<std::byte>(4 * parameters.size()),
                .blocks = {},
                .threads = 1};
  if (!parameters.empty()) std::memcpy(launch.parameters.data(), parameters.data(), launch.parameters.size());
  return launch;
}

/// Instructions, one a line, and labels.
Program execution(const std::string& body, const Launch& launch) {
  std::string text = "\t.target\tsm_86\n_Z1k:\n//## File \"k.cu\", line 1\n";
  std::uint32_t address = 0;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    const std::string line = body.substr(begin, end - begin);
    char number[16];
    std::snprintf(number, sizeof number, "/*%04x*/ ", address);
    text += line.ends_with(':') ? line + "\n" : number + line + " ;\n";
    address += line.ends_with(':') ? 0 : 16;
    begin = end + 1;
  }
  const Result<Listing> listing = parse_listing(text, "k.sass");
  EXPECT_TRUE(listing.ok()) << listing.error().message();
  if (!listing.ok()) return {Listing{}, listing.error()};
  return {*listing, execute_symbolically(*listing, listing->functions.front(), launch)};
}

/// The one pattern of the first memory instruction.
struct Seen {
  PatternCount pattern;
  Shape shape{};
};
Seen only_pattern(const SymbolicExecution& result, std::size_t site = 0) {
  EXPECT_EQ(result.totals.at(site).patterns.size(), 1u);
  const PatternCount pattern = result.totals.at(site).patterns.front();
  return {pattern, result.shapes.at(pattern.shape)};
}

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

/// A launch with memory: words from address 0x1000 on, which the launch's parameters name.
struct WithMemory {
  explicit WithMemory(std::vector<std::uint32_t> contents)
      : words(std::move(contents)), launch(one_warp({0x1000, 0})) {
    launch.memory = {{{.base = 0x1000, .bytes = std::as_writable_bytes(std::span(words))}}};
  }
  std::vector<std::uint32_t> words;
  Launch launch;
};
std::vector<std::uint32_t> counted(std::uint32_t n, std::uint32_t times = 1) {
  std::vector<std::uint32_t> words(n);
  for (std::uint32_t i = 0; i < n; ++i) words[i] = times * i;
  return words;
}
constexpr const char* kOwnWord =
    "S2R R0, SR_TID.X\n"
    "IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]\n"
    "LDG.E R4, [R2.64]\n";

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

// Lanes may return from the middle; what the others do after that is done, too.
const std::string kReturnsEarly =
    "MOV R8, 0x60\n"
    "MOV R5, 0x7\n"
    "CALL.REL.NOINC `($put)\n"
    "EXIT\n"
    "$put:\n"
    "ISETP.GE.AND P0, PT, R0, 0x14, PT\n"
    "@P0 RET.REL.NODEC R8 `(_Z1k)\n"
    "STG.E [R2.64], R5\n"
    "RET.REL.NODEC R8 `(_Z1k)\n";

TEST(SymbolicValues, ASubroutineMayReturnFromTheMiddle) {
  WithMemory with(counted(32));
  const auto [listing, result] = execution(std::string(kOwnWord) + kReturnsEarly, with.launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(with.words[i], i < 20 ? 7 : i);
  EXPECT_EQ(result->totals.at(1).requests, 1u);
}

TEST(SymbolicExecution, SubroutineThatStoresIsNotSkipped) {
  const auto [listing, result] = execution(std::string(kOwnWord) + kReturnsEarly, one_warp({0x1000, 0}));
  ASSERT_FALSE(result.ok()) << "its store would be missing";
  EXPECT_NE(result.error().message().find("what it calls is not followed"), std::string::npos)
      << result.error().message();
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
