// What the recorder's tables and log say comes back as the recording they were made from. Needs no GPU: the tables are made here, from a replay's
// events.
#include "kernels/gpu/record_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "app/session/session.h"
#include "kernels/ptx/parser.h"
#include "kernels/ptx/record_frame.h"
#include "kernels/recording/compare.h"
#include "kernels/recording/shape_table.h"

namespace warplens::gpu {
namespace {

/// One execution of a segment by a warp, as events tell it: by value of the segment, an address for each lane.
struct Execution {
  std::uint32_t segment = 0, warp = 0, phase = 0, mask = 0;
  std::vector<std::array<std::uint64_t, kWarpSize>> values;
};

struct Kernel {
  ptx::Module module;
  replay::Program program;
  ptx::Instrumented instrumented;
  ptx::InstrumentOptions options;
};

Kernel instrumented(const Recording& recording, ptx::RecordMode mode) {
  Result<ptx::Module> module = ptx::parse(recording.ptx, "kernel.ptx");
  Result<replay::Program> program = replay::Program::decode(*module, recording.entry);
  const ptx::InstrumentOptions options{.mode = mode, .threads_per_block = static_cast<std::uint32_t>(recording.block.count())};
  Result<ptx::Instrumented> made = ptx::instrument(*module, program->code().function, options);
  return {std::move(*module), std::move(*program), std::move(*made), options};
}

/// The accesses of a warp stand in the order of the code: as many as a segment has belong together.
std::vector<Execution> executions_of(const Recording& recording, const RecordPlan& plan, std::uint32_t block, std::uint32_t warp) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> place;  // By instruction: segment, and value within it
  std::map<std::uint32_t, std::int64_t> offset;
  for (std::uint32_t s = 0; s < plan.segments.size(); ++s) {
    for (std::uint32_t g = 0; g < plan.segments[s].accesses.size(); ++g) {
      for (const auto& member : plan.segments[s].accesses[g].members) {
        place[member.instruction] = {s, g};
        offset[member.instruction] = member.offset;
      }
    }
  }
  std::vector<Execution> executions;
  std::uint32_t last_instruction = 0;
  const EventRange range = events_of_warp(recording, block, warp);
  for (std::size_t event = range.begin; event < range.end; ++event) {
    const std::uint32_t instruction = recording.sites[recording.events.site[event]].instruction;
    const auto [segment, value] = place.at(instruction);
    if (executions.empty() || executions.back().segment != segment || instruction <= last_instruction) {
      executions.push_back({segment, warp, recording.events.phase[event], recording.events.mask[event], {}});
      std::array<std::uint64_t, kWarpSize> nobody{};
      nobody.fill(ptx::kNoLane);
      executions.back().values.assign(plan.segments[segment].accesses.size(), nobody);
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((recording.events.mask[event] >> lane & 1) == 0) continue;
      executions.back().values[value][static_cast<std::size_t>(lane)] =
          lane_address(recording, event, lane) - static_cast<std::uint64_t>(offset.at(instruction));
    }
    last_instruction = instruction;
  }
  return executions;
}

std::uint64_t space_bits(ptx::StateSpace space) {
  return space == ptx::StateSpace::shared ? std::uint64_t{1} << 62 : 0;
}

Recording replayed(const std::string& kernel) {
  app::RecordRequest request{
      .kernel = kernel, .m = 33, .p = 65, .n = 17, .parameters = {}, .value_type = catalog().find(kernel)->value_types.front()};
  request.event_blocks = app::BlockChoice{};
  Result<Recording> recording = app::record(request);
  EXPECT_TRUE(recording.ok());
  return std::move(*recording);
}

class RecordPlanOf : public testing::TestWithParam<const char*> {};

TEST_P(RecordPlanOf, EventsComeBackFromALog) {
  const Recording before = replayed(GetParam());
  Kernel kernel = instrumented(before, ptx::RecordMode::events);
  const RecordPlan plan(kernel.program.code(), kernel.instrumented, kernel.options, before.dynamic_shared_bytes);

  std::vector<std::byte> log;
  std::vector<std::uint64_t> begin, used;
  const auto append = [&](const auto& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    log.insert(log.end(), bytes, bytes + sizeof value);
  };
  for (std::uint32_t block = 0; block < before.event_blocks.size(); ++block) {
    for (std::uint32_t warp = 0; warp < before.warps_per_block(); ++warp) {
      begin.push_back(log.size());
      for (const Execution& execution : executions_of(before, plan, block, warp)) {
        append(EventHeader{execution.segment, execution.mask, execution.phase, 0});
        for (std::size_t v = 0; v < execution.values.size(); ++v) {
          const std::uint64_t space = space_bits(plan.segments[execution.segment].accesses[v].space);
          for (const std::uint64_t lane : execution.values[v]) append(lane == ptx::kNoLane ? lane : lane | space);
        }
      }
      used.push_back(log.size() - begin.back());
    }
  }

  Recording after = before;
  after.events = {};
  ASSERT_TRUE(add_events(plan, kernel.program.code(), {}, log, begin, used, after).ok());
  canonicalise(after);
  for (const Difference& difference : differences(before, after)) ADD_FAILURE() << difference.what;
}

TEST_P(RecordPlanOf, TotalsComeBackFromTheTables) {
  const Recording before = replayed(GetParam());
  Kernel kernel = instrumented(before, ptx::RecordMode::totals);
  const RecordPlan plan(kernel.program.code(), kernel.instrumented, kernel.options, before.dynamic_shared_bytes);

  std::map<std::pair<std::uint32_t, Shape>, std::uint32_t> numbers;
  std::vector<ShapeSlot> shapes;
  std::vector<RunSlot> runs;
  std::vector<std::uint64_t> counts;
  for (std::uint32_t block = 0; block < before.event_blocks.size(); ++block) {
    for (std::uint32_t warp = 0; warp < before.warps_per_block(); ++warp) {
      const bool last = before.block.count() % kWarpSize != 0 && warp + 1 == before.warps_per_block();
      for (const Execution& execution : executions_of(before, plan, block, warp)) {
        const SegmentInfo info = plan.segment_infos[execution.segment];
        const auto guards = static_cast<std::uint32_t>(plan.segments[execution.segment].guards.size());
        for (std::uint32_t v = 0; v < execution.values.size(); ++v) {
          ShapeSlot slot{.state = kSlotReady, .mask = 0, .offsets = {}};
          std::uint64_t base = ptx::kNoLane;
          Shape shape{};
          for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            const std::uint64_t address = execution.values[v][lane];
            if (address == ptx::kNoLane) continue;
            if (base == ptx::kNoLane) base = address;
            slot.mask |= 1u << lane;
            slot.offsets[lane] = shape[lane] = static_cast<std::int64_t>(address - base);
          }
          if (slot.mask == 0) continue;
          const auto [known, is_new] = numbers.try_emplace({slot.mask, shape}, static_cast<std::uint32_t>(shapes.size()));
          if (is_new) shapes.push_back(slot);
          const bool shared = plan.segments[execution.segment].accesses[v].space == ptx::StateSpace::shared;
          runs.push_back({.state = kSlotReady,
                          .value = info.first_value + guards + v,
                          .shape = known->second,
                          .start = static_cast<std::uint32_t>(base % kPatternAlignment) | (shared ? 1u << 8 : 0) | (last ? kLastWarp : 0),
                          .step = 0,
                          .executions = 1,
                          .first_phase = execution.phase,
                          .phase_step = 0});
          counts.push_back(1);
        }
      }
    }
  }

