#include "viz/picture/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "picture/kernels.h"
#include "viz/analysis/results.h"
#include "viz/views/pipeline_trace.h"

namespace warplens::picture {
namespace {

struct PipelineSubject {
  Recording recording = test::tiled();
  analysis::Pipeline pipeline = analysis::pipeline_of(recording, 0);
  Moment moment{.recording = &recording, .cc = {9, 0}, .phase = 1};
  [[nodiscard]] Picture make(Size size = {1000, 500}) const {
    return make_pipeline(moment, pipeline, analysis::phase_kinds(recording), size, {&dark_palette(), 1});
  }
};

TEST(PipelinePicture, EveryPhaseHasARegion) {
  const PipelineSubject subject;
  const Picture picture = subject.make();
  for (std::int64_t phase = 0; phase < static_cast<std::int64_t>(subject.recording.phases.size()); ++phase) {
    EXPECT_TRUE(std::ranges::any_of(picture.regions, [&](const Region& region) {
      return region.target.kind == Target::Kind::phase && region.target.a == phase;
    })) << phase;
  }
}

TEST(PipelinePicture, SentenceSaysThatStoresFillIt) {
  EXPECT_EQ(PipelineSubject().make().sentence,
            "1 stage, filled by ordinary stores: there are no asynchronous copies.");
}

TEST(PipelinePicture, NarrowPictureShowsTheCurrentPhase) {
  PipelineSubject subject;
  subject.moment.phase = static_cast<std::uint32_t>(subject.recording.phases.size() - 1);
  const Picture picture = subject.make({200, 300});
  EXPECT_TRUE(std::ranges::any_of(picture.regions, [&](const Region& region) {
    return region.target.kind == Target::Kind::phase && region.target.a == subject.moment.phase;
  }));
}

TEST(PipelinePicture, KernelWithoutSharedMemorySaysSo) {
  const Recording recording = test::naive(64, 64, 8);
  const Picture picture =
      make_pipeline({.recording = &recording, .cc = {9, 0}}, analysis::pipeline_of(recording, 0),
                    analysis::phase_kinds(recording), {800, 400}, {&dark_palette(), 1});
  EXPECT_TRUE(picture.empty);
}

TEST(PipelineTrace, HasAThreadForEachWarpAndStage) {
  const PipelineSubject subject;
  const auto trace = nlohmann::json::parse(viz::pipeline_trace(subject.moment, subject.pipeline));
  std::size_t warps = 0, stages = 0, accesses = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name") ++(event["pid"] == 1 ? warps : stages);
    if (event["ph"] != "X") continue;
    EXPECT_GT(event["dur"].get<double>(), 0);
    if (event["pid"] == 1) accesses += event["args"]["accesses"].get<std::size_t>();
  }
  EXPECT_EQ(warps, subject.recording.warps_per_block());
  EXPECT_EQ(stages, subject.pipeline.stages.size());
  EXPECT_EQ(accesses, events_of_block(subject.recording, 0).size()) << "no access is left out";
}

}  // namespace
}  // namespace warplens::picture
