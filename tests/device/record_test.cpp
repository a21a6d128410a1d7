// What the GPU records of a kernel is what the CPU replay records, access by access.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/loaded.h"
#include "device/device.h"
#include "device/problems.h"
#include "kernels/gpu/record.h"
#include "kernels/ptx/parser.h"
#include "kernels/recording/compare.h"
#include "pointer_launches.h"
#include "viz/analysis/device_models.h"

namespace warplens::app {
namespace {

struct Shape3 {
  std::uint64_t m, p, n;
};
constexpr Shape3 kShapes[] = {{64, 64, 64},  {33, 65, 17},  {1, 1, 1},
                              {128, 96, 80}, {70, 31, 129}, {100, 100, 100}};

/// Every choice of parameters for one of the shapes, the default one for the others.
std::vector<LaunchRequest> requests_of(const KernelDescriptor& kernel) {
  std::vector<LaunchRequest> requests;
  for (const std::string& type : kernel.value_types) {
    for (const Shape3& shape : kShapes) {
      LaunchRequest request = launch_of_kernel(kernel.id);
      request.value_type = type;
      if (kernel.has_extent('m')) request.set("m", static_cast<std::int64_t>(shape.m));
      if (kernel.has_extent('p')) request.set("p", static_cast<std::int64_t>(shape.p));
      if (kernel.has_extent('n')) request.set("n", static_cast<std::int64_t>(shape.n));
      requests.push_back(request);
      for (const ParameterInfo& parameter : kernel.parameters) {
        for (const std::int64_t value : parameter.values) {
          LaunchRequest other = request;
          other.set(parameter.name, value);
          if (value != parameter.default_value && shape.m == 33) requests.push_back(other);
        }
      }
    }
  }
  return requests;
}

std::string in_words(const LaunchRequest& request) {
  std::string name = name_of(request) + " " + request.value_type;
  for (const NamedValue& value : request.values) name += " " + value.name + "=" + std::to_string(value.value);
  return name;
}

class RecordOnGpu : public gpu::OnGpu, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const gpu::Gpu gpu = (*gpu::Context::open())->gpu();
    const int needed = ladder_capability(catalog().find(GetParam())->source_file);
    if (10 * gpu.cc_major + gpu.cc_minor < needed)
      GTEST_SKIP() << "it needs compute capability " << needed / 10 << "." << needed % 10;
  }
};

std::string ptx_of(const std::string& kernel) {
  return std::string(ladder_ptx(catalog().find(kernel)->source_file));
}

TEST_P(RecordOnGpu, EqualsTheReplay) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (LaunchRequest request : requests_of(kernel)) {
    SCOPED_TRACE(in_words(request));
    request.event_blocks = BlockChoice{};
    const Result<Recording> replayed = record(request);
    ASSERT_TRUE(replayed.ok()) << replayed.error().message();
    if (!replayed->findings.empty()) continue;  // What is wrong in it may go another way on the GPU
    request.engine = Engine::gpu;
    Result<Recording> recorded = record(request);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message();
    gpu::forget_polls(ptx_of(GetParam()), *replayed, *recorded);
    for (const Difference& difference : differences(*replayed, *recorded, 5))
      ADD_FAILURE() << difference.what;
    EXPECT_EQ(recorded->engine, "gpu");
    EXPECT_EQ(recorded->verified, replayed->verified);
  }
}

