// What the recorder's tables and log say comes back as the recording they were made from. Needs no GPU: the
// tables are made here, from a replay's events.
#include "kernels/gpu/record_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "app/session/loaded.h"
#include "kernels/ptx/instrument/record_frame.h"
#include "kernels/ptx/parser.h"
#include "kernels/recording/compare.h"
#include "kernels/recording/shape_table.h"

namespace warplens::gpu {
namespace {

struct Kernel {
  ptx::Module module;
  replay::Program program;
  ptx::Instrumented instrumented;
  ptx::InstrumentOptions options;
};

Kernel instrumented(const Recording& recording, ptx::RecordMode mode) {
  Result<ptx::Module> module = ptx::parse(recording.ptx, "kernel.ptx");
  Result<replay::Program> program = replay::Program::decode(*module, recording.entry);
  const ptx::InstrumentOptions options{
      .mode = mode, .threads_per_block = static_cast<std::uint32_t>(recording.block.count())};
  Result<ptx::Instrumented> made = ptx::instrument(*module, program->code().function, options);
  return {std::move(*module), std::move(*program), std::move(*made), options};
}

Recording replayed(const std::string& kernel) {
  app::LaunchRequest request = app::launch_of_kernel(kernel, {{"m", 33}, {"p", 65}, {"n", 17}});
  request.value_type = catalog().find(kernel)->value_types.front();
  request.event_blocks = app::BlockChoice{};
  Result<Recording> recording = app::record(request);
  EXPECT_TRUE(recording.ok());
  return std::move(*recording);
}

// Eight executions in steps of 96 bytes, two phases each; that three times, each time 4 bytes and 20 phases
// on; ten times over.
TEST(RecordPlan, ASeriesIsAllTheExecutionsOfItsRuns) {
  const Recording before = replayed("tiled");
  Kernel kernel = instrumented(before, ptx::RecordMode::totals);
  const RecordPlan plan(kernel.program.code(), kernel.instrumented, kernel.options, 0);
  std::uint32_t value = 0;
  while (plan.values[value].access == nullptr || plan.values[value].access->space != ptx::StateSpace::global)
    ++value;
  const std::uint32_t members = static_cast<std::uint32_t>(plan.values[value].access->members.size());

  const std::vector<ShapeSlot> shapes{{.state = kSlotReady, .mask = 1, .offsets = {}}};
  std::vector<RunSlot> runs{{.state = kSlotReady,
                             .value = value,
                             .shape = 0,
                             .start = 32,
                             .step = 96,
                             .executions = 8,
                             .first_phase = 3,
                             .phase_step = 2,
                             .runs = 3,
                             .series_step = 4,
                             .series_phase_step = 20}};
  const std::vector<std::uint64_t> counts{4, 6};  // In two copies
  const std::vector<std::int64_t> distances(plan.shifted.size());
  for (RunSlot& run : runs) {
    for (auto* const number :
         {&run.value, &run.shape, &run.start, &run.step, &run.executions, &run.first_phase, &run.phase_step,
          &run.runs, &run.series_step, &run.series_phase_step}) {
      *number = ~*number;
    }
  }
  Recording after = before;
  after.totals.clear();
  after.phases.clear();
  const replay::Memory memory;
  const OperandAccesses no_operands(kernel.program.code(), {}, memory, {1, 1, 1}, 0);
  ASSERT_TRUE(add_totals(plan, kernel.program.code(), {}, no_operands,
                         {shapes, runs, counts, {}, distances, {}}, after)
                  .ok());
  std::uint64_t requests = 0, patterns = 0;
  for (const SiteTotals& totals : after.totals) {
    requests += totals.requests;
    patterns += totals.patterns.size();
  }
  EXPECT_EQ(requests, 240u * members);
  EXPECT_EQ(patterns, 24u * members) << "32, 128, 224, 64, 160, 0, 96, 192 modulo 256, and 4 and 8 bytes on";
  ASSERT_GE(after.phases.size(), 58u);
  EXPECT_EQ(after.phases[2].requests(), 0u);
  EXPECT_EQ(after.phases[3].requests(), 10u * members);
  EXPECT_EQ(after.phases[17].requests(), 10u * members);
  EXPECT_EQ(after.phases[19].requests(), 0u);
  EXPECT_EQ(after.phases[23].requests(), 10u * members);
  EXPECT_EQ(after.phases[57].requests(), 10u * members);
}

}  // namespace
}  // namespace warplens::gpu
