// The formulas of the descriptors against what recordings count, exactly, at sizes that fit and at sizes that
// are padded or cut.
#include "viz/analysis/arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/session/arithmetic.h"
#include "app/session/loaded.h"
#include "kernels/catalog/arithmetic.h"
#include "kernels/catalog/published.h"

namespace warplens::app {
namespace {

struct Size {
  std::uint64_t m, p, n;
};

std::vector<std::vector<NamedValue>> choices_of(const KernelDescriptor& kernel) {
  std::vector<std::vector<NamedValue>> choices{{}};
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (parameter.name != "T") continue;
    for (const std::int64_t value : parameter.values) choices.push_back({{"T", value}});
  }
  if (kernel.id == "tiled_dynamic") choices.push_back({{"T", 8}, {"grid", 2}});
  return choices;
}

void expect_formula(const KernelDescriptor& kernel, const Size& size,
                    const std::vector<NamedValue>& parameters, const std::string& value_type) {
  SCOPED_TRACE(testing::Message() << name_with_tile(kernel.id, parameters) << " " << value_type << " "
                                  << size.m << " x " << size.p << " x " << size.n);
  const auto problem = make_problem(kernel, size.m, size.p, size.n, parameters, value_type);
  ASSERT_TRUE(problem.ok()) << problem.error().message();
  LaunchRequest request = launch_of_kernel(kernel.id, parameters);
  request.set("m", static_cast<std::int64_t>(size.m));
  request.set("p", static_cast<std::int64_t>(size.p));
  request.set("n", static_cast<std::int64_t>(size.n));
  request.value_type = value_type;
  const auto recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const auto counted = analysis::count_arithmetic(*recording, analysis::report(*recording, {9, 0}));
  ASSERT_TRUE(counted.ok()) << counted.error().message();
  const auto formula = figures_by_formula(kernel, *problem);
  ASSERT_TRUE(formula.has_value());
  EXPECT_EQ(counted->flops, formula->flops);
  EXPECT_EQ(counted->global_loads, formula->loads);
  EXPECT_EQ(counted->requested_bytes, formula->loaded_bytes);
  EXPECT_EQ(counted->requested_intensity(), formula->intensity());
}

class CountedEqualsFormula : public testing::TestWithParam<std::string> {};

TEST_P(CountedEqualsFormula, AtEveryShape) {
  constexpr Size kSizes[] = {{64, 64, 64}, {33, 65, 129}, {1, 7, 300}, {100, 37, 64}, {1, 1, 1}};
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (const auto& parameters : choices_of(kernel)) {
    const bool large = !parameters.empty() && parameters.front().value >= 32 && kernel.id == "register_tile";
    for (const Size& size : kSizes) {
      if (large && size.m != 1) continue;  // A block is 512 x 512 elements or more
      for (const std::string& value_type : kernel.value_types)
        expect_formula(kernel, size, parameters, value_type);
    }
  }
}

std::vector<std::string> ladder_kernels() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (kernel.group == KernelGroup::ladder) ids.push_back(kernel.id);
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, CountedEqualsFormula, testing::ValuesIn(ladder_kernels()),
                         [](const auto& kernel) { return kernel.param; });

std::shared_ptr<const Loaded> loaded_at_256(const std::string& kernel, std::int64_t tile) {
  LaunchRequest request = launch_of_kernel(kernel, {{"m", 256}, {"p", 256}, {"n", 256}});
  if (tile != 0) request.set("T", tile);
  auto recording = record(request);
  EXPECT_TRUE(recording.ok()) << recording.error().message();
  return recording.ok() ? make_loaded(std::move(*recording), {9, 0}) : nullptr;
}

analysis::Ceilings ceilings_of(const Loaded& loaded, const char* card) {
  return analysis::ceilings(*loaded.arithmetic.counted, analysis::find_card(card)->roof);
}

