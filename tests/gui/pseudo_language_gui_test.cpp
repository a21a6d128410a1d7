// The window in the language of tests/base/pseudo_language.h: every word is looked up, and nothing is cut off
// where words need more room.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "app/measure/cpu_products.h"
#include "base/pseudo_language.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/catalog/catalog.h"
#include "viz/analysis/device_models.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

/// What stands without brackets as it is the same in every language: symbols, and names of products and of
/// keys.
const std::set<std::string, std::less<>> kSameEverywhere{
    "GFLOP", "flop", "GiB", "KiB", "MiB",  "CGMA",   "PTX",    "SASS",     "sm_",      "GPU",
    "CPU",   "SIMD", "AVX", "FMA", "CUDA", "NVIDIA", "cuBLAS", "OpenBLAS", "Warplens", "Ctrl",
    "Alt",   "Tab",  "wlr", "cu",  "cuh",  "ptx",    "py",     "toml",     "CUDA"};

class PseudoWindow : public GuiTest {
 protected:
  /// The words on screen that were not looked up.
  std::set<std::string> words_left_in_english() {
    const std::set<std::string, std::less<>> same = names();
    std::set<std::string> left;
    std::string window, drawn;
    const auto end_window = [&] {
      for (const std::string& word : words_left_alone(drawn)) {
        if (!same.contains(word)) left.insert(window + ": " + word);
      }
      drawn.clear();
    };
    for (const DrawnText& text : drawn_texts()) {
      if (text.window != window) end_window();
      window = text.window;
      if (text.is_code) continue;
      drawn += text.text + '\n';
      if (text.text.find("\u2026") == std::string::npos) continue;
      end_window();  // Shortened, so its bracket is not closed
    }
    end_window();
    return left;
  }

  std::set<std::string, std::less<>> names() {
    std::set<std::string, std::less<>> names = kSameEverywhere;
    const auto add = [&](std::string_view text) {
      for (const std::string& word : words_left_alone(text)) names.insert(word);
    };
    for (const KernelDescriptor& kernel : catalog().kernels()) {
      add(kernel.id);
      add(kernel.source_file);
      for (const ParameterInfo& parameter : kernel.parameters) add(parameter.name);
    }
    for (const measure::CpuProduct product : measure::kCpuProducts) add(measure::name_of(product));
    for (const analysis::DeviceModel& model : analysis::device_models()) add(model.architecture);
    add("float, double; tiledILi of a mangled name");
    const std::optional<gpu::DriverCheck>& driver =
        app().model().gpu.driver;  // The worker's words, who is a process of its own
    if (driver) add("There " + driver->missing + ' ' + driver->advice);
    return names;
  }

  void expect_all_looked_up() {
    for (const std::string& word : words_left_in_english()) ADD_FAILURE() << "in English, in " << word;
  }

  PseudoLanguage language_;
};

/// Every view in turn, with something to show where that can be had.
struct Screen {
  const char* name;
  WindowSize size;
  float scale;
};
constexpr Screen kScreens[] = {
    {"large", {1920, 1080}, 1}, {"small", {1280, 800}, 1}, {"projector", {1920, 1080}, 1.5f}};

TEST_F(PseudoWindow, ShowsNoEnglishAndCutsNothingOff) {
  for (const Screen& screen : kScreens) {
    SCOPED_TRACE(screen.name);
    start({}, screen.size);
    app().settings().scale = screen.scale;
    choose_kernel(app().menus(), *catalog().find("tiled"));
    app().record();
    settle();
    app().selection().element = ElementRef{0, 3, 17};
    for (const viz::View& view : viz::views()) {
      if (!view.place) continue;
      drive([&](ImGuiTestContext& context) {
        context.WindowFocus(("//" + std::string(view.id)).c_str());
        context.SleepNoSkip(0.3f, 0.02f);
        context.Yield(4);
      });
      SCOPED_TRACE(view.id);
      expect_all_looked_up();
      EXPECT_GT(expect_uncut(std::string(view.id)), 20u);
      keep_picture(fmt::format("pseudo-{}-{}", screen.name, view.id));
    }
    stop();
  }
}

TEST_F(PseudoWindow, AsksForFilesInOtherWords) {
  start({}, {1280, 800});
  app().settings().add_recent(config() / "recordings" / "tiled.wlr");
  for (const char* id : {"file.open", "file.save"}) {
    command(id);
    await([this] { return app().file_dialog().choice().waiting_for().empty(); });
    enter_path("0/1");
    ASSERT_TRUE(app().file_dialog().choice().error());
    expect_all_looked_up();
    EXPECT_GT(expect_uncut("file"), 100u);
    keep_picture(fmt::format("pseudo-{}", id));
    drive([](ImGuiTestContext& context) { context.KeyPress(ImGuiKey_Escape); });
  }
}

TEST_F(PseudoWindow, SaysWhatWasFoundInOtherWords) {
  start({}, {1280, 800});
  choose_kernel(app().menus(), *catalog().find("missing_barrier"));
  app().record();
  settle();
  drive([](ImGuiTestContext& context) {
    context.WindowFocus("//findings");
    context.Yield(4);
  });
  EXPECT_GT(expect_uncut("findings"), 100u);
  for (const DrawnText& drawn : drawn_texts())
    EXPECT_EQ(drawn.text.find("barrier between"), std::string::npos) << drawn.text;
  keep_picture("pseudo-found");
}

}  // namespace
}  // namespace warplens::app