  Recording after = before;
  after.totals.clear();
  after.phases.clear();
  add_totals(plan, kernel.program.code(), {}, {shapes, runs, counts}, after);
  for (std::size_t site = 0; site < before.sites.size(); ++site) {
    EXPECT_EQ(after.totals[site].requests, before.totals[site].requests);
    EXPECT_EQ(after.totals[site].thread_accesses, before.totals[site].thread_accesses);
    EXPECT_EQ(after.totals[site].divergent_requests, before.totals[site].divergent_requests);
    EXPECT_EQ(after.totals[site].patterns.size(), before.totals[site].patterns.size());
  }
  EXPECT_EQ(after.phases, before.phases);
}

// Without generic accesses, whose spaces events of one instruction tell apart.
INSTANTIATE_TEST_SUITE_P(Ladder, RecordPlanOf,
                         testing::Values("naive", "naive_uncoalesced", "buffered_row", "tiled_dynamic", "tiled_guarded", "tiled", "tiled_swapped",
                                         "tiled_shared_a", "tiled_unroll4", "register_tile", "volkov_transposed", "volkov_padded"),
                         [](const auto& kernel) { return std::string(kernel.param); });

// Eight executions in steps of 96 bytes, one phase each, ten times over.
TEST(RecordPlan, ARunIsAllItsExecutions) {
  const Recording before = replayed("tiled");
  Kernel kernel = instrumented(before, ptx::RecordMode::totals);
  const RecordPlan plan(kernel.program.code(), kernel.instrumented, kernel.options, 0);
  std::uint32_t value = 0;
  while (plan.values[value].access == nullptr || plan.values[value].access->space != ptx::StateSpace::global) ++value;
  const std::uint32_t members = static_cast<std::uint32_t>(plan.values[value].access->members.size());

  const std::vector<ShapeSlot> shapes{{.state = kSlotReady, .mask = 1, .offsets = {}}};
  const std::vector<RunSlot> runs{
      {.state = kSlotReady, .value = value, .shape = 0, .start = 32, .step = 96, .executions = 8, .first_phase = 3, .phase_step = 2}};
  const std::vector<std::uint64_t> counts{4, 6};  // In two copies
  Recording after = before;
  after.totals.clear();
  after.phases.clear();
  add_totals(plan, kernel.program.code(), {}, {shapes, runs, counts}, after);
  std::uint64_t requests = 0, patterns = 0;
  for (const SiteTotals& totals : after.totals) {
    requests += totals.requests;
    patterns += totals.patterns.size();
  }
  EXPECT_EQ(requests, 80u * members);
  EXPECT_EQ(patterns, 8u * members) << "32, 128, 224, 64, 160, 0, 96, 192 modulo 256";
  ASSERT_GE(after.phases.size(), 18u);
  EXPECT_EQ(after.phases[2].requests(), 0u);
  EXPECT_EQ(after.phases[3].requests(), 10u * members);
  EXPECT_EQ(after.phases[17].requests(), 10u * members);
}

}  // namespace
}  // namespace warplens::gpu
