// Small programs for compute capability 9.0: copies in bulk, products of warpgroups, mbarriers, clusters.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "kernels/base/tensor_map.h"
#include "sass/symbolic_program.h"

namespace warplens::sass {
namespace {

std::string why_not(const Executed& executed) {
  return executed.execution.ok() ? "" : executed.execution.error().message();
}

/// A tensor of 64 rows of 128 bytes from 0x10000 on; boxes of 8 of its rows.
TensorMap map_of_rows(TensorSwizzle swizzle = TensorSwizzle::bytes128) {
  return {.element = TensorElement::bf16,
          .rank = 2,
          .address = 0x10000,
          .extents = {64, 64, 1, 1, 1},
          .strides = {0, 128, 0, 0, 0},
          .box = {64, 8, 1, 1, 1},
          .swizzle = swizzle};
}
/// A launch whose parameters are the map.
Launch launch_with_map(const TensorMap& map = map_of_rows()) {
  Launch launch = one_warp();
  const auto bytes = encode_tensor_map(map);
  launch.parameters.assign(bytes.begin(), bytes.end());
  return launch;
}
/// A box to 0x400 in shared memory. UR4 and UR5: the map's address.
const std::string kBox =
    "ULDC.64 UR4, c[0x0][0x198]\n"
    "UMOV UR8, 0x400\n"
    "UMOV UR9, 0x8\n"
    "UMOV UR10, URZ\n"
    "UMOV UR11, 0x10\n";

TEST(AsynchronousExecution, WaitIsOverAtTheFirstLook) {
  const auto [listing, result] = hopper(
      "SYNCS.EXCH.64 URZ, [UR4], UR6\n"
      "SYNCS.ARRIVE.TRANS64.A1T0 R6, [UR4], RZ\n"
      ".L_x_1:\n"
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R7\n"
      "@!P0 BRA `(.L_x_1)\n"
      "STS [RZ+0x10], RZ\n"
      "SYNCS.PHASECHK.TRANS64 P1, [UR4], R7\n"
      "@!P1 BRA `(.L_x_2)\n"
      ".L_x_3:\n"
      "STS [RZ+0x20], RZ\n"
      "EXIT\n"
      ".L_x_2:\n"
      "NANOSLEEP 0x20\n"
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], R7\n"
      "@!P1 BRA `(.L_x_2)\n"
      "BRA `(.L_x_3)\n");
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 2u) << "what is done to an mbarrier is no access that is counted";
  EXPECT_EQ(result->totals[0].requests, 1u);
  EXPECT_EQ(result->totals[1].requests, 1u);
}

TEST(AsynchronousExecution, AccessesBetweenLooksStopIt) {
  const Executed loop = hopper(
      ".L_x_1:\n"
      "LDS R4, [RZ]\n"
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R7\n"
      "@!P0 BRA `(.L_x_1)\n"
      "EXIT\n");
  EXPECT_NE(why_not(loop).find("depends on when they do"), std::string::npos) << why_not(loop);
  const Executed choice = hopper(
      "SYNCS.PHASECHK.TRANS64 P0, [UR4], R7\n"
      "@P0 BRA `(.L_x_1)\n"
      "LDS R4, [RZ]\n"
      ".L_x_1:\n"
      "EXIT\n");
  EXPECT_NE(why_not(choice).find("depends on when they do"), std::string::npos) << why_not(choice);
}

TEST(AsynchronousExecution, RegistersAreThereWhenAskedFor) {
  const auto [listing, result] = hopper(
      ".L_x_1:\n"
      "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0\n"
      "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0\n"
      "@!P0 BRA `(.L_x_1)\n"
      "USETMAXREG.DEALLOC.CTAPOOL 0x18\n"
      "STS [RZ], RZ\n"
      "EXIT\n");
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].requests, 1u);
}

TEST(AsynchronousExecution, BoxOfATensorIsCopied) {
  const auto [listing, result] = hopper(kBox +
                                            "UTMAPF.L2.2D [UR10], [UR4]\n"
                                            "UTMALDG.2D [UR8], [UR4]\n"
                                            "EXIT\n",
                                        launch_with_map());
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 2u) << "a prefetch counts nothing";
  EXPECT_EQ(result->sites[0].space, Space::global);
  EXPECT_EQ(result->sites[1].space, Space::shared);
  for (const std::size_t site : {0u, 1u}) {
    EXPECT_EQ(result->sites[site].op, AccessOp::bulk_load);
    EXPECT_EQ(result->sites[site].bytes, 16);
    EXPECT_EQ(result->totals[site].requests, 2u) << "1,024 bytes are 64 pieces";
    EXPECT_EQ(result->totals[site].thread_accesses, 64u);
    EXPECT_EQ(result->totals[site].divergent_requests, 0u);
  }
  const Shape& global = result->shapes.at(result->totals[0].patterns[0].shape);
  const Shape& shared = result->shapes.at(result->totals[1].patterns[0].shape);
  EXPECT_EQ(global[9], 128 + 16) << "the second row of the box";
  EXPECT_EQ(shared[9] - shared[0], 128) << "piece 1 of row 1 lies where piece 0 of a plain row would";
}

