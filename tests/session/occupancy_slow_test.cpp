// What machine code takes of a multiprocessor: registers, stack and spills of the ladder's kernels, and where
// register_tile begins to spill.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/session/loaded.h"

namespace warplens::app {
namespace {

using analysis::CompiledResources;
using analysis::CompiledVariant;
using analysis::OccupancySubject;

Recording recorded_with(const std::string& kernel, std::vector<NamedValue> parameters,
                        std::uint64_t size = 64, std::uint64_t terms = 16) {
  LaunchRequest request = launch_of_kernel(kernel, std::move(parameters));
  const KernelDescriptor& descriptor = *catalog().find(kernel);
  if (descriptor.has_extent('m')) request.set("m", static_cast<std::int64_t>(size));
  if (descriptor.has_extent('p')) request.set("p", static_cast<std::int64_t>(terms));
  if (descriptor.has_extent('n')) request.set("n", static_cast<std::int64_t>(size));
  Result<Recording> recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? *std::move(recording) : Recording{};
}

TEST(OccupancySubject, OfEveryKernelAgreesWithItsRecording) {
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    SCOPED_TRACE(kernel.id);
    const Recording recording = recorded_with(kernel.id, {}, 48);
    const OccupancySubject subject = occupancy_subject(recording, {}, MachineCode::made);
    // Machine code for 7.5, 8.6 and 9.0, from what the kernel needs on.
    const int needed = ladder_capability(kernel.source_file);
    const std::size_t expected = needed > 86 ? 1 : needed > 75 ? 2 : 3;
    ASSERT_EQ(subject.compiled.size(), expected) << subject.why_no_registers;
    for (const CompiledResources& resources : subject.compiled) {
      const CompiledVariant* const variant = resources.recorded();
      ASSERT_NE(variant, nullptr) << resources.architecture;
      EXPECT_EQ(variant->needs.threads, recording.block.count());
      EXPECT_EQ(variant->needs.shared_bytes, recording.shared_bytes)
          << "the assembler's figure and the replay's";
      EXPECT_EQ(variant->needs.blocks, recording.blocks_total);
      EXPECT_GT(variant->needs.registers.value_or(0), 0u);
      EXPECT_EQ(variant->name.empty(), resources.variants.size() == 1);
    }
  }
}

TEST(OccupancySubject, ShowsWhereRegisterTileBeginsToSpill) {
  const OccupancySubject subject =
      occupancy_subject(recorded_with("register_tile", {{"T", 4}}), {}, MachineCode::made);
  ASSERT_EQ(subject.compiled.size(), 3u);
  for (const CompiledResources& resources : subject.compiled) {
    SCOPED_TRACE(resources.architecture);
    EXPECT_EQ(resources.terms, 16u);
    ASSERT_EQ(resources.variants.size(), 7u);
    for (const CompiledVariant& variant : resources.variants) {
      SCOPED_TRACE(variant.name);
      ASSERT_TRUE(variant.local_loads && variant.local_stores);
      EXPECT_EQ(variant.recorded, variant.name == "T = 4");
      const bool small = variant.name == "T = 1" || variant.name == "T = 2" || variant.name == "T = 4" ||
                         variant.name == "T = 8";
      EXPECT_EQ(*variant.local_loads == 0, small);
      EXPECT_EQ(*variant.local_stores == 0, small);
      EXPECT_EQ(variant.stack_bytes == 0, small);
    }
    const CompiledVariant& spilling = resources.variants[4];
    EXPECT_EQ(spilling.needs.registers, 255u);
    EXPECT_GT(spilling.spill_store_bytes, 0u);
    EXPECT_GT(spilling.spill_load_bytes, 0u);
    // From T = 32 on it is the array itself that lies in local memory: T x T floats.
    EXPECT_EQ(resources.variants[5].stack_bytes, 32u * 32 * 4);
    EXPECT_EQ(resources.variants[6].stack_bytes, 64u * 64 * 4);
    EXPECT_EQ(resources.variants[6].spill_store_bytes, 0u);
    // Each of 8 warps reads and writes its sums, 4 words at a time, once a term.
    EXPECT_GE(*resources.variants[6].local_loads, 8u * 64 * 64 * 16 / 4);
  }
}

/// The whole launch, followed: what the reports and the margin as compiled are made of. A block's share of it
/// is what the subject counts.
TEST(OccupancySubject, CountsTheLocalAccessesOfTheLaunch) {
  for (const std::int64_t t : {8, 16, 32, 64}) {
    SCOPED_TRACE(t);
    const Recording recording = recorded_with("register_tile", {{"T", t}});
    const OccupancySubject subject = occupancy_subject(recording, {}, MachineCode::made);
    for (const CompiledResources& resources : subject.compiled) {
      SCOPED_TRACE(resources.architecture);
      const AsCompiled compiled = as_compiled(recording, resources.cc);
      ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
      EXPECT_EQ(compiled.report.local_load.requests,
                *resources.recorded()->local_loads * recording.blocks_total);
      EXPECT_EQ(compiled.report.local_store.requests,
                *resources.recorded()->local_stores * recording.blocks_total);
      // The same index in all lanes: 4 sectors a word, and no less would do.
      const analysis::Totals& stores = compiled.report.local_store;
      EXPECT_EQ(stores.cost.sectors, stores.requested_bytes / 32);
      EXPECT_EQ(stores.cost.sectors, stores.cost.ideal_sectors);
    }
  }
}

TEST(OccupancySubject, SaysWhyRegistersAreNotKnown) {
  Recording recording = recorded_with("tiled", {});
  recording.origin = Origin::file;
  recording.ptx = "nothing that can be assembled";
  const OccupancySubject subject = occupancy_subject(recording, {}, MachineCode::made);
  EXPECT_TRUE(subject.compiled.empty());
  EXPECT_FALSE(subject.why_no_registers.empty());
  EXPECT_FALSE(subject.needs_for({9, 0}).registers);
}

}  // namespace
}  // namespace warplens::app
