// Machine code followed through real launches, against the counters of an H200.
#include "app/compiled/as_compiled.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/counter_tables.h"
#include "app/compiled/machine_code.h"
#include "app/session/compiled_figures.h"
#include "app/session/loaded.h"
#include "kernels/compile/machine_code.h"

namespace warplens::app {
namespace {

using golden::Shape;

Result<Recording> recorded_all(const std::string& kernel, const Shape& shape,
                               std::vector<NamedValue> parameters, const std::string& type = "f32") {
  LaunchRequest request = launch_of_kernel(kernel, std::move(parameters));
  request.value_type = type;
  const KernelDescriptor& descriptor = *catalog().find(kernel);
  if (descriptor.has_extent('m')) request.set("m", static_cast<std::int64_t>(shape.m));
  if (descriptor.has_extent('p')) request.set("p", static_cast<std::int64_t>(shape.p));
  if (descriptor.has_extent('n')) request.set("n", static_cast<std::int64_t>(shape.n));
  return record(request);
}

std::vector<NamedValue> tile(const std::string& kernel, golden::Count T) {
  const auto& parameters = catalog().find(kernel)->parameters;
  const bool has =
      std::ranges::any_of(parameters, [](const ParameterInfo& parameter) { return parameter.name == "T"; });
  return has && T != 0 ? std::vector<NamedValue>{{"T", static_cast<std::int64_t>(T)}}
                       : std::vector<NamedValue>{};
}

TEST(AsCompiled, EqualsTheCountersOfAnH200) {
  for (const golden::LadderRow& row : golden::independent_counters()) {
    SCOPED_TRACE(row.name());
    const Result<Recording> recording = recorded_all(row.kernel, row.shape, tile(row.kernel, row.T));
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    const AsCompiled compiled = as_compiled(*recording, {9, 0});
    ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
    EXPECT_EQ(compiled.source(), "sass sm_90");
    const analysis::Report& report = compiled.report;
    EXPECT_EQ(report.shared_load.requests, row.shared_load_instructions);
    EXPECT_EQ(report.shared_load.cost.wavefronts, row.shared_load_wavefronts);
    EXPECT_EQ(report.shared_store.requests, row.shared_store_requests);
    EXPECT_EQ(report.shared_store.cost.wavefronts, row.shared_store_wavefronts);
    EXPECT_EQ(report.global_load.requests, row.load_requests);
    EXPECT_EQ(report.global_load.cost.sectors, row.load_sectors);
    EXPECT_EQ(report.global_store.requests, row.store_requests);
    EXPECT_EQ(report.global_store.cost.sectors, row.store_sectors);
  }
}

/// The text of the instruction that is said to make an access: the `step`-th of a warp in a phase of the
/// grid's first block.
std::string instruction_at(const Loaded& loaded, std::uint32_t warp, std::uint32_t phase, std::size_t step) {
  const EventRange range = events_of_phase(*loaded.recording, 0, warp, phase);
  const auto instruction = instruction_of(loaded, range.begin + step);
  return instruction ? loaded.compiled.function.instructions[*instruction].text : std::string();
}

std::shared_ptr<const Loaded> loaded_with_events(const std::string& kernel) {
  LaunchRequest request = launch_of_kernel(kernel);
  request.event_blocks = BlockChoice{};
  Result<Recording> recording = record(request);
  return recording.ok() ? make_loaded(*std::move(recording), {9, 0}, {}, nullptr, MachineCode::made)
                        : nullptr;
}

TEST(AsCompiled, AnAccessHasItsInstruction) {
  const auto tiled = loaded_with_events("tiled");
  ASSERT_NE(tiled, nullptr);
  // Of the 64 shared loads of a tile those of as are merged by four: as[0][10] is in the third of them.
  std::size_t of_as = 0;
  const EventRange range = events_of_phase(*tiled->recording, 0, 0, 1);
  for (std::size_t step = 0; step < range.size(); ++step) {
    const std::uint64_t base = tiled->recording->events.base[range.begin + step];
    const warplens::Shape& shape =
        tiled->recording->shapes[tiled->recording->events.shape[range.begin + step]];
    if (shape != warplens::Shape{} || base >= 128) continue;  // Broadcasts of as[0][..]
    const std::string text = instruction_at(*tiled, 0, 1, step);
    const std::string offset = base < 16 ? "]" : fmt::format("+{:#x}]", base / 16 * 16);
    EXPECT_NE(text.find("LDS.128"), std::string::npos) << text;
    EXPECT_TRUE(text.find(offset) != std::string::npos) << text << " for byte " << base;
    ++of_as;
  }
  EXPECT_EQ(of_as, 32u);
}

TEST(AsCompiled, EachUnrolledLoadHasItsInstruction) {
  const auto naive = loaded_with_events("naive");
  ASSERT_NE(naive, nullptr);
  std::set<std::string> loads;
  const EventRange range = events_of_phase(*naive->recording, 0, 0, 5);
  for (std::size_t step = 0; step < range.size(); ++step) loads.insert(instruction_at(*naive, 0, 5, step));
  EXPECT_EQ(loads.size(), range.size());
  EXPECT_FALSE(loads.contains(""));
}

TEST(AsCompiled, DamagedRecordingsCannotExceedTheLimit) {
  Result<Recording> recording = recorded_all("naive", {32, 32, 32}, {});
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  ASSERT_TRUE(as_compiled(*recording, {9, 0}).has_counts());
  recording->p = std::uint64_t{1} << 20;  // Iterations of every warp, which nobody has made
  const std::string why = as_compiled(*recording, {9, 0}).why_not();
  EXPECT_EQ(why.rfind("the machine code executes more than", 0), 0u) << why;

  Result<Recording> large = recorded_all("naive", {64, 64, 64}, {});
  ASSERT_TRUE(large.ok()) << large.error().message();
  EXPECT_TRUE(as_compiled(*large, {9, 0}, std::nullopt, nullptr, 1000).has_counts())
      << "one block is followed for all";
  const std::vector<Dim3> blocks{{0, 0, 0}, {1, 1, 0}};
  large->blocks_counted = blocks.size();  // Of them alone
  EXPECT_EQ(as_compiled(*large, {9, 0}, blocks, nullptr, 1000).why_not(),
            "the machine code executes more than 1000 warp instructions; fewer blocks can be followed");
}

TEST(AsCompiled, MergedAccessesAreNamed) {
  const Result<Recording> recording = recorded_all("tiled", {256, 256, 256}, {{"T", 32}});
  ASSERT_TRUE(recording.ok());
  const AsCompiled compiled = as_compiled(*recording, {9, 0});
  ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
  const auto kernel_file = std::ranges::find(recording->files, std::string("tiled.cu"), &SourceFile::name);
  const auto file = static_cast<std::uint32_t>(kernel_file - recording->files.begin());
  const auto changed = analysis::changed_accesses(*recording, file, compiled.accesses, file);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].line, 25u);
  EXPECT_EQ(changed[0].written, (analysis::WidthCounts{0, 0, 1048576, 0, 0}));
  EXPECT_EQ(changed[0].compiled, (analysis::WidthCounts{0, 0, 524288, 0, 131072}));
  ASSERT_TRUE(compiled.inner);
  EXPECT_GT(compiled.inner->share(sass::InstructionKind::multiply_add), 0.3);
  // 32 multiply-adds a thread and tile, 8 tiles, 2,048 warps.
  EXPECT_EQ(compiled.inner->by_kind[static_cast<std::size_t>(sass::InstructionKind::multiply_add)],
            32u * 8 * 2048);
}

