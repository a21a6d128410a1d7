// Frames that are drawn in part look as if they were drawn whole, by Dear ImGui's own renderer; and only what
// has changed is drawn.
#include <fmt/format.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "app/session/navigation.h"
#include "app/shell/frame_painter.h"
#include "gui/harness.h"
#include "viz/render/gl.h"

namespace warplens::app {
namespace {

/// The frame that was laid out last.
std::vector<std::uint8_t> drawn_whole(int width, int height) {
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  const std::size_t row = static_cast<std::size_t>(width) * 4;
  std::vector<std::uint8_t> bottom_up(row * static_cast<std::size_t>(height)), pixels(bottom_up.size());
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    std::copy_n(bottom_up.data() + (static_cast<std::size_t>(height) - 1 - y) * row, row,
                pixels.data() + y * row);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
  return pixels;
}

int area(const std::vector<FramePart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0,
                         [](int sum, const FramePart& part) { return sum + part.rect.area(); });
}

class FramePainterTest : public GuiTest {
 protected:
  FramePainterTest() { draw_every_frame(); }

  /// Draws a frame, and compares it. Colours may differ by as little as two ways to round do.
  void expect_as_whole(const std::string& after, std::size_t most_wrong = 0) {
    constexpr int kRounding = 2;
    ASSERT_NE(platform().painter(), nullptr);
    const std::vector<std::uint8_t> seen = pixels();
    const auto [width, height] = platform().size();
    const std::vector<std::uint8_t> whole = drawn_whole(width, height);
    ASSERT_EQ(seen.size(), whole.size());
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i % 4 == 3 || std::abs(int{seen[i]} - int{whole[i]}) <= kRounding) continue;
      if (wrong++ == 0) first = i / 4;
    }
    EXPECT_LE(wrong, most_wrong) << after << ": first at " << first % static_cast<std::size_t>(width) << ", "
                                 << first / static_cast<std::size_t>(width);
    drawn_ = area(platform().painter()->planner().parts());
  }
  void step(std::int64_t by) { app().selection() = moved_by_steps(recording(), app().selection(), by); }
  [[nodiscard]] int drawn() const { return drawn_; }  ///< Pixels, of the frame compared last

 private:
  int drawn_ = 0;
};

TEST_F(FramePainterTest, LooksAsIfDrawnWhole) {
  start();
  draw(8);
  expect_as_whole("the start");
  for (int i = 0; i < 12; ++i) {
    step(i % 3 == 0 ? 40 : 1);
    expect_as_whole(fmt::format("step {}", i));
  }
  for (const float x : {100.0f, 430.0f, 700.0f, 1000.0f, 1300.0f}) {
    for (const float y : {40.0f, 180.0f, 500.0f, 870.0f}) {
      ImGui::GetIO().AddMousePosEvent(x, y);
      draw(2);
      expect_as_whole(fmt::format("the mouse at {}, {}", x, y));
    }
  }
  command("help.keys");
  draw(3);
  expect_as_whole("the keys");
}

TEST_F(FramePainterTest, HeatMapsAreDrawnAnew) {
  start();
  for (const char* const view : {"heat", "divergence", "history"}) {
    app().panels().show(view);
    draw(4);
    expect_as_whole(view);
    for (int i = 0; i < 3; ++i) {
      app().selection() = moved_by_blocks(recording(), app().selection(), 7);
      draw(1);
      expect_as_whole(fmt::format("{} of another block", view));
    }
  }
}

TEST_F(FramePainterTest, LooksAsIfDrawnWholeAtOtherSizesAndInLight) {
  // Where a heat map takes a row of pixels more or less than its texture has, it depends on where drawing
  // begins which one is left out.
  constexpr std::size_t kOfHeatMaps = 300;
  start({}, {.width = 1003, .height = 707});
  draw(4);
  expect_as_whole("an odd size", kOfHeatMaps);
  step(1);
  expect_as_whole("a step at an odd size", kOfHeatMaps);
  platform().resize(1280, 800);
  await([this] { return platform().size() == std::pair(1280, 800); });
  draw(8);  // Until OpenGL knows it too
  expect_as_whole("another size");
  app().settings().dark = false;
  draw(2);
  step(3);
  expect_as_whole("light");
}

TEST_F(FramePainterTest, DrawsOnlyWhatHasChanged) {
  start();
  app().meter().switch_on(false);
  ImGui::GetIO().AddMousePosEvent(-1, -1);
  draw(8);
  expect_as_whole("the start");
  expect_as_whole("nothing");
  EXPECT_LT(drawn(), 1600 * 900 / 5) << "heat maps alone";
  step(1);
  expect_as_whole("a step");
  EXPECT_GT(drawn(), 1600 * 900 / 100);
  EXPECT_LT(drawn(), 1600 * 900 / 2);
}

}  // namespace
}  // namespace warplens::app
