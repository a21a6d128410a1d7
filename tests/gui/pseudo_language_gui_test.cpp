// The window in the language of tests/base/pseudo_language.h: every word is looked up, and nothing is cut off where words need more room.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/pseudo_language.h"
#include "gui/drawn_text.h"
#include "gui/harness.h"
#include "kernels/catalog/catalog.h"
#include "viz/views/view.h"

namespace warplens::app {
namespace {

/// What stands without brackets as it is the same in every language: symbols, and names of products and keys.
const std::set<std::string, std::less<>> kSameEverywhere{"GFLOP", "GiB",   "KiB",    "MiB",      "CGMA", "PTX",    "SASS",     "GPU",
                                                         "CPU",   "SIMD",  "cuBLAS", "OpenBLAS", "CUDA", "NVIDIA", "Warplens", "Ctrl",
                                                         "Alt",   "Shift", "Esc",    "Home",     "End",  "PageUp", "PageDown", "Space",
                                                         "Enter", "Tab",   "mul",    "fma",      "add",  "AVX",    "FMA"};

class PseudoWindow : public GuiTest {
 protected:
  /// The words on screen that were not looked up.
  std::set<std::string> words_left_in_english() {
    std::set<std::string> left;
    std::string window, drawn;
    const auto end_window = [&] {
      for (const std::string& word : words_left_alone(drawn)) {
        if (!is_a_name(word)) left.insert(window + ": " + word);
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

  bool is_a_name(const std::string& word) {
    if (kSameEverywhere.contains(word)) return true;
    if (names_.empty()) {
      for (const KernelDescriptor& kernel : catalog().kernels()) {
        for (const std::string& name : words_left_alone(kernel.id + " " + kernel.source_file)) names_.insert(name);
        for (const ParameterInfo& parameter : kernel.parameters) names_.insert(parameter.name);
      }
    }
    return names_.contains(word);
  }

  void expect_all_looked_up(const std::string& where) {
    for (const std::string& word : words_left_in_english()) ADD_FAILURE() << where << " shows in English, in " << word;
  }

  PseudoLanguage language_;

 private:
  std::set<std::string, std::less<>> names_;
};

TEST_F(PseudoWindow, ShowsNoEnglish) {
  start({}, {1920, 1080});
  choose_kernel(app().menus(), *catalog().find("tiled"));
  app().record();
  settle();
  expect_all_looked_up("the first window");
  keep_picture("pseudo-first");
  for (const viz::View& view : viz::views()) {
    if (!view.place) continue;
    drive([&](ImGuiTestContext& context) {
      context.WindowFocus(("//" + std::string(view.id)).c_str());
      context.Yield(4);
    });
    SCOPED_TRACE(view.id);
    expect_all_looked_up(std::string(view.id));
    expect_whole(std::string(view.id));
    keep_picture("pseudo-" + std::string(view.id));
  }
}

TEST_F(PseudoWindow, IsWholeOnASmallScreen) {
  start({}, {1280, 800});
  choose_kernel(app().menus(), *catalog().find("tiled_guarded"));
  app().record();
  settle();
  for (const viz::View& view : viz::views()) {
    if (!view.place) continue;
    drive([&](ImGuiTestContext& context) {
      context.WindowFocus(("//" + std::string(view.id)).c_str());
      context.Yield(4);
    });
    SCOPED_TRACE(view.id);
    expect_whole(std::string(view.id));
    keep_picture("pseudo-small-" + std::string(view.id));
  }
}

}  // namespace
}  // namespace warplens::app