/// Every kernel, architecture and value type, with its parameters' least and greatest value and sizes that no
/// tile divides.
class MachineCodeOfKernel : public testing::TestWithParam<std::string> {};

TEST_P(MachineCodeOfKernel, IsFollowed) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (const bool greatest : {false, true}) {
    std::vector<NamedValue> parameters;
    for (const ParameterInfo& parameter : kernel.parameters)
      parameters.push_back({parameter.name, greatest ? parameter.values.back() : parameter.values.front()});
    for (const std::string& type : kernel.value_types) {
      const Result<Recording> recording = recorded_all(kernel.id, {33, 65, 47}, parameters, type);
      ASSERT_TRUE(recording.ok()) << recording.error().message();
      for (const analysis::ComputeCapability cc : {analysis::ComputeCapability{7, 5}, {8, 6}, {9, 0}}) {
        const AsCompiled compiled = as_compiled(*recording, cc);
        const bool has_code = cc.major * 10 + cc.minor >= ladder_capability(kernel.source_file);
        ASSERT_EQ(compiled.has_listing(), has_code) << compiled.why_not();
        if (!has_code) continue;
        EXPECT_EQ(compiled.has_counts(), kernel.fault != FindingKind::barrier_divergence)
            << cc.name() << " " << type << ": " << compiled.why_not();
      }
    }
  }
}