// Blocks chosen for events, and blocks chosen to be run at all.
TEST_P(RecordOnGpu, EqualsTheReplayOfChosenBlocks) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (const bool alone : {false, true}) {
    LaunchRequest request = launch_of_kernel(kernel.id);
    request.value_type = kernel.value_types.front();
    const BlockChoice chosen{.all = false, .blocks = {{0, 0, 0}, {1, 0, 0}}};
    request.event_blocks = chosen;
    if (alone) request.replay_blocks = chosen;
    const Result<Recording> replayed = record(request);
    if (!replayed.ok()) GTEST_SKIP() << "its grid is one block: " << replayed.error().message();
    if (!replayed->findings.empty()) continue;
    request.engine = Engine::gpu;
    Result<Recording> recorded = record(request);
    if (replayed->blocks_counted < replayed->blocks_total && replayed->cluster.count() > 1) {
      EXPECT_FALSE(recorded.ok()) << "blocks of a cluster run together";
      continue;
    }
    ASSERT_TRUE(recorded.ok()) << recorded.error().message();
    gpu::forget_polls(ptx_of(GetParam()), *replayed, *recorded);
    for (const Difference& difference : differences(*replayed, *recorded, 5))
      ADD_FAILURE() << difference.what;
  }
}

// Large launches: what is proved of one is what is recorded of it.
TEST_P(RecordOnGpu, WhatIsProvedIsWhatIsRecorded) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  if (kernel.group != KernelGroup::ladder) GTEST_SKIP() << "its launches are small";
  if (ladder_capability(kernel.source_file) >= 90)
    GTEST_SKIP() << "bulk copies are not extrapolated: every block is replayed";
  LaunchRequest request = launch_of_kernel(kernel.id, {{"m", 1021}, {"p", 2048}, {"n", 2054}});
  request.value_type = kernel.value_types.front();
  request.engine = Engine::gpu;
  for (const auto& events : {std::optional<BlockChoice>(),
                             std::optional(BlockChoice{.all = false, .blocks = {{0, 0, 0}, {1, 0, 0}}})}) {
    request.event_blocks = events;
    request.whole_result = false;
    const Result<Recording> proved = record(request);
    ASSERT_TRUE(proved.ok()) << proved.error().message();
    request.whole_result = true;
    Result<Recording> recorded = record(request);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message();
    gpu::forget_polls(ptx_of(GetParam()), *proved, *recorded);
    EXPECT_GT(proved->blocks_extrapolated, 0u);
    EXPECT_EQ(recorded->blocks_extrapolated, 0u);
    EXPECT_EQ(proved->blocks_run(), proved->blocks_total);
    EXPECT_EQ(proved->verified, true);
    for (const Difference& difference : differences(*recorded, *proved, 5)) ADD_FAILURE() << difference.what;
  }
}

const std::vector<gpu::ShortCode>& short_codes(const std::string& what) {
  return what == "in_which_lanes_part" ? gpu::divergent_codes()
         : what == "loops_in_loops"    ? gpu::nested_loops()
         : what == "of_copies"         ? gpu::codes_of_copies()
         : what == "of_fragments"      ? gpu::codes_of_fragments()
                                       : gpu::codes_of_other_forms();
}

class ShortCodesOnGpu : public gpu::OnGpu, public testing::WithParamInterface<std::string> {};

