#include "gui/harness.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <span>

#include "gui/drawn_text.h"
#include "gui/gpu_worker.h"
#include "kernels/base/files.h"
#include "viz/export/raster.h"

namespace warplens::app {
namespace {

constexpr float kPatience = 900;  ///< Seconds: on a busy machine what one test drives takes minutes. A test
                                  ///< that hangs is ended by ctest
constexpr double kLongestWait = 0.02;  ///< Seconds: nobody is told of some work that ends
constexpr double kLongestPause =
    0.5;  ///< Seconds: longer than any that who types or clicks makes before work begins
constexpr float kFrameSeconds = 1.0f / 60;
constexpr float kFrame = 10;  ///< Around a view, in pixels of scale 1: its border with round corners

/// The glyphs of a window's draw list that its clip rectangles let through in part only, as places; `drawn`
/// counts all glyphs. What can be scrolled may be cut where it is scrolled.
std::vector<std::string> cut_glyphs(const ImGuiWindow& window, std::size_t& drawn) {
  constexpr float kTrace = 1.5f;  // Pixels of a glyph that may lie outside: its antialiased edge
  std::vector<std::string> cut;
  const ImDrawList& list = *window.DrawList;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr || command.TexRef._TexData != ImGui::GetIO().Fonts->TexData) continue;
    const ImRect clip(command.ClipRect);
    for (unsigned i = 0; i + 6 <= command.ElemCount; i += 3) {
      const auto vertex = [&](unsigned k) -> const ImDrawVert& {
        return list.VtxBuffer[static_cast<int>(command.VtxOffset +
                                               list.IdxBuffer[static_cast<int>(command.IdxOffset + i + k)])];
      };
      const ImDrawVert
          &a = vertex(0),
          &b = vertex(2);  // Opposite corners of a rectangle: lines and areas have no height in the texture
      if (a.uv.x == b.uv.x || a.uv.y == b.uv.y || (a.col & IM_COL32_A_MASK) == 0 ||
          vertex(3).pos.x != a.pos.x)
        continue;
      ++drawn;
      i += 3;  // Its second triangle
      const ImRect glyph(ImMin(a.pos, b.pos), ImMax(a.pos, b.pos));
      if (!clip.Overlaps(glyph)) continue;
      const bool across = glyph.Min.x < clip.Min.x - kTrace || glyph.Max.x > clip.Max.x + kTrace;
      const bool along = glyph.Min.y < clip.Min.y - kTrace || glyph.Max.y > clip.Max.y + kTrace;
      if ((across && window.ScrollMax.x == 0) || (along && window.ScrollMax.y == 0)) {
        cut.push_back(
            fmt::format("{}: a glyph at {:.0f},{:.0f} to {:.0f},{:.0f} of {:.0f},{:.0f} to {:.0f},{:.0f}",
                        window.Name, glyph.Min.x, glyph.Min.y, glyph.Max.x, glyph.Max.y, clip.Min.x,
                        clip.Min.y, clip.Max.x, clip.Max.y));
      }
    }
  }
  return cut;
}

/// The window of a view, or the part of it that is called `child`; nullptr if it is not drawn.
const ImGuiWindow* window_of(const std::string& view, const std::string& child = {}) {
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    const std::string name = window->Name, inside = fmt::format("###{}/{}_", view, child);
    const bool meant = child.empty() ? name.ends_with("###" + view) : name.find(inside) != std::string::npos;
    if (meant && window->Active && !window->Hidden) return window;
  }
  return nullptr;
}

}  // namespace

bool on_every_screen() {
  return std::getenv("WARPLENS_EVERY_SCREEN") != nullptr;
}

std::array<double, 9> PanelPixels::drawn() const {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t colour : colours) ++counts[colour];
  const auto background =
      std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  std::array<double, 9> shares{};
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::size_t across = static_cast<std::size_t>(width), x = i % across, y = i / across;
    const std::size_t ninth = y * 3 / static_cast<std::size_t>(height) * 3 + x * 3 / across;
    if (colours[i] != background->first) shares.at(ninth) += 9.0 / static_cast<double>(colours.size());
  }
  return shares;
}

