// What Warplens says about itself, and where its documentation is.
#pragma once

#include <filesystem>
#include <functional>

#include "app/files/detached_work.h"
#include "app/shell/messages.h"
#include "app/shell/notice.h"
#include "app/views/look.h"
#include "kernels/base/result.h"

namespace warplens::app {

class AboutWindow {
 public:
  /// `wake` makes the event loop draw a frame; called from any thread.
  explicit AboutWindow(std::function<void()> wake) : opening_(std::move(wake)) {}

  void show() { shown_ = true; }
  [[nodiscard]] bool shown() const { return shown_; }
  /// `now`: in seconds on the notice's clock.
  void draw(const Look& look, Messages& messages, Notice& notice, double now);

 private:
  void draw_documentation(const Look& look, Notice& notice, double now);
  void draw_folder_buttons(const Look& look, Notice& notice, double now);
  void open_documentation();

  std::filesystem::path documentation_;  ///< Looked for when the window is first drawn; empty: not at hand
  bool shown_ = false, looked_for_ = false;
  DetachedWork<Error> opening_;
};

}  // namespace warplens::app
