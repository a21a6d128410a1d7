#include "gui/harness.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>

#include "gui/gpu_worker.h"
#include "kernels/base/files.h"
#include "viz/export/raster.h"

namespace warplens::app {

void GuiTest::SetUp() {
  std::string folder = (std::filesystem::temp_directory_path() / "warplens-gui-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  config_ = folder;
}

void GuiTest::TearDown() {
  stop();
  std::filesystem::remove_all(config_);
}

void GuiTest::start(const std::filesystem::path& open, WindowSize size) {
  auto settings = load_settings(config_);
  ASSERT_TRUE(settings) << settings.error().message();
  app_ = std::make_unique<App>(AppOptions{.config_folder = config_, .open = open, .worker = {.command = gpu_worker(worker_)}, .wake = Platform::wake},
                               *settings);
  app_->use_native_dialogs(false);
  auto platform = Platform::make({.width = size.width, .height = size.height, .visible = true});
  ASSERT_TRUE(platform) << platform.error().message();
  platform_ = std::move(*platform);

  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  io.ConfigLogToTTY = true;
  io.ConfigNoThrottle = true;
  io.ConfigSavedSettings = false;
  ImGuiTestEngine_Start(engine_, ImGui::GetCurrentContext());
  settle();
}

void GuiTest::start_with_gpu(WindowSize size) {
  worker_ = "gpu";
  start({}, size);
  await([this] { return app_->model().gpu.driver.has_value(); });
  ASSERT_TRUE(app_->model().gpu.usable());
}

void GuiTest::stop() {
  if (engine_ != nullptr) ImGuiTestEngine_Stop(engine_);
  app_.reset();
  platform_.reset();
  // The engine looks at the context until the context is gone.
  if (engine_ != nullptr) ImGuiTestEngine_DestroyContext(engine_);
  engine_ = nullptr;
}

void GuiTest::draw(int frames) {
  for (int i = 0; i < frames; ++i) {
    platform_->wait(0);
    app_->prepare_frame(platform_->graphics());
    platform_->begin_frame();
    app_->draw_frame(platform_->graphics());
    ASSERT_TRUE(platform_->end_frame());
    ImGuiTestEngine_PostSwap(engine_);
  }
}

void GuiTest::settle() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  do {
    draw(3);
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the window is still busy";
  } while (app_->busy());
  draw(3);
}

void GuiTest::await(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    platform_->wait(0.02);
    draw();
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  draw(2);
}

std::vector<std::uint8_t> GuiTest::pixels() {
  app_->prepare_frame(platform_->graphics());
  platform_->begin_frame();
  app_->draw_frame(platform_->graphics());
  auto pixels = platform_->end_frame_with_pixels();
  ImGuiTestEngine_PostSwap(engine_);
  return pixels;
}

void GuiTest::keep_picture(const std::string& name) {
  const char* const folder = std::getenv("WARPLENS_PICTURES");
  if (folder == nullptr) return;
  const auto [width, height] = platform_->size();
  const auto png = viz::to_png({.width = width, .height = height, .rgba = pixels()});
  const auto written = warplens::write_file(std::filesystem::path(folder) / (name + ".png"), std::as_bytes(std::span(png)));
  EXPECT_TRUE(written) << written.error().message();
}

void GuiTest::drive(const std::function<void(ImGuiTestContext&)>& actions) {
  ImGuiTest* test = IM_REGISTER_TEST(engine_, "gui", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  test->TestFunc = [&actions](ImGuiTestContext* context) { actions(*context); };
  ImGuiTestEngine_QueueTest(engine_, test, ImGuiTestRunFlags_RunFromCommandLine);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) draw();
  EXPECT_EQ(test->Output.Status, ImGuiTestStatus_Success);
  ImGuiTestEngine_UnregisterTest(engine_, test);
  draw(2);
}

void GuiTest::command(const std::string& name) {
  const auto& commands = app_->commands();
  const auto found = std::ranges::find(commands, name, &Command::name);
  ASSERT_NE(found, commands.end()) << name;
  ASSERT_TRUE(found->can_run()) << name;
  found->run();
  draw(3);
}

}  // namespace warplens::app
