// Every kernel of the ladder, over its parameters and over shapes that fit and shapes that do not: C equals
// the reference product bit for bit.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>

#include "app/session/loaded.h"
#include "kernels/base/clusters.h"

namespace warplens::app {
namespace {

struct Sizes {
  std::uint64_t m, p, n;
};
constexpr Sizes kShapes[] = {{1, 1, 1},   {16, 32, 64}, {32, 32, 32},    {31, 33, 35},
                             {64, 1, 64}, {1, 100, 70}, {100, 100, 100}, {17, 65, 129}};
constexpr std::size_t kOfAllSettings = 3;  ///< Of these shapes: 31 x 33 x 35

LaunchRequest request(const KernelDescriptor& kernel, Sizes shape) {
  LaunchRequest result = launch_of_kernel(kernel.id);
  for (const auto& [name, extent] : {std::pair{'m', shape.m}, {'p', shape.p}, {'n', shape.n}}) {
    if (kernel.has_extent(name)) result.set(std::string(1, name), static_cast<std::int64_t>(extent));
  }
  return result;
}

// One parameter's value at a time, the others at their defaults.
std::vector<std::vector<NamedValue>> settings(const KernelDescriptor& kernel) {
  std::vector<std::vector<NamedValue>> all;
  for (const ParameterInfo& parameter : kernel.parameters) {
    for (const std::int64_t value : parameter.values) all.push_back({{parameter.name, value}});
  }
  if (all.empty()) all.emplace_back();
  return all;
}

std::string in_words(const LaunchRequest& request) {
  std::string words = request.value_type;
  for (const NamedValue& value : request.values) words += fmt::format(", {} = {}", value.name, value.value);
  return words;
}

class EveryKernel : public testing::TestWithParam<std::string> {};

/// Each shape at one setting, in turn, and a shape that fits no tile at all of them; with WARPLENS_AT_LENGTH
/// all shapes at all settings.
TEST_P(EveryKernel, EqualsTheReferenceAtEveryShape) {
  const bool at_length = std::getenv("WARPLENS_AT_LENGTH") != nullptr;
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  const std::vector<std::vector<NamedValue>> all = settings(kernel);
  for (std::size_t i = 0; i < std::size(kShapes); ++i) {
    const Sizes& shape = kShapes[i];
    for (const std::string& type : kernel.value_types) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (!at_length && i != kOfAllSettings && k != i % all.size()) continue;
        const std::vector<NamedValue>& parameters = all[k];
        LaunchRequest one = request(kernel, shape);
        for (const NamedValue& parameter : parameters) one.set(parameter.name, parameter.value);
        one.value_type = type;
        SCOPED_TRACE(in_words(one));
        const Result<Recording> recording = record(one);
        ASSERT_TRUE(recording.ok()) << recording.error().message();
        EXPECT_EQ(recording->verified, true);
        EXPECT_TRUE(recording->findings.empty()) << recording->findings[0].text;
        EXPECT_EQ(recording->blocks_counted, recording->blocks_total);
        EXPECT_EQ(recording->events.size(), 0u) << "no events unless asked for";
      }
    }
  }
}

TEST_P(EveryKernel, OneBlockIsVerifiedByItsOwnPartOfC) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  const LaunchRequest whole = request(kernel, {100, 40, 200});
  const Dim3 grid = kernel.plan(*make_problem(kernel, whole.values, "")).grid;
  const Dim3 first{0, 0, 0}, middle{grid.x / 2, grid.y / 2, 0}, last{grid.x - 1, grid.y - 1, 0};
  for (const std::vector<Dim3>& blocks :
       {std::vector{first}, std::vector{middle}, std::vector{last}, std::vector{last, first}}) {
    LaunchRequest one = whole;
    one.replay_blocks = {.all = false, .blocks = *chosen_blocks(grid, {.all = false, .blocks = blocks})};
    one.event_blocks = one.replay_blocks;
    const Result<Recording> recording = record(one);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    EXPECT_EQ(recording->verified, true);
    EXPECT_EQ(recording->blocks_counted,
              with_whole_clusters(recording->grid, recording->cluster, one.replay_blocks.blocks).size());
    EXPECT_EQ(recording->event_blocks.size(), one.replay_blocks.blocks.size());
    EXPECT_GT(recording->events.size(), 0u);
  }
}

