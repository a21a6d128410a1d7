// What a replay records: the same whatever the number of threads and the instruction set, and equal to what
// the code says.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "kernels/recording/compare.h"
#include "kernels/recording/validate.h"
#include "replay/run_kernel.h"

namespace warplens {
namespace {

using testing::kernel_of;
using testing::numbers;
using testing::Trial;

/// Lowers the instruction set while it lives.
class InstructionSet {
 public:
  explicit InstructionSet(const char* level) { setenv("WARPLENS_SIMD", level, 1); }
  ~InstructionSet() { unsetenv("WARPLENS_SIMD"); }
};

/// Every entry of the PTX files, on buffers of small integers; entries that end with an error count too, by
/// its text.
struct Outcome {
  Recording recording;
  std::string error;
  std::vector<std::vector<std::byte>> memory;
};
Outcome run_entry(const ptx::Module& module, const std::string& entry, unsigned threads,
                  std::uint32_t block) {
  Outcome outcome;
  auto program = replay::Program::decode(module, entry);
  if (!program) return {{}, program.error().message(), {}};
  replay::Memory memory;
  replay::Launch launch{{3, 2, 1}, {block, 1, 1}, 4096, {}};
  for (const std::uint32_t v : program->function().parameters) {
    const ptx::Variable& parameter = program->function().variables[v];
    if (parameter.bytes() == 8) {
      std::vector<int> values(16384);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i % 61);
      launch.arguments.emplace_back(
          replay::BufferArgument{memory.add({.name = "b"}, testing::bytes_of(values))});
    } else {
      std::vector<std::byte> bytes(parameter.bytes());
      if (!bytes.empty()) bytes[0] = std::byte{64};
      launch.arguments.emplace_back(replay::ScalarArgument{bytes});
    }
  }
  replay::Options options{.threads = threads};
  options.max_warp_instructions = 50000;
  for (std::uint32_t b = 0; b < 6; ++b) options.event_blocks.push_back({b % 3, b / 3, 0});
  auto result = replay::run(*program, launch, memory, options);
  if (!result) return {{}, result.error().message(), {}};
  result->seconds = 0;
  for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) outcome.memory.push_back(memory.contents(b));
  outcome.recording = std::move(*result);
  return outcome;
}

/// Whether two blocks store to one place: what is left there then depends on which came last, as on a GPU.
bool blocks_overlap(const Recording& recording) {
  std::map<std::uint64_t, std::uint32_t> block_of;
  const EventColumns& events = recording.events;
  for (std::size_t event = 0; event < events.size(); ++event) {
    const Site& site = recording.sites[events.site[event]];
    if (site.space != Space::global || site.op != AccessOp::store) continue;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((events.mask[event] >> lane & 1u) == 0) continue;
      const auto [place, added] = block_of.emplace(lane_address(recording, event, lane), events.block[event]);
      if (!added && place->second != events.block[event]) return true;
    }
  }
  return false;
}

void expect_same(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_EQ(a.error, b.error) << what;
  EXPECT_TRUE(a.recording == b.recording) << what;
  for (const Difference& difference : differences(a.recording, b.recording, 2))
    ADD_FAILURE() << what << ": " << difference.what;
  EXPECT_TRUE(a.memory == b.memory || blocks_overlap(a.recording)) << what << ": memory differs";
}

TEST(Recordings, AreTheSameForAnyNumberOfThreadsAndAnyInstructionSet) {
  int completed = 0;
  for (const auto& file : std::filesystem::directory_iterator(WARPLENS_TEST_DATA "/ptx")) {
    if (file.path().string().find("sm_75") == std::string::npos) continue;
    const std::string name = file.path().filename().string();
    auto module = ptx::parse(testing::read_ptx(name), name);
    ASSERT_TRUE(module) << module.error().message();
    for (const ptx::Function& function : module->functions) {
      if (!function.is_entry) continue;
      for (const std::uint32_t block : {256u, 40u}) {
        const std::string what = name + " " + function.plain_name + " " + std::to_string(block);
        const Outcome one = run_entry(*module, function.name, 1, block);
        expect_same(one, run_entry(*module, function.name, 5, block), what + ", 5 threads");
        for (const char* level : {"v2", "v3"}) {
          const InstructionSet lowered(level);
          expect_same(one, run_entry(*module, function.name, 2, block), what + ", " + level);
        }
        if (!one.error.empty()) continue;
        ++completed;
        const auto valid = validate(one.recording);
        EXPECT_TRUE(valid) << what << ": " << (valid ? "" : valid.error().message());
      }
    }
  }
  EXPECT_GT(completed, 60);
}