TEST_P(ShortCodesOnGpu, EqualTheReplay) {
  const Result<gpu::ContextPointer> context = gpu::Context::open();
  ASSERT_TRUE(context.ok()) << context.error().message();
  const std::uint32_t base =
      analysis::memory_rules_of({(*context)->gpu().cc_major, (*context)->gpu().cc_minor}).shared_base;
  for (const gpu::ShortCode& code : short_codes(GetParam())) {
    SCOPED_TRACE(code.what);
    gpu::ProblemToRun problem = gpu::problem_of(code);
    const Result<ptx::Module> module = ptx::parse(problem.ptx, "short.ptx");
    ASSERT_TRUE(module.ok()) << module.error().message();
    const Result<replay::Program> program = replay::Program::decode(*module, problem.entry);
    ASSERT_TRUE(program.ok()) << program.error().message();
    for (const std::vector<Dim3>& blocks :
         {std::vector<Dim3>{{1, 0, 0}}, std::vector<Dim3>{{0, 0, 0}, {1, 0, 0}}}) {
      const replay::Options options{.event_blocks = blocks, .shared_base = base, .threads = 1};
      replay::Memory memory = problem.memory;
      Result<Recording> replayed = replay::run(*program, problem.launch, memory, options);
      ASSERT_TRUE(replayed.ok()) << replayed.error().message();
      replayed->findings.clear();  // The replay's alone
      memory = problem.memory;
      const Result<Recording> recorded =
          gpu::record(*context, *module, *program, problem.launch, memory, options);
      ASSERT_TRUE(recorded.ok()) << recorded.error().message();
      for (const Difference& difference : differences(*replayed, *recorded, 5))
        ADD_FAILURE() << difference.what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, ShortCodesOnGpu,
                         testing::Values("in_which_lanes_part", "loops_in_loops", "of_copies", "of_fragments",
                                         "of_other_forms"),
                         [](const auto& codes) { return codes.param; });

class BothOnGpu : public gpu::OnGpu {
 protected:
  struct Both {
    Recording replayed, recorded;
    replay::Memory memory_replayed, memory_recorded;
  };
  /// Null where one failed.
  static std::optional<Both> record_both(const gpu::ProblemToRun& problem, bool alone) {
    const Result<gpu::ContextPointer> context = gpu::Context::open();
    const Result<ptx::Module> module = ptx::parse(problem.ptx, "calls.ptx");
    if (!context.ok() || !module.ok()) return std::nullopt;
    const Result<replay::Program> program = replay::Program::decode(*module, problem.entry);
    if (!program.ok()) return std::nullopt;
    replay::Options options{.event_blocks = {{0, 0, 0}, {1, 0, 0}}, .threads = 1};
    options.shared_base =
        analysis::memory_rules_of({(*context)->gpu().cc_major, (*context)->gpu().cc_minor}).shared_base;
    if (alone) options.event_blocks = {{1, 0, 0}};
    Both both{
        .replayed = {}, .recorded = {}, .memory_replayed = problem.memory, .memory_recorded = problem.memory};
    Result<Recording> replayed = replay::run(*program, problem.launch, both.memory_replayed, options);
    EXPECT_TRUE(replayed.ok()) << replayed.error().message();
    const Result<Recording> recorded =
        gpu::record(*context, *module, *program, problem.launch, both.memory_recorded, options);
    EXPECT_TRUE(recorded.ok()) << recorded.error().message();
    if (!replayed.ok() || !recorded.ok()) return std::nullopt;
    both.replayed = std::move(*replayed);
    both.replayed.findings.clear();  // The replay's alone
    both.recorded = *recorded;
    return both;
  }
};

class PointersOnGpu : public gpu::OnGpu {};

// Addresses are the device's own while the kernel runs, and the launch's again when it is done.
TEST_F(PointersOnGpu, EqualTheReplay) {
  std::ifstream file(WARPLENS_TEST_DATA "/ptx/pointers.sm_75.ptx");
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  for (const PointerLaunch& one : pointer_launches()) {
    SCOPED_TRACE(one.entry);
    LaunchRequest request = request_of(one, ptx, "pointers.ptx");
    request.event_blocks = BlockChoice{};
    const Result<LaunchResult> replayed = launch(request);
    request.engine = Engine::gpu;
    const Result<LaunchResult> recorded = launch(request);
    ASSERT_TRUE(replayed.ok()) << replayed.error().message();
    ASSERT_TRUE(recorded.ok()) << recorded.error().message();
    for (const Difference& difference : differences(replayed->recording, recorded->recording, 5))
      ADD_FAILURE() << difference.what;
    for (std::uint32_t b = 0; b < replayed->memory.buffers().size(); ++b) {
      EXPECT_TRUE(std::ranges::equal(replayed->memory.bytes(b), recorded->memory.bytes(b))) << "buffer " << b;
    }
    // And launched as it is, on buffers that lie elsewhere again: what it leaves there is what the replay
    // left
    Result<gpu::RunRequest> run = run_request_of(request);
    ASSERT_TRUE(run.ok()) << run.error().message();
    gpu::FileLaunch launch = *run->of_file;
    for (std::uint32_t b = 0; b < replayed->memory.buffers().size(); ++b) {
      if (launch.workload.buffer_addresses.contains(b)) continue;
      const std::span<const std::byte> wanted = replayed->memory.bytes(b);
      launch.checks.push_back({b, [wanted](const auto& bytes) { return std::ranges::equal(bytes, wanted); }});
    }
    run->of_file = std::make_shared<const gpu::FileLaunch>(std::move(launch));
    run->launches = 1;
    const Result<gpu::RunResult> result = gpu::run(*run);
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_TRUE(result->verified);
  }
}

class CallsOnGpu : public BothOnGpu {};
class TexturesOnGpu : public BothOnGpu {};

std::vector<gpu::ProblemToRun> problems_with_calls() {
  std::vector<gpu::ProblemToRun> problems = gpu::calls_of_other_forms();
  for (gpu::ProblemToRun& problem : gpu::kernels_that_call("sm_75")) problems.push_back(std::move(problem));
  return problems;
}
bool allocates(const gpu::ProblemToRun& problem) {
  return problem.entry.starts_with("keep_");
}

TEST_F(CallsOnGpu, EqualTheReplay) {
  for (const gpu::ProblemToRun& problem : problems_with_calls()) {
    if (allocates(problem)) continue;
    for (const bool alone : {false, true}) {
      SCOPED_TRACE(problem.name + (alone ? ", one block of two" : ""));
      const auto both = record_both(problem, alone);
      if (!both) continue;
      for (const Difference& difference : differences(both->replayed, both->recorded, 5))
        ADD_FAILURE() << difference.what;
      if (problem.name.starts_with("a ")) continue;  // Its two blocks store to the same places
      for (std::uint32_t b = 0; b < problem.memory.buffers().size(); ++b) {
        EXPECT_EQ(both->memory_replayed.contents(b), both->memory_recorded.contents(b)) << "buffer " << b;
      }
    }
  }
}

TEST_F(TexturesOnGpu, EqualTheReplay) {
  for (const gpu::ProblemToRun& problem : gpu::kernels_with_textures("sm_75")) {
    for (const bool alone : {false, true}) {
      SCOPED_TRACE(problem.name + (alone ? ", events of one block" : ""));
      const auto both = record_both(problem, alone);
      if (!both) continue;
      EXPECT_GT(both->recorded.events.size(), 0u);
      for (const Difference& difference : differences(both->replayed, both->recorded, 5))
        ADD_FAILURE() << difference.what;
      for (std::uint32_t b = 0; b < problem.memory.buffers().size(); ++b) {
        EXPECT_EQ(both->memory_replayed.contents(b), both->memory_recorded.contents(b)) << "buffer " << b;
      }
    }
  }
}

// But for how often blocks look whether the others have come.
TEST_F(CallsOnGpu, EqualTheReplayWhereBlocksWaitForTheGrid) {
  for (gpu::ProblemToRun& problem : gpu::kernels_that_wait_for_the_grid("sm_75", 24)) {
    for (const bool alone : {false, true}) {
      SCOPED_TRACE(problem.name + (alone ? ", events of one block" : ""));
      auto both = record_both(problem, alone);
      if (!both) continue;
      both->recorded.warp_instructions = both->replayed.warp_instructions;
      both->recorded.thread_instructions = both->replayed.thread_instructions;
      for (const Difference& difference : differences(both->replayed, both->recorded, 5))
        ADD_FAILURE() << difference.what;
      for (std::uint32_t b = 0; b < problem.memory.buffers().size(); ++b) {
        EXPECT_EQ(both->memory_replayed.contents(b), both->memory_recorded.contents(b)) << "buffer " << b;
      }
    }
  }
}

/// Where the lanes of an event access what: in the heap how far from where the thread's first allocation
/// begins.
std::vector<std::int64_t> places_of(const Recording& recording, std::size_t event,
                                    std::map<std::array<std::uint32_t, 3>, std::uint64_t>& first) {
  std::vector<std::int64_t> places;
  const EventColumns& events = recording.events;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if ((events.mask[event] >> lane & 1) == 0) continue;
    const std::uint64_t address =
        events.base[event] + static_cast<std::uint64_t>(recording.shapes[events.shape[event]][lane]);
    const bool in_buffer =
        std::ranges::any_of(recording.buffers, [&](const Buffer& b) { return address - b.base < b.bytes; });
    const bool in_heap = recording.sites[events.site[event]].space == Space::global && !in_buffer;
    const std::uint64_t begin =
        in_heap ? first.try_emplace({events.block[event], events.warp[event], lane}, address).first->second
                : 0;
    places.push_back(static_cast<std::int64_t>(address - begin));
  }
  return places;
}

// A GPU's heap lies elsewhere: equal are the accesses, the lanes, and the places within what each thread has
// allocated.
TEST_F(CallsOnGpu, EqualTheReplayByAllocation) {
  for (const bool is_list : {false, true}) {
    const gpu::ProblemToRun problem =
        is_list ? gpu::kernels_that_call("sm_75").back() : gpu::kernel_that_allocates("sm_75");
    SCOPED_TRACE(problem.name);
    ASSERT_TRUE(allocates(problem));
    const auto both = record_both(problem, false);
    if (!both) continue;
    const Recording &a = both->replayed, &b = both->recorded;
    EXPECT_EQ(both->memory_replayed.contents(is_list ? 1 : 0),
              both->memory_recorded.contents(is_list ? 1 : 0));
    EXPECT_EQ(a.warp_instructions, b.warp_instructions);
    EXPECT_EQ(a.thread_instructions, b.thread_instructions);
    EXPECT_EQ(a.phases, b.phases);
    ASSERT_EQ(a.sites.size(), b.sites.size());
    for (std::size_t s = 0; s < a.sites.size(); ++s) {
      EXPECT_EQ(a.sites[s].instruction, b.sites[s].instruction);
      EXPECT_EQ(a.totals[s].requests, b.totals[s].requests) << a.sites[s].text;
      EXPECT_EQ(a.totals[s].thread_accesses, b.totals[s].thread_accesses) << a.sites[s].text;
      EXPECT_EQ(a.totals[s].divergent_requests, b.totals[s].divergent_requests) << a.sites[s].text;
    }
    EXPECT_EQ(a.events.site, b.events.site);
    EXPECT_EQ(a.events.mask, b.events.mask);
    EXPECT_EQ(a.events.phase, b.events.phase);
    EXPECT_EQ(a.events.order, b.events.order);
    ASSERT_EQ(a.events.size(), b.events.size());
    std::map<std::array<std::uint32_t, 3>, std::uint64_t> first_a, first_b;
    for (std::size_t event = 0; event < a.events.size(); ++event) {
      std::vector<std::int64_t> of_a = places_of(a, event, first_a), of_b = places_of(b, event, first_b);
      // The nodes of a list are allocations of 16 bytes each, at multiples of that in both heaps
      for (auto* const places : {&of_a, &of_b}) {
        for (std::int64_t& place : *places)
          place =
              is_list && a.sites[a.events.site[event]].space == Space::global && (place < 0 || place >= 16)
                  ? place & 15
                  : place;
      }
      if (of_a != of_b)
        ADD_FAILURE() << "event " << event << " of " << a.events.size() << ": "
                      << a.sites[a.events.site[event]].text;
    }
  }
}

std::vector<std::string> all_kernels() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.id != "barrier_divergence") ids.push_back(kernel.id);  // That one may hang on a GPU
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, RecordOnGpu, testing::ValuesIn(all_kernels()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace warplens::app
