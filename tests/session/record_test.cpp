// Every kernel of the ladder, over its parameters and over shapes that fit and shapes that do not: C equals the reference product bit for bit.
#include <gtest/gtest.h>

#include "app/session/session.h"

namespace warplens::app {
namespace {

struct Shape {
  std::uint64_t m, p, n;
};
constexpr Shape kShapes[] = {{1, 1, 1}, {16, 32, 64}, {32, 32, 32}, {31, 33, 35}, {64, 1, 64}, {1, 100, 70}, {100, 100, 100}, {17, 65, 129}};

RecordRequest request(const KernelDescriptor& kernel, Shape shape) {
  RecordRequest result;
  result.kernel = kernel.id;
  result.m = shape.m;
  result.p = shape.p;
  result.n = shape.n;
  return result;
}

// Every combination is one parameter's value at a time: the ladder's kernels have one at most.
std::vector<std::vector<NamedValue>> settings(const KernelDescriptor& kernel) {
  std::vector<std::vector<NamedValue>> all;
  for (const ParameterInfo& parameter : kernel.parameters) {
    for (const std::int64_t value : parameter.values) all.push_back({{parameter.name, value}});
  }
  if (all.empty()) all.emplace_back();
  return all;
}

class EveryKernel : public testing::TestWithParam<std::string> {};

TEST_P(EveryKernel, EqualsTheReferenceAtEveryShape) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (const Shape& shape : kShapes) {
    for (const std::vector<NamedValue>& parameters : settings(kernel)) {
      SCOPED_TRACE(testing::Message() << shape.m << " x " << shape.p << " x " << shape.n
                                      << (parameters.empty() ? "" : ", " + parameters[0].name + " = ")
                                      << (parameters.empty() ? 0 : parameters[0].value));
      RecordRequest one = request(kernel, shape);
      one.parameters = parameters;
      const Result<Recording> recording = record(one);
      ASSERT_TRUE(recording.ok()) << recording.error().message();
      EXPECT_EQ(recording->verified, true);
      EXPECT_TRUE(recording->findings.empty()) << recording->findings[0].text;
      EXPECT_EQ(recording->blocks_replayed, recording->blocks_total);
      EXPECT_EQ(recording->events.size(), 0u) << "no events unless asked for";
    }
  }
}

TEST_P(EveryKernel, OneBlockIsVerifiedByItsOwnPartOfC) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  for (const char* block : {"0,0", "1,1", "2,1", "1,1;0,0"}) {
    SCOPED_TRACE(block);
    RecordRequest one = request(kernel, {100, 40, 200});
    one.replay_blocks = *parse_blocks(block);
    one.event_blocks = one.replay_blocks;
    const Result<Recording> recording = record(one);
    ASSERT_TRUE(recording.ok()) << recording.error().message();
    EXPECT_EQ(recording->verified, true);
    EXPECT_EQ(recording->blocks_replayed, one.replay_blocks.blocks.size());
    EXPECT_EQ(recording->event_blocks.size(), one.replay_blocks.blocks.size());
    EXPECT_GT(recording->events.size(), 0u);
  }
}

TEST_P(EveryKernel, RecordingIsComplete) {
  const KernelDescriptor& kernel = *catalog().find(GetParam());
  RecordRequest one = request(kernel, {33, 34, 65});
  one.event_blocks = BlockChoice{};
  const Result<Recording> recording = record(one);
  ASSERT_TRUE(recording.ok()) << recording.error().message();
  EXPECT_EQ(recording->kernel, kernel.id);
  EXPECT_EQ(recording->engine, "cpu");
  EXPECT_FALSE(recording->device.empty());
  EXPECT_EQ(recording->m, 33u);
  EXPECT_EQ(recording->p, 34u);
  EXPECT_EQ(recording->n, 65u);
  EXPECT_EQ(recording->ptx, ladder_ptx(kernel.source_file));
  EXPECT_EQ(recording->event_blocks.size(), recording->blocks_total);

  const std::shared_ptr<const Loaded> loaded = make_loaded(*recording, one.cc);
  EXPECT_EQ(loaded->recording.files[loaded->source_file].name, kernel.source_file);
  EXPECT_EQ(loaded->recording.files[loaded->source_file].text, ladder_source(kernel.source_file));

  const LaunchPlan plan = kernel.plan(*make_problem(kernel, 33, 34, 65, {}, "f32"));
  ASSERT_EQ(recording->buffers.size(), 3u);
  EXPECT_EQ(recording->buffers[0].name, "A");
  EXPECT_EQ(recording->buffers[0].rows, plan.a.padded_rows);
  EXPECT_EQ(recording->buffers[2].pitch, plan.c.padded_columns);
  ASSERT_EQ(recording->shared_arrays.size(), plan.shared_arrays.size());
  for (std::size_t i = 0; i < plan.shared_arrays.size(); ++i) {
    EXPECT_EQ(recording->shared_arrays[i].name, plan.shared_arrays[i].name);
    EXPECT_EQ(recording->shared_arrays[i].rows, plan.shared_arrays[i].rows);
    EXPECT_EQ(recording->shared_arrays[i].bytes, plan.shared_arrays[i].rows * plan.shared_arrays[i].pitch * sizeof(float));
  }
}

std::vector<std::string> ladder_ids() {
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernel, testing::ValuesIn(ladder_ids()), [](const auto& test) { return test.param; });

TEST(Record, SaysWhatIsWrong) {
  EXPECT_FALSE(record({.kernel = "no_such_kernel"}).ok());
  EXPECT_FALSE(record({.kernel = "tiled", .m = 0}).ok());
  EXPECT_FALSE(record({.kernel = "tiled", .parameters = {{"T", 5}}}).ok());
  RecordRequest outside{.kernel = "tiled"};
  outside.replay_blocks = *parse_blocks("8,0");
  EXPECT_FALSE(record(outside).ok());
}

TEST(Record, CanBeCancelled) {
  replay::Progress progress;
  progress.cancel = true;
  EXPECT_FALSE(record({.kernel = "naive", .m = 512, .p = 512, .n = 512}, &progress).ok());
}

TEST(Record, IsTheSameOnAnyNumberOfThreads) {
  RecordRequest one{.kernel = "tiled", .m = 100, .p = 40, .n = 70, .parameters = {{"T", 8}}, .event_blocks = BlockChoice{}};
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