std::vector<std::string> kernel_ids() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, MachineCodeOfKernel, testing::ValuesIn(kernel_ids()),
                         [](const auto& kernel) { return kernel.param; });

TEST(AsCompiled, ShowsSpilling) {
  const Result<Recording> recording = recorded_all("register_tile", {64, 64, 64}, {{"T", 16}});
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(analysis::report(*recording, {9, 0}).local_load.requests, 0u) << "PTX has registers without end";
  const AsCompiled compiled = as_compiled(*recording, {9, 0});
  ASSERT_TRUE(compiled.has_counts()) << compiled.why_not();
  EXPECT_GT(compiled.report.local_load.requests, 0u);
}

TEST(AsCompiled, ArchitectureSpecificPtxIsCompiledForItsArchitecture) {
  if (!compile::has_assembler()) GTEST_SKIP() << "skipped: there is no ptxas and nvdisasm on this machine";
  LaunchRequest request;
  request.origin = FileKernel{.file = "features.ptx",
                              .text =
                                  ".version 9.0\n.target sm_90a\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 p) { .reg .b64 a; .reg .b32 t;\n"
                                  "ld.param.u64 a, [p]; mov.u32 t, %tid.x; st.global.u32 [a], t; ret; }\n"};
  request.shape = {{1}, {32}, 0};
  request.arguments = {*parse_named_argument("u32[1]")};
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const Result<std::string> listing = machine_code_of(*recording, "sm_90", MachineCode::made);
  ASSERT_TRUE(listing.ok()) << listing.error().message();
  EXPECT_NE(listing->find("STG"), std::string::npos);
}

TEST(AsCompiled, OtherKernelsOfTheNameHaveNoFigures) {
  Result<Recording> recording = recorded_all("tiled", {64, 64, 64}, {});
  ASSERT_TRUE(recording.ok());
  recording->ptx += "\n";
  EXPECT_EQ(as_compiled(*recording, {9, 0}).why_not(), "the recording is of another version of the kernel");
  recording->origin = Origin::file;
  EXPECT_FALSE(as_compiled(*recording, {9, 0}).has_counts()) << "its arguments are not known";
}

TEST(AsCompiled, HasFiguresByLineAndInstruction) {
  Result<Recording> recording = recorded_all("tiled", {64, 64, 64}, {{"T", 32}});
  ASSERT_TRUE(recording.ok());
  const auto loaded = make_loaded(std::move(*recording), {9, 0}, {}, nullptr, MachineCode::made);
  const auto rows = compiled_line_figures(*loaded, loaded->facts->source_file, 25);
  ASSERT_EQ(rows.size(), 2u) << "LDS and LDS.128";
  std::uint64_t wavefronts = 0, by_instruction = 0;
  for (const analysis::LineFigures& row : rows) {
    wavefronts += row.cost();
    EXPECT_EQ(row.sites.size(), 64u) << "the loads as written";
  }
  EXPECT_EQ(wavefronts, 786432u / 64);
  for (std::uint32_t i = 0; i < loaded->compiled.function.instructions.size(); ++i) {
    for (const analysis::LineFigures& row : instruction_figures(*loaded, i))
      by_instruction += row.space == Space::shared && row.op == AccessOp::load ? row.cost() : 0;
  }
  EXPECT_EQ(by_instruction, wavefronts);
}

}  // namespace
}  // namespace warplens::app