TEST(Recordings, TheInstructionSetCanBeLowered) {
  const InstructionSet lowered("v2");
  EXPECT_STREQ(replay::instruction_set(), "x86-64-v2");
}

TEST(Recordings, EventsHoldWarpAddressAndOrder) {
  Trial run(kernel_of(R"(
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8; add.s64 %rd2, %rd0, %rd1;
ld.global.v2.u32 {%r2, %r3}, [%rd2];
bar.sync 0;
setp.lt.u32 %p1, %r1, 40;
@%p1 st.global.u32 [%rd2+4], %r2;)"),
            "k", {3}, {64});
  run.options.event_blocks = {{2, 0, 0}, {0, 0, 0}};
  const Recording r = run.buffer(std::vector<int>(256)).record();
  ASSERT_EQ(r.events.size(), 2u * 4u);
  EXPECT_EQ(r.event_blocks, (std::vector<Dim3>{{0, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(r.events.block, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(r.events.warp, (std::vector<std::uint32_t>{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(r.events.order, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(r.events.phase, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(r.events.mask[3], 0xffu);
  EXPECT_EQ(lane_address(r, 3, 7), r.buffers[0].base + 39 * 8 + 4);
  ASSERT_EQ(r.totals.size(), 2u);
  EXPECT_EQ(r.totals[0].requests, 6u);
  EXPECT_EQ(r.totals[0].thread_accesses, 192u);
  EXPECT_EQ(r.totals[1].divergent_requests, 3u);
  EXPECT_EQ(r.totals[1].thread_accesses, 120u);
  EXPECT_EQ(r.sites[0].bytes, 8);
}

TEST(Recordings, StoreOfARegisterThatSeveralLoadsWriteNamesAllOfThem) {
  Trial run(kernel_of(R"(
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1;
shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.s32 %r7, %r6, %r5; mov.u32 %r9, 0;
ld.global.u32 %r2, [%rd2];
again:
st.shared.u32 [%r7], %r2; bar.sync 0;
ld.global.u32 %r2, [%rd2+128];
add.s32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra again;)",
                      1, ".shared .align 4 .b8 s[128];"),
            "k", {1}, {32});
  const Recording r = run.buffer(std::vector<int>(64)).record();
  ASSERT_EQ(r.sites.size(), 3u);
  EXPECT_EQ(r.sites[1].value_from, 0) << "the load before the loop";
  EXPECT_EQ(r.sites[0].value_from, 2) << "and the one in it";
  EXPECT_EQ(r.sites[2].value_from, -1);
  EXPECT_EQ(r.phases[0].fills, 1u);
}

TEST(Recordings, FillIsASharedStoreOfALoadedValue) {
  Trial run(kernel_of(R"(
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1;
shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.s32 %r7, %r6, %r5;
ld.global.u32 %r2, [%rd2]; mov.b32 %r3, %r2; st.shared.u32 [%r7], %r3;
bar.sync 0;
ld.shared.u32 %r4, [%r7]; add.s32 %r8, %r4, 1; st.shared.u32 [%r7], %r8;)",
                      1, ".shared .align 4 .b8 s[128];"),
            "k", {1}, {32});
  const Recording r = run.buffer(std::vector<int>(32)).record();
  ASSERT_EQ(r.sites.size(), 4u);
  EXPECT_EQ(r.sites[1].value_from, 0);
  EXPECT_EQ(r.sites[3].value_from, -1);
  ASSERT_EQ(r.phases.size(), 2u);
  EXPECT_EQ(r.phases[0].fills, 1u);
  EXPECT_EQ(r.phases[0].shared_stores, 1u);
  EXPECT_EQ(r.phases[1].fills, 0u);
  EXPECT_EQ(r.phases[1].shared_loads, 1u);
}

TEST(Recordings, GenericAccessesHaveASiteForEachSpaceTheyMeet) {
  Trial run(kernel_of(R"(
mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; selp.b64 %rd3, %rd2, %rd0, %p1;
st.u32 [%rd3], 5;)",
                      1, ".shared .align 4 .b8 s[4];"),
            "k", {1}, {32});
  const Recording r = run.buffer(std::vector<int>(32)).record();
  ASSERT_EQ(r.sites.size(), 2u);
  EXPECT_EQ(r.sites[0].space, Space::global);
  EXPECT_EQ(r.sites[1].space, Space::shared);
  ASSERT_EQ(r.totals[0].patterns.size(), 1u);
  EXPECT_EQ(r.totals[0].patterns[0].mask, 0xffff0000u);
  EXPECT_EQ(r.totals[1].patterns[0].mask, 0x0000ffffu);
  EXPECT_EQ(run.contents<int>(0)[0], 5);
}

AccessCost count_lanes(const Site&, const Shape&, std::uint32_t mask, std::uint32_t, const std::string&) {
  AccessCost cost;
  cost.sectors = static_cast<std::uint64_t>(__builtin_popcount(mask));
  return cost;
}

// Random gathers: more patterns than are kept, so all are costed, and the outcome does not depend on who met
// which first.
TEST(Recordings, SitesWithTooManyPatternsAreCostedDirectly) {
  constexpr std::uint32_t kBlocks = 200;
  const std::vector<int> index = numbers(kBlocks * 64);
  std::vector<Recording> all;
  for (const unsigned threads : {1u, 3u}) {
    Trial run(testing::read_ptx("replay_warps.sm_75.ptx"), "gather", {kBlocks}, {64});
    run.options.threads = threads;
    run.options.max_patterns_per_site = 50;
    run.options.pattern_cost = &count_lanes;
    all.push_back(run.buffer(numbers(4096)).buffer(index).buffer(std::vector<int>(kBlocks * 64)).record());
    all.back().seconds = 0;
    const auto a = run.contents<int>(0), c = run.contents<int>(2);
    for (std::size_t i = 0; i < index.size(); ++i) ASSERT_EQ(c[i], a[static_cast<std::size_t>(index[i])]);
  }
  EXPECT_TRUE(all[0] == all[1]);
  bool judged = false;
  for (const SiteTotals& totals : all[0].totals) {
    EXPECT_EQ(totals.requests, kBlocks * 2u);
    if (totals.unkept_requests == 0) continue;
    judged = true;
    EXPECT_EQ(totals.unkept_requests, totals.requests);
    EXPECT_EQ(totals.unkept_cost.sectors, totals.thread_accesses);
    EXPECT_TRUE(totals.patterns.empty());
  }
  EXPECT_TRUE(judged);
}

TEST(Recordings, BlocksThatReadWhatTheyWriteRunInOrder) {
  // Each block adds its neighbour's element, which the one before has changed already.
  const std::string text = kernel_of(R"(
mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1;
ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+4]; add.s32 %r4, %r2, %r3; st.global.u32 [%rd2+4], %r4;)");
  for (const unsigned threads : {1u, 4u}) {
    Trial run(text, "k", {500}, {32});
    run.options.threads = threads;
    run.buffer(std::vector<int>(501, 1)).record();
    std::vector<int> expected(501);
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(run.contents<int>(0), expected);
  }
}

TEST(Recordings, OnlyChosenBlocksAreRecorded) {
  Trial run(kernel_of("mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; "
                      "st.global.u32 [%rd2], 7;"),
            "k", {10}, {32});
  run.options.replay_blocks = {{Dim3{3, 0, 0}, Dim3{8, 0, 0}}};
  const Recording r = run.buffer(std::vector<int>(10)).record();
  EXPECT_EQ(r.blocks_total, 10u);
  EXPECT_EQ(r.blocks_counted, 2u);
  EXPECT_EQ(run.contents<int>(0), (std::vector<int>{0, 0, 0, 7, 0, 0, 0, 0, 7, 0}));
}

}  // namespace
}  // namespace warplens