TEST(AsynchronousExecution, PartsOutsideTheTensorReadNothing) {
  TensorMap map = map_of_rows();
  map.extents = {64, 20, 1, 1, 1};
  const auto [listing, result] = hopper(kBox + "UTMALDG.2D [UR8], [UR4]\nEXIT\n", launch_with_map(map));
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].thread_accesses, 32u) << "rows 16 to 19";
  EXPECT_EQ(result->totals[1].thread_accesses, 64u) << "the others are filled";
}

TEST(AsynchronousExecution, BoxIsStoredAndReduced) {
  const auto [listing, result] = hopper(
      "ULDC.64 UR4, c[0x0][0x198]\n"
      "UMOV UR8, 0x400\n"
      "UMOV UR9, URZ\n"
      "UMOV UR10, 0x10\n"
      "UTMASTG.2D [UR8], [UR4]\n"
      "UTMAREDG.2D.ADD [UR8], [UR4]\n"
      "UTMACMDFLUSH\n"
      "DEPBAR.LE SB0, 0x0\n"
      "EXIT\n",
      launch_with_map());
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 4u);
  EXPECT_EQ(result->sites[1].op, AccessOp::bulk_store);
  EXPECT_EQ(result->sites[2].op, AccessOp::bulk_reduction);
  for (const SiteTotals& totals : result->totals) EXPECT_EQ(totals.thread_accesses, 64u);
}

TEST(AsynchronousExecution, MapInGlobalMemoryIsFoundByItsAddress) {
  const std::string body =
      "ULDC.64 UR4, c[0x0][0x210]\n"
      "UMOV UR8, 0x400\n"
      "UMOV UR10, URZ\n"
      "UMOV UR11, URZ\n"
      "UTMALDG.2D [UR8], [UR4]\n"
      "EXIT\n";
  Launch launch = one_warp({0x2000, 0});
  EXPECT_NE(why_not(hopper(body, launch)).find("its tensor map is not known"), std::string::npos);
  launch.tensor_maps.emplace(0x2000, map_of_rows());
  const auto [listing, result] = hopper(body, launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].thread_accesses, 64u);
}

TEST(AsynchronousExecution, LoadedCoordinateStopsIt) {
  const Executed executed = hopper(kBox +
                                       "LDS R4, [RZ]\n"
                                       "R2UR UR11, R4\n"
                                       "UTMALDG.2D [UR8], [UR4]\n"
                                       "EXIT\n",
                                   launch_with_map());
  EXPECT_NE(why_not(executed).find("its address depends on a loaded value"), std::string::npos)
      << why_not(executed);
}

TEST(AsynchronousExecution, SizeOfABulkCopyIsInUnitsOf16Bytes) {
  const auto [listing, result] = hopper(
      "UMOV UR4, 0x2008\n"
      "UMOV UR5, URZ\n"
      "UMOV UR8, 0x400\n"
      "UMOV UR9, 0x8\n"
      "UMOV UR10, 0x1000800\n"
      "UMOV UR12, 0x30\n"
      "UMOV UR13, 0x30030\n"
      "UBLKCP.S.G [UR8], [UR4], UR12\n"
      "UBLKCP.G.S [UR4], [UR8], UR12\n"
      "UBLKRED.G.S.ADD.F32.RN [UR4], [UR8], UR12\n"
      "UBLKCP.S.S [UR10], [UR8], UR12\n"
      "UBLKCP.S.G.MULTICAST [UR8], [UR4], UR13\n"
      "UBLKPF.L2 [UR4], UR12\n"
      "EXIT\n",
      [] {
        Launch launch = one_warp();
        launch.grid = launch.cluster = {2, 1, 1};
        launch.blocks = {{{0, 0, 0}}};
        return launch;
      }());
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 10u);
  const auto site = [&sites = result->sites](std::size_t i) {
    return std::pair(sites[i].space, sites[i].op);
  };
  EXPECT_EQ(site(0), std::pair(Space::global, AccessOp::bulk_load));
  EXPECT_EQ(site(1), std::pair(Space::shared, AccessOp::bulk_load));
  EXPECT_EQ(site(2), std::pair(Space::global, AccessOp::bulk_store));
  EXPECT_EQ(site(3), std::pair(Space::shared, AccessOp::bulk_store));
  EXPECT_EQ(site(4), std::pair(Space::global, AccessOp::bulk_reduction));
  EXPECT_EQ(site(6), std::pair(Space::shared, AccessOp::bulk_store));
  EXPECT_EQ(site(7), std::pair(Space::shared, AccessOp::bulk_load));
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(result->totals[i].thread_accesses, i == 9 ? 96u : 48u)
        << i << ": a multicast arrives in both blocks";
  EXPECT_EQ(result->totals[7].patterns.front().alignment, 0u) << "a block's rank is not part of the address";
}