bool PanelPixels::looks_like(const PanelPixels& other) const {
  if (width != other.width || height != other.height) return false;
  std::size_t different = 0;
  for (std::size_t i = 0; i < colours.size(); ++i) different += colours[i] != other.colours[i] ? 1 : 0;
  return different * 1000 <= colours.size();
}

double PanelPixels::brightness() const {
  double sum = 0;
  for (const std::uint32_t colour : colours)
    sum += (colour & 0xff) + (colour >> 8 & 0xff) + (colour >> 16 & 0xff);
  return colours.empty() ? 0 : sum / 3 / static_cast<double>(colours.size());
}

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
  app_ = std::make_unique<App>(AppOptions{.config_folder = config_,
                                          .open = open,
                                          .worker = {.command = gpu_worker(worker_)},
                                          .wake = Platform::wake,
                                          .verification_patience = verification_patience_,
                                          .clock = [this] { return seconds_.load(); }},
                               *settings);
  auto platform = Platform::make({.width = size.width, .height = size.height, .visible = true});
  ASSERT_TRUE(platform) << platform.error().message();
  platform_ = std::move(*platform);
  platform_->on_drop([this](std::vector<std::filesystem::path> paths) { app_->open_all(std::move(paths)); });

  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
  io.ConfigLogToTTY = true;
  io.ConfigNoThrottle = true;
  io.ConfigWatchdogWarning = io.ConfigWatchdogKillTest = kPatience;
  io.ConfigSavedSettings = false;
  io.ConfigFixedDeltaTime = kFrameSeconds;
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

void GuiTest::make_frame() {
  app_->prepare_frame(platform_->graphics());
  platform_->begin_frame();
  pass(ImGui::GetIO().DeltaTime);
  app_->draw_frame(platform_->graphics());
}

void GuiTest::draw(int frames) {
  for (int i = 0; i < frames; ++i) {
    platform_->wait(0);
    make_frame();
    if (++frames_ % seen_every_ == 0) {
      ASSERT_TRUE(platform_->end_frame());
    } else {
      platform_->end_frame_unseen();
    }
    ImGuiTestEngine_PostSwap(engine_);
  }
}

void GuiTest::settle() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  draw(3);
  while (app_->busy() || app_->record_due() || app_->editing().due()) {
    if (const double wait = app_->seconds_until_next_frame(); app_->busy() || wait > kLongestPause) {
      wait_at_most(std::min(wait, kLongestWait));
    } else {
      pass(wait);
    }
    draw();
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the window is still busy";
  }
  draw(3);
}

void GuiTest::enter_path(const std::filesystem::path& path) {
  drive([&](ImGuiTestContext& context) { context.ItemInputValue("//file/##path", path.c_str()); });
  await(
      [this] { return !app_->file_dialog().active() || app_->file_dialog().choice().waiting_for().empty(); });
}

void GuiTest::close_message() {
  await([this] { return app_->messages().can_be_closed(now()); });
  drive([](ImGuiTestContext& context) { context.ItemClick("//message/###close"); });
}

void GuiTest::await(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    wait_at_most(kLongestWait);
    draw();
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  draw(2);
}

bool GuiTest::await(ImGuiTestContext& context, const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds() && std::chrono::steady_clock::now() < deadline) context.Yield();
  return holds();
}

void GuiTest::await_rest() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::isfinite(app_->seconds_until_next_frame())) {
    const double wait = app_->seconds_until_next_frame();
    platform_->wait(std::min(wait, kLongestWait));
    pass(wait);
    draw();
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "frames are drawn though nothing changes";
  }
}

void GuiTest::wait_at_most(double seconds) {
  platform_->wait(seconds);
  pass(seconds);
}

std::vector<std::uint8_t> GuiTest::pixels() {
  make_frame();
  auto pixels = platform_->end_frame_with_pixels();
  ImGuiTestEngine_PostSwap(engine_);
  return pixels;
}