TEST_P(EveryKernel, RecordingIsComplete) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  LaunchRequest one = request(kernel, {33, 34, 65});
  one.event_blocks = BlockChoice{};
  const Result<Recording> recording = record(one);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->kernel, kernel.id);
  EXPECT_EQ(recording->engine, "cpu");
  EXPECT_FALSE(recording->device.empty());
  EXPECT_EQ(recording->m, one.value("m").value_or(0));
  EXPECT_EQ(recording->p, one.value("p").value_or(0));
  EXPECT_EQ(recording->n, one.value("n").value_or(0));
  EXPECT_EQ(recording->ptx, ladder_ptx(kernel.source_file));
  EXPECT_EQ(recording->event_blocks.size(), recording->blocks_total);

  const std::shared_ptr<const Loaded> loaded = make_loaded(*recording, one.cc);
  EXPECT_EQ(loaded->recording->files[loaded->facts->source_file].name, kernel.source_file);
  EXPECT_EQ(loaded->recording->files[loaded->facts->source_file].text, ladder_source(kernel.source_file));

  const LaunchPlan plan = kernel.plan(*make_problem(kernel, one.values, ""));
  ASSERT_GE(recording->buffers.size(), 2u);
  EXPECT_EQ(recording->buffers.front().rows, plan.a.padded_rows);
  EXPECT_EQ(recording->buffers.back().pitch, plan.c.padded_columns);
  if (one.value("p")) {
    EXPECT_EQ(recording->buffers.front().name, "A");
    EXPECT_EQ(recording->buffers.back().name, "C");
  }
  ASSERT_EQ(recording->shared_arrays.size(), plan.shared_arrays.size());
  for (std::size_t i = 0; i < plan.shared_arrays.size(); ++i) {
    EXPECT_EQ(recording->shared_arrays[i].name, plan.shared_arrays[i].name);
    EXPECT_EQ(recording->shared_arrays[i].rows, plan.shared_arrays[i].rows);
    const std::uint32_t row = plan.shared_arrays[i].pitch * plan.shared_arrays[i].element_bytes;
    EXPECT_GE(recording->shared_arrays[i].bytes, plan.shared_arrays[i].rows * row);
    EXPECT_LT(recording->shared_arrays[i].bytes, plan.shared_arrays[i].rows * row + std::max(row, 16u))
        << "no more than barriers behind the rows, or what fills up the last 16 bytes";
  }
}

// Those that are right: what is found in the others, other tests say.
std::vector<std::string> right_ids() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    if (!kernel.fault) ids.push_back(kernel.id);
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernel, testing::ValuesIn(right_ids()),
                         [](const auto& test) { return test.param; });

TEST(Record, ErrorsNameTheCause) {
  EXPECT_FALSE(record(launch_of_kernel("no_such_kernel")).ok());
  EXPECT_FALSE(record(launch_of_kernel("tiled", {{"m", 0}})).ok());
  EXPECT_FALSE(record(launch_of_kernel("tiled", {{"T", 5}})).ok());
  LaunchRequest outside = launch_of_kernel("tiled");
  outside.replay_blocks = *parse_blocks("8,0");
  EXPECT_FALSE(record(outside).ok());
}

TEST(Record, CanBeCancelled) {
  replay::Progress progress;
  progress.cancel = true;
  EXPECT_FALSE(record(launch_of_kernel("naive", {{"m", 512}, {"p", 512}, {"n", 512}}), &progress).ok());
}

TEST(Record, IsTheSameOnAnyNumberOfThreads) {
  LaunchRequest one = launch_of_kernel("tiled", {{"m", 100}, {"p", 40}, {"n", 70}, {"T", 8}});
  one.event_blocks = BlockChoice{};
  one.threads = 1;
  const Result<Recording> single = record(one);
  one.threads = 3;
  const Result<Recording> several = record(one);
  ASSERT_TRUE(single.ok() && several.ok());
  EXPECT_EQ(single->events, several->events);
  EXPECT_EQ(single->totals, several->totals);
  EXPECT_EQ(single->phases, several->phases);
}

}  // namespace
}  // namespace warplens::app