TEST(AsynchronousExecution, LanesTakeTurnsAtACopy) {
  Launch launch = launch_with_map();
  launch.block = {3, 1, 1};
  const auto [listing, result] = hopper(kBox +
                                            "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0\n"
                                            ".L_x_0:\n"
                                            "@P0 ELECT P1, URZ, PT\n"
                                            "UTMALDG.2D [UR8], [UR4]\n"
                                            "@P1 PLOP3.LUT P0, PT, P1, PT, PT, 0x8, 0x0\n"
                                            "PLOP3.LUT P1, PT, PT, PT, PT, 0x8, 0x0\n"
                                            "@P0 BRA.U.ANY `(.L_x_0)\n"
                                            "EXIT\n",
                                        launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].thread_accesses, 3 * 64u);
}

TEST(AsynchronousExecution, LanesWithDifferentOperandsMakeSeparateCopies) {
  // Lanes 0 to 3 store boxes at rows 0, 8, 0, 8: once for each row.
  Launch launch = launch_with_map();
  launch.block = {4, 1, 1};
  const auto [listing, result] = hopper(
      "ULDC.64 UR4, c[0x0][0x198]\n"
      "S2R R0, SR_TID.X\n"
      "LOP3.LUT R0, R0, 0x1, RZ, 0xc0, !PT\n"
      "IMAD R0, R0, 0x8, RZ\n"
      "UMOV UR8, 0x400\n"
      "UMOV UR9, URZ\n"
      "PLOP3.LUT P1, PT, PT, PT, PT, 0x80, 0x0\n"
      ".L_x_0:\n"
      "@P1 R2UR P0, UR10, R0\n"
      "@P1 R2UR.OR P0, UR6, RZ\n"
      "@P1 PLOP3.LUT P1, PT, P0, PT, PT, 0x80, 0x0\n"
      "UTMASTG.2D [UR8], [UR4]\n"
      "@P1 BRA.U.ANY `(.L_x_0)\n"
      "EXIT\n",
      launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].thread_accesses, 2 * 64u);
}

TEST(AsynchronousExecution, FirstLaneIsElected) {
  const auto [listing, result] = hopper(
      "S2R R0, SR_TID.X\n"
      "ISETP.GE.AND P0, PT, R0, 0x5, PT\n"
      "@P0 ELECT P1, UR4, PT\n"
      "@!P0 EXIT\n"
      "@P1 STS [UR4], RZ\n"
      "EXIT\n");
  ASSERT_TRUE(result.ok()) << result.error().message();
  const Seen seen = only_pattern(*result);
  EXPECT_EQ(seen.pattern.mask, 1u << 5);
  EXPECT_EQ(seen.pattern.alignment, 5u);
}

/// Descriptors in UR4 to UR7: A at 0x400, B at 0x2400, without a swizzle.
const std::string kProductOf = R"(UMOV UR4, 0x80040
UMOV UR5, 0x10
UMOV UR6, 0x80240
UMOV UR7, 0x10
WARPGROUP.ARRIVE
)";

TEST(AsynchronousExecution, WarpgroupReadsRowsOfAByWarpAndColumnsOfBOnce) {
  Launch launch = one_warp();
  launch.block = {128, 1, 1};
  const auto [listing, result] = hopper(kProductOf +
                                            "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR4], RZ, !UPT\n"
                                            "HGMMA.64x64x16.F32.BF16 R24, R8, gdesc[UR4].tnspB, R24, gsb0\n"
                                            "WARPGROUP.DEPBAR.LE gsb0, 0x0\n"
                                            "IGMMA.64x8x32.S8.S8 R24, gdesc[UR4], R24, gsb0\n"
                                            "EXIT\n",
                                        launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 5u) << "A in registers is not read from memory";
  for (const Site& site : result->sites) {
    EXPECT_EQ(site.op, AccessOp::wgmma);
    EXPECT_EQ(site.space, Space::shared);
    EXPECT_EQ(site.bytes, 16);
  }
  EXPECT_EQ(result->totals[0].requests, 4u) << "of A each warp reads 16 rows of 32 bytes";
  EXPECT_EQ(result->totals[0].thread_accesses, 128u);
  EXPECT_EQ(result->totals[1].requests, 4u) << "B has 64 columns of 32 bytes";
  EXPECT_EQ(result->totals[1].thread_accesses, 128u);
  EXPECT_EQ(result->totals[2].thread_accesses, 128u);
  EXPECT_EQ(result->totals[4].thread_accesses, 16u);
  EXPECT_EQ(result->totals[4].divergent_requests, 0u);
}

