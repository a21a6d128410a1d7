// Races of tests/data/cu/races.cu, as nvcc compiles it: none where a reader finds none. Those of shared
// memory can be held against compute-sanitizer (tools/dev/check-races.sh).
#include <map>
#include <set>

#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::Trial;

using FoundAt = std::set<std::tuple<FindingKind, std::uint32_t, std::uint32_t>>;

FoundAt found_in(const Recording& recording) {
  FoundAt found;
  for (const Finding& finding : recording.findings)
    found.insert({finding.kind, finding.line, finding.other_line});
  return found;
}

Trial of_races(const std::string& entry, Dim3 grid, Dim3 block) {
  return {testing::read_ptx("races.sm_75.ptx"), entry, grid, block};
}

TEST(RacesInCuda, LaneRaceIsReported) {
  const auto found = [](const std::string& entry) {
    Trial run = of_races(entry, {1}, {64});
    return found_in(run.buffer(testing::numbers(64)).buffer(std::vector<int>(64)).record());
  };
  EXPECT_EQ(found("shifted"), (FoundAt{{FindingKind::lane_race, 15, 14}}));
  EXPECT_EQ(found("shifted_with_syncwarp"), (FoundAt{}));
  EXPECT_EQ(found("shifted_with_shuffle"), (FoundAt{{FindingKind::lane_race, 29, 27}}));
  EXPECT_TRUE(found("sum_of_old").contains({FindingKind::lane_race, 39, 38}));
  EXPECT_EQ(found("sum_of_tiles"), (FoundAt{}));
  EXPECT_EQ(found("own_words"), (FoundAt{}));
  EXPECT_EQ(found("counted"), (FoundAt{}));
  const FoundAt halves = found("halves_of_a_warp");
  EXPECT_TRUE(halves.contains({FindingKind::lane_race, 64, 62}) ||
              halves.contains({FindingKind::lane_race, 62, 64}));
}

TEST(RacesInCuda, InPlaceStencilIsReported) {
  Trial run = of_races("smooth", {8}, {64});
  EXPECT_EQ(found_in(run.buffer(testing::numbers(512)).record()),
            (FoundAt{{FindingKind::block_race, 90, 92}}));
  Trial one = of_races("smooth", {1}, {512});
  EXPECT_EQ(found_in(one.buffer(testing::numbers(512)).record()), (FoundAt{}));
}

TEST(RacesInCuda, NameTheOtherAccess) {
  Trial warp = of_races("shifted", {1}, {64});
  const Recording within = warp.buffer(testing::numbers(64)).buffer(std::vector<int>(64)).record();
  ASSERT_TRUE(within.findings.at(0).other);
  EXPECT_EQ(*within.findings[0].other, (OtherAccess{.instruction = within.findings[0].other->instruction,
                                                    .op = AccessOp::store,
                                                    .block = {0, 0, 0},
                                                    .warp = 0,
                                                    .lane = 1,
                                                    .address = 4}));
  EXPECT_EQ(within.findings[0].access->addresses.front(), 4u);

  Trial grid = of_races("smooth", {8}, {64});
  const Recording between = grid.buffer(testing::numbers(512)).record();
  const Finding& finding = between.findings.at(0);
  ASSERT_TRUE(finding.other && finding.access);
  EXPECT_EQ(finding.block, (Dim3{1, 0, 0}));
  EXPECT_EQ(finding.lanes, 1u);
  EXPECT_EQ(finding.other->block, (Dim3{0, 0, 0}));
  EXPECT_EQ(finding.other->warp, 1u);
  EXPECT_EQ(finding.other->lane, 31u);
  EXPECT_EQ(finding.other->address, between.buffers[0].base + std::uint64_t{63} * 4);
  EXPECT_EQ(finding.access->addresses, std::vector{finding.other->address});
}

TEST(RacesInCuda, LastBlockReductionIsNotReported) {
  Trial run = of_races("sum_by_the_last_block", {8}, {64});
  const Recording recording = run.buffer(std::vector<int>(512, 1))
                                  .buffer(std::vector<int>(8))
                                  .buffer(std::vector<int>(1))
                                  .scalar(std::uint8_t{1})
                                  .record();
  EXPECT_EQ(found_in(recording), (FoundAt{}));
  EXPECT_EQ(run.contents<int>(2)[0], 512);
}

TEST(RacesInCuda, MissingThreadfenceReductionIsReported) {
  Trial run = of_races("sum_by_the_first_block", {8}, {64});
  const Recording recording =
      run.buffer(std::vector<int>(512, 1)).buffer(std::vector<int>(8)).buffer(std::vector<int>(1)).record();
  EXPECT_EQ(found_in(recording), (FoundAt{{FindingKind::block_race, 118, 120}}));
}

TEST(RacesInCuda, LockIsRecognised) {
  Trial run = of_races("under_a_lock", {9}, {64});
  EXPECT_EQ(found_in(run.buffer(std::vector<int>(1)).record()), (FoundAt{}));
  EXPECT_EQ(run.contents<int>(0)[0], 9);
}

}  // namespace
}  // namespace warplens
