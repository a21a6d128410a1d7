// The replay of the machine code says of each instruction what an H100 counted of it.
#include "app/session/hardware_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/session/compiled_figures.h"
#include "app/session/counter_check.h"
#include "app/session/navigation.h"
#include "session/counted_instructions.h"

namespace warplens::app {
namespace {

LaunchCounters counters_of(const std::string& kernel) {
  LaunchCounters counters;
  counters.cc_major = 9;
  counters.instructions = instructions_counted_on_h100(kernel);
  return counters;
}

std::shared_ptr<const Loaded> counted(const std::string& kernel, const LaunchCounters& counters,
                                      analysis::ComputeCapability cc = {9, 0}) {
  LaunchRequest launch = launch_of_kernel(kernel);
  launch.event_blocks = BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
  Result<Recording> recording = record(launch);
  if (!recording.ok()) return nullptr;
  return with_hardware(*make_loaded(*std::move(recording), cc, {}, nullptr, MachineCode::made), counters);
}

TEST(HardwareFigures, EveryInstructionEqualsAnH100) {
  std::size_t all = 0;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    const LaunchCounters counters = counters_of(kernel.id);
    if (counters.instructions.empty()) continue;
    const auto loaded = counted(kernel.id, counters);
    ASSERT_NE(loaded, nullptr) << kernel.id;
    const std::vector<CheckedInstruction> checked = checked_instructions(*loaded);
    EXPECT_EQ(checked.size(), counters.instructions.size()) << kernel.id;
    for (const CheckedInstruction& one : checked) {
      EXPECT_TRUE(one.count.agrees())
          << kernel.id << ": " << loaded->compiled.function.instructions[one.instruction].text;
    }
    all += checked.size();
  }
  EXPECT_EQ(all, 1466u);
}

TEST(HardwareFigures, AreShownPerLineInstructionAndAccess) {
  const auto loaded = counted("tiled_swapped", counters_of("tiled_swapped"));
  ASSERT_NE(loaded, nullptr);
  const std::uint32_t file = loaded->facts->source_file;
  std::size_t rows = 0;
  for (std::uint32_t line = 1; line < 40; ++line) {
    for (const auto& compiled : compiled_line_figures(*loaded, file, line)) {
      ASSERT_TRUE(compiled.hardware.has_value());
      EXPECT_EQ(compiled.hardware->cost.counted, compiled.cost());
      EXPECT_EQ(in_words(*compiled.hardware, compiled),
                "The GPU counted " + with_thousands(compiled.cost()) +
                    (compiled.space == Space::shared ? " wavefronts, too." : " sectors, too."));
      ++rows;
    }
    for (const auto& written : written_line_figures(*loaded, file, line))
      EXPECT_TRUE(written.hardware && written.hardware->agrees()) << line;
  }
  EXPECT_GE(rows, 5u);
  const auto written = written_line_figures(*loaded, file, 24);
  ASSERT_FALSE(written.empty());
  EXPECT_TRUE(written.front().hardware->explained()) << "the loads are merged to LDS.128";
  const auto event = current_event(*loaded->recording, opening_selection(*loaded));
  ASSERT_TRUE(event.has_value());
  const auto beside = counted_beside(*loaded, *event);
  ASSERT_TRUE(beside.has_value());
  EXPECT_EQ(beside->words, "the GPU: 32 each LDS.128");
  EXPECT_NE(beside->meaning.find("the GPU counted 524,288 wavefronts in 16,384 requests"), std::string::npos)
      << beside->meaning;
}

TEST(HardwareFigures, DifferencesAreReported) {
  LaunchCounters counters = counters_of("tiled");
  for (InstructionCounters& one : counters.instructions) one.wavefronts *= 2;
  const auto loaded = counted("tiled", counters);
  ASSERT_NE(loaded, nullptr);
  const auto event = current_event(*loaded->recording, opening_selection(*loaded));
  const auto beside = counted_beside(*loaded, *event);
  ASSERT_TRUE(beside.has_value());
  EXPECT_EQ(beside->words, "the GPU: 4 each, not 2");
}

TEST(HardwareFigures, EachFigureIsComparedByItself) {
  for (const InstructionField& field : kInstructionFields) {
    LaunchCounters counters = counters_of("tiled");
    for (InstructionCounters& one : counters.instructions) one.*field.value += 1;
    const auto loaded = counted("tiled", counters);
    ASSERT_NE(loaded, nullptr);
    EXPECT_TRUE(std::ranges::any_of(checked_instructions(*loaded), [](const CheckedInstruction& one) {
      return !one.count.agrees();
    })) << field.id;
  }
}

TEST(HardwareFigures, AccessesToSharedMemoryOfAClusterAreNotCompared) {
  LaunchCounters counters = counters_of("tiled_swapped");
  counters.shared_load_wavefronts = 1;
  const auto loaded = counted("tiled_swapped", counters);
  ASSERT_NE(loaded, nullptr);
  const auto compared = [&](const Loaded& of) {
    const std::vector<CheckedCounter> all = checked(of, counters);
    return std::ranges::count_if(all, [](const CheckedCounter& one) { return one.replayed.has_value(); });
  };
  EXPECT_EQ(compared(*loaded), 1);
  Loaded changed = *loaded;
  const auto& sites = changed.compiled.accesses.sites;
  const auto shared = std::ranges::find(sites, Space::shared, &Site::space);
  ASSERT_NE(shared, sites.end());
  changed.compiled.function.instructions[shared->instruction].opcode = "LD";
  EXPECT_EQ(compared(changed), 0);
  const auto index = static_cast<std::uint32_t>(shared - sites.begin());
  EXPECT_TRUE(hardware_count(*loaded, std::array{index}).has_value());
  EXPECT_FALSE(hardware_count(changed, std::array{index}).has_value());
}

TEST(HardwareFigures, OtherCodeOrRulesHaveNone) {
  const LaunchCounters counters = counters_of("tiled");
  EXPECT_FALSE(checked_instructions(*counted("tiled", counters)).empty());
  EXPECT_TRUE(checked_instructions(*counted("tiled", counters, {8, 6})).empty())
      << "other rules, and other code";
  EXPECT_TRUE(checked_instructions(*counted("tiled", LaunchCounters{.cc_major = 9})).empty());
  LaunchCounters moved = counters;
  for (InstructionCounters& one : moved.instructions) one.offset += 8;
  EXPECT_TRUE(checked_instructions(*counted("tiled", moved)).empty()) << "no such instructions";
}

TEST(HardwareFigures, PartialLaunchesHaveNone) {
  const LaunchCounters counters = counters_of("tiled");
  LaunchRequest launch = launch_of_kernel("tiled");
  launch.replay_blocks = BlockChoice{.all = false, .blocks = {{1, 1, 0}}};
  Result<Recording> recording = record(launch);
  ASSERT_TRUE(recording.ok());
  const auto loaded =
      with_hardware(*make_loaded(*std::move(recording), {9, 0}, {}, nullptr, MachineCode::made), counters);
  EXPECT_TRUE(checked_instructions(*loaded).empty()) << "the GPU ran all 64";
  EXPECT_TRUE(checked(*loaded, LaunchCounters{.global_load_requests = 32'768, .cc_major = 9}).empty());
}

}  // namespace
}  // namespace warplens::app