TEST(AsynchronousExecution, OnlyTheResultsOfWgmmaAreUnknown) {
  const auto stores_at = [](const std::string& instruction, const std::string& reg) {
    return why_not(hopper(kProductOf + "MOV R24, RZ\nMOV R27, RZ\nMOV R28, RZ\n" + instruction + "\nSTS [" +
                          reg + "], RZ\nEXIT\n"));
  };
  EXPECT_NE(stores_at("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24", "R27"), "");
  EXPECT_EQ(stores_at("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24", "R28"), "");
  EXPECT_NE(stores_at("HGMMA.64x16x16.F16 R24, gdesc[UR4], R24", "R27"), "");
  EXPECT_EQ(stores_at("HGMMA.64x16x16.F16 R24, gdesc[UR4], R24", "R28"), "");
}

TEST(AsynchronousExecution, ClusterIsKnown) {
  Launch launch = one_warp();
  launch.grid = {6, 2, 1};
  launch.cluster = {3, 2, 1};
  launch.blocks = {{{4, 1, 0}}};
  const auto [listing, result] = hopper(
      "S2R R0, SR_CgaCtaId\n"
      "STS [R0], RZ\n"
      "S2UR UR4, SR_CTAID.X\n"
      "I2FP.F32.U32 R1, UR4\n"
      "ULDC UR5, c[0x0][0x150]\n"
      "FMUL R1, R1, UR5\n"
      "F2I.U32.TRUNC.NTZ R1, R1\n"
      "STS [R1+0x40], RZ\n"
      "LDC R2, c[0x0][0x148]\n"
      "STS [R2], RZ\n"
      "LDC R2, c[0x0][0x15c]\n"
      "STS [R2+0x40], RZ\n"
      "LDC R2, c[0x0][0x188]\n"
      "STS [R2], RZ\n"
      "UCGABAR_ARV\n"
      "UCGABAR_WAIT\n"
      "EXIT\n",
      launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(only_pattern(*result, 0).pattern.alignment, 4u) << "the rank: x + 3 * y";
  EXPECT_EQ(only_pattern(*result, 1).pattern.alignment, 0x41u) << "%clusterid.x";
  EXPECT_EQ(only_pattern(*result, 2).pattern.alignment, 2u) << "%cluster_nctaid.y";
  EXPECT_EQ(only_pattern(*result, 3).pattern.alignment, 0x42u) << "%nclusterid.x";
  EXPECT_EQ(only_pattern(*result, 4).pattern.alignment, 6u) << "%cluster_nctarank";
}

TEST(AsynchronousExecution, SharedMemoryOfOtherBlocksIsAccessedByGenericAddresses) {
  // Lanes 0 to 15 load from their own block's, the others from that of rank 1.
  Launch launch = one_warp();
  launch.grid = launch.cluster = {2, 1, 1};
  launch.blocks = {{{0, 0, 0}}};
  const auto [listing, result] = hopper(
      "S2R R0, SR_TID.X\n"
      "S2R R5, SR_SWINHI\n"
      "SHF.R.U32.HI R1, RZ, 0x4, R0\n"
      "IMAD R4, R0, 0x4, RZ\n"
      "PRMT R4, R1, 0x654, R4\n"
      "LD.E R6, desc[UR4][R4.64+0x400]\n"
      "ATOM.E.ADD.STRONG.GPU PT, RZ, desc[UR6][R4.64], R0\n"
      "EXIT\n",
      launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->sites.size(), 2u) << "in the space that they met";
  EXPECT_EQ(result->sites[0].space, Space::shared);
  EXPECT_EQ(result->totals[0].requests, 2u) << "one for each block";
  EXPECT_EQ(result->totals[0].thread_accesses, 32u);
  EXPECT_EQ(result->totals[0].divergent_requests, 2u);
  EXPECT_EQ(result->sites[1].op, AccessOp::atomic);
  EXPECT_EQ(result->totals[1].requests, 2u);
}

TEST(AsynchronousExecution, BlocksOfAGridAreCountedEachAtItsPlace) {
  // Coordinates of the box: the block's index times 8 rows.
  Launch launch = launch_with_map();
  launch.grid = {8, 1, 1};
  const auto [listing, result] = hopper(
      "ULDC.64 UR4, c[0x0][0x198]\n"
      "S2UR UR11, SR_CTAID.X\n"
      "USHF.L.U32 UR11, UR11, 0x3, URZ\n"
      "UMOV UR8, 0x400\n"
      "UMOV UR10, URZ\n"
      "UTMALDG.2D [UR8], [UR4]\n"
      "EXIT\n",
      launch);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->totals[0].thread_accesses, 8 * 64u);
}

}  // namespace
}  // namespace warplens::sass
