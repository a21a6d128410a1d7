// The pictures of the whole window that are looked at by eye before a release: ten kernels on every kind of
// screen, each tab in front once, and every view presented. They are only made where the environment asks for
// them (docs/building.md); what can be decided without eyes is tested in passing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "gui/drawn_text.h"
#include "gui/harness.h"

namespace warplens::app {
namespace {

struct ScreenAndTheme {
  int width, height;
  float scale;
  bool light;
};

class EveryWindow : public GuiTest, public testing::WithParamInterface<ScreenAndTheme> {
 protected:
  void begin() {
    const auto& [width, height, scale, light] = GetParam();
    start({}, {width, height});
    app().settings().scale = scale;
    if (light) command("view.light");
    settle();
  }
  void keep(const std::string& what) {
    settle();
    await([this] {
      return std::ranges::none_of(app().panels().all(), &Panel::moves);
    });  // Tabs are scrolled for a third of a second
    const auto& [width, height, scale, light] = GetParam();
    const std::string name =
        fmt::format("{}x{}_{}x_{}_{}", width, height, scale, light ? "light" : "dark", what);
    for (const std::string& overlap : overlapping_texts()) ADD_FAILURE() << name << ": " << overlap;
    keep_picture(name);
  }
  /// In every group of tabs the k-th one, from 0; false: no group has as many.
  bool bring_forward(int tab) {
    bool any = false;
    for (Panel& panel : app().panels().all()) {
      const ImGuiWindow* const window = ImGui::FindWindowByName(window_name(*panel.view).c_str());
      if (window == nullptr || !panel.open || window->DockNode == nullptr ||
          tab >= window->DockNode->Windows.Size)
        continue;
      if (window->DockNode->Windows[tab] != window) continue;
      app().panels().bring_forward(panel.view->id);
      any |= window->DockNode->Windows.Size > 1;
      draw(3);
    }
    return any;
  }
};

const char* const kKernels[] = {"tiled",           "tiled_swapped", "naive",         "naive_uncoalesced",
                                "buffered_column", "tiled_guarded", "volkov_padded", "register_tile",
                                "vector_add",      "corner_turning"};

TEST_P(EveryWindow, IsKept) {
  if (std::getenv("WARPLENS_EVERY_WINDOW") == nullptr)
    GTEST_SKIP() << "pictures to be looked at are not asked for";
  begin();
  for (const char* kernel : kKernels) {
    app().menus().launch = launch_of_kernel(kernel);
    settle();
    for (int tab = 0; bring_forward(tab); ++tab) keep(fmt::format("{}_{}", kernel, tab));
  }
}

TEST_P(EveryWindow, IsKeptOfEveryViewPresented) {
  if (std::getenv("WARPLENS_EVERY_WINDOW") == nullptr)
    GTEST_SKIP() << "pictures to be looked at are not asked for";
  begin();
  for (const char* kernel : {"tiled", "tiled_swapped", "naive_uncoalesced"}) {
    app().menus().launch = launch_of_kernel(kernel);
    settle();
    command("view.presentation");
    for (std::size_t at = 0; at < app().panels().all().size(); ++at) {
      app().panels().present(at);
      keep(fmt::format("{}_presented_{}", kernel, app().panels().all()[at].view->id));
    }
    command("view.presentation");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Screens, EveryWindow,
    testing::Values(ScreenAndTheme{1280, 800, 1, false}, ScreenAndTheme{1280, 800, 1, true},
                    ScreenAndTheme{1280, 800, 2, false}, ScreenAndTheme{1280, 800, 2, true},
                    ScreenAndTheme{1600, 900, 1, false}, ScreenAndTheme{1600, 900, 1, true},
                    ScreenAndTheme{1600, 900, 2, false}, ScreenAndTheme{1600, 900, 2, true},
                    ScreenAndTheme{1920, 1080, 1, false}, ScreenAndTheme{1920, 1080, 1, true},
                    ScreenAndTheme{1920, 1080, 2, false}, ScreenAndTheme{1920, 1080, 2, true},
                    ScreenAndTheme{3840, 2160, 1, false}, ScreenAndTheme{3840, 2160, 1, true},
                    ScreenAndTheme{3840, 2160, 2, false}, ScreenAndTheme{3840, 2160, 2, true}));

}  // namespace
}  // namespace warplens::app