PanelPixels GuiTest::pixels_of(const std::string& view, const std::string& child) {
  const std::vector<std::uint8_t> screen = pixels();
  const ImGuiWindow* const window = window_of(view, child);
  const auto [width, height] = platform_->size();
  if (window == nullptr) {
    ADD_FAILURE() << view << " is not in front";
    return {};
  }
  ImRect inside = window->InnerRect;
  if (child.empty()) inside.Expand(-kFrame * app_->scale());
  const int left = static_cast<int>(inside.Min.x), top = static_cast<int>(inside.Min.y);
  PanelPixels part{.width = static_cast<int>(inside.Max.x) - left,
                   .height = static_cast<int>(inside.Max.y) - top,
                   .colours = {}};
  if (left < 0 || top < 0 || part.width <= 0 || part.height <= 0 || left + part.width > width ||
      top + part.height > height) {
    ADD_FAILURE() << view << " is not inside the window";
    return {};
  }
  part.colours.resize(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height));
  for (int y = 0; y < part.height; ++y) {
    std::memcpy(&part.colours[static_cast<std::size_t>(y) * static_cast<std::size_t>(part.width)],
                &screen[4 * (static_cast<std::size_t>(top + y) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(left))],
                4 * static_cast<std::size_t>(part.width));
  }
  return part;
}

void GuiTest::expect_whole(const std::string& view) {
  constexpr double kLeastDrawn = 0.002;  // Of a ninth: a word
  constexpr int kLeastNinths =
      6;  // Short lists leave a third free; controls and a scroll bar alone fill five
  const PanelPixels part = pixels_of(view);
  ASSERT_GT(part.width, 0);
  const std::array<double, 9> drawn = part.drawn();
  EXPECT_GE(std::ranges::count_if(drawn, [&](double share) { return share >= kLeastDrawn; }), kLeastNinths)
      << view << " is empty: " << fmt::format("{:.4f}", fmt::join(drawn, " "));
  EXPECT_GT(expect_uncut(view), 20u) << view << " says nothing";
}

std::size_t GuiTest::expect_uncut(const std::string& view) {
  const ImGuiWindow* const window = window_of(view);
  EXPECT_NE(window, nullptr) << view << " is not in front";
  std::size_t glyphs = 0;
  for (const ImGuiWindow* const part_of : ImGui::GetCurrentContext()->Windows) {
    if (!part_of->Active || part_of->RootWindow != window) continue;
    for (const std::string& cut : cut_glyphs(*part_of, glyphs)) ADD_FAILURE() << cut;
  }
  return glyphs;
}

bool GuiTest::shows(const std::string& words) {
  return std::ranges::any_of(
      drawn_texts(), [&](const DrawnText& drawn) { return drawn.text.find(words) != std::string::npos; });
}

void GuiTest::keep_picture(const std::string& name) {
  const char* const folder = std::getenv("WARPLENS_PICTURES");
  if (folder == nullptr) return;
  const auto [width, height] = platform_->size();
  const auto png = viz::to_png({.width = width, .height = height, .rgba = pixels()});
  const auto written = warplens::write_file(
      std::filesystem::path(folder) / (std::regex_replace(name, std::regex("/"), "-") + ".png"),
      std::as_bytes(std::span(png)));
  EXPECT_TRUE(written) << written.error().message();
}

void GuiTest::drive(const std::function<void(ImGuiTestContext&)>& actions) {
  ImGuiTest* test =
      IM_REGISTER_TEST(engine_, "gui", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  // The engine gives back the style that there was before: a presentation that began meanwhile keeps its own.
  ImGuiStyle style;
  test->TestFunc = [&](ImGuiTestContext* context) {
    actions(*context);
    style = ImGui::GetStyle();
  };
  ImGuiTestEngine_QueueTest(engine_, test, ImGuiTestRunFlags_RunFromCommandLine);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) draw();
  ImGui::GetStyle() = style;
  EXPECT_EQ(test->Output.Status, ImGuiTestStatus_Success);
  ImGuiTestEngine_UnregisterTest(engine_, test);
  draw(2);
}

void GuiTest::command(const std::string& id) {
  const auto& commands = app_->commands();
  const auto found = std::ranges::find(commands, id, &Command::id);
  ASSERT_NE(found, commands.end()) << id;
  ASSERT_TRUE(found->can_run()) << id;
  found->run();
  draw(3);
}

}  // namespace warplens::app