/// What was measured on an H200 lies under the roof of its shared memory, as compiled.
TEST(SharedRoof, NoMeasuredRateIsAboveIt) {
  const PublishedTable* const table = shipped_ladder("f32");
  ASSERT_NE(table, nullptr);
  int compared = 0;
  for (const PublishedPoint& measured : table->series.front().points) {
    const KernelDescriptor* const kernel = catalog().find(measured.name);
    if (kernel == nullptr) continue;
    SCOPED_TRACE(measured.name);
    const auto loaded = loaded_at_256(
        measured.name,
        std::ranges::count(kernel->parameters, "T", &ParameterInfo::name) > 0 ? measured.tile : 0);
    ASSERT_TRUE(loaded != nullptr && loaded->arithmetic.counted.has_value());
    EXPECT_TRUE(loaded->compiled.has_counts());
    const analysis::Ceilings ceilings = ceilings_of(*loaded, "NVIDIA H200");
    if (!ceilings.shared) continue;
    EXPECT_EQ(loaded->arithmetic.counted->shared.architecture, "sm_90");
    EXPECT_GT(*ceilings.shared, measured.gflops);
    EXPECT_GE(*ceilings.without_conflicts, *ceilings.shared);
    ++compared;
  }
  EXPECT_GT(compared, 8);
}

TEST(SharedRoof, SwappedIndicesAreLimitedByBankConflicts) {
  const auto tiled = loaded_at_256("tiled", 32), swapped = loaded_at_256("tiled_swapped", 32),
             naive = loaded_at_256("naive", 32);
  for (const char* const card : {"NVIDIA H200", "NVIDIA GeForce RTX 4070", "NVIDIA A100-SXM4-80GB"}) {
    SCOPED_TRACE(card);
    const analysis::Bound bound = ceilings_of(*tiled, card).bound(),
                          of_swapped = ceilings_of(*swapped, card).bound();
    EXPECT_TRUE(bound == analysis::Bound::shared || bound == analysis::Bound::memory)
        << static_cast<int>(bound);
    EXPECT_TRUE(of_swapped == analysis::Bound::conflicts || of_swapped == analysis::Bound::scattered)
        << static_cast<int>(of_swapped);
    EXPECT_EQ(ceilings_of(*naive, card).bound(), analysis::Bound::memory);
    EXPECT_GT(ceilings_of(*tiled, card).attainable(), 4 * ceilings_of(*swapped, card).attainable());
  }
}

TEST(CountArithmetic, AccessesPerMultiplyAddEqualTheGainFormula) {
  const LaunchRequest request = launch_of_kernel("tiled", {{"m", 64}, {"p", 64}, {"n", 64}, {"T", 16}});
  const auto recording = record(request);
  ASSERT_TRUE(recording.ok());
  const auto counted = analysis::count_arithmetic(*recording, analysis::report(*recording, {9, 0}));
  ASSERT_TRUE(counted.ok());
  EXPECT_EQ(counted->per_multiply_add(counted->global_loads), 2.0 / 16);
  EXPECT_EQ(counted->per_multiply_add(counted->shared_loads), 2.0);
  EXPECT_EQ(counted->per_multiply_add(counted->shared_stores), 2.0 / 16);
  const analysis::AccessTimes times{100, 10};
  EXPECT_NEAR(analysis::gain(times, {2.0 / 16, 2.0}), analysis::gain_of_tiles(times, 16), 1e-12);
}

TEST(CountArithmetic, FetchedBytesAreThoseOfTheSectors) {
  const LaunchRequest request = launch_of_kernel("naive", {{"m", 64}, {"p", 64}, {"n", 64}});
  const auto recording = record(request);
  ASSERT_TRUE(recording.ok());
  const auto report = analysis::report(*recording, {9, 0});
  const auto counted = analysis::count_arithmetic(*recording, report);
  ASSERT_TRUE(counted.ok());
  // Of a warp's two loads a term, A's is a broadcast of one sector and B's is four: 160 B for 32
  // multiply-adds.
  EXPECT_EQ(counted->fetched_bytes, 64u * 64 * 64 / 32 * 160);
  EXPECT_EQ(counted->fetched_intensity(), 64.0 / 160);
  // Before CC 5.0 transactions differ in size: lines of 128 B with the first-level cache on.
  const auto fermi = analysis::count_arithmetic(*recording, analysis::report(*recording, {2, 0}));
  ASSERT_TRUE(fermi.ok());
  EXPECT_EQ(fermi->fetched_bytes, 64u * 64 * 64 / 32 * 256);
}

TEST(CountArithmetic, OtherKernelsAndPartialRecordingsAreRefused) {
  const auto sum = record(launch_of_kernel("vector_add"));
  ASSERT_TRUE(sum.ok());
  const auto refused = analysis::count_arithmetic(*sum, analysis::report(*sum, {9, 0}));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("vector_add multiplies no matrices"), std::string::npos);
  LaunchRequest request = launch_of_kernel("tiled", {{"m", 64}, {"p", 64}, {"n", 64}});
  request.replay_blocks = {.all = false, .blocks = {{1, 1, 0}}};
  const auto part = record(request);
  ASSERT_TRUE(part.ok());
  const auto partial = analysis::count_arithmetic(*part, analysis::report(*part, {9, 0}));
  ASSERT_FALSE(partial.ok());
  EXPECT_EQ(partial.error().what, "the recording has 1 of 4 blocks");
  EXPECT_FALSE(partial.error().hint.empty());
}

