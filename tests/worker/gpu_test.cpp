// The product's worker on a real GPU: launches, live launches, recordings; and kernels that fault, or never
// end, twenty times in a row.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/kernel_file/kernel_file.h"
#include "app/launch/resolve.h"
#include "app/launch_form/launch_form.h"
#include "app/worker/wire.h"
#include "kernels/recording/compare.h"
#include "kernels/recording/file.h"
#include "session/exercises.h"
#include "worker/conversation.h"

namespace warplens::worker {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr int kTimes = 20;
constexpr auto kReadyAfterLoss = 3000ms;
constexpr auto kWatchdog = 2000ms;

constexpr const char* kHead =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b64 %rd<4>; "
    ".reg .b32 %r<4>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 1;\n";

struct Fault {
  const char* name;
  const char* body;
};
const Fault kFaults[] = {{"illegal_address", "mov.u64 %rd2, 64;\nst.global.u32 [%rd2], %r1;\nret;\n}\n"},
                         {"misaligned", "add.s64 %rd2, %rd2, 1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n"},
                         {"trap", "st.global.u32 [%rd2], %r1;\ntrap;\n}\n"},
                         {"endless",
                          "AGAIN:\nld.volatile.global.u32 %r2, [%rd2];\nadd.u32 %r2, %r2, "
                          "%r1;\nst.volatile.global.u32 [%rd2], %r2;\nbra AGAIN;\n}\n"}};

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const gpu::DriverCheck check = gpu::check_driver();
    if (check.gpus.empty()) GTEST_SKIP() << "no NVIDIA GPU here: " << check.missing;
  }
  static json run_request() {
    gpu::RunRequest request;
    request.with_cublas = true;
    return to_json(request);
  }
};

TEST_F(OnGpu, LaunchesAreVerifiedAndLiveOnesGoOnUntilCancelled) {
  Conversation talk;
  const auto ran = talk.answer(talk.send("run", run_request()), 60s);
  ASSERT_TRUE(ran);
  ASSERT_EQ(ran->kind, Event::Kind::result) << ran->error.message();
  EXPECT_TRUE(run_result_from(ran->body).verified);

  const auto live = talk.send("live", run_request());
  for (int i = 0; i < 5; ++i) {
    const auto sample =
        talk.wait_for([&](const Event& event) { return event.id == live && event.body.contains("value"); });
    ASSERT_TRUE(sample);
    EXPECT_GT(live_sample_from(sample->body["value"]).gflops, 0);
  }
  talk.client().cancel(live);
  const auto ended = talk.answer(live);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->kind, Event::Kind::result) << ended->error.message();
}

TEST_F(OnGpu, TwentyLaunchesWithoutMemoryCostNoRecording) {
  app::LaunchRequest request;
  request.event_blocks = app::BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
  request.engine = app::Engine::gpu;
  Conversation talk;
  ASSERT_TRUE(talk.ready());
  const auto recorded = talk.answer(talk.send("record", to_json(request)), 60s);
  ASSERT_TRUE(recorded);
  ASSERT_EQ(recorded->kind, Event::Kind::result) << recorded->error.message();
  Conversation other;
  const auto taken = other.answer(other.send("hog", {{"all", true}}), 60s);
  ASSERT_TRUE(taken);
  ASSERT_EQ(taken->kind, Event::Kind::result) << taken->error.message();
  for (int i = 0; i < kTimes; ++i) {
    const auto refused = talk.answer(talk.send("record", to_json(request)), 60s);
    ASSERT_TRUE(refused && refused->kind == Event::Kind::error) << i;
    EXPECT_NE(refused->error.message().find("memory"), std::string::npos) << refused->error.message();
    ASSERT_TRUE(talk.ready(kReadyAfterLoss)) << i;
  }
  EXPECT_TRUE(decode(recorded->bytes).ok());
  ASSERT_TRUE(other.answer(other.send("hog", {{"all", false}}), 60s));
  const auto again = talk.answer(talk.send("record", to_json(request)), 60s);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kind, Event::Kind::result) << again->error.message();
}

class Faults : public OnGpu, public ::testing::WithParamInterface<Fault> {};

TEST_P(Faults, TwentyInARowCostNoRecording) {
  const auto path = std::filesystem::path(testing::TempDir()) / (std::string(GetParam().name) + ".ptx");
  std::ofstream(path) << kHead << GetParam().body;
  app::LaunchRequest bad;
  bad.origin = app::FileKernel{.file = path, .entry = {}, .text = {}, .sources = {}, .source_folders = {}};
  bad.shape.block = {32, 1, 1};
  bad.arguments = {{"", app::BufferSpec{.count = 1024, .file = {}}}};
  bad.engine = app::Engine::gpu;
  app::LaunchRequest good;
  good.event_blocks = app::BlockChoice{.all = false, .blocks = {{0, 0, 0}}};
  good.engine = app::Engine::gpu;

  Conversation talk({.watchdog = kWatchdog});
  ASSERT_TRUE(talk.ready());
  const auto recorded = talk.answer(talk.send("record", to_json(good)), 60s);
  ASSERT_TRUE(recorded);
  ASSERT_EQ(recorded->kind, Event::Kind::result) << recorded->error.message();
  for (int i = 0; i < kTimes; ++i) {
    const auto lost = talk.answer(talk.send("record", to_json(bad)));
    ASSERT_TRUE(lost && lost->worker_lost) << (lost ? lost->error.message() : "no answer");
    if (i == 0) RecordProperty("message", lost->error.message());
    ASSERT_TRUE(talk.ready(kReadyAfterLoss)) << i;
  }
  EXPECT_TRUE(decode(recorded->bytes).ok());
  const auto again = talk.answer(talk.send("record", to_json(good)), 60s);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kind, Event::Kind::result) << again->error.message();
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Faults, ::testing::ValuesIn(kFaults),
                         [](const auto& tested) { return std::string(tested.param.name); });

// A student's kernel on the GPU: verified there, and recorded as the replay does.
class ExercisesOnGpu : public OnGpu, public ::testing::WithParamInterface<app::Exercise> {};

TEST_P(ExercisesOnGpu, AreVerifiedAndRecordedAsByTheReplay) {
  app::LaunchRequest request;
  request.origin = app::FileKernel{.file = app::file_of(GetParam()),
                                   .entry = GetParam().kernel,
                                   .text = {},
                                   .sources = {},
                                   .source_folders = {}};
  request.form = *app::parse_form("");
  request.event_blocks = app::BlockChoice{};
  const Result<Recording> replayed = app::record(request);
  ASSERT_TRUE(replayed.ok()) << replayed.error().message();

  request.engine = app::Engine::gpu;
  Conversation talk;
  const Result<app::LaunchRequest> launch =
      app::resolved(request);  // Its form by numbers: a worker reads no sources
  ASSERT_TRUE(launch.ok()) << launch.error().message();
  const auto recorded = talk.answer(talk.send("record", to_json(*launch)), 60s);
  ASSERT_TRUE(recorded);
  ASSERT_EQ(recorded->kind, Event::Kind::result) << recorded->error.message();
  const Result<Recording> decoded = decode(recorded->bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  EXPECT_EQ(decoded->verified, true);
  for (const Difference& difference : differences(*replayed, *decoded, 5)) ADD_FAILURE() << difference.what;
}

INSTANTIATE_TEST_SUITE_P(Courses, ExercisesOnGpu, ::testing::ValuesIn(app::kExercises),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace warplens::worker
