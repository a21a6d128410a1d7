// Races between warps of tests/data/cu/warp_races.cu, as nvcc compiles it: none where something orders the
// warps, or no update is lost.
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::Trial;

class WarpRacesInCuda : public ::testing::TestWithParam<const char*> {
 protected:
  /// A launch with buffers of 1,024 integers, all of one value or counting up.
  Recording record(const std::string& entry, std::uint32_t blocks, std::uint32_t threads,
                   const std::vector<const char*>& buffers) {
    Trial run(testing::read_ptx(GetParam()), entry, {blocks}, {threads});
    for (const std::string buffer : buffers) {
      std::vector<int> values(1024, buffer == "-1" ? -1 : 0);
      for (int i = 0; buffer == "count" && i < 1024; ++i) values.at(static_cast<std::size_t>(i)) = i;
      run.buffer(values);
    }
    return run.record();
  }
  void expect_none(const std::string& entry, std::uint32_t blocks, std::uint32_t threads,
                   const std::vector<const char*>& buffers) {
    const Recording recording = record(entry, blocks, threads, buffers);
    for (const Finding& finding : recording.findings)
      ADD_FAILURE() << entry << ", line " << finding.line << ": " << finding.text;
  }
  void expect_races(const std::string& entry, std::uint32_t blocks, std::uint32_t threads,
                    const std::vector<const char*>& buffers) {
    const Recording recording = record(entry, blocks, threads, buffers);
    bool in_block = false, between_blocks = blocks == 1;
    for (const Finding& finding : recording.findings) {
      EXPECT_TRUE(finding.is_global_race()) << entry << ": " << finding.text;
      (finding.kind == FindingKind::race ? in_block : between_blocks) = true;
    }
    EXPECT_TRUE(in_block && between_blocks) << entry;
  }
};

TEST_P(WarpRacesInCuda, BarriersOrderWarps) {
  expect_none("groups", 1, 256, {"count"});
  expect_none("producer_consumer", 1, 256, {"0", "0"});
  expect_none("sense_barrier", 4, 64, {"0", "0", "count", "0"});
}

TEST_P(WarpRacesInCuda, FlagsOrderWarps) {
  expect_none("warp_chain", 1, 128, {"0", "0", "count", "0"});
  expect_none("warp_chain_volatile", 1, 128, {"0", "0", "count", "0"});
  expect_none("last_warp", 2, 256, {"0", "0"});
  expect_none("queue", 1, 128, {"0", "0", "0", "0"});
  expect_none("once", 2, 128, {"0", "0"});
}

TEST_P(WarpRacesInCuda, LocksOrderWarps) {
  expect_none("locked", 1, 128, {"count", "0"});
  expect_none("ticket_lock", 1, 128, {"0", "0", "0"});
}

TEST_P(WarpRacesInCuda, AtomicsLoseNoUpdates) {
  expect_none("filtered_max", 4, 128, {"0", "count"});
  expect_none("hash_insert", 2, 128, {"-1", "0", "count"});
  expect_none("list_push", 2, 128, {"-1", "0"});
  expect_none("list_exch", 2, 128, {"-1", "0"});
  expect_none("compact", 4, 128, {"0", "0", "count"});
  expect_none("cas_add", 2, 128, {"0", "count"});
  expect_none("exch_add", 2, 128, {"0", "count"});
}

TEST_P(WarpRacesInCuda, MissingOrderIsReported) {
  expect_races("rotate_in_place", 1, 256, {"count"});
  expect_races("count_up", 4, 128, {"0", "count"});
  expect_races("read_what_was_queued", 1, 256, {"count", "0"});
  expect_races("add_by_exchange", 4, 128, {"0", "count"});
}

INSTANTIATE_TEST_SUITE_P(Architectures, WarpRacesInCuda,
                         ::testing::Values("warp_races.sm_75.ptx", "warp_races.sm_100.ptx"),
                         [](const auto& parameter) {
                           return std::string(parameter.index == 0 ? "Turing" : "Blackwell");
                         });

}  // namespace
}  // namespace warplens