/// Returns the ladder's kernels whose default value type is `type`.
std::vector<std::string> kernels_of(const std::string& type) {
  std::vector<std::string> ids = ladder_kernels();
  std::erase_if(ids, [&](const std::string& id) { return catalog().find(id)->value_types.front() != type; });
  return ids;
}

TEST(ArithmeticOf, TensorCoreProductIsComparedWithItsTypesLadder) {
  const auto recording = record(launch_of_kernel("mma_plain", {{"m", 128}, {"p", 64}, {"n", 128}}));
  ASSERT_TRUE(recording.ok());
  const analysis::Arithmetic arithmetic = arithmetic_of(*recording, analysis::report(*recording, {9, 0}));
  EXPECT_EQ(arithmetic.tensor_type, "f16");
  EXPECT_EQ(arithmetic.other_values, "f16") << "the textbook has no tensor cores";
  std::vector<std::string> ids;
  for (const analysis::FormulaKernel& catalog_kernel : arithmetic.ladder)
    ids.push_back(catalog_kernel.kernel);
  EXPECT_EQ(ids, kernels_of("f16"));
}

TEST(ArithmeticOf, HoldsTheRecordedKernelAmongTheLadder) {
  const LaunchRequest request = launch_of_kernel("tiled", {{"m", 48}, {"p", 64}, {"n", 64}, {"T", 16}});
  const auto recording = record(request);
  ASSERT_TRUE(recording.ok());
  const analysis::Arithmetic arithmetic = arithmetic_of(*recording, analysis::report(*recording, {9, 0}));
  EXPECT_EQ(arithmetic.kernel, "tiled, T = 16");
  EXPECT_EQ(arithmetic.size, "48 x 64 x 64");
  ASSERT_EQ(arithmetic.ladder.size(), kernels_of("f32").size());
  EXPECT_EQ(std::ranges::count(arithmetic.ladder, true, &analysis::FormulaKernel::recorded), 1);
  const auto recorded = std::ranges::find(arithmetic.ladder, true, &analysis::FormulaKernel::recorded);
  EXPECT_EQ(recorded->name, "tiled, T = 16");
  ASSERT_TRUE(arithmetic.counted.has_value());
  EXPECT_EQ(recorded->intensity, arithmetic.counted->requested_intensity());
  EXPECT_EQ(recorded->intensity, 4);
}

TEST(ArithmeticOf, IntegerProductsHaveNoRoof) {
  LaunchRequest request = launch_of_kernel("tiled_shared_a", {{"m", 32}, {"p", 32}, {"n", 32}});
  request.value_type = "f64";
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(arithmetic_of(*recording, analysis::report(*recording, {})).other_values, "double");
}

// The buffered kernels' loads of four operands at once are four loads of the formula.
TEST(ArithmeticOf, VectorLoadsReachSeveralOperands) {
  const LaunchRequest request = launch_of_kernel("buffered_row", {{"m", 64}, {"p", 64}, {"n", 64}});
  const Result<Recording> recording = record(request);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  const auto counted = analysis::count_arithmetic(*recording, analysis::report(*recording, {}));
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->per_multiply_add(counted->shared_loads), 1);
}

TEST(ArithmeticOf, OtherKernelsShowTheLadderAndSayWhy) {
  const LaunchRequest request = launch_of_kernel("vector_add");
  const auto recording = record(request);
  ASSERT_TRUE(recording.ok());
  const analysis::Arithmetic arithmetic = arithmetic_of(*recording, analysis::report(*recording, {9, 0}));
  EXPECT_FALSE(arithmetic.counted.has_value());
  EXPECT_EQ(arithmetic.why_not, "vector_add multiplies no matrices");
  EXPECT_EQ(arithmetic.what_to_do, "Record a kernel of the ladder.");
  EXPECT_EQ(arithmetic.size, "1,024 of a product");
  EXPECT_EQ(arithmetic.ladder.size(), kernels_of("f32").size());
}

}  // namespace
}  // namespace warplens::app
